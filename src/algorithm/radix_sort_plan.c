#include "algorithm/radix_sort_plan.h"

#include "algorithm/tile_state.h"
#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  DIGITS = 256,
  CONTROL = 256, /* sizeof(jig::RadixSortControl) */
  /* A block by itself has no less: one for each digit. */
  MIN_THREADS = 256,
  /* Rows that such a block has before it has more threads, or that there are more of them. */
  FEW_ROWS = 4,
  /* As many rows of wide keys in one block need not be whole batches: a warp that has no keys tells
   * nothing of how many of their bits differ. */
  MOST_CUT_ROWS = 5,
  /* Keys for a thread of the histogram, before there are more blocks. */
  COUNTED_ITEMS = 4,
  /* Rows of a pass's tile, if there are so few keys that each multiprocessor has one. */
  MOST_SINGLE_ROWS = 8,
  /* Waves of a pass's blocks before there is no more than as many rows as fit. */
  MOST_WAVES = 2,
  DIGIT_BITS = 8,
  LEAST_SAVED = 2, /* the same as least_saved of jig::RadixTopPasses */
  /* Of a local sort: tiles of a block at most, and blocks for a place on the GPU before they have
   * several. Where they have one, there is some room for a bucket that ends behind it. */
  CHUNK_TILES = 8,
  CHUNK_WAVES = 8,
  CHUNK_ROOM = 16,
};

/* Rows of a warp at most: with bits that a sort does not look at, keys have indices beside them. */
static unsigned most_rows(const policy *p, const radix_sort_size *size) {
  const radix_sort_tile_tuning tuning = radix_sort_tile_tuning_of(p);
  return (unsigned)(size->is_partial ? tuning.indexed_rows : tuning.rows);
}

static uint64_t block_items(const policy *tuning, const radix_sort_size *size) {
  return (uint64_t)policy_threads(tuning) * most_rows(tuning, size);
}

/* Blocks that sort together at most. */
static uint64_t most_blocks(const program *p, const plan_limits *limits) {
  return min_of(p->kernels[RADIX_SORT_CLUSTER].max_cluster, limits->radix_sort_max_cluster);
}

static bool fits_block(const program *p, const radix_sort_size *size) {
  return size->num_items <= block_items(&p->kernels[RADIX_SORT_BLOCK].tuning, size);
}

static bool fits_cluster(const program *p, const plan_limits *limits, const radix_sort_size *size) {
  if (fits_block(p, size)) return true;
  return size->num_items <=
         block_items(&p->kernels[RADIX_SORT_CLUSTER].tuning, size) * most_blocks(p, limits);
}

/* ---- passes */

static radix_sort_pass_tuning pass_tuning(const program *p) {
  return radix_sort_pass_tuning_of(&p->kernels[RADIX_SORT_PASS].tuning);
}

static uint64_t resident_blocks(const program *p) {
  return (uint64_t)(unsigned)p->multiprocessors * (unsigned)pass_tuning(p).min_blocks;
}

/* Keys of a register at most. */
static bool is_small(const radix_sort_size *size) {
  return size->key_bytes <= 4;
}

/* Where one tile of a multiprocessor is faster: pairs of small keys mostly, but not of four different
 * keys. */
static bool takes_single(const radix_sort_size *size) {
  return is_small(size) ? size->value_bytes == 0 : size->key_bytes <= 8 && size->value_bytes <= 8;
}

/* Rows, in whole batches, of so many blocks that have all items. */
static uint64_t rows_of_blocks(const program *p, const radix_sort_size *size, uint64_t blocks) {
  const uint64_t step = (unsigned)pass_tuning(p).batch;
  const uint64_t batch = policy_threads(&p->kernels[RADIX_SORT_PASS].tuning) * step;
  return max_of(ceil_div(size->num_items, blocks * batch), 1) * step;
}

/* As few batches of rows as keep all blocks resident, if they can be; or as few as have all places
 * taken MOST_WAVES times, of small keys. Of few keys one block of each multiprocessor, as tiles wait for
 * all before them. */
