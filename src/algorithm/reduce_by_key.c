/* jig_reduce_by_key(): see include/jig/reduce_by_key.h,
 * templates/jig/agent/by_key/reduce_by_key_tile.cuh. */
#include <jig/reduce_by_key.h>
#include <string.h>

#include "algorithm/accumulator.h"
#include "algorithm/by_key.h"
#include "algorithm/chain.h"
#include "policy/by_key.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- the spec */

enum { ACCUM, AGGREGATES_OUT, EQUALITY, KEYS_IN, NUM_RUNS_OUT, OP, UNIQUE_OUT, VALUES_IN, SLOTS };

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum",
               .kind = SLOT_TYPE,
               .help = "the type that folds work in; left out, it follows from op, items and results",
               .option = "accum"},
    [AGGREGATES_OUT] = {.name = "aggregates_out",
                        .kind = SLOT_ITER,
                        .role = ITER_OUTPUT,
                        .help = "a result for each run of equal keys",
                        .like = "values_in",
                        .option = "out-type"},
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("keys_in"),
    [KEYS_IN] = {.name = "keys_in",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .help = "a key for each item; equal neighbours are a run",
                 .like = "values_in",
                 .option = "key-type"},
    [NUM_RUNS_OUT] = {.name = "num_runs_out",
                      .kind = SLOT_ITER,
                      .role = ITER_OUTPUT,
                      .help = "how many runs there are",
                      .usually = "i64"},
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .arity = 2,
            .over = {"accum"},
            .help = "folds two items a and b",
            .usually = "plus",
            .option = "op"},
    [UNIQUE_OUT] = {.name = "unique_out",
                    .kind = SLOT_ITER,
                    .role = ITER_OUTPUT,
                    .help = "the first key of each run",
                    .like = "keys_in"},
    [VALUES_IN] = {.name = "values_in",
                   .kind = SLOT_ITER,
                   .role = ITER_INPUT,
                   .help = "the items",
                   .option = "type"},
};

static jig_status check(const spec *s) {
  const jig_type *accum = s->slots[ACCUM].type;
  jig_status status =
      type_check_conversion(&s->slots[VALUES_IN].iter->type, accum, "values_in: the item type");
  if (status == JIG_SUCCESS)
    status = type_check_conversion(accum, &s->slots[AGGREGATES_OUT].iter->type,
                                   "aggregates_out: the accumulator type");
  if (status == JIG_SUCCESS)
    status = type_check_conversion(&s->slots[KEYS_IN].iter->type, &s->slots[UNIQUE_OUT].iter->type,
                                   "unique_out: the key type");
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "num_runs_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "keys_in") : status;
}

static jig_status complete(parsed_spec *p) {
  accumulator_complete(p, &p->s.slots[VALUES_IN].iter->type, "values_in", "aggregates_out");
  return JIG_SUCCESS;
}

static const kernel_row ring = {.name = "jig_reduce_by_key_ring",
                                .templates = "jig/kernel/by_key/reduce_by_key_ring.cuh",
                                .entry = "jig/kernel/by_key/reduce_by_key_ring_entry.cuh",
                                .choose_policy = by_key_ring_policy,
                                .fits = by_key_ring_fits};
static const kernel_row kernels[] = {
    [CHAIN_WAVE] = {.name = "jig_reduce_by_key_wave",
                    .templates = "jig/kernel/by_key/reduce_by_key_wave.cuh",
                    .entry = "jig/kernel/by_key/reduce_by_key_wave_entry.cuh",
                    .choose_policy = by_key_wave_policy},
    [CHAIN_LARGE] = {.name = "jig_reduce_by_key_lookback",
                     .templates = "jig/kernel/by_key/reduce_by_key_lookback.cuh",
                     .entry = "jig/kernel/by_key/reduce_by_key_lookback_entry.cuh",
                     .choose_policy = by_key_lookback_policy,
                     .instead = &ring},
};

