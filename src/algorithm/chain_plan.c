#include "algorithm/chain_plan.h"

#include "algorithm/tile_state.h"
#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  SINGLE_WAVE_MAX_BLOCKS = 1024,
  SINGLE_WAVE_CONTROL = 64,        /* sizeof(jig::SingleWaveControl) */
  PIPELINE_CONTROL = 64,           /* sizeof(jig::PipelineControl) */
  PIPELINE_OTHER_THREADS = 3 * 32, /* beside those that work on tiles */
  /* Up to so many rows a block by itself is faster than several that have to exchange what they find. */
  SINGLE_TILE_ROWS = 4,
  RUNS_ALONE_ITEMS = 8192, /* no more, if they have runs */
  CLUSTER_ALONE_ROWS = 2,  /* or several that are a cluster */
  /* Of a cluster's blocks, if they have runs: 2^16 keys in runs of 1 take 3.77 us with 4, and 3.70 by a
     single wave. */
  CLUSTER_RUN_ROWS = 3,
};

/* Policies that say nothing are of algorithms that take one item. */
unsigned chain_vector_items(const program *p, int kernel) {
  return (unsigned)policy_value(&p->kernels[kernel].tuning, "vector_items", 1);
}

/* ---- temp storage */

/* jig::SingleWaveState<T> */
static uint64_t single_wave_state_bytes(size_t state_bytes) {
  return align_up(tile_state_bytes(state_bytes), 64);
}
static uint64_t group_bytes(uint64_t tiles, size_t state_bytes) {
  return product_of(tiles / GROUP_TILES + 1, group_state_bytes(state_bytes));
}

static uint64_t tile_bytes(uint64_t tiles, size_t state_bytes) {
  return product_of(tiles, tile_state_bytes(state_bytes));
}

/* jig::PipelineControl, and a state for each tile */
static uint64_t pipeline_bytes(uint64_t tiles, size_t state_bytes) {
  return sum_of(PIPELINE_CONTROL, tile_bytes(tiles, state_bytes));
}

static bool has_pipeline(const program *p) {
  return policy_value(&p->kernels[CHAIN_LARGE].tuning, "stages", 0) > 0;
}

/* A tile of a kernel for large inputs. */
static uint64_t tile_items(const program *p, int kernel) {
  const chain_tuning tuning = chain_tuning_of(&p->kernels[kernel].tuning);
  const uint64_t threads = (unsigned)tuning.threads, rows = (unsigned)tuning.rows;
  const uint64_t row_items = rows * chain_vector_items(p, kernel);
  if (!has_pipeline(p)) return threads * row_items;
  const pipeline_tuning pipeline = pipeline_tuning_of(&p->kernels[CHAIN_LARGE].tuning);
  const uint64_t reducers = (uint64_t)(unsigned)pipeline.reducers * WARP_THREADS;
  return (threads - reducers - PIPELINE_OTHER_THREADS) * row_items;
}

static uint64_t large_bytes(const program *p, uint64_t tiles, size_t state_bytes) {
  return has_pipeline(p) ? pipeline_bytes(tiles, state_bytes) : group_bytes(tiles, state_bytes);
}

/* ---- single waves, of a kernel CHAIN_SINGLE_WAVE or one of more rows */

static chain_tuning wave_tuning(const program *p, int wave) {
  return chain_tuning_of(&p->kernels[wave].tuning);
}

/* Blocks of a single wave, if each took one row; one says that there is nothing. */
static uint64_t row_blocks_of(const program *p, int wave, uint64_t num_items) {
  const uint64_t vectors = ceil_div(num_items, chain_vector_items(p, wave));
  return max_of(ceil_div(vectors, (unsigned)wave_tuning(p, wave).threads), 1);
}

static uint64_t resident_blocks(const program *p, int wave) {
  const uint64_t processors = (unsigned)p->multiprocessors;
  return min_of(processors * (unsigned)wave_tuning(p, wave).min_blocks, SINGLE_WAVE_MAX_BLOCKS);
}

/* Whether a single wave takes so many blocks' rows. */
static bool takes(const program *p, int wave, uint64_t row_blocks) {
  return row_blocks <= resident_blocks(p, wave) * (unsigned)wave_tuning(p, wave).rows;
}

/* Another kernel of a form; 0 if there is none. */
static int another_of(const chain_size *size, chain_form form) {
  return size->another_form == form ? size->another : 0;
}

uint64_t chain_tiles(const program *p, const chain_size *size) {
  const int fewer_rows = another_of(size, CHAIN_IS_LOOKBACK);
  return ceil_div(size->num_items, tile_items(p, fewer_rows != 0 ? fewer_rows : CHAIN_LARGE));
}