static unsigned pass_rows(const program *p, const radix_sort_size *size) {
  const uint64_t most = most_rows(&p->kernels[RADIX_SORT_PASS].tuning, size),
                 resident = resident_blocks(p);
  const uint64_t single = rows_of_blocks(p, size, (unsigned)p->multiprocessors);
  if (single <= MOST_SINGLE_ROWS && takes_single(size)) return (unsigned)min_of(single, most);
  const uint64_t once = rows_of_blocks(p, size, resident);
  if (once <= most || !is_small(size)) return (unsigned)min_of(once, most);
  return (unsigned)min_of(rows_of_blocks(p, size, MOST_WAVES * resident), most);
}

static uint64_t portion_items(const plan_limits *limits, const policy *tuning, unsigned rows) {
  const uint64_t tile = (uint64_t)policy_threads(tuning) * rows;
  return limits->radix_sort_max_portion > tile ? limits->radix_sort_max_portion / tile * tile : tile;
}

/* At least as many as any plan has for so many items or less. */
static uint64_t most_tiles(const program *p, const plan_limits *limits, const radix_sort_size *size) {
  const policy *tuning = &p->kernels[RADIX_SORT_PASS].tuning;
  const uint64_t smallest = (uint64_t)policy_threads(tuning) * (unsigned)pass_tuning(p).batch;
  const uint64_t small = ceil_div(size->num_items, smallest);
  const uint64_t large =
      ceil_div(min_of(size->num_items, limits->radix_sort_max_portion), block_items(tuning, size));
  return max_of(large, min_of(small, MOST_WAVES * resident_blocks(p)));
}

temp_layout radix_sort_temp(const program *p, const plan_limits *limits, const radix_sort_size *size) {
  temp_layout temp = {0};
  const bool needs_buffers = !size->has_buffers && size->passes > 1;
  if (fits_cluster(p, limits, size)) return temp;
  (void)temp_slot(&temp, CONTROL + (size_t)size->passes * 2 * DIGITS * sizeof(uint64_t));
  (void)temp_slot(&temp, product_of(most_tiles(p, limits, size), 2 * DIGITS * sizeof(uint32_t)));
  (void)temp_slot(&temp, needs_buffers ? product_of(size->num_items, size->key_bytes) : 0);
  (void)temp_slot(&temp, needs_buffers ? product_of(size->num_items, size->value_bytes) : 0);
  return temp;
}

launch_shape radix_sort_pass_shape(const program *p, const radix_sort_plan *plan, uint64_t items) {
  const policy *tuning = &p->kernels[RADIX_SORT_PASS].tuning;
  const uint64_t tile = (uint64_t)policy_threads(tuning) * (unsigned)plan->rows;
  return (launch_shape){
      .grid = (unsigned)ceil_div(items, tile), .pdl = true, .shared_bytes = plan->pass_bytes};
}

/* ---- the whole */

/* One block with as many threads as there are few rows for, or as many rows as it takes; or else twice
 * the blocks until there are few rows, if there can be so many: graphs can be updated for other numbers
 * of items as long as their clusters have one size. Rows are whole batches, as others take longer, unless
 * all blocks that there can be have more, or one has few of wide keys. */
static radix_sort_plan plan_cluster(const program *p, const plan_limits *limits,
                                    const radix_sort_size *size) {
  const int kernel = fits_block(p, size) ? RADIX_SORT_BLOCK : RADIX_SORT_CLUSTER;
  const policy *tuning = &p->kernels[kernel].tuning;
  const unsigned most = policy_threads(tuning);
  const uint64_t num_items = size->num_items, few_rows = min_of(FEW_ROWS, most_rows(tuning, size));
  unsigned threads = MIN_THREADS, blocks = 1;
  while (threads < most && threads * few_rows < num_items) threads *= 2;
  if (kernel == RADIX_SORT_CLUSTER)
    while (blocks < most_blocks(p, limits) && blocks * threads * few_rows < num_items) blocks *= 2;
  const bool has_batches = blocks > 1 ? num_items <= blocks * threads * few_rows
                                      : is_small(size) || num_items > threads * MOST_CUT_ROWS;
  const bool is_batched = size->key_bytes <= 8 && most_rows(tuning, size) % FEW_ROWS == 0 && has_batches;
  const uint64_t step = is_batched ? FEW_ROWS : 1;
  return (radix_sort_plan){.fits_cluster = true,
                           .cluster_kernel = kernel,
                           .cluster = {.grid = blocks,
                                       .threads = threads,
                                       .cluster = blocks,
                                       .pdl = num_items > MAX_ITEMS_WITHOUT_PDL},
                           .rows = (int)(ceil_div(num_items, (uint64_t)blocks * threads * step) * step)};
}

