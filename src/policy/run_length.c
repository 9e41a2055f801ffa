/* How run-length encoding is tuned, and finding runs of two keys and more.
 *
 * Keys become flags as soon as they are there, a bit each, so that registers only limit how many rows are
 * on their way. See scan.c for the two kernels; the numbers follow scan's, not measured by themselves. */
#include "policy/run_length.h"

typedef struct row {
  size_t max_vector_bytes; /* fits vectors of keys up to this size */
  chain_tuning single_wave, lookback;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* vec.     single wave   lookback */
    {   16,  {256, 8, 4},  {512,  8, 2}},
    {   32,  {256, 4, 3},  {512,  4, 2}},
    {   64,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

/* What a lane takes at once. Few bytes become heads faster if more lanes share them; many cost less if
 * lanes have more. */
static int vector_items_of(const spec *s, int kernel) {
  enum { FEW_BYTES = 8 };
  const jig_iter *in = spec_find(s, "in")->iter;
  const int natural = (int)iter_vector_items(in);
  if (in->kind != JIG_ITER_POINTER || in->type.size > 1 || kernel == CHAIN_LARGE) return natural;
  return FEW_BYTES;
}

static const row *find_row(const spec *s, int kernel) {
  const row *r = table;
  while ((size_t)vector_items_of(s, kernel) * spec_find(s, "in")->iter->type.size > r->max_vector_bytes)
    ++r;
  return r;
}

static policy make_policy(const spec *s, chain_tuning to, int kernel, int cluster) {
  return run_length_tuning_pack((run_length_tuning){.threads = to.threads,
                                                    .rows = to.rows,
                                                    .min_blocks = to.min_blocks,
                                                    .vector_items = vector_items_of(s, kernel),
                                                    .cluster = cluster});
}

/* Keys of 8 bytes in memory that are encoded: long tiles of fewer blocks, which wait for each other. On
 * an H100 1179709 u64 take 7.6 us instead of 8.7; of 4-byte keys fewer than a million took 2 to 6 %
 * longer. */
static chain_tuning single_wave_of(const spec *s, int sm) {
  static const chain_tuning of_long_keys = {256, 12, 3};
  const jig_iter *in = spec_find(s, "in")->iter;
  const bool is_encoded = spec_find(s, "unique_out") != NULL;
  const bool is_long = in->kind == JIG_ITER_POINTER && in->type.size == 8;
  if (is_encoded && is_long && sm >= 90 && sm < 120) return of_long_keys;
  return find_row(s, CHAIN_SINGLE_WAVE)->single_wave;
}

static policy choose_single_wave(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = single_wave_of(s, sm);
  tuning_take(told, &run_length_single_wave_space, &to);
  return make_policy(s, to, CHAIN_SINGLE_WAVE, 1);
}

const policy_space run_length_single_wave_space = {.choose = choose_single_wave,
                                                   .knobs = {SINGLE_WAVE_KNOBS(chain_tuning)}};

/* Few items, by half as many rows, whose code a first call compiles. */
static policy choose_cluster(const spec *s, int sm, tuning_told *told) {
  enum { ROWS = 4, STATE_BYTES = 2 * sizeof(uint32_t) };
  chain_tuning to = find_row(s, CHAIN_CLUSTER)->single_wave;
  if (to.rows > ROWS) to.rows = ROWS;
  to.min_blocks = 1;
  tuning_take(told, &run_length_cluster_space, &to);
  return make_policy(s, to, CHAIN_CLUSTER, chain_cluster(sm, STATE_BYTES));
}

const policy_space run_length_cluster_space = {.choose = choose_cluster,
                                               .knobs = {CLUSTER_KNOBS(chain_tuning)}};

static policy choose_lookback(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = find_row(s, CHAIN_LARGE)->lookback;
  (void)sm;
  tuning_take(told, &run_length_lookback_space, &to);
  return make_policy(s, to, CHAIN_LARGE, 1);
}

const policy_space run_length_lookback_space = {.choose = choose_lookback,
                                                .knobs = {LOOKBACK_KNOBS(chain_tuning)}};

/* ---- the pipeline, from SM 90: see scan.c, and by_key.c for what a lane takes. A tile has 40 KiB of
 * keys; what comes on top of it is the reducers' marks. Bytes and 16-bit keys take too long for one
 * block. */

typedef struct pipeline_row {
  int reducers, emitters, stages;
} pipeline_row;

static const pipeline_row pipeline = {8, 16, 4};

enum {
  PIPELINE_LANE_BYTES = 80, /* an odd number of vectors */
  PIPELINE_MARKS_BYTES = 4,
  PIPELINE_STAGE_EXTRA_BYTES = 512,
  PIPELINE_OTHER_BYTES = 6 * 1024,
};

bool run_length_pipeline_fits(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return pipeline_can_copy(in, sm) && in->type.size >= 4;
}

static policy choose_pipeline(const spec *s, int sm, tuning_told *told) {
  pipeline_row r = pipeline;
  (void)sm;
  tuning_take(told, &run_length_pipeline_space, &r);
  const int stage_bytes =
      r.emitters * 32 * (PIPELINE_LANE_BYTES + PIPELINE_MARKS_BYTES) + PIPELINE_STAGE_EXTRA_BYTES;
  return pipeline_tuning_pack(
      (pipeline_tuning){.threads = (r.reducers + r.emitters + CHAIN_OTHER_WARPS) * 32,
                        .rows = 1,
                        .min_blocks = 1,
                        .vector_items = PIPELINE_LANE_BYTES / (int)spec_find(s, "in")->iter->type.size,
                        .stages = r.stages,
                        .shared_bytes = r.stages * stage_bytes + PIPELINE_OTHER_BYTES,
                        .reducers = r.reducers});
}

const policy_space run_length_pipeline_space = {
    .choose = choose_pipeline, .knobs = {PIPELINE_KNOBS(pipeline_row)}, .allows = pipeline_allows};
