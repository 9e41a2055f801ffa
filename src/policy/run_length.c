/* How run-length encoding is tuned, and finding runs of two keys and more.
 *
 * Keys become flags as soon as they are there, a bit each, so that registers only limit how many rows are
 * on their way. See scan.c for the two kernels; the numbers follow scan's, not measured by themselves. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits runs of keys up to this size */
  int wave[3], lookback[3]; /* in the order of names */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks", "staged_rows"};

enum { ANY = 1 << 30, STAGED_ITEMS = 32, STAGED_ITEMS_75 = 16 /* of a lane */ };

/* clang-format off */
static const row table[] = {
    /* run     wave          lookback */
    {   16,  {256, 8, 4},  {512,  8, 2}},
    {   32,  {256, 4, 3},  {512,  4, 2}},
    {   64,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

/* Of how many rows a warp's heads are put in order together: they share a word, and SM 75 has less shared
 * memory. */
static policy make_policy(const spec *s, int sm, bool wave) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const int run_items = (int)iter_run_items(in);
  const row *r = table;
  while ((size_t)run_items * in->type.size > r->max_run_bytes) ++r;
  const int *values = wave ? r->wave : r->lookback;
  const int most = (sm < 80 ? STAGED_ITEMS_75 : STAGED_ITEMS) / run_items;
  const int staged_rows = values[1] < most ? values[1] : most;
  return (policy){4, names, {values[0], values[1], values[2], staged_rows}};
}

policy run_length_wave_policy(const spec *s, int sm) {
  return make_policy(s, sm, true);
}

policy run_length_lookback_policy(const spec *s, int sm) {
  return make_policy(s, sm, false);
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
  static const char *const ring_names[] = {"threads", "rows",         "min_blocks", "run_items",
                                           "stages",  "shared_bytes", "reducers"};
  (void)sm;
  return (policy){7,
                  ring_names,
                  {(RING_REDUCERS + RING_EMITTERS + RING_OTHER_WARPS) * 32, 1, 1,
                   RING_LANE_BYTES / (int)spec_find(s, "in")->iter->type.size, RING_STAGES,
                   RING_STAGES * RING_STAGE_BYTES + RING_OTHER_BYTES, RING_REDUCERS}};
}
