#include "algorithm/merge_sort_plan.h"

#include "algorithm/tile_state.h"
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
  const merge_sort_block_tuning tuning = merge_sort_block_tuning_of(&p->kernels[kernel].tuning);
  return (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.items;
}

static uint64_t merge4_tile_items(const program *p) {
  return (uint64_t)merge_sort_merge4_tuning_of(&p->kernels[MERGE_SORT_MERGE4].tuning).tile_items;
}

/* ---- passes */

/* Four at once, where ranks fit 32 bits. */
static unsigned ways_of(const program *p, uint64_t num_items, uint64_t run) {
  const bool is_large = num_items > FOUR_WAY_ITEMS * (uint64_t)(unsigned)p->multiprocessors;
  return is_large && run <= (uint64_t)1 << 30 ? 4 : 2;
}

/* Whether the operator is known to be a strict weak order. */
static bool is_sure(const program *p) {
  return merge_sort_merge_tuning_of(&p->kernels[MERGE_SORT_MERGE].tuning).is_sure != 0;
}

/* Whether blocks that merge two runs search for where their tile begins and ends themselves. If the
 * operator may be no order, by all borders that decide about these two: of so many tiles, one for each
 * warp. */
static bool blocks_search(const program *p, uint64_t tiles) {
  const uint64_t warps = policy_threads(&p->kernels[MERGE_SORT_MERGE].tuning) / WARP_THREADS;
  return is_sure(p) || tiles <= (uint64_t)1 << warps;
}

/* A warp for each search. */
static launch_shape split_shape(const program *p, uint64_t searches) {
  const uint64_t warps = policy_threads(&p->kernels[MERGE_SORT_SPLIT].tuning) / WARP_THREADS;
  return (launch_shape){.grid = (unsigned)ceil_div(searches, warps), .pdl = true};
}

merge_sort_pass merge_sort_pass_of(const program *p, uint64_t num_items, uint64_t run) {
  merge_sort_pass pass = {.ways = ways_of(p, num_items, run)};
  const bool by_four = pass.ways == 4;
  const uint64_t group = product_of(pass.ways, run), groups = ceil_div(num_items, group);
  const uint64_t tile = by_four ? merge4_tile_items(p) : tile_items(p, MERGE_SORT_MERGE);
  pass.kernel = by_four ? MERGE_SORT_MERGE4 : MERGE_SORT_MERGE;
  pass.tiles = ceil_div(min_of(group, num_items), tile);
  pass.blocks = product_of(groups, pass.tiles);
  pass.shape = (launch_shape){.grid = (unsigned)pass.blocks, .pdl = true};
  if (by_four || !blocks_search(p, pass.tiles))
    pass.split = split_shape(p, pass.blocks); /* a search for each */
  if (!by_four) return pass;
  if (pass.tiles < COARSE_FROM * BRACKET ||
      pass.blocks < COARSE_SEARCHES * (uint64_t)(unsigned)p->multiprocessors)
    return pass;
  pass.coarse = split_shape(p, groups * ceil_div(pass.tiles, BRACKET));
  pass.bracket = BRACKET;
  return pass;
}

/* ---- the whole */

static void add_passes(const program *p, uint64_t num_items, merge_sort_plan *plan) {
  for (uint64_t run = plan->run; run < num_items;) {
    const merge_sort_pass pass = merge_sort_pass_of(p, num_items, run);
    ++plan->passes;
    plan->is_by_four = plan->is_by_four && pass.ways == 4;
    plan->blocks = max_of(plan->blocks, pass.blocks);
    if (pass.split.grid > 0)
      plan->splits =
          max_of(plan->splits, product_of(pass.blocks, pass.ways)); /* 32 bits each, or 64 of one */
    run = product_of(pass.ways, run);
  }
}

merge_sort_plan merge_sort_plan_of(const program *p, uint64_t num_items) {
  const uint64_t large = tile_items(p, MERGE_SORT_LARGE_BLOCK);
  const bool is_small =
      num_items <= large || num_items <= SMALL_TILE_ITEMS * (uint64_t)(unsigned)p->multiprocessors;
  merge_sort_plan plan = {.block = is_small ? MERGE_SORT_SMALL_BLOCK : MERGE_SORT_LARGE_BLOCK};
  plan.run = tile_items(p, plan.block);
  plan.is_by_four = true;
  plan.blocks = ceil_div(num_items, plan.run);
  plan.block_shape =
      (launch_shape){.grid = (unsigned)plan.blocks, .pdl = num_items > MAX_ITEMS_WITHOUT_PDL};
  add_passes(p, num_items, &plan);
  /* Passes by two have more and smaller tiles than those by four that take their place; two words for
   * each, and up to four times as many as there are items for, of runs that are not whole. */
  enum { MOST_WORDS = 2 * 4 };
  if (plan.passes > 0 && !is_sure(p))
    plan.splits =
        max_of(plan.splits, product_of(MOST_WORDS, ceil_div(num_items, tile_items(p, MERGE_SORT_MERGE))));
  return plan;
}

temp_layout merge_sort_temp(const merge_sort_plan *plan, const plan_limits *limits,
                            const merge_sort_size *size) {
  temp_layout temp = {0};
  const uint64_t records = product_of(size->num_items, size->record_bytes),
                 moved = plan->passes > 0 ? records : 0;
  /* One place takes no less than two for fewer items. */
  const uint64_t of_fewer = product_of(2 * (limits->merge_sort_least_apart - 1), size->record_bytes);
  (void)temp_slot(&temp, size->is_apart ? max_of(moved, of_fewer) : moved);
  const bool has_second = !size->stores_to_records && !size->is_apart;
  (void)temp_slot(&temp, size->gathers ? records : has_second ? moved : 0);
  (void)temp_slot(&temp, product_of(size->num_items, size->copied_bytes));
  (void)temp_slot(&temp, product_of(plan->splits, sizeof(uint32_t)));
  return temp;
}
