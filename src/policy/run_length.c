/* How run-length encoding is tuned, and finding runs of two keys and more.
 *
 * Keys become flags as soon as they are there, a bit each, so that registers only limit how many rows are
 * on their way. See scan.c for the two kernels; the numbers follow scan's, not measured by themselves. */
#include "policy/run_length.h"

typedef struct row {
  size_t max_run_bytes; /* fits runs of keys up to this size */
  chain_tuning wave, lookback;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* run     wave          lookback */
    {   16,  {256, 8, 4},  {512,  8, 2}},
    {   32,  {256, 4, 3},  {512,  4, 2}},
    {   64,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const row *r = table;
  while (iter_run_items(in) * in->type.size > r->max_run_bytes) ++r;
  return r;
}

policy run_length_wave_policy(const spec *s, int sm) {
  (void)sm;
  return chain_tuning_pack(find_row(s)->wave);
}

policy run_length_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return chain_tuning_pack(find_row(s)->lookback);
}

/* ---- the ring, from SM 90: see scan.c, and by_key.c for what a lane takes. A tile has 40 KiB of keys;
 * what comes on top of it is the reducers' marks. Bytes and 16-bit keys take too long for one block. */

enum {
  RING_REDUCERS = 8,
  RING_EMITTERS = 16,
  RING_OTHER_WARPS = 3,
  RING_STAGES = 4,
  RING_LANE_BYTES = 80, /* an odd number of vectors */
  RING_STAGE_BYTES = RING_EMITTERS * 32 * (RING_LANE_BYTES + 4) + 512,
  RING_OTHER_BYTES = 6 * 1024,
};

bool run_length_ring_fits(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return ring_can_copy(in, sm) && (in->type.size == 4 || in->type.size == 8);
}

policy run_length_ring_policy(const spec *s, int sm) {
  (void)sm;
  return ring_tuning_pack(
      (ring_tuning){.threads = (RING_REDUCERS + RING_EMITTERS + RING_OTHER_WARPS) * 32,
                    .rows = 1,
                    .min_blocks = 1,
                    .run_items = RING_LANE_BYTES / (int)spec_find(s, "in")->iter->type.size,
                    .stages = RING_STAGES,
                    .shared_bytes = RING_STAGES * RING_STAGE_BYTES + RING_OTHER_BYTES,
                    .reducers = RING_REDUCERS});
}
