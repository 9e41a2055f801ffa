#include "algorithm/scan_plan.h"

#include "algorithm/tagged.h"
#include "util/integer.h"

enum {
  WAVE_MAX_BLOCKS = 1024,
  WAVE_MIN_THREADS = 128,
  WAVE_CONTROL = 64, /* sizeof(jig::WaveControl) */
  GROUP_TILES = 32,
  /* Up to so many rows a block by itself is faster than several that have to exchange what they find. */
  ALONE_ROWS = 4,
};

/* ---- temp storage */

/* jig::WaveState<T>, jig::GroupState<T> */
static size_t wave_state_bytes(size_t accum_bytes) {
  return align_up(tagged_bytes(accum_bytes), 64);
}
static size_t group_bytes(uint64_t tiles, size_t accum_bytes) {
  return (tiles / GROUP_TILES + 1) * align_up(2 * tagged_bytes(accum_bytes), 128);
}

/* The fewest runs that a tile of a look-back has, in any row of policy/scan.c. */
static uint64_t min_tile_runs(size_t accum_bytes) {
  return accum_bytes <= 8 ? 3072 : accum_bytes <= 16 ? 1024 : 128;
}

temp_layout scan_temp(const scan_size *size) {
  temp_layout temp = {0};
  const uint64_t runs = ceil_div(size->num_items, size->run_items);
  const uint64_t blocks = min_of(ceil_div(runs, WAVE_MIN_THREADS), WAVE_MAX_BLOCKS);
  const uint64_t tiles = ceil_div(runs, min_tile_runs(size->accum_bytes));
  const int first = temp_slot(
      &temp, blocks <= 1 ? 0 : WAVE_CONTROL + (blocks - 1) * wave_state_bytes(size->accum_bytes));
  temp_share(&temp, first, tiles <= 1 ? 0 : group_bytes(tiles, size->accum_bytes));
  (void)temp_slot(&temp, tiles <= 1 ? 0 : tiles * tagged_bytes(size->accum_bytes));
  return temp;
}

/* ---- launches */

static scan_plan plan_wave(const program *p, uint64_t row_blocks, unsigned rows) {
  const policy *tuning = &p->kernels[SCAN_WAVE].tuning;
  const uint64_t most_rows = (unsigned)tuning->values[SCAN_ROWS];
  scan_plan plan = {.wave = true, .rows = (int)min_of(rows, most_rows)};
  plan.shape.grid = (unsigned)ceil_div(row_blocks, (uint64_t)plan.rows);
  return plan;
}

scan_plan scan_plan_of(const program *p, const scan_size *size) {
  const policy *wave = &p->kernels[SCAN_WAVE].tuning, *lookback = &p->kernels[SCAN_LOOKBACK].tuning;
  const uint64_t runs = ceil_div(size->num_items, size->run_items);
  const uint64_t row_blocks = ceil_div(runs, policy_threads(wave)); /* blocks, if each took one row */
  const unsigned processors = (unsigned)p->multiprocessors;
  const uint64_t resident =
      min_of((uint64_t)processors * (unsigned)wave->values[SCAN_MIN_BLOCKS], WAVE_MAX_BLOCKS);
  const uint64_t wave_rows = (uint64_t)wave->values[SCAN_ROWS];
  scan_plan plan;
  if (row_blocks <= min_of(ALONE_ROWS, wave_rows)) {
    plan = plan_wave(p, row_blocks, (unsigned)row_blocks);
  } else if (row_blocks <= resident * wave_rows) {
    /* Three blocks for two multiprocessors; but no more of them than are resident at once. */
    const uint64_t rows = ceil_div(2 * row_blocks, 3 * (uint64_t)processors);
    const uint64_t needed = ceil_div(row_blocks, resident);
    plan = plan_wave(p, row_blocks, (unsigned)(rows > needed ? rows : needed));
  } else {
    const uint64_t tile_runs = (uint64_t)policy_threads(lookback) * (unsigned)lookback->values[SCAN_ROWS];
    const uint64_t tiles = ceil_div(runs, tile_runs);
    plan = (scan_plan){.too_large = tiles > INT32_MAX,
                       .shape.grid = (unsigned)tiles,
                       .group_bytes = group_bytes(tiles, size->accum_bytes),
                       .tile_bytes = tiles * tagged_bytes(size->accum_bytes)};
  }
  plan.shape.overlap = size->num_items > MAX_ALONE_ITEMS;
  return plan;
}
