/* jig_scan_by_key(): see include/jig/scan_by_key.h, templates/jig/agent/scan_by_key_tile.cuh. */
#include <jig/scan_by_key.h>
#include <string.h>

#include "algorithm/accumulator.h"
#include "algorithm/by_key.h"
#include "algorithm/chain.h"
#include "spec/canonical.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- the spec */

enum { ACCUM, EQUALITY, IN, INIT, KEYS_IN, MODE, OP, OUT, SLOTS };

static const char *const modes[] = {"inclusive", "exclusive", NULL};

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum", .kind = SLOT_TYPE},
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("keys_in"),
    [IN] = {.name = "in", .kind = SLOT_ITER, .role = ITER_INPUT},
    [INIT] = {.name = "init", .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT},
    [KEYS_IN] = {.name = "keys_in", .kind = SLOT_ITER, .role = ITER_INPUT},
    [MODE] = {.name = "mode", .kind = SLOT_CHOICE, .choices = modes},
    [OP] = {.name = "op", .kind = SLOT_OP, .arity = 2, .over = {"accum"}},
    [OUT] = {.name = "out", .kind = SLOT_ITER, .role = ITER_OUTPUT},
};

static jig_status check(const spec *s) {
  const jig_type *accum = s->slots[ACCUM].type;
  const jig_iter *init = s->slots[INIT].iter;
  jig_status status = type_check_conversion(&s->slots[IN].iter->type, accum, "in: the item type");
  if (status == JIG_SUCCESS)
    status = type_check_conversion(accum, &s->slots[OUT].iter->type, "out: the accumulator type");
  if (status == JIG_SUCCESS) status = by_key_check_equality(s, "keys_in");
  if (status != JIG_SUCCESS) return status;
  if (init != NULL) return type_check_conversion(&init->type, accum, "init: its type");
  if (s->slots[MODE].choice != JIG_SCAN_EXCLUSIVE || op_is_built_in(s->slots[OP].op, accum))
    return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "init: an exclusive scan needs one, as the operator has no identity that jig knows");
}

static const kernel_row kernels[] = {
    [CHAIN_WAVE] = {.name = "jig_scan_by_key_wave",
                    .templates = "jig/kernel/scan_by_key_wave.cuh",
                    .entry = "jig/kernel/scan_by_key_wave_entry.cuh",
                    .choose_policy = by_key_wave_policy},
    [CHAIN_LARGE] = {.name = "jig_scan_by_key_lookback",
                     .templates = "jig/kernel/scan_by_key_lookback.cuh",
                     .entry = "jig/kernel/scan_by_key_lookback_entry.cuh",
                     .choose_policy = by_key_lookback_policy},
};

const algorithm scan_by_key_algorithm = {
    .schema = {.algorithm = "scan_by_key", .slots = slots, .slot_count = SLOTS, .check = check},
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof kernels[0],
};

/* A spec with what it points to beside the args. */
typedef struct described {
  spec s;
  jig_op op;
  jig_iter init;
  jig_type accum;
} described;

static void describe(const jig_scan_by_key_args *args, described *d) {
  const bool has_type = args->init_type.kind != JIG_KIND_NONE;
  d->op = args->op.kind != JIG_OP_NONE ? args->op : JIG_PLUS;
  d->init = args->init_in;
  if (args->init != NULL) d->init = jig_constant(args->init, has_type ? args->init_type : args->out.type);
  const bool has_init = d->init.kind != JIG_ITER_NONE;
  const jig_type *first = has_init ? &d->init.type : &args->in.type;
  d->accum = args->accum_type.kind != JIG_KIND_NONE ? args->accum_type
                                                    : accumulator_type(&d->op, first, &args->in.type);
  d->s.schema = &scan_by_key_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[ACCUM].type = &d->accum;
  by_key_describe_equality(&d->s.slots[EQUALITY], &args->equality);
  d->s.slots[IN].iter = &args->in;
  if (has_init) d->s.slots[INIT].iter = &d->init;
  d->s.slots[KEYS_IN].iter = &args->keys_in;
  d->s.slots[MODE].choice = (int)args->mode;
  d->s.slots[OP].op = &d->op;
  d->s.slots[OP].ignore_nan = accumulator_ignores_nan(&d->op, &d->accum, args->nan);
  d->s.slots[OUT].iter = &args->out;
}

/* ---- the call */

