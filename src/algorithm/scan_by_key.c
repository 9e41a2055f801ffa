/* jig_scan_by_key(): see include/jig/scan_by_key.h, templates/jig/agent/by_key/scan_by_key_tile.cuh. */
#include <jig/scan_by_key.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/chain.h"
#include "algorithm/scan_parts.h"
#include "policy/by_key.h"
#include "spec/complete.h"
#include "util/error.h"

/* ---- the spec */

enum { ACCUM, EQUALITY, INIT, KEYS_IN, MODE, OP, VALUES_IN, VALUES_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum",
               .kind = SLOT_TYPE,
               .help =
                   "the type that folds work in; left out, it follows from op, init, items and results",
               .option = "accum"},
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("keys_in"),
    [INIT] =
        {.name = "init",
         .kind = SLOT_ITER,
         .optional = true,
         .role = ITER_INPUT,
         .help =
             "what is folded in first: constant(T) if it is given by value, T if it is read on the GPU",
         .like = "values_out",
         .option = "init"},
    [KEYS_IN] = {.name = "keys_in",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .help = "a key for each item; equal neighbours are scanned together",
                 .like = "values_in",
                 .option = "key-type"},
    [MODE] = {.name = "mode",
              .kind = SLOT_CHOICE,
              .choices = scan_modes,
              .help = "whether item i is in result i",
              .option = "exclusive"},
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .arity = 2,
            .over = {"accum"},
            .help = "folds two items a and b",
            .usually = "plus",
            .option = "op"},
    [VALUES_IN] = {.name = "values_in",
                   .formerly = "in",
                   .kind = SLOT_ITER,
                   .role = ITER_INPUT,
                   .help = "the items",
                   .option = "type"},
    [VALUES_OUT] = {.name = "values_out",
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

static const kernel_row ring = {.name = "jig_scan_by_key_ring",
                                .templates = "jig/kernel/by_key/scan_by_key_ring.cuh",
                                .entry = "jig/kernel/by_key/scan_by_key_ring_entry.cuh",
                                .choose_policy = by_key_ring_policy,
                                .fits = by_key_ring_fits};
static const kernel_row kernels[] = {
    [CHAIN_WAVE] = {.name = "jig_scan_by_key_wave",
                    .templates = "jig/kernel/by_key/scan_by_key_wave.cuh",
                    .entry = "jig/kernel/by_key/scan_by_key_wave_entry.cuh",
                    .choose_policy = by_key_wave_policy},
    [CHAIN_LARGE] = {.name = "jig_scan_by_key_lookback",
                     .templates = "jig/kernel/by_key/scan_by_key_lookback.cuh",
                     .entry = "jig/kernel/by_key/scan_by_key_lookback_entry.cuh",
                     .choose_policy = by_key_lookback_policy,
                     .instead = &ring},
};

const algorithm scan_by_key_algorithm = {
    .schema = {.algorithm = "scan_by_key",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof kernels[0],
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  jig_scan_args as_scan;
  scan_parts parts;
} bound_spec;

/* What it has in common with a scan. */
static jig_scan_args as_scan(const jig_scan_by_key_args *args) {
  return (jig_scan_args){.in = args->values_in,
                         .out = args->values_out,
                         .op = args->op,
                         .mode = args->mode,
                         .init = args->init,
                         .init_type = args->init_type,
                         .init_in = args->init_in,
                         .accum_type = args->accum_type,
                         .nan = args->nan,
                         .determinism = args->determinism};
}

static void bind_spec(const jig_scan_by_key_args *args, bound_spec *d) {
  d->as_scan = as_scan(args);
  d->parts = scan_parts_of(&d->as_scan);
  d->s.schema = &scan_by_key_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[ACCUM].type = &d->parts.accum;
  by_key_describe_equality(&d->s.slots[EQUALITY], &args->equality);
  if (d->parts.init.kind != JIG_ITER_NONE) d->s.slots[INIT].iter = &d->parts.init;
  d->s.slots[KEYS_IN].iter = &args->keys_in;
  d->s.slots[MODE].choice = (int)args->mode;
  d->s.slots[OP].op = &d->parts.op;
  d->s.slots[OP].ignore_nan = d->parts.ignore_nan;
  d->s.slots[VALUES_IN].iter = &args->values_in;
  d->s.slots[VALUES_OUT].iter = &args->values_out;
}

/* ---- the call */

static jig_status check_counts(const call *c, const jig_scan_by_key_args *args) {
  const uint64_t n = args->num_items;
  const by_key_place places[] = {{&args->keys_in, n, "keys_in", false},
                                 {&args->values_in, n, "values_in", false},
                                 {&args->values_out, n, "values_out", true}};
  return by_key_check_counts(c, "num_items", places, sizeof places / sizeof places[0]);
}

static jig_status check_values(const call *c, const jig_scan_by_key_args *args, const bound_spec *d) {
  const jig_iter *init = &d->parts.init, *out = &args->values_out;
  const uint64_t n = args->num_items, inits = init->kind != JIG_ITER_NONE;
  const by_key_place inputs[] = {{&args->keys_in, n, "keys_in", false},
                                 {&args->values_in, n, "values_in", false},
                                 {init, inits, "init", false}};
  const by_key_place output = {out, n, "values_out", true};
  jig_status status = by_key_check_places(c, inputs, sizeof inputs / sizeof inputs[0]);
  if (status == JIG_SUCCESS) status = by_key_check_places(c, &output, 1);
  if (status == JIG_SUCCESS)
    status = call_check_in_place(c, out, "values_out", &args->values_in, "values_in", n);
  if (status == JIG_SUCCESS)
    status = call_check_apart(c, out, n, "values_out", &args->keys_in, n, "keys_in");
  if (status == JIG_SUCCESS && inits > 0)
    status = call_check_apart(c, out, n, "values_out", init, inits, "init");
  if (status == JIG_SUCCESS) status = call_check_op(c, &d->parts.op, "op");
  return status == JIG_SUCCESS ? call_check_op(c, &args->equality, "equality") : status;
}

static jig_status launch(call *c, const jig_scan_by_key_args *args, const bound_spec *d,
                         const chain_size *size, const temp_layout *temp) {
  uint64_t num_items = args->num_items;
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &args->keys_in);
  packed_iter(&packed, &args->values_in);
  packed_iter(&packed, &args->values_out);
  packed_iter(&packed, &d->parts.init);
  packed_op(&packed, &d->parts.op);
  packed_op(&packed, &args->equality);
  packed_value(&packed, &num_items);
  return chain_launch(c, size, temp, &packed);
}

static jig_status scan_by_key(call *c, const jig_scan_by_key_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_scan_by_key_args), args);
  if (status != JIG_SUCCESS) return status;
  bound_spec d;
  bind_spec(args, &d);
  status = scan_check_choices(c, &d.as_scan, &d.parts);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  /* A ring counts heads where the others have a bool. */
  const chain_size size = {args->num_items, by_key_run_items(&args->keys_in, &args->values_in),
                           by_key_state_bytes(&d.parts.accum, sizeof(uint32_t))};
  temp_layout temp;
  bool go_on;
  status = check_counts(c, args);
  if (status == JIG_SUCCESS) status = chain_prepare(c, &size, &temp);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on || args->num_items == 0) return status;
  status = check_values(c, args, &d);
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
  bound_spec d;
  jig_status status =
      call_check_spec_query("jig_scan_by_key_spec", LAYOUT(jig_scan_by_key_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  return spec_write(&d.s, "jig_scan_by_key_spec", text);
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
