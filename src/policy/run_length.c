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
