#include "algorithm/segmented_sort_plan.h"

#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  DIGITS = 256,
  CONTROL = 256,      /* sizeof(jig::SegmentedSortControl) */
  LARGE_SEGMENT = 80, /* sizeof(jig::LargeSegment) */
  LONG_SEGMENT = 16,  /* of the list: begin and length */
  /* Keys for a thread of a tile, before there are more blocks. */
  FEW_ROWS = 4,
  /* Segments that a warp of the first kernel looks at, in lots of one for each lane, as long as all warps
   * that are resident have so many times their part. */
  MAX_LOTS = 4,
  FEW_WAVES = 4,
  /* Keys that lanes sort in registers (segmented_sort_tiny.cuh): so many of a lane, and of several. A
   * warp sorts as many segments at once as it has lanes for, and should have some even if others have
   * none. */
  TINY_KEY_BYTES = 4,
  LANE_ITEMS = 16,
  TINY_ITEMS = 128,
  TINY_WARP_ITEMS = 128,
  /* Of blocks that have one segment each. */
  MOST_WAVES = 2,
  /* So that 32 bits number the tiles of all passes that keys may have. */
  MAX_TILES = 1 << 27,
  /* More pairs of launches would take longer than anybody waits. */
  MAX_LAUNCHES = 1 << 16,
  /* Numbers of items have 30 bits in words of 4 bytes (jig::SegmentedSortWords). */
  WORD_BITS = 30,
};

/* Slots of temp storage. */
enum {
  SLOT_CONTROL,
  SLOT_LISTS,
  SLOT_LARGE,
  SLOT_BINS,
  SLOT_STATES,
  SLOT_OWNERS,
  SLOT_KEYS,
  SLOT_VALUES
};

#define FIELD(name) PARAMETER_FIELD(segmented_sort_call, name)
const parameter_field segmented_sort_call_fields[] = {
    FIELD(sort),      FIELD(control),   FIELD(lists),       FIELD(long_list),      FIELD(large),
    FIELD(bins),      FIELD(states),    FIELD(tile_owners), FIELD(capacities),     FIELD(max_long),
    FIELD(max_large), FIELD(max_tiles), FIELD(tile_items),  FIELD(class_items),    FIELD(long_items),
    FIELD(classes),   FIELD(each),      FIELD(tiny_items),  FIELD(has_wide_words), {NULL}};
#undef FIELD

static segmented_sort_small_tuning small_tuning(const program *p) {
  return segmented_sort_small_tuning_of(&p->kernels[SEGMENTED_SORT_SMALL].tuning);
}

static segmented_sort_large_tuning large_tuning(const program *p) {
  return segmented_sort_large_tuning_of(&p->kernels[SEGMENTED_SORT_LARGE].tuning);
}

static segmented_sort_few_tuning few_tuning(const program *p, int kernel) {
  return segmented_sort_few_tuning_of(&p->kernels[kernel].tuning);
}

static unsigned warps_of(int threads) {
  return (unsigned)threads / WARP_THREADS;
}

/* What a segment may have that the first kernel sorts. */
static uint64_t small_items(const program *p) {
  const segmented_sort_small_tuning tuning = small_tuning(p);
  return (uint64_t)min_of((unsigned)tuning.small_items, (unsigned)tuning.warp_items);
}

static uint64_t resident_blocks(const program *p, int min_blocks) {
  return (uint64_t)(unsigned)p->multiprocessors * (unsigned)min_blocks;
}

/* ---- few segments */

