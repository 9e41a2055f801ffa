/* How scan is tuned.
 *
 * Two kernels: one whose blocks are all resident at once, for small inputs, and one with a block for each
 * tile, or a ring in its place. A row of a tile is a run (whole 16-byte vectors) for each lane of a warp;
 * rows stay in registers from load to store. What large inputs need is few, large tiles, as each has to
 * find out what comes before it; on an H200 the best hold 64 to 96 KiB and leave room for two blocks a
 * multiprocessor. Small inputs need many small ones: how many of its rows a launch uses is up to the
 * launch. Other GPUs: not measured. */
#include "policy/scan.h"

typedef struct row {
  size_t max_run_bytes;   /* fits runs up to this size, as accumulators and as they are loaded */
  size_t max_accum_bytes; /* fits accumulators up to this size */
  chain_tuning wave, lookback;
} row;

enum { ANY = 1 << 30, MAX_RUN_BYTES = 16 };

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

/* What a lane takes at once. Of items in memory as much as the wider of in and out has in 16 bytes, so
 * that neighbours store next to each other; but no less than 4 bytes of the input. */
static int run_items_of(const spec *s) {
  const jig_iter *from = spec_find(s, "in")->iter;
  const uint32_t in = from->type.size, out = spec_find(s, "out")->iter->type.size;
  const uint32_t least = in < 4 ? 4 / in : 1, wanted = MAX_RUN_BYTES / (in > out ? in : out);
  const int natural = (int)iter_run_items(from);
  if (from->kind != JIG_ITER_POINTER || MAX_RUN_BYTES % in != 0 || out <= in) return natural;
  return (int)(wanted > least ? wanted : least);
}

static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const size_t accum = spec_find(s, "accum")->type->size;
  const size_t item = in->type.size > accum ? in->type.size : accum;
  const size_t run = (size_t)run_items_of(s) * item;
  const row *r = table;
  while (run > r->max_run_bytes || accum > r->max_accum_bytes) ++r;
  return r;
}

static policy make_policy(const spec *s, chain_tuning to) {
  return scan_tuning_pack((scan_tuning){
      .threads = to.threads, .rows = to.rows, .min_blocks = to.min_blocks, .run_items = run_items_of(s)});
}

/* ---- the ring, from SM 90
 *
 * A tile has a piece for each emitter, in rows as above, and a stage holds a tile. On an H200 stages of
 * 40 KiB are best, but for what takes long to compute: fewer tiles take fewer steps. */

typedef struct ring_row {
  int max_run_items, max_accum_bytes;
  int reducers, emitters, stages, stage_kibibytes;
} ring_row;

/* clang-format off */
static const ring_row ring_table[] = {
    {  8,   8, 8, 16, 5, 40},
    {  8,  16, 8, 16, 4, 48},
    {ANY, ANY, 6, 12, 5, 36}, /* long runs take more registers */
};
/* clang-format on */

enum { RING_OTHER_WARPS = 3, RING_OTHER_BYTES = 8 * 1024, RING_MAX_STATE_BYTES = 16 };

bool scan_ring_fits(const spec *s, int sm) {
  return ring_can_copy(spec_find(s, "in")->iter, sm) &&
         spec_find(s, "accum")->type->size <= RING_MAX_STATE_BYTES;
}

policy scan_ring_policy(const spec *s, int sm) {
  const int run_items = run_items_of(s), accum = (int)spec_find(s, "accum")->type->size;
  const int run_bytes = run_items * (int)spec_find(s, "in")->iter->type.size;
  const ring_row *r = ring_table;
  /* For SM 100 conversions take more registers than for SM 90. */
  const bool converts = sm >= 100 && (int)spec_find(s, "in")->iter->type.size < accum;
  while (run_items > r->max_run_items || accum > r->max_accum_bytes || (converts && r->emitters > 12))
    ++r;
  const int stage_bytes = r->stage_kibibytes * 1024;
  return ring_tuning_pack((ring_tuning){.threads = (r->reducers + r->emitters + RING_OTHER_WARPS) * 32,
                                        .rows = stage_bytes / (r->emitters * 32 * run_bytes),
                                        .min_blocks = 1,
                                        .run_items = run_items,
                                        .stages = r->stages,
                                        .shared_bytes = r->stages * stage_bytes + RING_OTHER_BYTES,
                                        .reducers = r->reducers});
}

/* ---- everywhere */

policy scan_wave_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(s, find_row(s)->wave);
}

policy scan_lookback_policy(const spec *s, int sm) {
  (void)sm;
  return make_policy(s, find_row(s)->lookback);
}
