/* jig_run_length_encode(), jig_non_trivial_runs(): see include/jig/run_length.h,
 * templates/jig/agent/by_key/run_length_tile.cuh. */
#include <jig/run_length.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/chain.h"
#include "policy/run_length.h"
#include "spec/canonical.h"
#include "spec/type.h"
#include "util/error.h"

/* ---- the specs */

enum { EQUALITY, IN, LENGTHS_OUT, NUM_RUNS_OUT, UNIQUE_OUT, SLOTS };

static const slot_schema encode_slots[SLOTS] = {
    [EQUALITY] = BY_KEY_EQUALITY_SLOT("in"),
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .help = "the items; equal neighbours are a run",
            .option = "type"},
    [LENGTHS_OUT] = {.name = "lengths_out",
                     .formerly = "counts_out",
                     .kind = SLOT_ITER,
                     .role = ITER_OUTPUT,
                     .help = "the length of each run",
                     .usually = "i64"},
    [NUM_RUNS_OUT] = {.name = "num_runs_out",
                      .kind = SLOT_ITER,
                      .role = ITER_OUTPUT,
                      .help = "how many runs there are",
                      .usually = "i64"},
    [UNIQUE_OUT] = {.name = "unique_out",
                    .kind = SLOT_ITER,
                    .role = ITER_OUTPUT,
                    .help = "the first item of each run",
                    .like = "in"},
};

static jig_status check_encode(const spec *s) {
  jig_status status = type_check_conversion(&s->slots[IN].iter->type, &s->slots[UNIQUE_OUT].iter->type,
                                            "unique_out: the item type");
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "lengths_out");
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "num_runs_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "in") : status;
}

/* In the order of their names, of which the second and the third differ. */
enum { RUNS_EQUALITY, RUNS_IN, RUNS_LENGTHS_OUT, RUNS_NUM_RUNS_OUT, RUNS_OFFSETS_OUT };

static const slot_schema runs_slots[SLOTS] = {
    [RUNS_EQUALITY] = BY_KEY_EQUALITY_SLOT("in"),
    [RUNS_IN] = {.name = "in",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .help = "the items; equal neighbours are a run",
                 .option = "type"},
    [RUNS_LENGTHS_OUT] = {.name = "lengths_out",
                          .kind = SLOT_ITER,
                          .role = ITER_OUTPUT,
                          .help = "the length of each run of two or more",
                          .usually = "i64"},
    [RUNS_NUM_RUNS_OUT] = {.name = "num_runs_out",
                           .kind = SLOT_ITER,
                           .role = ITER_OUTPUT,
                           .help = "how many such runs there are",
                           .usually = "i64"},
    [RUNS_OFFSETS_OUT] = {.name = "offsets_out",
                          .kind = SLOT_ITER,
                          .role = ITER_OUTPUT,
                          .help = "where each such run begins",
                          .usually = "i64"},
};

static jig_status check_runs(const spec *s) {
  jig_status status = by_key_check_integer(s, "offsets_out");
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "lengths_out");
  if (status == JIG_SUCCESS) status = by_key_check_integer(s, "num_runs_out");
  return status == JIG_SUCCESS ? by_key_check_equality(s, "in") : status;
}

static const kernel_row encode_ring = {.name = "jig_run_length_encode_ring",
                                       .templates = "jig/kernel/by_key/run_length_ring.cuh",
                                       .entry = "jig/kernel/by_key/run_length_encode_ring_entry.cuh",
                                       .choose_policy = run_length_ring_policy,
                                       .fits = run_length_ring_fits};
static const kernel_row encode_kernels[] = {
    [CHAIN_WAVE] = {.name = "jig_run_length_encode_wave",
                    .templates = "jig/kernel/by_key/run_length_wave.cuh",
                    .entry = "jig/kernel/by_key/run_length_encode_wave_entry.cuh",
                    .choose_policy = run_length_wave_policy},
    [CHAIN_LARGE] = {.name = "jig_run_length_encode_lookback",
                     .templates = "jig/kernel/by_key/run_length_lookback.cuh",
                     .entry = "jig/kernel/by_key/run_length_encode_lookback_entry.cuh",
                     .choose_policy = run_length_lookback_policy,
                     .instead = &encode_ring},
};

static const kernel_row runs_ring = {.name = "jig_non_trivial_runs_ring",
                                     .templates = "jig/kernel/by_key/run_length_ring.cuh",
                                     .entry = "jig/kernel/by_key/non_trivial_runs_ring_entry.cuh",
                                     .choose_policy = run_length_ring_policy,
                                     .fits = run_length_ring_fits};
static const kernel_row runs_kernels[] = {
    [CHAIN_WAVE] = {.name = "jig_non_trivial_runs_wave",
                    .templates = "jig/kernel/by_key/run_length_wave.cuh",
                    .entry = "jig/kernel/by_key/non_trivial_runs_wave_entry.cuh",
                    .choose_policy = run_length_wave_policy},
    [CHAIN_LARGE] = {.name = "jig_non_trivial_runs_lookback",
                     .templates = "jig/kernel/by_key/run_length_lookback.cuh",
                     .entry = "jig/kernel/by_key/non_trivial_runs_lookback_entry.cuh",
                     .choose_policy = run_length_lookback_policy,
                     .instead = &runs_ring},
};

const algorithm run_length_encode_algorithm = {
    .schema = {"run_length_encode", encode_slots, SLOTS, check_encode},
    .kernels = encode_kernels,
    .kernel_count = CHAIN_KERNELS,
};

