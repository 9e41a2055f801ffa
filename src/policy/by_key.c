/* How algorithms are tuned that work on runs of equal neighbouring keys.
 *
 * A lane takes as many items at once as both keys and values have in 16-byte vectors. A row's keys become
 * flags before its values are loaded, so that both take the registers of the larger. See scan.c for the
 * two kernels; the numbers are scan's, not measured by themselves. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits runs up to this size, of keys, values and accumulators */
  size_t max_accum_bytes;   /* fits accumulators up to this size */
  int wave[3], lookback[3]; /* in the order of names */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks"};

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* run  accum      wave          lookback */
    {   16,    4,  {256, 8, 3},  {384,  8, 2}},
    {   16,    8,  {256, 6, 3},  {384,  6, 2}},
    {   16,   16,  {256, 4, 2},  {256,  6, 2}},
    {   32,    8,  {256, 4, 3},  {512,  4, 2}},
    {   64,    8,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,   16,  {256, 2, 2},  {256,  4, 2}},
    {   64,   32,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,   64,  {128, 1, 2},  {128,  2, 2}},
    {  ANY,  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static const row *find_row(const spec *s) {
  const jig_iter *keys = spec_find(s, "keys_in")->iter;
  const spec_slot *values = spec_find(s, "in");
  if (values == NULL) values = spec_find(s, "values_in");
  const size_t accum = spec_find(s, "accum")->type->size;
  const unsigned key_items = iter_run_items(keys), value_items = iter_run_items(values->iter);
  const size_t items = key_items < value_items ? key_items : value_items;
  const size_t run = items * larger(accum, larger(keys->type.size, values->iter->type.size));
  const row *r = table;
  while (run > r->max_run_bytes || accum > r->max_accum_bytes) ++r;
  return r;
}

static policy make_policy(const int *values) {
  policy p = {3, names, {0}};
  for (int i = 0; i < p.count; ++i) p.values[i] = values[i];
  return p;
}

policy by_key_wave_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(find_row(s)->wave);
}

policy by_key_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(find_row(s)->lookback);
}
