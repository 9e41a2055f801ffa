#include "algorithm/merge_sort_plan.h"

#include "algorithm/tagged.h"
#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  /* Up to so many items for each multiprocessor tiles are small: with larger ones some would have none.
   */
  SMALL_TILE_ITEMS = 2048,
  /* From so many on fewer passes over memory are worth a launch that searches for where tiles begin. */
  FOUR_WAY_ITEMS = 16384,
  /* Tiles between two for which it is known where they begin, so that the others take fewer steps each.
   * That pays for its launch if there are so many of these brackets, and so many searches for each
   * multiprocessor: fewer of them all go on at once, and wait for memory rather than for each other. */
  BRACKET = 32,
  COARSE_FROM = 2,
  COARSE_SEARCHES = 32,
};

static uint64_t tile_items(const program *p, int kernel) {
  const policy *tuning = &p->kernels[kernel].tuning;
  return (uint64_t)policy_threads(tuning) * (unsigned)tuning->values[MERGE_SORT_ITEMS];
}

static uint64_t merge4_tile_items(const program *p) {
  return (uint64_t)policy_value(&p->kernels[MERGE_SORT_MERGE4].tuning, "tile_items", 1);
}

static unsigned grid_of(uint64_t blocks) {
  return blocks > INT32_MAX ? 0 : (unsigned)blocks;
}

/* ---- passes */

/* Four at once, where ranks fit 32 bits. */
static unsigned ways_of(const program *p, uint64_t num_items, uint64_t run) {
  const bool is_large = num_items > FOUR_WAY_ITEMS * (uint64_t)(unsigned)p->multiprocessors;
  return is_large && run <= (uint64_t)1 << 30 ? 4 : 2;
}

/* A warp for each search. */
static launch_shape split_shape(const program *p, uint64_t searches) {
  const uint64_t warps = policy_threads(&p->kernels[MERGE_SORT_SPLIT].tuning) / WARP_THREADS;
  return (launch_shape){.grid = grid_of(ceil_div(searches, warps)), .overlap = true};
}

merge_sort_pass merge_sort_pass_of(const program *p, uint64_t num_items, uint64_t run) {
  merge_sort_pass pass = {.ways = ways_of(p, num_items, run)};
  const bool by_four = pass.ways == 4;
  const uint64_t group = pass.ways * run, groups = ceil_div(num_items, group);
  const uint64_t tile = by_four ? merge4_tile_items(p) : tile_items(p, MERGE_SORT_MERGE);
  pass.kernel = by_four ? MERGE_SORT_MERGE4 : MERGE_SORT_MERGE;
  pass.tiles = ceil_div(min_of(group, num_items), tile);
  pass.shape = (launch_shape){.grid = grid_of(groups * pass.tiles), .overlap = true};
  if (!by_four) return pass;
  const uint64_t searches = groups * pass.tiles;
  pass.split = split_shape(p, searches);
  if (pass.tiles < COARSE_FROM * BRACKET ||
      searches < COARSE_SEARCHES * (uint64_t)(unsigned)p->multiprocessors)
    return pass;
  pass.coarse = split_shape(p, groups * ceil_div(pass.tiles, BRACKET));
  pass.bracket = BRACKET;
  return pass;
}

/* ---- the whole */

merge_sort_plan merge_sort_plan_of(const program *p, uint64_t num_items) {
  const uint64_t large = tile_items(p, MERGE_SORT_LARGE_BLOCK);
  const bool is_small =
      num_items <= large || num_items <= SMALL_TILE_ITEMS * (uint64_t)(unsigned)p->multiprocessors;
  merge_sort_plan plan = {.block = is_small ? MERGE_SORT_SMALL_BLOCK : MERGE_SORT_LARGE_BLOCK};
  plan.run = tile_items(p, plan.block);
  plan.block_shape = (launch_shape){.grid = grid_of(ceil_div(num_items, plan.run)),
                                    .overlap = num_items > MAX_ALONE_ITEMS};
  for (uint64_t run = plan.run; run < num_items; run *= ways_of(p, num_items, run)) ++plan.passes;
  return plan;
}

/* For each tile of the pass that has most of them, four places. */
static size_t split_bytes(const program *p, uint64_t num_items, uint64_t run) {
  uint64_t most = 0;
  while (run < num_items) {
    const merge_sort_pass pass = merge_sort_pass_of(p, num_items, run);
    const uint64_t tiles = pass.ways == 4 ? ceil_div(num_items, pass.ways * run) * pass.tiles : 0;
    if (tiles > most) most = tiles;
    run *= pass.ways;
  }
  return (size_t)most * 4 * sizeof(uint32_t);
}

temp_layout merge_sort_temp(const program *p, const merge_sort_size *size) {
  temp_layout temp = {0};
  const uint64_t n = size->num_items;
  const merge_sort_plan plan = merge_sort_plan_of(p, n);
  const bool has_passes = plan.passes > 0;
  (void)temp_slot(&temp, has_passes ? n * size->record_bytes : 0);
  (void)temp_slot(&temp, has_passes && !size->stores_to_records ? n * size->record_bytes : 0);
  (void)temp_slot(&temp, n * size->copied_bytes);
  (void)temp_slot(&temp, split_bytes(p, n, plan.run));
  return temp;
}
