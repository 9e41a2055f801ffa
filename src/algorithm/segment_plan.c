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
  SMALL_SEGMENTS = 1 << 17,
  /* Segments for each thread, at most, where they adjoin and every block knows where all shares begin. */
  FEW_OF_THREAD = 48,
  /* Segments for each multiprocessor, at most, where they need not adjoin. */
  FEW_OF_MULTIPROCESSOR = 32
};

enum { SLOT_CONTROL, SLOT_LIST, SLOT_STARTS, SLOT_TILES, SLOT_GROUPS };

#define FIELD(name) PARAMETER_FIELD(segment_call, name)
const parameter_field segment_call_fields[] = {FIELD(control),         FIELD(list),
                                               FIELD(list_starts),     FIELD(tiles),
                                               FIELD(groups),          FIELD(tag),
                                               FIELD(num_segments),    FIELD(short_items),
                                               FIELD(num_chunks),      FIELD(chunk_segments),
                                               FIELD(least_segments),  FIELD(part_bits),
                                               FIELD(reach),           FIELD(share_segments),
                                               FIELD(num_segments_in), {NULL}};
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

/* As many segments for a block as leave every multiprocessor its blocks, up to 32 for each warp; for two
 * turns of blocks, if one has no room for all segments. */
static void plan_short(segment_plan *plan, const program *p, uint64_t num_segments) {
  const segmented_scan_tuning tuning = segmented_scan_tuning_of(&p->kernels[SEGMENT_SHORT].tuning);
  const uint64_t blocks = (uint64_t)p->multiprocessors * (unsigned)tuning.min_blocks;
  const uint64_t each = ceil_div(num_segments, blocks), most = (unsigned)tuning.threads;
  plan->each = (int)min_of(each <= most ? each : ceil_div(num_segments, blocks * 2), most);
  plan->short_blocks = num_segments > 0 ? ceil_div(num_segments, (unsigned)plan->each) : 0;
}

/* How a kernel's blocks share out all segments as chunks, unless they choose how many each has. */
typedef struct sharing {
  unsigned blocks;
  uint64_t most_segments; /* of a chunk */
  uint64_t segments, chunks;
  uint64_t most_chunks; /* of no more segments than there are */
} sharing;

static unsigned blocks_of(const program *p, int kernel) {
  return (unsigned)p->multiprocessors *
         (unsigned)policy_value(&p->kernels[kernel].tuning, "min_blocks", 1);
}

static sharing sharing_of(const program *p, int kernel, uint64_t num_segments) {
  const policy *tuning = &p->kernels[kernel].tuning;
  sharing s = {.blocks = blocks_of(p, kernel),
               .most_segments = (unsigned)policy_value(tuning, "chunk_segments", LISTED_SEGMENTS),
               .segments = LISTED_SEGMENTS};
  const uint64_t enough = (uint64_t)s.blocks * BLOCK_CHUNKS;
  while (s.segments < s.most_segments && ceil_div(num_segments, s.segments) > enough) s.segments *= 2;
  s.chunks = ceil_div(num_segments, s.segments);
  /* Fewer, as they get larger, must not take less. */
  s.most_chunks = max_of(min_of(ceil_div(num_segments, LISTED_SEGMENTS), enough),
                         ceil_div(num_segments, s.most_segments));
  return s;
}

static bool is_pipeline(const program *p, int kernel) {
  return policy_value(&p->kernels[kernel].tuning, "stages", 0) > 0;
}

/* Where a pipeline does not fit, all segments are the other kernels', adjoining or not. */
static bool has_adjoining(const program *p) {
  return p->count > SEGMENT_ADJOINING && is_pipeline(p, SEGMENT_ADJOINING);
}

/* Whether they are for a kernel of few. */
static bool are_few(const program *p, unsigned blocks, bool in_order, const plan_limits *limits,
                    uint64_t num_segments) {
  if (!in_order) return num_segments <= (uint64_t)p->multiprocessors * FEW_OF_MULTIPROCESSOR;
  const uint64_t threads = policy_threads(&p->kernels[SEGMENT_FEW_ADJOINING].tuning);
  return num_segments <= min_of(FEW_OF_THREAD * threads, limits->segment_most_few) && blocks <= threads &&
         blocks <= (uint64_t)STATE_PARTS << limits->segment_part_bits;
}

segment_plan segment_plan_of(const program *p, const plan_limits *limits, uint64_t num_segments,
                             bool adjoin, size_t state_bytes) {
  const bool has_both = has_adjoining(p), in_order = has_both && adjoin;
  const sharing of_long = sharing_of(p, SEGMENT_LONG, num_segments),
                of_adjoining = has_both ? sharing_of(p, SEGMENT_ADJOINING, num_segments) : of_long,
                own = in_order ? of_adjoining : of_long;
  const bool few = are_few(p, own.blocks, in_order, limits, num_segments);
  segment_plan plan = {.long_blocks = own.blocks};
  if (in_order)
    plan.long_kernel = few ? SEGMENT_FEW_ADJOINING : SEGMENT_ADJOINING;
  else
    plan.long_kernel = few ? SEGMENT_FEW : SEGMENT_LONG;
  if (plan.long_kernel == SEGMENT_LONG) plan_short(&plan, p, num_segments);
  if (plan.long_kernel == SEGMENT_FEW) plan.long_blocks = blocks_of(p, SEGMENT_FEW);
  /* Blocks choose it by lengths, but no less than this. */
  uint64_t least = num_segments <= SMALL_SEGMENTS ? SMALL_CHUNK : LISTED_SEGMENTS;
  while (ceil_div(num_segments, least) > MAX_CHUNKS) least *= 2;
  const uint64_t chosen = max_of(ceil_div(min_of(num_segments, SMALL_SEGMENTS), SMALL_CHUNK),
                                 ceil_div(num_segments, LISTED_SEGMENTS));
  const uint64_t short_items =
      (unsigned)policy_value(&p->kernels[plan.long_kernel].tuning, "short_items", 0);
  plan.too_large = own.chunks > MAX_CHUNKS;
  plan.call = (segment_call){
      .num_segments = num_segments,
      .short_items = in_order ? 0 : min_of(short_items, limits->segment_most_short),
      .num_chunks = (uint32_t)own.chunks,
      .chunk_segments = (uint32_t)own.segments,
      .least_segments = (uint32_t)least,
      .part_bits = limits->segment_part_bits,
      .reach = limits->segment_reach,
      .share_segments = in_order && few ? (uint32_t)ceil_div(num_segments, own.blocks) : 0};
  /* Where they adjoin, each block's share may be a chunk, of whatever length. */
  const uint64_t of_both = has_both ? max_of(chosen, min_of(num_segments, of_adjoining.blocks)) : 0;
  /* Offsets need not be known yet when a call asks for its size, so it is enough for both. */
  const uint64_t most_chunks = max_of(max_of(of_long.most_chunks, of_adjoining.most_chunks), of_both);
  plan.temp = layout(limits, num_segments, most_chunks,
                     max_of(of_long.most_segments, of_adjoining.most_segments), state_bytes);
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