const algorithm non_trivial_runs_algorithm = {
    .schema = {"non_trivial_runs", runs_slots, SLOTS, check_runs},
    .kernels = runs_kernels,
    .kernel_count = CHAIN_KERNELS,
};

static void describe_encode(const jig_run_length_encode_args *args, spec *s) {
  s->schema = &run_length_encode_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[LENGTHS_OUT].iter = &args->lengths_out;
  by_key_describe_equality(&s->slots[EQUALITY], &args->equality);
  s->slots[IN].iter = &args->in;
  s->slots[NUM_RUNS_OUT].iter = &args->num_runs_out;
  s->slots[UNIQUE_OUT].iter = &args->unique_out;
}

static void describe_runs(const jig_non_trivial_runs_args *args, spec *s) {
  s->schema = &non_trivial_runs_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  by_key_describe_equality(&s->slots[RUNS_EQUALITY], &args->equality);
  s->slots[RUNS_IN].iter = &args->in;
  s->slots[RUNS_LENGTHS_OUT].iter = &args->lengths_out;
  s->slots[RUNS_NUM_RUNS_OUT].iter = &args->num_runs_out;
  s->slots[RUNS_OFFSETS_OUT].iter = &args->offsets_out;
}

/* ---- the calls */

/* What both of them have: the input, and what they write in the order of the kernels' parameters. */
typedef struct runs_call {
  by_key_place in, first, lengths, num_runs;
  const jig_op *equality;
} runs_call;

static jig_status check_values(const call *c, const runs_call *r) {
  const by_key_place places[] = {r->in, r->first, r->lengths, r->num_runs};
  jig_status status = by_key_check_places(c, places, sizeof places / sizeof places[0]);
  return status == JIG_SUCCESS ? call_check_op(c, r->equality, "equality") : status;
}

static jig_status launch(call *c, const runs_call *r, const chain_size *size, const temp_layout *temp) {
  uint64_t num_items = r->in.count;
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, r->in.iter);
  packed_iter(&packed, r->first.iter);
  packed_iter(&packed, r->lengths.iter);
  packed_iter(&packed, r->num_runs.iter);
  packed_op(&packed, r->equality);
  packed_value(&packed, &num_items);
  return chain_launch(c, size, temp, &packed);
}

static jig_status find_runs(call *c, const spec *s, const runs_call *r) {
  jig_status status = call_program(c, s);
  if (status != JIG_SUCCESS) return status;
  const chain_size size = {r->in.count, iter_run_items(r->in.iter),
                           2 * sizeof(uint64_t)}; /* jig::RunCount */
  temp_layout temp;
  bool go_on;
  status = by_key_check_counts(c, "num_items", &r->in, 1);
  if (status == JIG_SUCCESS) status = chain_prepare(c, &size, &temp);
  if (status != JIG_SUCCESS) return status;
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on) return status;
  status = check_values(c, r);
  return status == JIG_SUCCESS ? launch(c, r, &size, &temp) : status;
}

static jig_status encode(call *c, const jig_run_length_encode_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_run_length_encode_args), args);
  if (status != JIG_SUCCESS) return status;
  /* How many items of the outputs are written is not known: one, if there is a run. */
  const uint64_t n = args->num_items, some = n > 0;
  const runs_call r = {{&args->in, n, "in", false},
                       {&args->unique_out, some, "unique_out", true},
                       {&args->lengths_out, some, "lengths_out", true},
                       {&args->num_runs_out, 1, "num_runs_out", true},
                       &args->equality};
  spec s;
  describe_encode(args, &s);
  return find_runs(c, &s, &r);
}

static jig_status non_trivial_runs(call *c, const jig_non_trivial_runs_args *args) {
  jig_status status = call_check_args(c, LAYOUT(jig_non_trivial_runs_args), args);
  if (status != JIG_SUCCESS) return status;
  const uint64_t n = args->num_items, some = n > 1;
  const runs_call r = {{&args->in, n, "in", false},
                       {&args->offsets_out, some, "offsets_out", true},
                       {&args->lengths_out, some, "lengths_out", true},
                       {&args->num_runs_out, 1, "num_runs_out", true},
                       &args->equality};
  spec s;
  describe_runs(args, &s);
  return find_runs(c, &s, &r);
}

jig_status jig_run_length_encode(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                 const jig_run_length_encode_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_run_length_encode", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = encode(&c, args);
  return call_end(&c, status);
}

jig_status jig_run_length_encode_spec(const jig_run_length_encode_args *args, char **text) {
  spec s;
  jig_status status =
      call_check_spec_query("jig_run_length_encode_spec", LAYOUT(jig_run_length_encode_args), args, text);
  if (status != JIG_SUCCESS) return status;
  describe_encode(args, &s);
  return spec_write(&s, "jig_run_length_encode_spec", text);
}

jig_status jig_non_trivial_runs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                const jig_non_trivial_runs_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_non_trivial_runs", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = non_trivial_runs(&c, args);
  return call_end(&c, status);
}

jig_status jig_non_trivial_runs_spec(const jig_non_trivial_runs_args *args, char **text) {
  spec s;
  jig_status status =
      call_check_spec_query("jig_non_trivial_runs_spec", LAYOUT(jig_non_trivial_runs_args), args, text);
  if (status != JIG_SUCCESS) return status;
  describe_runs(args, &s);
  return spec_write(&s, "jig_non_trivial_runs_spec", text);
}