/* Whether there are enough digits above those that would be saved to leave no more than that in a bucket.
 */
static bool has_digits(const radix_sort_size *size, uint64_t bucket) {
  const int bits = (size->passes - LEAST_SAVED) * DIGIT_BITS;
  return bits >= 64 || (bits > 0 && size->num_items >> bits <= bucket);
}

/* The more passes there would be the fewer items it takes for a local sort to pay. */
static uint64_t least_local(uint64_t least, int passes) {
  enum { MANY_PASSES = 8 };
  return passes >= 2 * MANY_PASSES ? least / 8 : passes >= MANY_PASSES ? least / 2 : least;
}

/* What may be sorted by blocks after the highest digits; places of items there have 32 bits. */
static void plan_local(const program *p, const plan_limits *limits, const radix_sort_size *size,
                       radix_sort_plan *plan) {
  if (!size->can_be_local || size->num_items > UINT32_MAX / 2) return;
  const policy *tuning = &p->kernels[RADIX_SORT_LOCAL].tuning;
  const radix_sort_local_tuning local = radix_sort_local_tuning_of(tuning);
  const uint64_t tile = (uint64_t)policy_threads(tuning) * (unsigned)local.rows;
  const uint64_t places = (uint64_t)(unsigned)p->multiprocessors * (unsigned)local.min_blocks;
  const uint64_t least = least_local((uint64_t)(unsigned)local.least_items, size->passes);
  if (size->num_items < min_of(least, limits->radix_sort_least_local) || !has_digits(size, tile)) return;
  const uint64_t tiles = min_of(size->num_items / (places * CHUNK_WAVES * tile), CHUNK_TILES);
  const uint64_t chunk = tiles > 1 ? tiles * tile : tile - tile / CHUNK_ROOM;
  plan->local_items = (int)tile;
  plan->chunk_items = (uint32_t)chunk;
  plan->local = (launch_shape){.grid = (unsigned)ceil_div(size->num_items, chunk), .pdl = true};
}

radix_sort_plan radix_sort_plan_of(const program *p, const plan_limits *limits,
                                   const radix_sort_size *size) {
  const policy *counting = &p->kernels[RADIX_SORT_HISTOGRAM].tuning;
  const uint64_t processors = (unsigned)p->multiprocessors;
  if (fits_cluster(p, limits, size)) return plan_cluster(p, limits, size);
  const policy *passes = &p->kernels[RADIX_SORT_PASS].tuning;
  radix_sort_plan plan = {.rows = (int)pass_rows(p, size)};
  /* The less of it, the more of the L1 cache. */
  plan.pass_bytes = size->is_partial ? 0 : (unsigned)pass_tuning(p).plain_bytes;
  plan.portion_items = portion_items(limits, passes, (unsigned)plan.rows);
  plan.portions = ceil_div(size->num_items, plan.portion_items);
  plan.state_tiles = radix_sort_pass_shape(p, &plan, min_of(size->num_items, plan.portion_items)).grid;
  const uint64_t blocks = ceil_div(size->num_items, (uint64_t)policy_threads(counting) * COUNTED_ITEMS);
  plan.histogram = (launch_shape){.grid = (unsigned)min_of(blocks, processors), .pdl = true};
  plan_local(p, limits, size, &plan);
  return plan;
}
