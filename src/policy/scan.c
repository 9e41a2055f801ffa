/* How scan is tuned.
 *
 * Two kernels: one whose blocks are all resident at once, for small inputs, and one with a block for each
 * tile. A row of a tile is a run (whole 16-byte vectors) for each lane of a warp; rows stay in registers
 * from load to store. What large inputs need is few, large tiles, as each has to find out what comes
 * before it; on an H200 the best hold 64 to 96 KiB and leave room for two blocks a multiprocessor. Small
 * inputs need many small ones: how many of its rows a launch uses is up to the launch. Other GPUs: not
 * measured. */
#include "policy/policy.h"

typedef struct row {
  size_t max_run_bytes;     /* fits runs up to this size, as accumulators and as they are loaded */
  size_t max_accum_bytes;   /* fits accumulators up to this size */
  int wave[3], lookback[3]; /* in the order of names */
} row;

static const char *const names[] = {"threads", "rows", "min_blocks"};

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* run  accum      wave          lookback */
    {   16,    4,  {256, 8, 4},  {512,  8, 2}},
    {   16,    8,  {256, 8, 3},  {512,  8, 2}},
    {   16,   16,  {256, 4, 3},  {256,  8, 2}},
    {   32,    8,  {256, 4, 3},  {512,  8, 2}},  /* narrow items, wide accumulators */
    {  ANY,    8,  {256, 4, 3},  {512,  6, 2}},
    {  ANY,   16,  {256, 2, 2},  {256,  4, 2}},
    {   64,   32,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,   64,  {128, 1, 2},  {128,  2, 2}},
    {  ANY,  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const size_t accum = spec_find(s, "accum")->type->size;
  const size_t item = in->type.size > accum ? in->type.size : accum;
  const size_t run = iter_run_items(in) * item;
  const row *r = table;
  while (run > r->max_run_bytes || accum > r->max_accum_bytes) ++r;
  return r;
}

static policy make_policy(const int *values) {
  policy p = {3, names, {0}};
  for (int i = 0; i < p.count; ++i) p.values[i] = values[i];
  return p;
}

policy scan_wave_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(find_row(s)->wave);
}

policy scan_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(find_row(s)->lookback);
}
