/* jig_scan_by_key(): see include/jig/scan_by_key.h, templates/jig/agent/by_key/scan_by_key_tile.cuh. */
#include <jig/scan_by_key.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/call_places.h"
#include "algorithm/chain.h"
#include "algorithm/scan_parts.h"
#include "policy/by_key.h"
#include "spec/complete.h"
#include "util/integer.h"

/* ---- the spec */

enum {
  ACCUM,
  DETERMINISM,
  EQUALITY,
  INIT,
  KEYS_IN,
  MODE,
  NUM_ITEMS_IN,
  OP,
  VALUES_IN,
  VALUES_OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [ACCUM] = SCAN_ACCUM_SLOT,
    [DETERMINISM] = FOLD_DETERMINISM_SLOT,
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("keys_in"),
    [INIT] = SCAN_INIT_SLOT("values_out"),
    [KEYS_IN] = {.name = "keys_in",
                 .use = USE_EQUATED,
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .places = {"keys_in"},
                 .help = "a key for each item; equal neighbours are scanned together",
                 .like = "values_in",
                 .option = "key-type"},
    [MODE] = SCAN_MODE_SLOT,
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [OP] = FOLD_OP_SLOT(false),
    [VALUES_IN] = {.name = "values_in",
                   .use = USE_FOLDED,
                   .formerly = "in",
                   .kind = SLOT_ITER,
                   .role = ITER_INPUT,
                   .help = "the items",
                   .option = "type"},
    [VALUES_OUT] = {.name = "values_out",
                    .use = USE_FOLDED,
                    .formerly = "out",
                    .kind = SLOT_ITER,
                    .role = ITER_OUTPUT,
                    .help = "a result for each item",
                    .like = "values_in",
                    .option = "out-type"},
};

static jig_status check(const spec *s) {
  jig_status status = scan_check_folds(s, "values_in", "values_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "keys_in") : status;
}

static jig_status complete(parsed_spec *p) {
  scan_complete(p, "values_in", "values_out");
  return JIG_SUCCESS;
}

#define OWN_PARAMETERS                                                                                  \
  SLOT_PARAMETER(KEYS_IN), SLOT_PARAMETER(VALUES_IN), SLOT_PARAMETER(VALUES_OUT), SLOT_PARAMETER(INIT), \
      SLOT_PARAMETER(OP), SLOT_PARAMETER(EQUALITY), CHAIN_NUM_ITEMS
static const kernel_parameter single_wave_parameters[] = {OWN_PARAMETERS, CHAIN_SINGLE_WAVE_PARAMETERS};
static const kernel_parameter cluster_parameters[] = {OWN_PARAMETERS, CHAIN_CLUSTER_PARAMETERS};
static const kernel_parameter lookback_parameters[] = {
    OWN_PARAMETERS, CHAIN_LOOKBACK_PARAMETERS("jig::OpenRun<jig_accum_t, bool>")};
static const kernel_parameter pipeline_parameters[] = {OWN_PARAMETERS, CHAIN_PIPELINE_PARAMETERS};

static const kernel_row pipeline = {
    .name = "jig_scan_by_key_pipeline",
    .templates = "jig/kernel/by_key/scan_by_key_pipeline.cuh",
    .function = "jig::scan_by_key_pipeline<jig_policy, jig_mode == 0, jig_accum_t>",
    .parameters = pipeline_parameters,
    .space = &by_key_pipeline_space,
    .fits = by_key_pipeline_fits};
static const kernel_row kernels[] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_scan_by_key_single_wave",
                           .templates = "jig/kernel/by_key/scan_by_key_single_wave.cuh",
                           .function =
                               "jig::scan_by_key_single_wave<jig_policy, jig_mode == 0, jig_accum_t>",
                           .parameters = single_wave_parameters,
                           .space = &by_key_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_scan_by_key_lookback",
                     .templates = "jig/kernel/by_key/scan_by_key_lookback.cuh",
                     .function = "jig::scan_by_key_lookback<jig_policy, jig_mode == 0, jig_accum_t>",
                     .parameters = lookback_parameters,
                     .space = &by_key_lookback_space,
                     .instead = &pipeline},
    [CHAIN_CLUSTER] = {.name = "jig_scan_by_key_cluster",
                       .templates = "jig/kernel/by_key/scan_by_key_cluster.cuh",
                       .function = "jig::scan_by_key_cluster<jig_policy, jig_mode == 0, jig_accum_t>",
                       .parameters = cluster_parameters,
                       .space = &by_key_cluster_space},
};

