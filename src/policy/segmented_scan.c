/* How segmented scan is tuned. A thread holds `rows` items at once. Not measured. */
#include "policy/policy.h"

typedef struct row {
  size_t max_bytes; /* fits items and accumulators up to this size */
  int values[3];    /* in the order of names */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks"};

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    {   4,  {256, 8, 4}},
    {   8,  {256, 4, 4}},
    {  16,  {256, 4, 2}},
    {  64,  {128, 2, 2}},
    { ANY,  {128, 1, 1}},
};
/* clang-format on */

policy segmented_scan_policy(const spec *s, int sm) {
  (void)sm;
  const size_t item = spec_find(s, "in")->iter->type.size, accum = spec_find(s, "accum")->type->size;
  const row *r = table;
  while (item > r->max_bytes || accum > r->max_bytes) ++r;
  policy p = {3, names, {0}};
  for (int i = 0; i < p.count; ++i) p.values[i] = r->values[i];
  return p;
}
