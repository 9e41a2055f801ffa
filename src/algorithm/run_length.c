/* jig_run_length_encode(), jig_non_trivial_runs(): see include/jig/run_length.h,
 * templates/jig/agent/by_key/run_length_tile.cuh. */
#include <jig/run_length.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/call_places.h"
#include "algorithm/chain.h"
#include "policy/run_length.h"
#include "spec/type.h"

/* ---- the specs */

enum { EQUALITY, IN, LENGTHS_OUT, NUM_ITEMS_IN, NUM_RUNS_OUT, UNIQUE_OUT, SLOTS };

static const slot_schema encode_slots[SLOTS] = {
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("in"),
    [IN] = {.name = "in",
            .use = USE_EQUATED,
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in"},
            .help = "the items; equal neighbours are a run",
            .option = "type"},
    [LENGTHS_OUT] = {.name = "lengths_out",
                     .use = USE_COUNTED,
                     .formerly = "counts_out",
                     .kind = SLOT_ITER,
                     .role = ITER_OUTPUT,
                     .help = "the length of each run",
                     .usually = "i64"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [NUM_RUNS_OUT] = {.name = "num_runs_out",
                      .use = USE_COUNTED,
                      .kind = SLOT_ITER,
                      .role = ITER_OUTPUT,
                      .help = "how many runs there are",
                      .usually = "i64"},
    [UNIQUE_OUT] = {.name = "unique_out",
                    .kind = SLOT_ITER,
                    .role = ITER_OUTPUT,
                    .places = {"in"},
                    .help = "the first item of each run",
                    .like = "in"},
};

static jig_status check_encode(const spec *s) {
  jig_status status = type_check_conversion(&s->slots[IN].iter->type, &s->slots[UNIQUE_OUT].iter->type,
                                            "unique_out: the item type");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "lengths_out");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "num_runs_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "in") : status;
}

/* By the same numbers, as only the last one's name differs. */
enum {
  RUNS_EQUALITY = EQUALITY,
  RUNS_IN = IN,
  RUNS_LENGTHS_OUT = LENGTHS_OUT,
  RUNS_NUM_ITEMS_IN = NUM_ITEMS_IN,
  RUNS_NUM_RUNS_OUT = NUM_RUNS_OUT,
  RUNS_OFFSETS_OUT = UNIQUE_OUT,
  FIRST_OUT = UNIQUE_OUT /* of either */
};

static const slot_schema runs_slots[SLOTS] = {
    [RUNS_EQUALITY] = BY_KEY_EQUALITY_SLOT("in"),
    [RUNS_IN] = {.name = "in",
                 .use = USE_EQUATED,
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .places = {"in"},
                 .help = "the items; equal neighbours are a run",
                 .option = "type"},
    [RUNS_LENGTHS_OUT] = {.name = "lengths_out",
                          .use = USE_COUNTED,
                          .kind = SLOT_ITER,
                          .role = ITER_OUTPUT,
                          .help = "the length of each run of two or more",
                          .usually = "i64"},
    [RUNS_NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [RUNS_NUM_RUNS_OUT] = {.name = "num_runs_out",
                           .use = USE_COUNTED,
                           .kind = SLOT_ITER,
                           .role = ITER_OUTPUT,
                           .help = "how many such runs there are",
                           .usually = "i64"},
    [RUNS_OFFSETS_OUT] = {.name = "offsets_out",
                          .use = USE_COUNTED,
                          .kind = SLOT_ITER,
                          .role = ITER_OUTPUT,
                          .help = "where each such run begins",
                          .usually = "i64"},
};

static jig_status check_runs(const spec *s) {
  jig_status status = spec_check_integer(s, "offsets_out");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "lengths_out");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "num_runs_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "in") : status;
}

/* Of the kernels of both. */
#define OWN_PARAMETERS                                                        \
  SLOT_PARAMETER(IN), SLOT_PARAMETER(FIRST_OUT), SLOT_PARAMETER(LENGTHS_OUT), \
      SLOT_PARAMETER(NUM_RUNS_OUT), SLOT_PARAMETER(EQUALITY), CHAIN_NUM_ITEMS