/* What a segment may have that a block sorts; by some of its bits, too. */
static uint64_t few_items(const program *p, int kernel) {
  const segmented_sort_few_tuning tuning = few_tuning(p, kernel);
  return (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.indexed_rows;
}

static uint64_t average_items(const segmented_sort_size *size) {
  return size->num_items / max_of(size->num_segments, 1);
}

/* Whether all items fit a block of that kernel. */
static bool fits_block(const program *p, int kernel, const segmented_sort_size *size) {
  return size->num_items <= few_items(p, kernel);
}

static uint64_t most_few(const program *p, int kernel, const plan_limits *limits, uint64_t waves) {
  return min_of(resident_blocks(p, few_tuning(p, kernel).min_blocks) * waves,
                limits->segmented_sort_max_segments);
}

/* Of few segments each has a block that is resident, or one of two waves where all items fit a block,
 * which saves a launch. Where some may be too long for a block most are probably not. */
static int first_kernel(const program *p, const plan_limits *limits, const segmented_sort_size *size) {
  for (int kernel = SEGMENTED_SORT_FEW; kernel <= SEGMENTED_SORT_FEW_LONG; ++kernel)
    if (fits_block(p, kernel, size) && size->num_segments <= most_few(p, kernel, limits, MOST_WAVES))
      return kernel;
  const bool are_few = size->num_segments <= most_few(p, SEGMENTED_SORT_FEW, limits, 1);
  return are_few && average_items(size) <= few_items(p, SEGMENTED_SORT_FEW) / 2 ? SEGMENTED_SORT_FEW
                                                                                : SEGMENTED_SORT_SMALL;
}

static bool has_few(const segmented_sort_plan *plan) {
  return plan->first != SEGMENTED_SORT_SMALL;
}

/* ---- lists */

/* As many segments as may be longer than that. */
static uint32_t most_longer(const segmented_sort_plan *plan, uint64_t num_items, uint64_t length) {
  return (uint32_t)min_of(plan->segments, num_items / (length + 1));
}

static void plan_lists(const program *p, const segmented_sort_size *size, segmented_sort_plan *plan) {
  const segmented_sort_large_tuning tuning = large_tuning(p);
  const uint64_t small = small_items(p);
  plan->class_items = (uint32_t)tuning.warp_items;
  for (unsigned warp_group = 1; warp_group <= warps_of(tuning.threads); warp_group *= 2) {
    const uint64_t below = warp_group > 1 ? (uint64_t)plan->class_items * (warp_group / 2) : 0;
    plan->capacities[plan->classes++] = most_longer(plan, size->num_items, below > small ? below : small);
  }
}

/* Segments that do not fit a block, which have more than `most` items, are large if they are longer than
 * a part of the whole, too. */
static void plan_large(const program *p, const plan_limits *limits, const segmented_sort_size *size,
                       uint64_t most, segmented_sort_plan *plan) {
  const uint64_t n = size->num_items,
                 wanted = resident_blocks(p, large_tuning(p).min_blocks) * limits->segmented_sort_parts;
  const uint64_t parts = max_of(wanted, 1);
  const uint64_t part = min_of(n / parts, ((uint64_t)1 << WORD_BITS) - 1);
  const uint64_t longer = most_longer(plan, n, most);
  plan->long_items = (uint32_t)max_of(part, most);
  plan->max_long = part > most ? (uint32_t)longer : 0;
  plan->max_large = (uint32_t)min_of(longer, max_of(n >> WORD_BITS, parts));
}

/* Tiles are as small as keeps all blocks resident, if they can be. */
static void plan_tiles(const program *p, const plan_limits *limits, const segmented_sort_size *size,
                       segmented_sort_plan *plan) {
  const segmented_sort_large_tuning tuning = large_tuning(p);
  const uint64_t n = size->num_items, threads = (unsigned)tuning.threads;
  const uint64_t most = (uint64_t)plan->class_items * warps_of(tuning.threads);
  const uint64_t resident = resident_blocks(p, tuning.min_blocks),
                 least = min_of(threads * FEW_ROWS, most);
  plan->long_items = (uint32_t)most;
  if (n <= most) return;
  const uint64_t wanted = ceil_div(ceil_div(n, resident), threads) * threads;
  plan->tile_items = (uint32_t)min_of(max_of(wanted, least), most);
  plan_large(p, limits, size, most, plan);
  const uint64_t small_tiles = min_of(ceil_div(n, least), resident), large_tiles = ceil_div(n, most);
  const uint64_t tiles = max_of(small_tiles, large_tiles) + plan->max_large;
  plan->has_many_tiles = tiles > MAX_TILES;
  plan->max_tiles = (uint32_t)min_of(tiles, MAX_TILES);
}

/* How many segments a warp of the first kernel looks at, of very many in several lots, one after the
 * other; and how they are sorted. Where each warp has one, it compares keys sooner than a few lanes sort
 * them. */
static void plan_small(const program *p, const segmented_sort_size *size, segmented_sort_plan *plan) {
  const segmented_sort_small_tuning tuning = small_tuning(p);
  const uint64_t resident = resident_blocks(p, tuning.min_blocks) * warps_of(tuning.threads);
  const uint64_t average = average_items(size);
  const bool takes_lanes = average <= TINY_ITEMS && plan->segments > resident;
  plan->tiny_items = takes_lanes ? TINY_ITEMS : LANE_ITEMS;
  const bool are_tiny = size->key_bytes <= TINY_KEY_BYTES && size->value_bytes == 0 &&
                        average <= (unsigned)plan->tiny_items;
  const uint64_t even = ceil_div(plan->segments, are_tiny ? resident : 2 * resident);
  const uint64_t least = are_tiny ? TINY_WARP_ITEMS / max_of(average, 1) : 1;
  const uint64_t lots = plan->segments / (2 * resident * WARP_THREADS * FEW_WAVES);
  plan->each = (int)(min_of(max_of(even, least), WARP_THREADS) * max_of(min_of(lots, MAX_LOTS), 1));
}

/* For so many segments that the first kernel may leave, and for tiles. */
static unsigned blocks_of(const program *p, const segmented_sort_plan *plan, uint64_t left) {
  const uint64_t wanted = left + plan->max_tiles;
  const uint64_t most = resident_blocks(p, large_tuning(p).min_blocks);
  return (unsigned)min_of(max_of(wanted, 1), most);
}

/* ---- temp storage */

static temp_layout layout(const segmented_sort_size *size, const segmented_sort_plan *plan) {
  temp_layout temp = {0};
  uint64_t listed = 0;
  if (!plan->lists) return temp;
  for (int c = 0; c < plan->classes; ++c) listed += plan->capacities[c];
  /* Those that a block has by itself are like large ones. */
  const uint64_t large = (uint64_t)plan->max_large + (plan->max_long > 0 ? plan->blocks : 0);
  const uint64_t row = DIGITS * (plan->has_wide_words ? sizeof(uint64_t) : sizeof(uint32_t));
  const uint64_t long_bytes = product_of(plan->max_long, LONG_SEGMENT);
  const bool needs_buffers = !size->has_buffers && size->passes > 1 && plan->max_large > 0;
  (void)temp_slot(&temp, CONTROL);
  (void)temp_slot(&temp, sum_of(long_bytes, product_of(listed, sizeof(uint64_t))));
  (void)temp_slot(&temp, product_of(large, LARGE_SEGMENT));
  (void)temp_slot(&temp, product_of(large, (unsigned)size->passes * row));
  (void)temp_slot(&temp, product_of(plan->max_tiles, row));
  (void)temp_slot(&temp, product_of(plan->max_tiles, sizeof(uint32_t)));
  (void)temp_slot(&temp, needs_buffers ? product_of(size->num_items, size->key_bytes) : 0);
  (void)temp_slot(&temp, needs_buffers ? product_of(size->num_items, size->value_bytes) : 0);
  return temp;
}

void segmented_sort_apply(const segmented_sort_plan *plan, void *storage, segmented_sort_call *p) {
  const temp_layout *temp = &plan->temp;
  p->each = plan->each;
  p->tiny_items = plan->tiny_items;
  if (!plan->lists) return;
  p->control = temp_address(temp, SLOT_CONTROL, storage);
  p->long_list = temp_address(temp, SLOT_LISTS, storage);
  uint64_t *list = (uint64_t *)p->long_list + (size_t)plan->max_long * LONG_SEGMENT / sizeof *list;
  for (int c = 0; c < plan->classes; ++c) {
    p->lists[c] = list;
    p->capacities[c] = plan->capacities[c];
    list += plan->capacities[c];
  }
  p->large = temp_address(temp, SLOT_LARGE, storage);
  p->bins = temp_address(temp, SLOT_BINS, storage);
  p->states = temp_address(temp, SLOT_STATES, storage);
  p->tile_owners = temp_address(temp, SLOT_OWNERS, storage);
  p->max_long = plan->max_long;
  p->max_large = plan->max_large;
  p->max_tiles = plan->max_tiles;
  p->tile_items = plan->tile_items;
  p->class_items = plan->class_items;
  p->long_items = plan->long_items;
  p->has_wide_words = plan->has_wide_words;
  p->classes = plan->classes;
  const bool has_keys = temp->sizes[SLOT_KEYS] > 0, has_values = temp->sizes[SLOT_VALUES] > 0;
  if (has_keys) p->sort.keys_other = temp_address(temp, SLOT_KEYS, storage);
  if (has_values) p->sort.values_other = temp_address(temp, SLOT_VALUES, storage);
}

/* ---- the whole */

segmented_sort_plan segmented_sort_plan_of(const program *p, const plan_limits *limits,
                                           const segmented_sort_size *size) {
  segmented_sort_plan plan = {
      .first = first_kernel(p, limits, size),
      .lists = size->num_items > small_items(p),
      .has_wide_words = size->num_items >= limits->segmented_sort_wide_items,
      .segments = min_of(size->num_segments, limits->segmented_sort_max_segments)};
  if (has_few(&plan) && fits_block(p, plan.first, size)) plan.lists = false;
  plan.has_many_launches = size->num_segments / limits->segmented_sort_max_segments >= MAX_LAUNCHES;
  plan_small(p, size, &plan);
  if (!plan.lists) return plan;
  plan_lists(p, size, &plan);
  plan_tiles(p, limits, size, &plan);
  plan.blocks = blocks_of(p, &plan, plan.capacities[0]);
  plan.temp = layout(size, &plan);
  /* After the layout: temp storage must not shrink where segments become long enough for a block each.
   * Where multiprocessors have two of these, as many blocks as otherwise are as fast or faster. */
  if (has_few(&plan) && plan.segments <= (unsigned)p->multiprocessors)
    plan.blocks = blocks_of(p, &plan, most_longer(&plan, size->num_items, few_items(p, plan.first)));
  return plan;
}

launch_shape segmented_sort_first_shape(const program *p, const segmented_sort_plan *plan,
                                        uint64_t segments) {
  const uint64_t each = (uint64_t)warps_of(small_tuning(p).threads) * (unsigned)plan->each;
  const unsigned blocks = (unsigned)(has_few(plan) ? segments : ceil_div(segments, each));
  launch_shape shape = {.grid = blocks, .pdl = blocks > 1 || plan->lists};
  /* Of blocks that share a multiprocessor while others have none, each takes up to half as long again. */
  if (has_few(plan) && blocks > (unsigned)p->multiprocessors)
    shape.shared_bytes = (unsigned)few_tuning(p, plan->first).used_bytes;
  return shape;
}
