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

static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const row *r = table;
  while (iter_vector_items(in) * in->type.size > r->max_vector_bytes) ++r;
  return r;
}

policy run_length_single_wave_policy(const spec *s, int sm) {
  (void)sm;
  return chain_tuning_pack(find_row(s)->single_wave);
}

policy run_length_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return chain_tuning_pack(find_row(s)->lookback);
}

/* ---- the pipeline, from SM 90: see scan.c, and by_key.c for what a lane takes. A tile has 40 KiB of
 * keys; what comes on top of it is the reducers' marks. Bytes and 16-bit keys take too long for one
 * block. */

enum {
  PIPELINE_REDUCERS = 8,
  PIPELINE_EMITTERS = 16,
  PIPELINE_OTHER_WARPS = 3,
  PIPELINE_STAGES = 4,
  PIPELINE_LANE_BYTES = 80, /* an odd number of vectors */
  PIPELINE_STAGE_BYTES = PIPELINE_EMITTERS * 32 * (PIPELINE_LANE_BYTES + 4) + 512,
  PIPELINE_OTHER_BYTES = 6 * 1024,
};

bool run_length_pipeline_fits(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return pipeline_can_copy(in, sm) && (in->type.size == 4 || in->type.size == 8);
}

policy run_length_pipeline_policy(const spec *s, int sm) {
  (void)sm;
  return pipeline_tuning_pack(
      (pipeline_tuning){.threads = (PIPELINE_REDUCERS + PIPELINE_EMITTERS + PIPELINE_OTHER_WARPS) * 32,
                        .rows = 1,
                        .min_blocks = 1,
                        .vector_items = PIPELINE_LANE_BYTES / (int)spec_find(s, "in")->iter->type.size,
                        .stages = PIPELINE_STAGES,
                        .shared_bytes = PIPELINE_STAGES * PIPELINE_STAGE_BYTES + PIPELINE_OTHER_BYTES,
                        .reducers = PIPELINE_REDUCERS});
}