temp_layout chain_temp(const program *p, const chain_size *size) {
  temp_layout temp = {0};
  const uint64_t row_blocks = row_blocks_of(p, CHAIN_SINGLE_WAVE, size->num_items);
  const uint64_t blocks = min_of(row_blocks, resident_blocks(p, CHAIN_SINGLE_WAVE));
  const uint64_t tiles = chain_tiles(p, size);
  const bool is_large = !takes(p, CHAIN_SINGLE_WAVE, row_blocks);
  const int first = temp_slot(
      &temp,
      blocks <= 1 ? 0 : SINGLE_WAVE_CONTROL + (blocks - 1) * single_wave_state_bytes(size->state_bytes));
  if (is_large) temp_share(&temp, first, large_bytes(p, tiles, size->state_bytes));
  (void)temp_slot(&temp, is_large && !has_pipeline(p) ? tile_bytes(tiles, size->state_bytes) : 0);
  return temp;
}

/* ---- launches */

static chain_plan plan_single_wave(const program *p, int wave, uint64_t row_blocks, uint64_t rows) {
  const uint64_t most_rows = (unsigned)wave_tuning(p, wave).rows;
  chain_plan plan = {.form = CHAIN_IS_SINGLE_WAVE, .kernel = wave, .rows = (int)min_of(rows, most_rows)};
  plan.shape.grid = (unsigned)ceil_div(row_blocks, (uint64_t)plan.rows);
  return plan;
}

/* Three blocks for two multiprocessors; but no more of them than are resident at once. */
static uint64_t usual_rows(const program *p, uint64_t row_blocks) {
  const uint64_t processors = (unsigned)p->multiprocessors;
  return max_of(ceil_div(2 * row_blocks, 3 * processors),
                ceil_div(row_blocks, resident_blocks(p, CHAIN_SINGLE_WAVE)));
}

/* So that no multiprocessor has many more rows than others, and no more than two blocks where that is
 * possible, as all wait for all, or three of many rows. Of several such the largest, up to a few. */
static uint64_t even_rows(const program *p, int wave, uint64_t row_blocks) {
  const uint64_t processors = (unsigned)p->multiprocessors, most = (unsigned)wave_tuning(p, wave).rows;
  const uint64_t resident = resident_blocks(p, wave);
  const uint64_t by_two = ceil_div(row_blocks, min_of(2 * processors, resident));
  const bool takes_three = by_two > most && most > SINGLE_TILE_ROWS && resident <= 3 * processors;
  const uint64_t fewest = takes_three ? ceil_div(row_blocks, resident) : by_two;
  uint64_t best = most, least = UINT64_MAX;
  for (uint64_t rows = fewest; rows <= most; ++rows) {
    const uint64_t share = ceil_div(ceil_div(row_blocks, rows), processors) * rows;
    if (share > least || (share == least && rows > SINGLE_TILE_ROWS)) continue;
    least = share;
    best = rows;
  }
  return best;
}

/* Waves of blocks, and how many rows they have after each other. */
static uint64_t waves_of(const program *p, int kernel, uint64_t num_items) {
  const uint64_t processors = (unsigned)p->multiprocessors;
  const chain_tuning tuning = chain_tuning_of(&p->kernels[kernel].tuning);
  return ceil_div(ceil_div(num_items, tile_items(p, kernel)), processors * (unsigned)tuning.min_blocks);
}
static uint64_t rows_in_turn(const program *p, int kernel, uint64_t num_items) {
  return waves_of(p, kernel, num_items) * (unsigned)chain_tuning_of(&p->kernels[kernel].tuning).rows;
}

/* Of few waves the last may be nearly empty; tiles of fewer rows, which take longer for each, may then be
 * done sooner. */
static int large_kernel(const program *p, const chain_size *size) {
  enum { MOST_WAVES = 3 };
  const uint64_t n = size->num_items;
  const int fewer_rows = another_of(size, CHAIN_IS_LOOKBACK);
  if (fewer_rows == 0 || waves_of(p, CHAIN_LARGE, n) > MOST_WAVES) return CHAIN_LARGE;
  return rows_in_turn(p, fewer_rows, n) < rows_in_turn(p, CHAIN_LARGE, n) ? fewer_rows : CHAIN_LARGE;
}

