#include "algorithm/merge_sort_plan.h"

#include "algorithm/tagged.h"
#include "util/integer.h"

enum {
  /* Up to so many items for each multiprocessor tiles are small: with larger ones some would have none.
   */
  SMALL_TILE_ITEMS = 2048,
};

static uint64_t tile_items(const program *p, int kernel) {
  const policy *tuning = &p->kernels[kernel].tuning;
  return (uint64_t)policy_threads(tuning) * (unsigned)tuning->values[MERGE_SORT_ITEMS];
}

static unsigned grid_of(uint64_t blocks) {
  return blocks > INT32_MAX ? 0 : (unsigned)blocks;
}

merge_sort_plan merge_sort_plan_of(const program *p, uint64_t num_items) {
  const bool is_small = num_items <= SMALL_TILE_ITEMS * (uint64_t)(unsigned)p->multiprocessors;
  merge_sort_plan plan = {.block = is_small ? MERGE_SORT_SMALL_BLOCK : MERGE_SORT_LARGE_BLOCK};
  plan.run = tile_items(p, plan.block);
  plan.block_shape = (launch_shape){.grid = grid_of(ceil_div(num_items, plan.run)),
                                    .overlap = num_items > MAX_ALONE_ITEMS};
  for (uint64_t run = plan.run; run < num_items; run *= 2) ++plan.passes;
  return plan;
}

temp_layout merge_sort_temp(const program *p, const merge_sort_size *size) {
  temp_layout temp = {0};
  const uint64_t n = size->num_items;
  const int passes = merge_sort_plan_of(p, n).passes;
  (void)temp_slot(&temp, passes > 0 ? n * size->record_bytes : 0);
  (void)temp_slot(&temp, passes > 0 && !size->stores_to_records ? n * size->record_bytes : 0);
  (void)temp_slot(&temp, n * size->copied_bytes);
  return temp;
}

merge_sort_pass merge_sort_pass_of(const program *p, uint64_t num_items, uint64_t run) {
  merge_sort_pass pass = {.kernel = MERGE_SORT_MERGE};
  pass.tiles = ceil_div(min_of(2 * run, num_items), tile_items(p, pass.kernel));
  pass.shape =
      (launch_shape){.grid = grid_of(ceil_div(num_items, 2 * run) * pass.tiles), .overlap = true};
  return pass;
}