static jig_status check_choices(const call *c, const jig_scan_by_key_args *args, const described *d) {
  jig_status status = call_check_choice(c, "mode", (int)args->mode, JIG_SCAN_EXCLUSIVE);
  if (status == JIG_SUCCESS) status = call_check_choice(c, "nan", (int)args->nan, JIG_NAN_IGNORE);
  if (status == JIG_SUCCESS && args->init != NULL && args->init_in.kind != JIG_ITER_NONE)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: init: it is given by value and by init_in, too",
                     c->name);
  return status == JIG_SUCCESS ? call_check_determinism(c, args->determinism, &d->op, &d->accum) : status;
}

static jig_status check_iterators(const call *c, const jig_scan_by_key_args *args, const described *d) {
  const uint64_t n = args->num_items;
  jig_status status = iter_check_values(&args->keys_in, n, "jig_scan_by_key: keys_in");
  if (status == JIG_SUCCESS) status = iter_check_values(&args->in, n, "jig_scan_by_key: in");
  if (status == JIG_SUCCESS) status = iter_check_values(&args->out, n, "jig_scan_by_key: out");
  if (status == JIG_SUCCESS && d->init.kind != JIG_ITER_NONE)
    status = iter_check_values(&d->init, 1, "jig_scan_by_key: init");
  if (status == JIG_SUCCESS) status = op_check_state_value(&d->op, "jig_scan_by_key: op");
  if (status == JIG_SUCCESS) status = by_key_check_equality_value(c, &args->equality);
  return status;
}

static jig_status check_aliasing(const call *c, const jig_scan_by_key_args *args, const described *d) {
  const uint64_t n = args->num_items;
  const bool has_init = d->init.kind != JIG_ITER_NONE;
  jig_status status = call_check_overlap(c, &args->keys_in, n, "keys_in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->in, n, "in");
  if (status == JIG_SUCCESS) status = call_check_overlap(c, &args->out, n, "out");
  if (status == JIG_SUCCESS && has_init) status = call_check_overlap(c, &d->init, 1, "init");
  if (status == JIG_SUCCESS) status = call_check_in_place(c, &args->in, &args->out, n);
  if (status == JIG_SUCCESS)
    status = call_check_apart(c, &args->out, n, "out", &args->keys_in, n, "keys_in");
  if (status == JIG_SUCCESS && has_init)
    status = call_check_apart(c, &args->out, n, "out", &d->init, 1, "init");
  return status;
}

static jig_status launch(call *c, const jig_scan_by_key_args *args, const described *d,
                         const chain_size *size, const temp_layout *temp) {
  _Alignas(16) unsigned char keys[PARAMETER_MAX_SIZE], in[PARAMETER_MAX_SIZE], out[PARAMETER_MAX_SIZE],
      init[PARAMETER_MAX_SIZE], op[PARAMETER_MAX_SIZE], equality[PARAMETER_MAX_SIZE];
  uint64_t num_items = args->num_items;
  init[0] = 0; /* what jig::none is */
  iter_pack(&args->keys_in, keys);
  iter_pack(&args->in, in);
  iter_pack(&args->out, out);
  if (d->init.kind != JIG_ITER_NONE) iter_pack(&d->init, init);
  op_pack(&d->op, op);
  by_key_pack_equality(&args->equality, equality);
  void *parameters[CHAIN_MAX_PARAMETERS] = {keys, in, out, init, op, equality, &num_items};
  return chain_launch(c, size, temp, parameters, 7);
}

static jig_status scan_by_key(call *c, const jig_scan_by_key_args *args) {
  if (args == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_scan_by_key: args: the pointer is NULL");
  described d;
  describe(args, &d);
  jig_status status = check_choices(c, args, &d);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const chain_size size = {args->num_items, by_key_run_items(&args->keys_in, &args->in),
                           by_key_state_bytes(&d.accum, sizeof(bool))};
  const temp_layout temp = chain_temp(c->program, &size);
  bool go_on;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on || args->num_items == 0) return status;
  status = check_iterators(c, args, &d);
  if (status == JIG_SUCCESS) status = check_aliasing(c, args, &d);
  return status == JIG_SUCCESS ? launch(c, args, &d, &size, &temp) : status;
}

jig_status jig_scan_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                           const jig_scan_by_key_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_scan_by_key", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = scan_by_key(&c, args);
  return call_end(&c, status);
}

jig_status jig_scan_by_key_spec(const jig_scan_by_key_args *args, char **text) {
  described d;
  jig_status status = call_check_spec_query("jig_scan_by_key_spec", args, text);
  if (status != JIG_SUCCESS) return status;
  describe(args, &d);
  return spec_write(&d.s, "jig_scan_by_key_spec", text);
}
