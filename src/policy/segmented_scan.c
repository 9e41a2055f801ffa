/* How segmented scan is tuned. A thread holds `rows` items at once. Measured on SM 9.0 only, see
 * docs/tuning-log.md. */
#include "policy/segmented_scan.h"

#include "policy/chain.h"
#include "policy/shared_memory.h"

typedef struct row {
  size_t max_bytes; /* fits items and accumulators up to this size */
  segmented_scan_tuning tuning;
} row;

enum { ANY = 1 << 30 };

static const row *find_row(const row *r, const spec *s) {
  const size_t item = spec_find(s, "in")->iter->type.size, accum = spec_find(s, "accum")->type->size;
  while (item > r->max_bytes || accum > r->max_bytes) ++r;
  return r;
}

/* clang-format off */
static const row table[] = {
    {   1,  {128, 12, 8}},
    {   4,  {256, 8, 4}},
    {   8,  {128, 6, 8}},
    {  16,  {256, 4, 2}},
    {  64,  {128, 2, 2}},
    { ANY,  {128, 1, 1}},
};
/* clang-format on */

static policy choose(const spec *s, int sm, tuning_told *told) {
  segmented_scan_tuning to = find_row(table, s)->tuning;
  (void)sm;
  tuning_take(told, &segmented_scan_space, &to);
  return segmented_scan_tuning_pack(to);
}

/* Warps exchange their items through shared memory that a block has without asking, with places left
 * free between them; but not a single row. */
static bool rows_have_room(const spec *s, int sm, const policy *p) {
  enum { OTHER_BYTES = 2048 };
  const segmented_scan_tuning to = segmented_scan_tuning_of(p);
  const int items = to.rows > 1 ? to.threads * to.rows : 0,
            bytes = (int)spec_find(s, "accum")->type->size;
  (void)sm;
  return items * bytes / 32 * 33 + OTHER_BYTES <= STATIC_SHARED_BYTES;
}

const policy_space segmented_scan_space = {
    .choose = choose,
    .knobs = {KNOB(segmented_scan_tuning, threads, 64, 128, 256, 512),
              KNOB(segmented_scan_tuning, rows, 1, 2, 3, 4, 6, 8, 12, 16),
              KNOB(segmented_scan_tuning, min_blocks, 1, 2, 3, 4, 5, 6, 8)},
    .allows = rows_have_room};

/* ---- the longest segments, by all blocks together
 *
 * Many segments of one length are no slower by a block each until they are so long that few blocks have
 * one. */

/* clang-format off */
static const row long_table[] = {
    {   2,  {256, 8, 2}},
    {   4,  {256, 16, 2}},
    {   8,  {256, 8, 2}},
    {  16,  {256, 4, 2}},
    {  64,  {128, 2, 2}},
    { ANY,  {128, 1, 1}},
};
/* clang-format on */

enum { LEAST_SEGMENTS = 256, MOST_SEGMENTS = 4096, SHORT_ITEMS = 1 << 18 };

/* As many segments as a tile has items: a power of two, as threads and what each of them looks at are. */
static policy choose_long(const spec *s, int sm, tuning_told *told) {
  const segmented_scan_tuning found = find_row(long_table, s)->tuning;
  const int items = found.threads * found.rows;
  segmented_scan_long_tuning to = {.threads = found.threads,
                                   .rows = found.rows,
                                   .min_blocks = found.min_blocks,
                                   .chunk_segments = items < LEAST_SEGMENTS  ? LEAST_SEGMENTS
                                                     : items < MOST_SEGMENTS ? items
                                                                             : MOST_SEGMENTS,
                                   .short_items = SHORT_ITEMS};
  (void)sm;
  tuning_take(told, &segmented_scan_long_space, &to);
  return segmented_scan_long_tuning_pack(to);
}

/* A tile's items, and the segments that they are of, lie in shared memory that a block has without
 * asking.
 */
static bool long_has_room(const spec *s, int sm, const policy *p) {
  enum { OWNER_BYTES = 2, OTHER_BYTES = 2048 };
  const segmented_scan_long_tuning to = segmented_scan_long_tuning_of(p);
  const int item = (int)spec_find(s, "accum")->type->size + OWNER_BYTES, items = to.threads * to.rows;
  (void)sm;
  return items * item + items / 8 + OTHER_BYTES <= STATIC_SHARED_BYTES;
}

#define CHUNK_KNOBS(row)                                 \
  KNOB(row, chunk_segments, 256, 512, 1024, 2048, 4096), \
      KNOB(row, short_items, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20)

const policy_space segmented_scan_long_space = {
    .choose = choose_long,
    .knobs = {KNOB(segmented_scan_long_tuning, threads, 64, 128, 256, 512),
              KNOB(segmented_scan_long_tuning, rows, 1, 2, 3, 4, 6, 8, 12, 16, 24),
              KNOB(segmented_scan_long_tuning, min_blocks, 1, 2, 3, 4, 6),
              CHUNK_KNOBS(segmented_scan_long_tuning)},
    .allows = long_has_room};

/* ---- few segments, the longest of them by all blocks together
 *
 * Lanes whose items are an odd number of words apart meet in no bank; of bytes, two do. */

/* clang-format off */
static const row few_table[] = {
    {   1,  {128, 24, 4}},
    {   2,  {256, 11, 3}},
    {   8,  {256, 9, 3}},
    {  16,  {256, 4, 2}},
    {  64,  {128, 2, 2}},
    { ANY,  {128, 1, 1}},
};
/* clang-format on */

