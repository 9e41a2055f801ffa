/* jig_reduce_by_key(): see include/jig/reduce_by_key.h,
 * templates/jig/agent/by_key/reduce_by_key_tile.cuh. */
#include <jig/reduce_by_key.h>
#include <string.h>

#include "algorithm/accumulator.h"
#include "algorithm/by_key.h"
#include "algorithm/call_places.h"
#include "algorithm/chain.h"
#include "policy/by_key.h"
#include "spec/complete.h"
#include "spec/type.h"

/* ---- the spec */

enum {
  ACCUM,
  AGGREGATES_OUT,
  DETERMINISM,
  EQUALITY,
  KEYS_IN,
  NUM_ITEMS_IN,
  NUM_RUNS_OUT,
  OP,
  UNIQUE_OUT,
  VALUES_IN,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [ACCUM] = {.name = "accum",
               .use = USE_FOLDED,
               .kind = SLOT_TYPE,
               .held = true,
               .help = "the type that folds work in; left out, it follows from op, items and results",
               .option = "accum"},
    [AGGREGATES_OUT] = {.name = "aggregates_out",
                        .use = USE_FOLDED,
                        .kind = SLOT_ITER,
                        .role = ITER_OUTPUT,
                        .help = "a result for each run of equal keys",
                        .like = "values_in",
                        .option = "out-type"},
    [DETERMINISM] = FOLD_DETERMINISM_SLOT,
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("keys_in"),
    [KEYS_IN] = {.name = "keys_in",
                 .use = USE_EQUATED,
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .places = {"keys_in"},
                 .help = "a key for each item; equal neighbours are a run",
                 .like = "values_in",
                 .option = "key-type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [NUM_RUNS_OUT] = {.name = "num_runs_out",
                      .use = USE_COUNTED,
                      .kind = SLOT_ITER,
                      .role = ITER_OUTPUT,
                      .help = "how many runs there are",
                      .usually = "i64"},
    [OP] = FOLD_OP_SLOT(false),
    [UNIQUE_OUT] = {.name = "unique_out",
                    .kind = SLOT_ITER,
                    .role = ITER_OUTPUT,
                    .places = {"keys_in"},
                    .help = "the last key of each run",
                    .like = "keys_in"},
    [VALUES_IN] = {.name = "values_in",
                   .use = USE_FOLDED,
                   .kind = SLOT_ITER,
                   .role = ITER_INPUT,
                   .help = "the items",
                   .option = "type"},
};

static jig_status check(const spec *s) {
  jig_status status = accumulator_check(s, "values_in", "aggregates_out");
  if (status == JIG_SUCCESS)
    status = type_check_conversion(&s->slots[KEYS_IN].iter->type, &s->slots[UNIQUE_OUT].iter->type,
                                   "unique_out: the key type");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "num_runs_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "keys_in") : status;
}

#define OWN_PARAMETERS                                                                  \
  SLOT_PARAMETER(KEYS_IN), SLOT_PARAMETER(UNIQUE_OUT), SLOT_PARAMETER(VALUES_IN),       \
      SLOT_PARAMETER(AGGREGATES_OUT), SLOT_PARAMETER(NUM_RUNS_OUT), SLOT_PARAMETER(OP), \
      SLOT_PARAMETER(EQUALITY), CHAIN_NUM_ITEMS
static const kernel_parameter single_wave_parameters[] = {OWN_PARAMETERS, CHAIN_SINGLE_WAVE_PARAMETERS};
static const kernel_parameter cluster_parameters[] = {OWN_PARAMETERS, CHAIN_CLUSTER_PARAMETERS};
static const kernel_parameter lookback_parameters[] = {
    OWN_PARAMETERS, CHAIN_LOOKBACK_PARAMETERS("jig::OpenRun<jig_accum_t, uint64_t>")};
static const kernel_parameter pipeline_parameters[] = {OWN_PARAMETERS, CHAIN_PIPELINE_PARAMETERS};

static jig_status complete(parsed_spec *p) {
  accumulator_complete(p, &p->s.slots[VALUES_IN].iter->type, "values_in", "aggregates_out");
  return JIG_SUCCESS;
}

static const kernel_row pipeline = {.name = "jig_reduce_by_key_pipeline",
                                    .templates = "jig/kernel/by_key/reduce_by_key_pipeline.cuh",
                                    .function = "jig::reduce_by_key_pipeline<jig_policy, jig_accum_t>",
                                    .parameters = pipeline_parameters,
                                    .space = &by_key_pipeline_space,
                                    .fits = by_key_pipeline_fits};
static const kernel_row fewer_rows = {.name = "jig_reduce_by_key_lookback_fewer",
                                      .templates = "jig/kernel/by_key/reduce_by_key_lookback.cuh",
                                      .function = "jig::reduce_by_key_lookback<jig_policy, jig_accum_t>",
                                      .parameters = lookback_parameters,
                                      .space = &by_key_fewer_rows_space,
                                      .fits = by_key_fewer_rows_fits};
