/* How select, unique and the partitions are tuned.
 *
 * As scan is, see scan.c: large tiles for large inputs, small ones for small inputs. What a few rows have
 * is put in order in shared memory, of which a block may have 48 KiB. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits lanes that hold up to so many bytes of a row */
  int wave[4], lookback[4]; /* in the order of names */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks", "staged_rows"};

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* run       wave             lookback */
    {   16,  {256, 8, 3, 4},  {512, 8, 2, 4}},
    {   32,  {256, 4, 3, 2},  {512, 4, 2, 2}},
    {   64,  {256, 2, 3, 1},  {512, 2, 2, 1}},
    {  128,  {256, 1, 2, 1},  {256, 2, 2, 1}},
    {  ANY,  {128, 1, 1, 1},  {128, 1, 1, 1}},
};
/* clang-format on */

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* What a lane holds of a row, as loaded or as items, whatever is more. */
static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const spec_slot *values = spec_find(s, "values_in");
  const size_t run_items = iter_run_items(in);
  size_t item = in->type.size;
  for (const jig_iter *base = in; (base = iter_base_count(base) > 0 ? iter_base_at(base, 0) : NULL);)
    item = larger(item, base->type.size);
  if (values != NULL && values->iter != NULL) item += values->iter->type.size;
  const row *r = table;
  while (run_items * item > r->max_run_bytes) ++r;
  return r;
}

static policy make_policy(const int *values) {
  policy p = {4, names, {0}};
  for (int i = 0; i < p.count; ++i) p.values[i] = values[i];
  return p;
}

policy select_wave_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(find_row(s)->wave);
}

policy select_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(find_row(s)->lookback);
}
