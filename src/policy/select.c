/* How select, unique and the partitions are tuned.
 *
 * As scan is, see scan.c: large tiles for large inputs, small ones for small inputs. What a few rows have
 * is put in order in shared memory, of which a block may have 48 KiB. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits lanes that hold up to so many bytes of a row */
  int max_tests;            /* fits rules of up to so many tests */
  int wave[4], lookback[4]; /* in the order of names, less run_items */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks", "run_items", "staged_rows"};

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* run tests      wave             lookback */
    {   20,  1,  {256, 8, 3, 4},  {384, 8, 2, 4}},
    {   20,  2,  {256, 6, 3, 3},  {384, 6, 2, 3}},
    {   32,  2,  {256, 4, 3, 2},  {512, 4, 2, 2}},
    {   64,  2,  {256, 2, 3, 1},  {512, 2, 2, 1}},
    {  128,  2,  {256, 1, 2, 1},  {256, 2, 2, 1}},
    {  ANY,  2,  {128, 1, 1, 1},  {128, 1, 1, 1}},
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
  const int tests = spec_find(s, "second_op") != NULL ? 2 : 1;
  const row *r = table;
  while (run_items * item > r->max_run_bytes || tests > r->max_tests) ++r;
  return r;
}

static policy make_policy(const spec *s, const int *values) {
  const int run_items = (int)iter_run_items(spec_find(s, "in")->iter);
  return (policy){5, names, {values[0], values[1], values[2], run_items, values[3]}};
}

policy select_wave_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(s, find_row(s)->wave);
}

policy select_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(s, find_row(s)->lookback);
}