static chain_plan plan_large(const program *p, const chain_size *size) {
  const int kernel = large_kernel(p, size);
  const uint64_t tiles = ceil_div(size->num_items, tile_items(p, kernel));
  const uint64_t processors = (unsigned)p->multiprocessors;
  chain_plan plan = {.form = has_pipeline(p) ? CHAIN_IS_PIPELINE : CHAIN_IS_LOOKBACK,
                     .kernel = kernel,
                     .tiles = tiles,
                     .shape.grid = (unsigned)(has_pipeline(p) ? min_of(tiles, processors) : tiles)};
  if (plan.form == CHAIN_IS_PIPELINE) return plan;
  plan.group_bytes = group_bytes(tiles, size->state_bytes);
  plan.tile_bytes = tile_bytes(tiles, size->state_bytes);
  return plan;
}

/* What is too much for one single wave may not be for another; temp storage has room for no more blocks
 * than the first one's. */
static chain_plan plan_beyond(const program *p, const chain_size *size) {
  const int wave = another_of(size, CHAIN_IS_SINGLE_WAVE);
  if (wave == 0 || resident_blocks(p, wave) > resident_blocks(p, CHAIN_SINGLE_WAVE))
    return plan_large(p, size);
  const uint64_t row_blocks = row_blocks_of(p, wave, size->num_items);
  if (!takes(p, wave, row_blocks)) return plan_large(p, size);
  return plan_single_wave(p, wave, row_blocks, even_rows(p, wave, row_blocks));
}

static bool is_alone(const chain_size *size, uint64_t row_blocks, chain_tuning single_wave) {
  if (row_blocks == 1) return true;
  if (size->has_runs && size->num_items > RUNS_ALONE_ITEMS) return false;
  return row_blocks <= min_of(SINGLE_TILE_ROWS, (unsigned)single_wave.rows);
}

/* As many blocks as a cluster may have, and then rows: blocks of a cluster tell each other in the time
 * that one takes for two rows more. */
static bool plan_cluster(const program *p, const chain_size *size, chain_plan *plan) {
  const chain_tuning tuning = chain_tuning_of(&p->kernels[CHAIN_CLUSTER].tuning);
  const unsigned most = p->kernels[CHAIN_CLUSTER].max_cluster;
  const uint64_t vectors = ceil_div(size->num_items, chain_vector_items(p, CHAIN_CLUSTER));
  const uint64_t row_blocks = max_of(ceil_div(vectors, (unsigned)tuning.threads), 1);
  const uint64_t single_rows = min_of(SINGLE_TILE_ROWS, (unsigned)tuning.rows);
  const uint64_t alone = size->has_runs ? max_of(single_rows, CLUSTER_ALONE_ROWS) : CLUSTER_ALONE_ROWS;
  const uint64_t rows = row_blocks <= alone ? row_blocks : ceil_div(row_blocks, most);
  if (rows > (unsigned)tuning.rows) return false;
  if (size->has_runs && row_blocks > alone && rows > CLUSTER_RUN_ROWS) return false;
  *plan = (chain_plan){.form = CHAIN_IS_CLUSTER, .kernel = CHAIN_CLUSTER, .rows = (int)rows};
  plan->shape.grid = plan->shape.cluster = (unsigned)ceil_div(row_blocks, rows);
  return true;
}

static chain_plan plan_grid(const program *p, const chain_size *size) {
  const int wave = CHAIN_SINGLE_WAVE;
  const uint64_t row_blocks = row_blocks_of(p, wave, size->num_items);
  const chain_tuning tuning = wave_tuning(p, wave);
  if (is_alone(size, row_blocks, tuning)) return plan_single_wave(p, wave, row_blocks, row_blocks);
  if (!takes(p, wave, row_blocks)) return plan_beyond(p, size);
  /* Where only two blocks fit a multiprocessor, three for two of them leave every other with one. */
  const bool is_even = size->has_runs || tuning.min_blocks <= 2;
  const uint64_t rows = is_even ? even_rows(p, wave, row_blocks) : usual_rows(p, row_blocks);
  return plan_single_wave(p, wave, row_blocks, rows);
}

/* Whether a kernel for few rows takes the place of the single wave's: a first call has less of it to
 * compile. */
static bool has_few_rows(const program *p, const chain_size *size, const chain_plan *plan) {
  return size->few_rows != 0 && plan->form == CHAIN_IS_SINGLE_WAVE &&
         plan->rows <= wave_tuning(p, size->few_rows).rows;
}

chain_plan chain_plan_of(const program *p, const chain_size *size) {
  chain_plan plan;
  if (!size->has_cluster || !plan_cluster(p, size, &plan)) plan = plan_grid(p, size);
  if (has_few_rows(p, size, &plan)) plan.kernel = size->few_rows;
  plan.shape.pdl = size->num_items > MAX_ITEMS_WITHOUT_PDL;
  return plan;
}