/* A block takes longer by itself, with so many tiles of a segment, than all take to begin with. */
enum { SHORT_TILES = 4 };

static policy choose_few(const spec *s, int sm, tuning_told *told) {
  segmented_scan_tuning to = find_row(few_table, s)->tuning;
  (void)sm;
  tuning_take(told, &segmented_scan_few_space, &to);
  return segmented_scan_few_tuning_pack(
      (segmented_scan_few_tuning){.threads = to.threads,
                                  .rows = to.rows,
                                  .min_blocks = to.min_blocks,
                                  .short_items = to.threads * to.rows * SHORT_TILES});
}

const policy_space segmented_scan_few_space = {
    .choose = choose_few,
    .knobs = {KNOB(segmented_scan_tuning, threads, 64, 128, 256, 512),
              KNOB(segmented_scan_tuning, rows, 1, 2, 3, 4, 5, 7, 9, 11, 13, 24),
              KNOB(segmented_scan_tuning, min_blocks, 1, 2, 3, 4, 6)},
    .allows = rows_have_room};

/* ---- the pipeline, from SM 90
 *
 * A lane takes an odd number of items of a row, or of words of smaller ones, so that lanes do not meet in
 * a bank of shared memory. */

typedef struct pipeline_row {
  uint32_t item_bytes;
  int lane_items, rows, stages, reducers, emitters, chunk_segments, short_items;
} pipeline_row;

/* clang-format off */
static const pipeline_row pipeline_table[] = {
    { 1, 28, 3, 5, 6, 12, 4096, 1 << 16},
    { 2, 30, 2, 5, 8,  8, 4096, 1 << 16},
    { 4, 17, 2, 6, 8,  8, 4096, 1 << 16},
    { 8, 13, 1, 7, 8,  8, 2048, 1 << 16},
    {16,  7, 1, 6, 8,  8, 1024, 1 << 16},
};
/* clang-format on */

enum {
  /* Beside a scout for each stage: three that look back, one that draws, one that publishes. */
  PIPELINE_OTHER_WARPS = 5,
  PIPELINE_OTHER_BYTES = 2048,
  PIPELINE_STAGE_OTHER_BYTES = 320,
  PIPELINE_MOST_BYTES = 227 * 1024,
  PIPELINE_MAX_STATE_BYTES = 16
};

bool segmented_scan_pipeline_fits(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const uint32_t size = out->type.size;
  return pipeline_can_copy(in, sm) && size <= in->type.size && (size & (size - 1)) == 0 &&
         spec_find(s, "accum")->type->size <= PIPELINE_MAX_STATE_BYTES;
}

/* Of shared memory, for so many stages. */
static int pipeline_bytes(const pipeline_row *r, int accum, int stages) {
  const int lanes = r->emitters * r->rows * 32, items = lanes * r->lane_items;
  const int stage = items * (int)r->item_bytes + items / 8 + lanes * accum + PIPELINE_STAGE_OTHER_BYTES;
  /* Of each stage, and of its warp tiles; of the warp tiles once more. */
  const int states = r->emitters * (stages + 1) + 2 * stages;
  return stages * stage + states * 2 * accum + PIPELINE_OTHER_BYTES;
}

static pipeline_row find_pipeline_row(const spec *s) {
  const uint32_t item = spec_find(s, "in")->iter->type.size;
  const int accum = (int)spec_find(s, "accum")->type->size;
  const pipeline_row *r = pipeline_table;
  while (r->item_bytes != item) ++r;
  pipeline_row to = *r; /* for accumulators as large as items, or a little larger */
  while (pipeline_bytes(&to, accum, to.stages) > PIPELINE_MOST_BYTES) --to.stages;
  return to;
}

static policy choose_pipeline(const spec *s, int sm, tuning_told *told) {
  pipeline_row to = find_pipeline_row(s);
  (void)sm;
  tuning_take(told, &segmented_scan_pipeline_space, &to);
  return segmented_scan_pipeline_tuning_pack((segmented_scan_pipeline_tuning){
      .threads = (to.reducers + to.emitters + PIPELINE_OTHER_WARPS + to.stages) * 32,
      .rows = to.rows,
      .min_blocks = 1,
      .lane_items = to.lane_items,
      .stages = to.stages,
      .shared_bytes = pipeline_bytes(&to, (int)spec_find(s, "accum")->type->size, to.stages),
      .reducers = to.reducers,
      .emitters = to.emitters,
      .chunk_segments = to.chunk_segments,
      .short_items = to.short_items});
}

/* Every reducer has the same number of warp tiles, and a lane's items are whole words. */
static bool pipeline_goes_up(const spec *s, int sm, const policy *p) {
  const segmented_scan_pipeline_tuning to = segmented_scan_pipeline_tuning_of(p);
  const int item = (int)spec_find(s, "in")->iter->type.size;
  (void)sm;
  return to.emitters % to.reducers == 0 && to.lane_items * item % 4 == 0;
}

const policy_space segmented_scan_pipeline_space = {
    .choose = choose_pipeline,
    .knobs = {KNOB(pipeline_row, lane_items, 5, 7, 9, 11, 12, 13, 15, 17, 20, 25, 28, 30),
              KNOB(pipeline_row, rows, 1, 2, 3, 4), KNOB(pipeline_row, stages, 3, 4, 5, 6, 7, 8),
              KNOB(pipeline_row, reducers, 4, 6, 8, 10, 12),
              KNOB(pipeline_row, emitters, 6, 8, 10, 12, 16), CHUNK_KNOBS(pipeline_row)},
    .allows = pipeline_goes_up};