/* clang-format off */
#define FIELDS(s, F, R)                                                       \
  F(s, keys_in) F(s, values_in) F(s, values_out) F(s, num_items) F(s, op) F(s, equality) F(s, init)   \
  F(s, init_type) F(s, init_in) F(s, accum_type) F(s, nan) F(s, determinism) F(s, mode)               \
  R(s, reserved32) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_scan_by_key_args, 1680, FIELDS);

const algorithm scan_by_key_algorithm = {
    .schema = {.algorithm = "scan_by_key",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_scan_by_key_args,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof kernels[0],
    .count_kernels = by_key_count_kernels,
};

/* ---- the call */

typedef struct bound_spec {
  spec s;
  const jig_scan_by_key_args *args;
  scan_parts parts;
  chain_size size;
  jig_iter keys; /* a copy of those that the output overwrites */
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_scan_by_key_args *args = args_;
  bound_spec *b = bound;
  const scan_given given = SCAN_GIVEN(args, values_in, values_out);
  b->args = args;
  scan_find_parts(&given, &b->parts);
  b->s.schema = &scan_by_key_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[ACCUM].type = &b->parts.accum;
  b->s.slots[DETERMINISM].choice = b->parts.determinism;
  by_key_describe_equality(&b->s.slots[EQUALITY], &args->equality);
  b->s.slots[INIT].iter = b->parts.init;
  b->s.slots[KEYS_IN].iter = &args->keys_in;
  b->s.slots[MODE].choice = (int)args->mode;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[OP].op = b->parts.op;
  b->s.slots[OP].ignore_nan = b->parts.ignore_nan;
  b->s.slots[VALUES_IN].iter = &args->values_in;
  b->s.slots[VALUES_OUT].iter = &args->values_out;
  return scan_check_choices(name, &given);
}

static jig_status check_counts(const call *c, const jig_scan_by_key_args *args) {
  const uint64_t n = args->num_items;
  const call_place places[] = {{&args->keys_in, n, "keys_in", false},
                               {&args->values_in, n, "values_in", false},
                               {&args->values_out, n, "values_out", true}};
  return call_check_counts(c, "num_items", places, sizeof places / sizeof places[0]);
}

/* Whether the output goes where the keys are, item for item. Tiles read keys of others, which may have
 * been stored to by then: so the keys are copied first. */
static bool overwrites_keys(const jig_scan_by_key_args *args) {
  const jig_iter *keys = &args->keys_in, *out = &args->values_out;
  return keys->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER &&
         keys->pointer == out->pointer && keys->type.size == out->type.size;
}

static jig_status copy_keys(call *c, bound_spec *b, const temp_layout *temp) {
  void *storage = temp_address(temp, temp->slots - 1, c->storage);
  b->s.slots[KEYS_IN].iter = &b->keys;
  return call_copy_input(c, &b->args->keys_in, b->args->num_items, "keys_in", storage, &b->keys);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_scan_by_key_args *args = b->args;
  /* A pipeline counts heads where the others have a bool. */
  b->size = (chain_size){args->num_items, by_key_state_bytes(&b->parts.accum, sizeof(uint32_t)),
                         .has_runs = true, .has_cluster = c->program->count > CHAIN_CLUSTER};
  jig_status status = check_counts(c, args);
  if (status == JIG_SUCCESS) status = chain_prepare(c, &b->size, temp);
  if (status == JIG_SUCCESS && overwrites_keys(args))
    (void)temp_slot(temp, product_of(args->num_items, args->keys_in.type.size));
  return status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  const jig_scan_by_key_args *args = b->args;
  const jig_iter *init = b->parts.init, *out = &args->values_out;
  const uint64_t n = args->num_items, inits = init != NULL;
  const call_place inputs[] = {{&args->keys_in, n, "keys_in", false},
                               {&args->values_in, n, "values_in", false},
                               {init, inits, "init_in", false}};
  const call_place output = {out, n, "values_out", true};
  jig_status status = call_check_places(c, inputs, sizeof inputs / sizeof inputs[0]);
  if (status == JIG_SUCCESS) status = call_check_places(c, &output, 1);
  if (status == JIG_SUCCESS)
    status = call_check_in_place(c, out, "values_out", &args->values_in, "values_in", n);
  if (status == JIG_SUCCESS && !overwrites_keys(args))
    status = call_check_apart(c, out, n, "values_out", &args->keys_in, n, "keys_in");
  if (status == JIG_SUCCESS && inits > 0)
    status = call_check_apart(c, out, n, "values_out", init, inits, "init_in");
  if (status == JIG_SUCCESS) status = call_check_op(c, b->parts.op, "op");
  return status == JIG_SUCCESS ? call_check_op(c, &args->equality, "equality") : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  chain_values values = {.num_items = {b->args->num_items, b->args->num_items_in}};
  jig_status status = check_values(c, b);
  if (status == JIG_SUCCESS && overwrites_keys(b->args)) status = copy_keys(c, b, temp);
  return status == JIG_SUCCESS ? chain_launch(c, &b->size, temp, &values) : status;
}

const call_steps scan_by_key_steps = {
    "jig_scan_by_key", CALL_WORK_ARGS(jig_scan_by_key_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_scan_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                           const jig_scan_by_key_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&scan_by_key_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_scan_by_key_spec(const jig_scan_by_key_args *args, char **text) {
  bound_spec b;
  return call_spec(&scan_by_key_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_inclusive_sum_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter keys_in, jig_iter values_in, jig_iter values_out,
                                    uint64_t num_items, CUstream stream) {
  const jig_scan_by_key_args args = {
      .keys_in = keys_in, .values_in = values_in, .values_out = values_out, .num_items = num_items};
  return jig_scan_by_key(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_exclusive_sum_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                    jig_iter keys_in, jig_iter values_in, jig_iter values_out,
                                    uint64_t num_items, CUstream stream) {
  const jig_scan_by_key_args args = {.keys_in = keys_in,
                                     .values_in = values_in,
                                     .values_out = values_out,
                                     .num_items = num_items,
                                     .mode = JIG_SCAN_EXCLUSIVE};
  return jig_scan_by_key(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_inclusive_scan_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter keys_in, jig_iter values_in, jig_iter values_out, jig_op op,
                                     uint64_t num_items, CUstream stream) {
  const jig_scan_by_key_args args = {.keys_in = keys_in,
                                     .values_in = values_in,
                                     .values_out = values_out,
                                     .num_items = num_items,
                                     .op = op};
  return jig_scan_by_key(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_exclusive_scan_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter keys_in, jig_iter values_in, jig_iter values_out, jig_op op,
                                     const void *init, jig_type init_type, uint64_t num_items,
                                     CUstream stream) {
  const jig_scan_by_key_args args = {.keys_in = keys_in,
                                     .values_in = values_in,
                                     .values_out = values_out,
                                     .num_items = num_items,
                                     .op = op,
                                     .mode = JIG_SCAN_EXCLUSIVE,
                                     .init = init,
                                     .init_type = init_type};
  return jig_scan_by_key(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}