static const kernel_row kernels[] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_reduce_by_key_single_wave",
                           .templates = "jig/kernel/by_key/reduce_by_key_single_wave.cuh",
                           .function = "jig::reduce_by_key_single_wave<jig_policy, jig_accum_t>",
                           .parameters = single_wave_parameters,
                           .space = &by_key_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_reduce_by_key_lookback",
                     .templates = "jig/kernel/by_key/reduce_by_key_lookback.cuh",
                     .function = "jig::reduce_by_key_lookback<jig_policy, jig_accum_t>",
                     .parameters = lookback_parameters,
                     .space = &by_key_lookback_space,
                     .instead = &pipeline},
    [CHAIN_CLUSTER] = {.name = "jig_reduce_by_key_cluster",
                       .templates = "jig/kernel/by_key/reduce_by_key_cluster.cuh",
                       .function = "jig::reduce_by_key_cluster<jig_policy, jig_accum_t>",
                       .parameters = cluster_parameters,
                       .space = &by_key_cluster_space,
                       .instead = &fewer_rows},
};

static int count_kernels(const spec *s) {
  return by_key_fewer_rows_fits(s, 0) ? CHAIN_ALL_KERNELS : by_key_count_kernels(s);
}

/* clang-format off */
#define FIELDS(s, F, R)                                                     \
  F(s, keys_in) F(s, unique_out) F(s, values_in) F(s, aggregates_out) F(s, num_runs_out)              \
  F(s, num_items) F(s, op) F(s, equality) F(s, accum_type) F(s, nan) F(s, determinism)                \
  F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_reduce_by_key_args, 1912, FIELDS);

const algorithm reduce_by_key_algorithm = {
    .schema = {.algorithm = "reduce_by_key",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_reduce_by_key_args,
    .kernels = kernels,
    .kernel_count = sizeof kernels / sizeof kernels[0],
    .count_kernels = count_kernels,
};

/* ---- the call */

enum { PLACES = 5 };

typedef struct bound_spec {
  spec s;
  const jig_reduce_by_key_args *args;
  const jig_op *op;
  jig_type accum;
  call_place places[PLACES];
  chain_size size;
} bound_spec;

static void list_places(const jig_reduce_by_key_args *args, call_place places[PLACES]) {
  /* How many items of the outputs are written is not known: one, if there is a run. */
  const uint64_t n = args->num_items, some = n > 0;
  places[0] = (call_place){&args->keys_in, n, "keys_in", false};
  places[1] = (call_place){&args->values_in, n, "values_in", false};
  places[2] = (call_place){&args->unique_out, some, "unique_out", true};
  places[3] = (call_place){&args->aggregates_out, some, "aggregates_out", true};
  places[4] = (call_place){&args->num_runs_out, 1, "num_runs_out", true};
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_reduce_by_key_args *args = args_;
  const jig_type *value = &args->values_in.type;
  bound_spec *b = bound;
  b->args = args;
  b->op = accumulator_op(&args->op);
  b->accum = accumulator_type(&args->accum_type, b->op, value, value, &args->aggregates_out.type);
  list_places(args, b->places);
  b->s.schema = &reduce_by_key_algorithm.schema;
  memset(b->s.slots, 0, SLOTS * sizeof b->s.slots[0]);
  b->s.slots[ACCUM].type = &b->accum;
  b->s.slots[DETERMINISM].choice = accumulator_determinism(b->op, &b->accum, args->determinism);
  b->s.slots[AGGREGATES_OUT].iter = &args->aggregates_out;
  by_key_describe_equality(&b->s.slots[EQUALITY], &args->equality);
  b->s.slots[KEYS_IN].iter = &args->keys_in;
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[NUM_RUNS_OUT].iter = &args->num_runs_out;
  b->s.slots[OP].op = b->op;
  b->s.slots[OP].ignore_nan = accumulator_ignores_nan(b->op, &b->accum, args->nan);
  b->s.slots[UNIQUE_OUT].iter = &args->unique_out;
  b->s.slots[VALUES_IN].iter = &args->values_in;
  return call_check_fold(name, args->nan, args->determinism);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_reduce_by_key_args *args = b->args;
  const bool has_fewer_rows = by_key_fewer_rows_fits(&b->s, 0);
  b->size = (chain_size){args->num_items,
                         by_key_state_bytes(&b->accum, sizeof(uint64_t)),
                         .has_runs = true,
                         .has_cluster = !has_fewer_rows && c->program->count > CHAIN_CLUSTER,
                         .another = has_fewer_rows ? BY_KEY_FEWER_ROWS : 0,
                         .another_form = CHAIN_IS_LOOKBACK};
  const jig_status status = call_check_counts(c, "num_items", b->places, PLACES);
  return status == JIG_SUCCESS ? chain_prepare(c, &b->size, temp) : status;
}

static jig_status check_values(const call *c, const bound_spec *b) {
  jig_status status = call_check_places(c, b->places, PLACES);
  if (status == JIG_SUCCESS) status = call_check_op(c, b->op, "op");
  return status == JIG_SUCCESS ? call_check_op(c, &b->args->equality, "equality") : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  chain_values values = {.num_items = {b->args->num_items, b->args->num_items_in}};
  const jig_status status = check_values(c, b);
  return status == JIG_SUCCESS ? chain_launch(c, &b->size, temp, &values) : status;
}

const call_steps reduce_by_key_steps = {
    "jig_reduce_by_key", CALL_ARGS(jig_reduce_by_key_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_reduce_by_key(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             const jig_reduce_by_key_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&reduce_by_key_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_reduce_by_key_spec(const jig_reduce_by_key_args *args, char **text) {
  bound_spec b;
  return call_spec(&reduce_by_key_steps, args, text, &b);
}
