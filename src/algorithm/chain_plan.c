#include "algorithm/chain_plan.h"

#include "algorithm/tagged.h"
#include "util/integer.h"

enum {
  WAVE_MAX_BLOCKS = 1024,
  WAVE_CONTROL = 64, /* sizeof(jig::WaveControl) */
  GROUP_TILES = 32,
  /* Up to so many rows a block by itself is faster than several that have to exchange what they find. */
  ALONE_ROWS = 4,
};

/* ---- temp storage */

/* jig::WaveState<T>, jig::GroupState<T> */
static size_t wave_state_bytes(size_t state_bytes) {
  return align_up(tagged_bytes(state_bytes), 64);
}
static size_t group_bytes(uint64_t tiles, size_t state_bytes) {
  return (tiles / GROUP_TILES + 1) * align_up(2 * tagged_bytes(state_bytes), 128);
}

static uint64_t tile_runs(const program *p) {
  const policy *tuning = &p->kernels[CHAIN_LOOKBACK].tuning;
  return (uint64_t)policy_threads(tuning) * (unsigned)tuning->values[CHAIN_ROWS];
}

static uint64_t resident_blocks(const program *p) {
  const policy *tuning = &p->kernels[CHAIN_WAVE].tuning;
  const uint64_t processors = (unsigned)p->multiprocessors;
  return min_of(processors * (unsigned)tuning->values[CHAIN_MIN_BLOCKS], WAVE_MAX_BLOCKS);
}

temp_layout chain_temp(const program *p, const chain_size *size) {
  temp_layout temp = {0};
  const uint64_t runs = ceil_div(size->num_items, size->run_items);
  const uint64_t row_blocks = ceil_div(runs, policy_threads(&p->kernels[CHAIN_WAVE].tuning));
  const uint64_t blocks = min_of(row_blocks, resident_blocks(p)), tiles = ceil_div(runs, tile_runs(p));
  const int first = temp_slot(
      &temp, blocks <= 1 ? 0 : WAVE_CONTROL + (blocks - 1) * wave_state_bytes(size->state_bytes));
  temp_share(&temp, first, tiles <= 1 ? 0 : group_bytes(tiles, size->state_bytes));
  (void)temp_slot(&temp, tiles <= 1 ? 0 : tiles * tagged_bytes(size->state_bytes));
  return temp;
}

/* ---- launches */

static chain_plan plan_wave(const program *p, uint64_t row_blocks, unsigned rows) {
  const policy *tuning = &p->kernels[CHAIN_WAVE].tuning;
  const uint64_t most_rows = (unsigned)tuning->values[CHAIN_ROWS];
  chain_plan plan = {.wave = true, .rows = (int)min_of(rows, most_rows)};
  plan.shape.grid = (unsigned)ceil_div(row_blocks, (uint64_t)plan.rows);
  return plan;
}

chain_plan chain_plan_of(const program *p, const chain_size *size) {
  const policy *wave = &p->kernels[CHAIN_WAVE].tuning;
  const uint64_t runs = ceil_div(size->num_items, size->run_items);
  const uint64_t row_blocks = ceil_div(runs, policy_threads(wave)); /* blocks, if each took one row */
  const uint64_t processors = (unsigned)p->multiprocessors, resident = resident_blocks(p);
  const uint64_t wave_rows = (unsigned)wave->values[CHAIN_ROWS];
  chain_plan plan;
  if (row_blocks <= min_of(ALONE_ROWS, wave_rows)) {
    plan = plan_wave(p, row_blocks, (unsigned)row_blocks);
  } else if (row_blocks <= resident * wave_rows) {
    /* Three blocks for two multiprocessors; but no more of them than are resident at once. */
    const uint64_t rows = ceil_div(2 * row_blocks, 3 * processors),
                   needed = ceil_div(row_blocks, resident);
    plan = plan_wave(p, row_blocks, (unsigned)(rows > needed ? rows : needed));
  } else {
    const uint64_t tiles = ceil_div(runs, tile_runs(p));
    plan = (chain_plan){.too_large = tiles > INT32_MAX,
                        .shape.grid = (unsigned)tiles,
                        .group_bytes = group_bytes(tiles, size->state_bytes),
                        .tile_bytes = tiles * tagged_bytes(size->state_bytes)};
  }
  plan.shape.overlap = size->num_items > MAX_ALONE_ITEMS;
  return plan;
}