const algorithm reduce_by_key_algorithm = {
    .schema = {.algorithm = "reduce_by_key",
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
  jig_op op;
  jig_type accum;
} bound_spec;

static void bind_spec(const jig_reduce_by_key_args *args, bound_spec *d) {
  const jig_type *value = &args->values_in.type;
  d->op = args->op.kind != JIG_OP_NONE ? args->op : JIG_PLUS;
  d->accum = accumulator_type(&args->accum_type, &d->op, value, value, &args->aggregates_out.type);
  d->s.schema = &reduce_by_key_algorithm.schema;
  memset(d->s.slots, 0, SLOTS * sizeof d->s.slots[0]);
  d->s.slots[ACCUM].type = &d->accum;
  d->s.slots[AGGREGATES_OUT].iter = &args->aggregates_out;
  by_key_describe_equality(&d->s.slots[EQUALITY], &args->equality);
  d->s.slots[KEYS_IN].iter = &args->keys_in;
  d->s.slots[NUM_RUNS_OUT].iter = &args->num_runs_out;
  d->s.slots[OP].op = &d->op;
  d->s.slots[OP].ignore_nan = accumulator_ignores_nan(&d->op, &d->accum, args->nan);
  d->s.slots[UNIQUE_OUT].iter = &args->unique_out;
  d->s.slots[VALUES_IN].iter = &args->values_in;
}

/* ---- the call */

enum { PLACES = 5 };

static void list_places(const jig_reduce_by_key_args *args, by_key_place places[PLACES]) {
  /* How many items of the outputs are written is not known: one, if there is a run. */
  const uint64_t n = args->num_items, some = n > 0;
  places[0] = (by_key_place){&args->keys_in, n, "keys_in", false};
  places[1] = (by_key_place){&args->values_in, n, "values_in", false};
  places[2] = (by_key_place){&args->unique_out, some, "unique_out", true};
  places[3] = (by_key_place){&args->aggregates_out, some, "aggregates_out", true};
  places[4] = (by_key_place){&args->num_runs_out, 1, "num_runs_out", true};
}

static jig_status check_values(const call *c, const jig_reduce_by_key_args *args, const bound_spec *d,
                               const by_key_place places[PLACES]) {
  jig_status status = by_key_check_places(c, places, PLACES);
  if (status == JIG_SUCCESS) status = call_check_op(c, &d->op, "op");
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->equality, "equality");
  return status;
}

static jig_status launch(call *c, const jig_reduce_by_key_args *args, const bound_spec *d,
                         const chain_size *size, const temp_layout *temp) {
  uint64_t num_items = args->num_items;
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &args->keys_in);
  packed_iter(&packed, &args->unique_out);
  packed_iter(&packed, &args->values_in);
  packed_iter(&packed, &args->aggregates_out);
  packed_iter(&packed, &args->num_runs_out);
  packed_op(&packed, &d->op);
  packed_op(&packed, &args->equality);
  packed_value(&packed, &num_items);
  return chain_launch(c, size, temp, &packed);
}

static jig_status reduce_by_key(call *c, const jig_reduce_by_key_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_reduce_by_key_args), args);
  if (status != JIG_SUCCESS) return status;
  bound_spec d;
  bind_spec(args, &d);
  status = call_check_choice(c, "nan", (int)args->nan, JIG_NAN_IGNORE);
  if (status == JIG_SUCCESS) status = call_check_determinism(c, args->determinism, &d.op, &d.accum);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const chain_size size = {args->num_items, by_key_run_items(&args->keys_in, &args->values_in),
                           by_key_state_bytes(&d.accum, sizeof(uint64_t))};
  by_key_place places[PLACES];
  temp_layout temp;
  bool go_on;
  list_places(args, places);
  status = by_key_check_counts(c, "num_items", places, PLACES);
  if (status == JIG_SUCCESS) status = chain_prepare(c, &size, &temp);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on) return status;
  status = check_values(c, args, &d, places);
  return status == JIG_SUCCESS ? launch(c, args, &d, &size, &temp) : status;
}

jig_status jig_reduce_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             const jig_reduce_by_key_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_reduce_by_key", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = reduce_by_key(&c, args);
  return call_end(&c, status);
}

jig_status jig_reduce_by_key_spec(const jig_reduce_by_key_args *args, char **text) {
  bound_spec d;
  jig_status status =
      call_check_spec_query("jig_reduce_by_key_spec", LAYOUT(jig_reduce_by_key_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  return spec_write(&d.s, "jig_reduce_by_key_spec", text);
}
