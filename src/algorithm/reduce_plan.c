#include "algorithm/reduce_plan.h"

#include "algorithm/tile_state.h"
#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  /* Handing a result from one block to another costs 0.8 us on an H200, a row of vectors 0.07 us: up to
   * twice this many rows one block is faster, and with more of them a block should have that many. Where
   * order is kept, a block's warps load as many rows at once as a lane has vectors. To call an operator
   * for each of 16 bytes takes longer than to load them. */
  ROWS_PER_BLOCK = 4,
  MANY_ITEMS = 16,
  ROWS_OF_MANY = 1,
  ROWS_OF_ZIPPED = 2,
  /* Of searches by no more blocks than a warp can wait for. Wide accumulators have as few as that many
   * blocks allow: on an H100 3001 structs of 256 bytes take 7.7 us by a row each, 13.8 by eight. */
  ROWS_OF_SEARCH = 2,
  /* What bounds temp storage: that many blocks at most, and one for so many items. */
  MAX_BLOCKS = 512,
  MIN_ITEMS_PER_BLOCK = 1024,
  MIN_WIDE_ITEMS_PER_BLOCK = 128,
};

static uint64_t most_blocks(uint64_t num_items, reduce_work work) {
  const uint64_t least = work == REDUCE_WIDE ? MIN_WIDE_ITEMS_PER_BLOCK : MIN_ITEMS_PER_BLOCK;
  return min_of(1 + num_items / least, MAX_BLOCKS);
}

temp_layout reduce_temp(uint64_t num_items, size_t accum_bytes, reduce_work work) {
  temp_layout temp = {0};
  (void)temp_slot(&temp, product_of(most_blocks(num_items, work) - 1, tile_state_bytes(accum_bytes)));
  return temp;
}

static uint64_t rows_per_block(uint64_t rows, unsigned vector_items, reduce_work work) {
  if (work == REDUCE_ITEMS) return ROWS_PER_BLOCK;
  if (vector_items >= MANY_ITEMS) return ROWS_OF_MANY;
  if (work == REDUCE_WIDE) return min_of(ceil_div(rows, WARP_THREADS + 1), ROWS_PER_BLOCK);
  if (work == REDUCE_ZIPPED) return ROWS_OF_ZIPPED;
  return work == REDUCE_SEARCH && rows <= ROWS_OF_SEARCH * (WARP_THREADS + 1) ? ROWS_OF_SEARCH
                                                                              : ROWS_PER_BLOCK;
}

reduce_work reduce_calls_of(const jig_iter *in) {
  const jig_iter_kind source = iter_source(in)->kind;
  return source == JIG_ITER_ZIP || source == JIG_ITER_ZIP_TRANSFORM ? REDUCE_ZIPPED : REDUCE_CALLS;
}

static unsigned blocks_for(const program *p, const policy *tuned, uint64_t num_items,
                           unsigned vector_items, reduce_work work) {
  const reduce_tuning tuning = reduce_tuning_of(tuned);
  const unsigned threads = (unsigned)tuning.threads;
  /* Of vectors, as every block must have one; what is behind the last whole one is the first block's. */
  const uint64_t rows = work == REDUCE_ORDERED ? ceil_div(num_items, (uint64_t)threads * vector_items)
                                               : ceil_div(num_items / vector_items, threads);
  const uint64_t per_block =
      work == REDUCE_ORDERED ? (unsigned)tuning.lane_vectors : rows_per_block(rows, vector_items, work);
  if (rows <= 2 * per_block) return 1;
  const uint64_t resident = (uint64_t)p->multiprocessors * (unsigned)tuning.min_blocks;
  /* The last block takes the others' results with a thread each. */
  const uint64_t limit = min_of(min_of(resident, most_blocks(num_items, work)), threads + 1u);
  return (unsigned)min_of(ceil_div(rows, per_block), limit);
}

launch_shape reduce_shape_of(const program *p, const policy *tuned, uint64_t num_items,
                             unsigned vector_items, reduce_work work) {
  return (launch_shape){.grid = blocks_for(p, tuned, num_items, vector_items, work),
                        .pdl = num_items > MAX_ITEMS_WITHOUT_PDL};
}

launch_shape reduce_shape(const program *p, uint64_t num_items, unsigned vector_items, reduce_work work) {
  return reduce_shape_of(p, &p->kernels[0].tuning, num_items, vector_items, work);
}

even_share reduce_ranges(const program *p, unsigned grid, uint64_t num_items, unsigned vector_items) {
  const reduce_tuning tuning = reduce_tuning_of(&p->kernels[0].tuning);
  const uint64_t lane_items = (uint64_t)vector_items * (unsigned)tuning.lane_vectors;
  const uint64_t tiles = ceil_div(num_items, lane_items * WARP_THREADS);
  const uint64_t warps = (uint64_t)grid * ((unsigned)tuning.threads / WARP_THREADS);
  return (even_share){tiles / warps, tiles % warps};
}
