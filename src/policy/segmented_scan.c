/* How segmented scan is tuned. A thread holds `rows` items at once. Measured on SM 9.0 only, see
 * docs/tuning-log.md. */
#include "policy/segmented_scan.h"

#include "policy/chain.h"

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
    {   4,  {256, 8, 4}},
    {   8,  {256, 4, 4}},
    {  16,  {256, 4, 2}},
    {  64,  {128, 2, 2}},
    { ANY,  {128, 1, 1}},
};
/* clang-format on */

policy segmented_scan_policy(const spec *s, int sm) {
  (void)sm;
  return segmented_scan_tuning_pack(find_row(table, s)->tuning);
}

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

policy segmented_scan_long_policy(const spec *s, int sm) {
  (void)sm;
  const segmented_scan_tuning to = find_row(long_table, s)->tuning;
  const int items = to.threads * to.rows;
  const int segments = items < LEAST_SEGMENTS  ? LEAST_SEGMENTS
                       : items < MOST_SEGMENTS ? items
                                               : MOST_SEGMENTS;
  return segmented_scan_long_tuning_pack((segmented_scan_long_tuning){.threads = to.threads,
                                                                      .rows = to.rows,
                                                                      .min_blocks = to.min_blocks,
                                                                      .chunk_segments = segments,
                                                                      .short_items = SHORT_ITEMS});
}

/* ---- the pipeline, from SM 90
 *
 * A lane takes an odd number of items of a row, or of words of smaller ones, so that lanes do not meet in
 * a bank of shared memory. */

typedef struct pipeline_row {
  uint32_t item_bytes;
  int lane_items, rows, stages, reducers, emitters, chunk_segments;
} pipeline_row;

/* clang-format off */
static const pipeline_row pipeline_table[] = {
    { 1, 28, 3, 5, 6, 12, 4096},
    { 2, 30, 2, 5, 8,  8, 4096},
    { 4, 17, 2, 6, 8,  8, 4096},
    { 8, 13, 1, 7, 8,  8, 2048},
    {16,  7, 1, 6, 8,  8, 1024},
};
/* clang-format on */

enum {
  /* Beside a scout for each stage: three that look back, one that draws, one that publishes. */
  PIPELINE_OTHER_WARPS = 5,
  PIPELINE_OTHER_BYTES = 2048,
  PIPELINE_STAGE_OTHER_BYTES = 320,
  PIPELINE_MOST_BYTES = 227 * 1024,
  PIPELINE_MAX_STATE_BYTES = 16,
  PIPELINE_SHORT_ITEMS = 1 << 16
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

policy segmented_scan_pipeline_policy(const spec *s, int sm) {
  (void)sm;
  const uint32_t item = spec_find(s, "in")->iter->type.size;
  const int accum = (int)spec_find(s, "accum")->type->size;
  const pipeline_row *r = pipeline_table;
  while (r->item_bytes != item) ++r;
  int stages = r->stages; /* for accumulators as large as items, or a little larger */
  while (pipeline_bytes(r, accum, stages) > PIPELINE_MOST_BYTES) --stages;
  return segmented_scan_pipeline_tuning_pack((segmented_scan_pipeline_tuning){
      .threads = (r->reducers + r->emitters + PIPELINE_OTHER_WARPS + stages) * 32,
      .rows = r->rows,
      .min_blocks = 1,
      .lane_items = r->lane_items,
      .stages = stages,
      .shared_bytes = pipeline_bytes(r, accum, stages),
      .reducers = r->reducers,
      .emitters = r->emitters,
      .chunk_segments = r->chunk_segments,
      .short_items = PIPELINE_SHORT_ITEMS});
}
