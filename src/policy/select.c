/* How select, unique and the partitions are tuned.
 *
 * As scan is, see scan.c: large tiles for large inputs, small ones for small inputs. What a few rows have
 * is put in order in shared memory, of which a block may have 48 KiB. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits lanes that hold up to so many bytes of a row */
  int max_effort;           /* fits rules of so many tests, twice that for long runs */
  int wave[4], lookback[4]; /* in the order of names, less run_items */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks", "run_items", "staged_rows"};

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* run effort     wave             lookback */
    {   20,  1,  {256, 8, 3, 4},  {384, 8, 2, 4}},
    {   20,  2,  {256, 6, 3, 3},  {384, 6, 2, 3}},
    {   20,  4,  {256, 4, 3, 2},  {384, 4, 2, 2}},
    {   32,  4,  {256, 4, 3, 2},  {512, 4, 2, 2}},
    {   64,  4,  {256, 2, 3, 1},  {512, 2, 2, 1}},
    {  128,  4,  {256, 1, 2, 1},  {256, 2, 2, 1}},
    {  ANY,  4,  {128, 1, 1, 1},  {128, 1, 1, 1}},
};
/* clang-format on */

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* What a lane holds of a row: items, as loaded or as they are, whatever is more, flags and values. */
static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const spec_slot *beside[] = {spec_find(s, "values_in"), spec_find(s, "flags")};
  const size_t run_items = iter_run_items(in);
  size_t item = in->type.size;
  for (const jig_iter *base = in; (base = iter_base_count(base) > 0 ? iter_base_at(base, 0) : NULL);)
    item = larger(item, base->type.size);
  for (size_t i = 0; i < sizeof beside / sizeof beside[0]; ++i) {
    if (beside[i] != NULL && beside[i]->iter != NULL) item += beside[i]->iter->type.size;
  }
  const int effort = (spec_find(s, "second_op") != NULL ? 2 : 1) * (run_items > 8 ? 2 : 1);
  const row *r = table;
  while (run_items * item > r->max_run_bytes || effort > r->max_effort) ++r;
  return r;
}

/* For SM 120 the compiler needs more registers than elsewhere. */
static policy make_policy(const spec *s, int sm, const int *values) {
  const int run_items = (int)iter_run_items(spec_find(s, "in")->iter);
  const int min_blocks = sm >= 120 && values[2] > 1 ? values[2] - 1 : values[2];
  return (policy){5, names, {values[0], values[1], min_blocks, run_items, values[3]}};
}

policy select_wave_policy(const spec *s, int sm) {
  return make_policy(s, sm, find_row(s)->wave);
}

policy select_lookback_policy(const spec *s, int sm) {
  return make_policy(s, sm, find_row(s)->lookback);
}

/* ---- the ring, from SM 90: see scan.c. Emitters have more to do than reducers. Bytes and 16-bit items
 * keep a multiprocessor busy with what is done for each: on an H200 the two blocks of a look-back do more
 * of them. */

enum {
  RING_REDUCERS = 7,
  RING_EMITTERS = 14,
  RING_OTHER_WARPS = 3,
  RING_ROWS = 6,
  RING_STAGED_ROWS = 2,
  RING_STAGES = 4,
  RING_RUN_BYTES = 16,
  RING_MIN_ITEM_BYTES = 4,
  RING_STAGE_BYTES = RING_EMITTERS * RING_ROWS * 32 * RING_RUN_BYTES,
  RING_OTHER_BYTES = 4 * 1024,
  RING_SORTED_BYTES = 16 * 1024, /* beside those: where emitters put items in order */
  BLOCK_MAX_BYTES = 227 * 1024,
};

bool select_ring_fits(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const spec_slot *flags = spec_find(s, "flags"), *values = spec_find(s, "values_in");
  return ring_can_copy(in, sm) && in->type.size >= RING_MIN_ITEM_BYTES &&
         (flags == NULL || flags->iter == NULL) && (values == NULL || values->iter == NULL);
}

policy select_ring_policy(const spec *s, int sm) {
  static const char *const ring_names[] = {"threads", "rows",         "min_blocks", "run_items",
                                           "stages",  "shared_bytes", "reducers",   "staged_rows"};
  (void)sm;
  const int run_items = RING_RUN_BYTES / (int)spec_find(s, "in")->iter->type.size;
  const int tests = spec_find(s, "second_op") != NULL ? 2 : 1;
  /* A mask for each run: as many bits as it has items, of staged rows together in whole words. */
  const int mask_words = (RING_STAGED_ROWS * tests * run_items + 31) / 32;
  const int mask_bytes = RING_EMITTERS * (RING_ROWS / RING_STAGED_ROWS) * 32 * 4 * mask_words;
  const int room = BLOCK_MAX_BYTES - RING_OTHER_BYTES - RING_SORTED_BYTES;
  const int most = room / (RING_STAGE_BYTES + mask_bytes),
            stages = most < RING_STAGES ? most : RING_STAGES;
  return (policy){
      8,
      ring_names,
      {(RING_REDUCERS + RING_EMITTERS + RING_OTHER_WARPS) * 32, RING_ROWS, 1, run_items, stages,
       stages * (RING_STAGE_BYTES + mask_bytes) + RING_OTHER_BYTES, RING_REDUCERS, RING_STAGED_ROWS}};
}
