/* How run-length encoding is tuned, and finding runs of two keys and more.
 *
 * Keys become flags as soon as they are there, a bit each, so that registers only limit how many rows are
 * on their way. See scan.c for the two kernels; the numbers follow scan's, not measured by themselves. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits runs of keys up to this size */
  int wave[3], lookback[3]; /* in the order of names */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks"};

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

static policy make_policy(const spec *s, bool wave) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const row *r = table;
  while (iter_run_items(in) * in->type.size > r->max_run_bytes) ++r;
  policy p = {3, names, {0}};
  for (int i = 0; i < p.count; ++i) p.values[i] = wave ? r->wave[i] : r->lookback[i];
  return p;
}

policy run_length_wave_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(s, true);
}

policy run_length_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(s, false);
}