static const kernel_parameter single_wave_parameters[] = {OWN_PARAMETERS, CHAIN_SINGLE_WAVE_PARAMETERS};
static const kernel_parameter cluster_parameters[] = {OWN_PARAMETERS, CHAIN_CLUSTER_PARAMETERS};
static const kernel_parameter lookback_parameters[] = {OWN_PARAMETERS,
                                                       CHAIN_LOOKBACK_PARAMETERS("jig::RunCount")};
static const kernel_parameter pipeline_parameters[] = {OWN_PARAMETERS, CHAIN_PIPELINE_PARAMETERS};

static const kernel_row encode_pipeline = {.name = "jig_run_length_encode_pipeline",
                                           .templates = "jig/kernel/by_key/run_length_pipeline.cuh",
                                           .function = "jig::run_length_pipeline<jig_policy, false>",
                                           .parameters = pipeline_parameters,
                                           .space = &run_length_pipeline_space,
                                           .fits = run_length_pipeline_fits};
static const kernel_row encode_kernels[] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_run_length_encode_single_wave",
                           .templates = "jig/kernel/by_key/run_length_single_wave.cuh",
                           .function = "jig::run_length_single_wave<jig_policy, false>",
                           .parameters = single_wave_parameters,
                           .space = &run_length_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_run_length_encode_lookback",
                     .templates = "jig/kernel/by_key/run_length_lookback.cuh",
                     .function = "jig::run_length_lookback<jig_policy, false>",
                     .parameters = lookback_parameters,
                     .space = &run_length_lookback_space,
                     .instead = &encode_pipeline},
    [CHAIN_CLUSTER] = {.name = "jig_run_length_encode_cluster",
                       .templates = "jig/kernel/by_key/run_length_cluster.cuh",
                       .function = "jig::run_length_cluster<jig_policy, false>",
                       .parameters = cluster_parameters,
                       .space = &run_length_cluster_space},
};

static const kernel_row runs_pipeline = {.name = "jig_non_trivial_runs_pipeline",
                                         .templates = "jig/kernel/by_key/run_length_pipeline.cuh",
                                         .function = "jig::run_length_pipeline<jig_policy, true>",
                                         .parameters = pipeline_parameters,
                                         .space = &run_length_pipeline_space,
                                         .fits = run_length_pipeline_fits};
static const kernel_row runs_kernels[] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_non_trivial_runs_single_wave",
                           .templates = "jig/kernel/by_key/run_length_single_wave.cuh",
                           .function = "jig::run_length_single_wave<jig_policy, true>",
                           .parameters = single_wave_parameters,
                           .space = &run_length_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_non_trivial_runs_lookback",
                     .templates = "jig/kernel/by_key/run_length_lookback.cuh",
                     .function = "jig::run_length_lookback<jig_policy, true>",
                     .parameters = lookback_parameters,
                     .space = &run_length_lookback_space,
                     .instead = &runs_pipeline},
    [CHAIN_CLUSTER] = {.name = "jig_non_trivial_runs_cluster",
                       .templates = "jig/kernel/by_key/run_length_cluster.cuh",
                       .function = "jig::run_length_cluster<jig_policy, true>",
                       .parameters = cluster_parameters,
                       .space = &run_length_cluster_space},
};

/* clang-format off */
#define RUN_LENGTH_ENCODE_FIELDS(s, F, R)                                                 \
  F(s, in) F(s, unique_out) F(s, lengths_out) F(s, num_runs_out) F(s, num_items) F(s, equality)       \
  F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_run_length_encode_args, 1408, RUN_LENGTH_ENCODE_FIELDS);

const algorithm run_length_encode_algorithm = {
    .schema = {"run_length_encode", encode_slots, SLOTS, check_encode},
    .args = &layout_of_jig_run_length_encode_args,
    .kernels = encode_kernels,
    .kernel_count = CHAIN_ALL_KERNELS,
};

/* clang-format off */
#define NON_TRIVIAL_RUNS_FIELDS(s, F, R)                                                  \
  F(s, in) F(s, offsets_out) F(s, lengths_out) F(s, num_runs_out) F(s, num_items) F(s, equality)      \
  F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_non_trivial_runs_args, 1408, NON_TRIVIAL_RUNS_FIELDS);

const algorithm non_trivial_runs_algorithm = {
    .schema = {"non_trivial_runs", runs_slots, SLOTS, check_runs},
    .args = &layout_of_jig_non_trivial_runs_args,
    .kernels = runs_kernels,
    .kernel_count = CHAIN_ALL_KERNELS,
};

