/* How algorithms are tuned that work on runs of equal neighbouring keys.
 *
 * See scan.c for the two kernels. What limits them is how many instructions a row takes, so lanes take
 * many items at once; two blocks a multiprocessor have room for all of a single wave. Measured on an
 * H200; look-backs only for 8-byte items. */
#include "policy/by_key.h"
#include "util/integer.h"

typedef struct row {
  size_t max_vector_bytes; /* fits vectors up to this size, of keys, values and accumulators */
  size_t max_accum_bytes;  /* fits accumulators up to this size */
  chain_tuning single_wave, lookback;
} row;

enum {
  ANY = 1 << 30,
  MAX_STAGED_ROWS = 4,
  MAX_STAGED_KEY_BYTES = 16,
  STAGED_KIBIBYTES = 40,
  STAGED_KIBIBYTES_75 = 24, /* of 64 on a multiprocessor, which is to hold two blocks */
};

/* clang-format off */
static const row table[] = {
    /* vec. accum  single wave   lookback */
    {   16,    4,  {256, 4, 4},  {384,  6, 2}},
    {   16,    8,  {512, 4, 2},  {384,  6, 2}},
    {   16,   16,  {256, 4, 2},  {256,  6, 2}},
    {   32,    4,  {256, 3, 2},  {256,  4, 2}},
    {   32,    8,  {256, 4, 2},  {256,  6, 2}},
    {   64,    8,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,   16,  {256, 2, 2},  {256,  4, 2}},
    {   64,   32,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,   64,  {128, 1, 2},  {128,  2, 2}},
    {  ANY,  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

static bool is_scan(const spec *s) {
  return spec_find(s, "values_out") != NULL;
}

/* So many items are taken at once of which this is the larger, key or value, if both are in memory: what
 * a row costs beside its items is no more for longer ones. But a scan stores what it takes, which costs
 * more if lanes do so far from each other. */
static int long_vector_items(const spec *s, size_t item) {
  enum { ITEMS = 8 };
  return item == 4 || (item == 8 && !is_scan(s)) ? ITEMS : 1;
}

/* What a row of a block's takes in shared memory: folds, and keys that are not long. */
static size_t row_bytes_of(const spec *s, int threads, int vector_items) {
  const size_t key = spec_find(s, "keys_in")->iter->type.size;
  return (size_t)vector_items * (size_t)threads *
         (spec_find(s, "accum")->type->size + (key <= MAX_STAGED_KEY_BYTES ? key : 0));
}

static const row *row_for(const spec *s, int vector_items) {
  const size_t accum = spec_find(s, "accum")->type->size;
  const size_t key = spec_find(s, "keys_in")->iter->type.size;
  const size_t value = spec_find(s, "values_in")->iter->type.size;
  const size_t vector = (size_t)vector_items * max_of(accum, max_of(key, value));
  const row *r = table;
  while (vector > r->max_vector_bytes || accum > r->max_accum_bytes) ++r;
  return r;
}

/* Whether a reduce has shared memory for a row, which it stages. */
static bool has_room_for_row(const spec *s, int vector_items) {
  const row *r = row_for(s, vector_items);
  const int threads = (int)max_of((unsigned)r->single_wave.threads, (unsigned)r->lookback.threads);
  return is_scan(s) || row_bytes_of(s, threads, vector_items) <= STAGED_KIBIBYTES * (size_t)1024;
}

static int vector_items_of(const spec *s) {
  const jig_iter *keys = spec_find(s, "keys_in")->iter, *values = spec_find(s, "values_in")->iter;
  int items = (int)min_of(iter_vector_items(keys), iter_vector_items(values));
  if (keys->kind == JIG_ITER_POINTER && values->kind == JIG_ITER_POINTER) {
    const int wanted = long_vector_items(s, max_of(keys->type.size, values->type.size));
    if (wanted > items && has_room_for_row(s, wanted)) items = wanted;
  }
  while (items > 1 && !has_room_for_row(s, items)) items /= 2;
  return items;
}

static const row *find_row(const spec *s) {
  return row_for(s, vector_items_of(s));
}

static size_t staged_room(int sm) {
  return (sm < 80 ? STAGED_KIBIBYTES_75 : STAGED_KIBIBYTES) * (size_t)1024;
}

/* How many rows a warp completes at once: of the numbers that divide its rows, the largest for which
 * shared memory has room. SM 75 has less of it. */
static int staged_rows_of(const spec *s, int sm, chain_tuning of, int vector_items) {
  if (is_scan(s)) return 1; /* it stages nothing */
  const size_t row_bytes = row_bytes_of(s, of.threads, vector_items);
  int rows = MAX_STAGED_ROWS;
  while (rows > 1 && (of.rows % rows != 0 || (size_t)rows * row_bytes > staged_room(sm))) --rows;
  return rows;
}

static size_t staged_bytes(const spec *s, const policy *p) {
  const by_key_tuning to = by_key_tuning_of(p);
  return is_scan(s) ? 0 : (size_t)to.staged_rows * row_bytes_of(s, to.threads, to.vector_items);
}

static bool has_room(const spec *s, int sm, const policy *p) {
  return staged_bytes(s, p) <= staged_room(sm);
}

static policy make_policy(const spec *s, int sm, chain_tuning to) {
  const int vector_items = vector_items_of(s);
  return by_key_tuning_pack((by_key_tuning){.threads = to.threads,
                                            .rows = to.rows,
                                            .min_blocks = to.min_blocks,
                                            .vector_items = vector_items,
                                            .staged_rows = staged_rows_of(s, sm, to, vector_items),
                                            .cluster = 1});
}

/* Folds of 8 bytes beside keys of up to 4, of which a block has a row more before registers spill: on an
 * H100 1486341 f64 take 8.5 us instead of 10.1. */
static chain_tuning single_wave_of(const spec *s) {
  enum { VECTOR_BYTES = 64, ACCUM_BYTES = 8, KEY_BYTES = 4 };
  const row *r = find_row(s);
  chain_tuning to = r->single_wave;
  if (!is_scan(s) && r->max_vector_bytes == VECTOR_BYTES && r->max_accum_bytes == ACCUM_BYTES &&
      spec_find(s, "keys_in")->iter->type.size <= KEY_BYTES)
    ++to.rows;
  return to;
}

static policy choose_single_wave(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = single_wave_of(s);
  tuning_take(told, &by_key_single_wave_space, &to);
  return make_policy(s, sm, to);
}

const policy_space by_key_single_wave_space = {
    .choose = choose_single_wave, .knobs = {SINGLE_WAVE_KNOBS(chain_tuning)}, .allows = has_room};

/* ---- few items: as little code as can be, of which a first call compiles all
 *
 * On an H100 2^14 i32 in runs of 8 take 2.77 us by lanes of 4, 2.94 of 8; by 512 threads 2.92. */

enum { FEW_THREADS = 256, FEW_SCANNED_ROWS = 2, FEW_VECTOR_ITEMS = 4 };

static policy choose_cluster(const spec *s, int sm, tuning_told *told) {
  const size_t accum = spec_find(s, "accum")->type->size;
  const int vector_items = vector_items_of(s), rows = is_scan(s) ? FEW_SCANNED_ROWS : 1;
  chain_tuning to = find_row(s)->single_wave;
  if (to.rows > rows) to = (chain_tuning){.threads = FEW_THREADS, .rows = rows, .min_blocks = 1};
  tuning_take(told, &by_key_cluster_space, &to);
  return by_key_tuning_pack(
      (by_key_tuning){.threads = to.threads,
                      .rows = to.rows,
                      .min_blocks = to.min_blocks,
                      .vector_items = (int)min_of((uint64_t)vector_items, FEW_VECTOR_ITEMS),
                      .staged_rows = 1,
                      .cluster = chain_cluster(sm, accum)});
}

static bool fits_block(const spec *s, int sm, const policy *p) {
  (void)sm;
  return staged_bytes(s, p) <= STAGED_KIBIBYTES * (size_t)1024;
}

const policy_space by_key_cluster_space = {
    .choose = choose_cluster, .knobs = {CLUSTER_KNOBS(chain_tuning)}, .allows = fits_block};

/* ---- many, on GPUs without pipelines */

static policy choose_lookback(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = find_row(s)->lookback;
  tuning_take(told, &by_key_lookback_space, &to);
  return make_policy(s, sm, to);
}

const policy_space by_key_lookback_space = {
    .choose = choose_lookback, .knobs = {LOOKBACK_KNOBS(chain_tuning)}, .allows = has_room};

/* The same of a row less, where that takes less time: see algorithm/chain_plan.c. */
bool by_key_fewer_rows_fits(const spec *s, int sm) {
  (void)sm;
  return spec_is_gpu_to_gpu(s);
}

static policy choose_fewer_rows(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = find_row(s)->lookback;
  to.rows -= to.rows > 1;
  tuning_take(told, &by_key_fewer_rows_space, &to);
  return make_policy(s, sm, to);
}

const policy_space by_key_fewer_rows_space = {
    .choose = choose_fewer_rows, .knobs = {LOOKBACK_KNOBS(chain_tuning)}, .allows = has_room};

/* ---- the pipeline, from SM 90: see scan.c
 *
 * A stage holds a tile's keys and values, what the reducers leave for each lane, and what is before the
 * tile. Of 4-byte items a lane takes three vectors: with an odd number of them lanes do not meet in a
 * bank of shared memory. Of 8-byte items beside 4-byte ones it takes an odd number one by one. Of 16-byte
 * ones beside 4-byte ones 2^20 items are four tiles for each of an H200's multiprocessors, all but a few.
 */

typedef struct pipeline_row {
  int key_bytes, value_bytes; /* fits these; the latter of the largest of value, accumulator and result */
  int reducers, emitters, stages, lane_items;
} pipeline_row;

/* clang-format off */
static const pipeline_row pipeline_table[] = {
    {4, 4, 8, 8, 5, 20},
    {4, 8, 8, 8, 4, 17},
    {8, 4, 8, 8, 4, 17},
    {8, 8, 8, 8, 5, 10},
    {4, 16, 3, 9, 4, 7},
    {16, 4, 9, 9, 5, 7},
    {8, 16, 4, 8, 4, 7},
    {16, 8, 8, 8, 4, 7},
    {16, 16, 4, 8, 4, 5},
};
/* clang-format on */

enum {
  PIPELINE_MIN_VALUE_BYTES = 4,
  PIPELINE_OTHER_BYTES = 6 * 1024,
  PIPELINE_STAGE_EXTRA_BYTES = 512, /* the vector and the keys in front, and what alignment takes */
  PIPELINE_MARKS_BYTES = 4,         /* of each lane */
};

static const jig_iter *pipeline_values(const spec *s) {
  return spec_find(s, "values_in")->iter;
}

static const pipeline_row *find_pipeline_row(const spec *s) {
  const spec_slot *out = spec_find(s, "values_out"); /* of a scan; a reduce's folds are accumulators */
  const int key = (int)spec_find(s, "keys_in")->iter->type.size;
  size_t value = max_of(pipeline_values(s)->type.size, spec_find(s, "accum")->type->size);
  if (out != NULL) value = max_of(value, out->iter->type.size);
  for (size_t i = 0; i < sizeof pipeline_table / sizeof pipeline_table[0]; ++i)
    if (pipeline_table[i].key_bytes == key && (size_t)pipeline_table[i].value_bytes == value)
      return &pipeline_table[i];
  return NULL;
}

bool by_key_pipeline_fits(const spec *s, int sm) {
  const jig_iter *values = pipeline_values(s);
  return pipeline_can_copy(spec_find(s, "keys_in")->iter, sm) && pipeline_can_copy(values, sm) &&
         values->type.size >= PIPELINE_MIN_VALUE_BYTES && find_pipeline_row(s) != NULL;
}

static policy choose_pipeline(const spec *s, int sm, tuning_told *told) {
  (void)sm;
  pipeline_row r = *find_pipeline_row(s);
  tuning_take(told, &by_key_pipeline_space, &r);
  const int accum = (int)spec_find(s, "accum")->type->size;
  const int lane_bytes = r.lane_items * (r.key_bytes + r.value_bytes) + PIPELINE_MARKS_BYTES + accum;
  const int stage_bytes = r.emitters * 32 * lane_bytes + PIPELINE_STAGE_EXTRA_BYTES;
  return pipeline_tuning_pack(
      (pipeline_tuning){.threads = (r.reducers + r.emitters + CHAIN_OTHER_WARPS) * 32,
                        .rows = 1,
                        .min_blocks = 1,
                        .vector_items = r.lane_items,
                        .stages = r.stages,
                        .shared_bytes = r.stages * stage_bytes + PIPELINE_OTHER_BYTES,
                        .reducers = r.reducers});
}

const policy_space by_key_pipeline_space = {
    .choose = choose_pipeline, .knobs = {PIPELINE_KNOBS(pipeline_row)}, .allows = pipeline_allows};
