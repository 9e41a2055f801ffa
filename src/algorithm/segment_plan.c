#include "algorithm/segment_plan.h"

#include "algorithm/tile_state.h"
#include "util/integer.h"

enum {
  CONTROL = 256,         /* sizeof(jig::SegmentControl) */
  LISTED_CHUNK = 32,     /* sizeof(jig::ListedChunk) */
  LISTED_SEGMENTS = 256, /* of so many at a time a listed chunk's list says where they begin */
  STATE_PARTS = 4,
  /* So that every block has some, as long as there are enough. */
  BLOCK_CHUNKS = 4,
  /* 28 bits number them. */
  MAX_CHUNKS = 1 << 28,
  /* Segments of a chunk where blocks choose them, at least: of so many in all, and of more. */
  SMALL_CHUNK = 32,
  SMALL_SEGMENTS = 1 << 17
};

enum { SLOT_CONTROL, SLOT_LIST, SLOT_STARTS, SLOT_TILES, SLOT_GROUPS };

#define FIELD(name) PARAMETER_FIELD(segment_call, name)
const parameter_field segment_call_fields[] = {FIELD(control),
                                               FIELD(list),
                                               FIELD(list_starts),
                                               FIELD(tiles),
                                               FIELD(groups),
                                               FIELD(tag),
                                               FIELD(num_segments),
                                               FIELD(short_items),
                                               FIELD(num_chunks),
                                               FIELD(chunk_segments),
                                               FIELD(least_segments),
                                               FIELD(part_bits),
                                               FIELD(reach),
                                               FIELD(num_segments_in),
                                               {NULL}};
#undef FIELD

static temp_layout layout(const plan_limits *limits, uint64_t num_segments, uint64_t most_chunks,
                          uint64_t most_segments, size_t state_bytes) {
  const uint64_t states = (uint64_t)STATE_PARTS << limits->segment_part_bits;
  temp_layout temp = {0};
  (void)temp_slot(&temp, CONTROL);
  (void)temp_slot(&temp, product_of(most_chunks, tile_state_bytes(LISTED_CHUNK)));
  (void)temp_slot(&temp,
                  product_of(sum_of(sum_of(num_segments, most_segments) / LISTED_SEGMENTS, most_chunks),
                             tile_state_bytes(sizeof(uint64_t))));
  (void)temp_slot(&temp, states * tile_state_bytes(state_bytes));
  (void)temp_slot(&temp, states / GROUP_TILES * group_state_bytes(state_bytes));
  return temp;
}

/* As many segments for a block as leave every multiprocessor its blocks, up to 32 for each warp. */
static void plan_short(segment_plan *plan, const program *p, uint64_t num_segments) {
  const segmented_scan_tuning tuning = segmented_scan_tuning_of(&p->kernels[SEGMENT_SHORT].tuning);
  const uint64_t blocks = (uint64_t)p->multiprocessors * (unsigned)tuning.min_blocks * 2;
  plan->each = (int)min_of(ceil_div(num_segments, blocks), (unsigned)tuning.threads);
  plan->short_blocks = num_segments > 0 ? ceil_div(num_segments, (unsigned)plan->each) : 0;
}

segment_plan segment_plan_of(const program *p, const plan_limits *limits, uint64_t num_segments,
                             bool adjoin, size_t state_bytes) {
  const policy *tuning = &p->kernels[SEGMENT_LONG].tuning;
  const bool has_pipeline = policy_value(tuning, "stages", 0) > 0;
  const bool in_order = has_pipeline && adjoin;
  segment_plan plan = {.long_blocks = (unsigned)p->multiprocessors *
                                      (unsigned)policy_value(tuning, "min_blocks", 1)};
  if (!in_order) plan_short(&plan, p, num_segments);
  const uint64_t most_segments = (unsigned)policy_value(tuning, "chunk_segments", LISTED_SEGMENTS);
  const uint64_t enough = (uint64_t)plan.long_blocks * BLOCK_CHUNKS;
  uint64_t segments = LISTED_SEGMENTS;
  while (segments < most_segments && ceil_div(num_segments, segments) > enough) segments *= 2;
  const uint64_t chunks = ceil_div(num_segments, segments);
  /* Fewer, as they get larger, must not take less. */
  const uint64_t small = min_of(ceil_div(num_segments, LISTED_SEGMENTS), enough),
                 large = ceil_div(num_segments, most_segments);
  /* Blocks choose it by lengths, but no less than this. */
  uint64_t least = num_segments <= SMALL_SEGMENTS ? SMALL_CHUNK : LISTED_SEGMENTS;
  while (ceil_div(num_segments, least) > MAX_CHUNKS) least *= 2;
  const uint64_t chosen = max_of(ceil_div(min_of(num_segments, SMALL_SEGMENTS), SMALL_CHUNK),
                                 ceil_div(num_segments, LISTED_SEGMENTS));
  const uint64_t short_items = (unsigned)policy_value(tuning, "short_items", 0);
  plan.too_large = chunks > MAX_CHUNKS;
  plan.call =
      (segment_call){.num_segments = num_segments,
                     .short_items = in_order ? 0 : min_of(short_items, limits->segment_most_short),
                     .num_chunks = (uint32_t)chunks,
                     .chunk_segments = (uint32_t)segments,
                     .least_segments = (uint32_t)least,
                     .part_bits = limits->segment_part_bits,
                     .reach = limits->segment_reach};
  const uint64_t most_chunks = max_of(max_of(small, large), has_pipeline ? chosen : 0);
  plan.temp = layout(limits, num_segments, most_chunks, most_segments, state_bytes);
  return plan;
}

void segment_plan_apply(segment_plan *plan, void *storage, uint64_t tag) {
  const temp_layout *temp = &plan->temp;
  plan->call.control = temp_address(temp, SLOT_CONTROL, storage);
  plan->call.list = temp_address(temp, SLOT_LIST, storage);
  plan->call.list_starts = temp_address(temp, SLOT_STARTS, storage);
  plan->call.tiles = temp_address(temp, SLOT_TILES, storage);
  plan->call.groups = temp_address(temp, SLOT_GROUPS, storage);
  plan->call.tag = tag;
}