/* ---- the calls */

/* What both of them have: the input, and what they write in the order of the kernels' parameters. */
typedef struct bound_spec {
  spec s;
  call_place in, first, lengths, num_runs;
  const jig_op *equality;
  const uint64_t *num_items_in;
  chain_size size;
} bound_spec;

static void fill_slots(bound_spec *b, const spec_schema *schema) {
  spec_slot *slots = b->s.slots;
  b->s.schema = schema;
  memset(slots, 0, SLOTS * sizeof slots[0]);
  by_key_describe_equality(&slots[EQUALITY], b->equality);
  slots[IN].iter = b->in.iter;
  slots[LENGTHS_OUT].iter = b->lengths.iter;
  slots[NUM_ITEMS_IN].choice = b->num_items_in != NULL;
  slots[NUM_RUNS_OUT].iter = b->num_runs.iter;
  slots[FIRST_OUT].iter = b->first.iter;
}

static jig_status bind_encode(const char *name, const void *args_, void *bound) {
  const jig_run_length_encode_args *args = args_;
  /* How many items of the outputs are written is not known: one, if there is a run. */
  const uint64_t n = args->num_items, some = n > 0;
  bound_spec *b = bound;
  (void)name;
  b->in = (call_place){&args->in, n, "in", false};
  b->first = (call_place){&args->unique_out, some, "unique_out", true};
  b->lengths = (call_place){&args->lengths_out, some, "lengths_out", true};
  b->num_runs = (call_place){&args->num_runs_out, 1, "num_runs_out", true};
  b->equality = &args->equality;
  b->num_items_in = args->num_items_in;
  fill_slots(b, &run_length_encode_algorithm.schema);
  return JIG_SUCCESS;
}

static jig_status bind_runs(const char *name, const void *args_, void *bound) {
  const jig_non_trivial_runs_args *args = args_;
  const uint64_t n = args->num_items, some = n > 1;
  bound_spec *b = bound;
  (void)name;
  b->in = (call_place){&args->in, n, "in", false};
  b->first = (call_place){&args->offsets_out, some, "offsets_out", true};
  b->lengths = (call_place){&args->lengths_out, some, "lengths_out", true};
  b->num_runs = (call_place){&args->num_runs_out, 1, "num_runs_out", true};
  b->equality = &args->equality;
  b->num_items_in = args->num_items_in;
  fill_slots(b, &non_trivial_runs_algorithm.schema);
  return JIG_SUCCESS;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const size_t state_bytes = 2 * sizeof(uint64_t); /* jig::RunCount */
  b->size = (chain_size){b->in.count, state_bytes, .has_runs = true, .has_cluster = true};
  const jig_status status = call_check_counts(c, "num_items", &b->in, 1);
  return status == JIG_SUCCESS ? chain_prepare(c, &b->size, temp) : status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const call_place places[] = {b->in, b->first, b->lengths, b->num_runs};
  chain_values values = {.num_items = {b->in.count, b->num_items_in}};
  jig_status status = call_check_places(c, places, sizeof places / sizeof places[0]);
  if (status == JIG_SUCCESS) status = call_check_op(c, b->equality, "equality");
  return status == JIG_SUCCESS ? chain_launch(c, &b->size, temp, &values) : status;
}

const call_steps run_length_encode_steps = {"jig_run_length_encode",
                                            CALL_ARGS(jig_run_length_encode_args, num_items),
                                            bind_encode,
                                            prepare,
                                            launch,
                                            sizeof(bound_spec)};

jig_status jig_run_length_encode(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 const jig_run_length_encode_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&run_length_encode_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_run_length_encode_spec(const jig_run_length_encode_args *args, char **text) {
  bound_spec b;
  return call_spec(&run_length_encode_steps, args, text, &b);
}

const call_steps non_trivial_runs_steps = {
    "jig_non_trivial_runs", CALL_ARGS(jig_non_trivial_runs_args, num_items), bind_runs, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_non_trivial_runs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                const jig_non_trivial_runs_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&non_trivial_runs_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_non_trivial_runs_spec(const jig_non_trivial_runs_args *args, char **text) {
  bound_spec b;
  return call_spec(&non_trivial_runs_steps, args, text, &b);
}
