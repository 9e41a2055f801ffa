/* How select, unique and the partitions are tuned.
 *
 * As scan is, see scan.c: large tiles for large inputs, small ones for small inputs. What a few rows have
 * is put in order in shared memory, of which a block may have 48 KiB. */
#include "policy/select.h"
#include "policy/shared_memory.h"
#include "policy/vector.h"
#include "util/integer.h"

typedef struct shape {
  int threads, rows, min_blocks, staged_rows;
} shape;

typedef struct row {
  size_t max_vector_bytes; /* fits lanes that hold up to so many bytes of a row */
  int max_effort;          /* fits rules of so many tests, twice that for long vectors */
  shape single_wave, lookback;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* vec. eff. single wave     lookback */
    {   20,  1,  {256, 8, 3, 4},  {384, 8, 2, 4}},
    {   20,  2,  {256, 6, 3, 3},  {384, 6, 2, 3}},
    {   20,  4,  {256, 4, 3, 2},  {384, 4, 2, 2}},
    {   32,  4,  {256, 4, 3, 2},  {512, 4, 2, 2}},
    {   64,  4,  {256, 2, 3, 1},  {512, 2, 2, 1}},
    {  128,  4,  {256, 1, 2, 1},  {256, 2, 2, 1}},
    {  ANY,  4,  {128, 1, 1, 1},  {128, 1, 1, 1}},
};
/* clang-format on */

/* How many tests an item takes, or classes there are. */
static int tests_of(const spec *s) {
  return spec_find(s, "second_op") != NULL || spec_find(s, "nth_out") != NULL ? 2 : 1;
}

/* Whether tiles move items that are so large that lanes share them, as only those of nth element do: then
 * tiles are small, as they take long to store. */
static bool shares_items(const spec *s) {
  const spec_slot *out = spec_find(s, "out");
  return spec_find(s, "nth_out") != NULL && out->iter != NULL && lanes_share_items(out->iter);
}

/* Values whose numbers a tile puts in order, so that only the selected ones are loaded: see
 * templates/jig/agent/select/gathered_values.cuh. A cluster's blocks have few, and load all. */
static bool gathers_values(const spec *s) {
  /* Of a value: smaller ones share sectors. What is not made of words would be moved byte by byte. */
  enum { LEAST_BYTES = 16, WORD_BYTES = 4 };
  const spec_slot *in = spec_find(s, "values_in"), *out = spec_find(s, "values_out");
  return spec_find(s, "equality") != NULL && in->iter != NULL && in->iter->kind == JIG_ITER_POINTER &&
         out->iter->kind == JIG_ITER_POINTER && type_equal(&in->iter->type, &out->iter->type) &&
         in->iter->type.size >= LEAST_BYTES && in->iter->type.align >= WORD_BYTES &&
         !type_is_wide(&in->iter->type);
}

/* What a lane holds of a row: items, as loaded or as they are, whatever is more, flags and values. */
static const row *find_row(const spec *s, bool is_of_cluster) {
  const jig_iter *in = spec_find(s, "in")->iter;
  if (shares_items(s)) return &table[sizeof table / sizeof table[0] - 1];
  const spec_slot *values = spec_find(s, "values_in"), *flags = spec_find(s, "flags");
  const bool has_values = values != NULL && values->iter != NULL;
  const size_t vector_items = iter_vector_items(in);
  size_t item = in->type.size;
  for (const jig_iter *base = in; (base = iter_base_count(base) > 0 ? iter_base_at(base, 0) : NULL);)
    item = max_of(item, base->type.size);
  if (has_values && (is_of_cluster || !gathers_values(s))) item += values->iter->type.size;
  if (flags != NULL && flags->iter != NULL) item += flags->iter->type.size;
  /* Two classes of items with values take the registers of twice as long rows. */
  if (tests_of(s) > 1 && has_values) item *= 2;
  const int effort = tests_of(s) * (vector_items > 8 ? 2 : 1);
  const row *r = table;
  while (vector_items * item > r->max_vector_bytes || effort > r->max_effort) ++r;
  return r;
}

/* Items and values are put in order in the same place, but for values that are gathered. */
static size_t staged_item_bytes(const spec *s, bool gathers) {
  const size_t item = spec_find(s, "in")->iter->type.size;
  const spec_slot *values = spec_find(s, "values_in");
  return values != NULL && values->iter != NULL && !gathers ? max_of(item, values->iter->type.size)
                                                            : item;
}

/* What a block puts in order at a time fits shared memory that it has without asking, with a margin
 * between what goes to several places; so do the numbers of gathered values, of all rows. */
static bool has_room_for(const spec *s, const shape *of, bool gathers) {
  enum { WARP_MARGIN = 640 };
  const size_t row_items = (size_t)of->threads * iter_vector_items(spec_find(s, "in")->iter);
  const size_t staged = (size_t)of->staged_rows * staged_item_bytes(s, gathers),
               numbers = gathers ? (size_t)of->rows * sizeof(uint16_t) : 0;
  return row_items * max_of(staged, numbers) + (size_t)(of->threads / 32 * WARP_MARGIN) <=
         STATIC_SHARED_BYTES;
}

/* For SM 120 the compiler needs more registers than elsewhere. What is put in order at a time is a whole
 * part of the rows. `cluster`: of how many blocks a cluster is, 1 where there are none; 0: of the kernels
 * for more items. */
static policy make_policy(const spec *s, int sm, shape to, int cluster) {
  const bool gathers = cluster == 0 && gathers_values(s);
  while (gathers && to.rows > to.staged_rows &&
         (!has_room_for(s, &to, gathers) || to.rows % to.staged_rows != 0))
    --to.rows;
  while (to.rows % to.staged_rows != 0) --to.staged_rows;
  const int vector_items = (int)iter_vector_items(spec_find(s, "in")->iter);
  const int min_blocks = sm >= 120 && to.min_blocks > 1 ? to.min_blocks - 1 : to.min_blocks;
  return select_tuning_pack((select_tuning){.threads = to.threads,
                                            .rows = to.rows,
                                            .min_blocks = min_blocks,
                                            .vector_items = vector_items,
                                            .staged_rows = to.staged_rows,
                                            .cluster = cluster > 0 ? cluster : 1});
}

/* Small rules, where a multiprocessor's shared memory has room for all rows of four blocks: a single wave
 * of 4 Mi 4-byte items. */
static const shape single_wave_of_many = {224, 9, 4, 9};

/* Keys of 4 and of 8 bytes in memory with values: as many as registers have room for, as unique by key
 * takes a third longer just beyond a single wave. */
enum { PAIRS_VECTOR_BYTES = 32 };
static const shape single_wave_of_pairs[] = {{256, 4, 4, 2}, {384, 6, 2, 3}};

static shape single_wave_of(const spec *s, int sm) {
  const bool has_room = sm == 80 || (sm >= 90 && sm < 120);
  const spec_slot *values = spec_find(s, "values_in");
  const jig_iter *in = spec_find(s, "in")->iter;
  const bool has_values = values != NULL && values->iter != NULL;
  const row *r = find_row(s, false);
  if (!has_room) return r->single_wave;
  if (r == table && !has_values) return single_wave_of_many;
  const bool are_pairs = r->max_vector_bytes == PAIRS_VECTOR_BYTES && has_values && tests_of(s) == 1 &&
                         in->kind == JIG_ITER_POINTER;
  if (are_pairs && in->type.size == 4) return single_wave_of_pairs[0];
  if (are_pairs && in->type.size == 8) return single_wave_of_pairs[1];
  return r->single_wave;
}

static bool allows_staged(const spec *s, const policy *p, bool gathers) {
  const select_tuning to = select_tuning_of(p);
  const shape of = {.threads = to.threads, .rows = to.rows, .staged_rows = to.staged_rows};
  return has_room_for(s, &of, gathers);
}
static bool allows(const spec *s, int sm, const policy *p) {
  (void)sm;
  return allows_staged(s, p, gathers_values(s));
}
static bool cluster_allows(const spec *s, int sm, const policy *p) {
  (void)sm;
  return allows_staged(s, p, false);
}

#define STAGED_ROWS KNOB(shape, staged_rows, 1, 2, 3, 4, 6, 8)

static policy choose_single_wave(const spec *s, int sm, tuning_told *told) {
  shape to = single_wave_of(s, sm);
  tuning_take(told, &select_single_wave_space, &to);
  return make_policy(s, sm, to, 0);
}

const policy_space select_single_wave_space = {
    .choose = choose_single_wave, .knobs = {SINGLE_WAVE_KNOBS(shape), STAGED_ROWS}, .allows = allows};

/* ---- a single wave of more rows, for what is a few more items than the other takes
 *
 * Few threads have many registers. On an H100 3000017 i64 of which half are selected take 11.1 us,
 * and 14.7 by a pipeline; but fewer take longer than by the other one. */

/* What is loaded beside the items; NULL if nothing is. */
static const jig_iter *loaded_beside(const spec *s) {
  const spec_slot *flags = spec_find(s, "flags"), *values = spec_find(s, "values_in");
  if (flags != NULL && flags->iter != NULL) return flags->iter;
  return values != NULL ? values->iter : NULL;
}

enum {
  LONG_WAVE_THREADS = 192,
  LONG_WAVE_BLOCKS = 2,
  LONG_WAVE_WORDS = 120,    /* of items and what is beside them, in a thread's registers */
  LONG_WAVE_ROW_WORDS = 12, /* at most */
  LONG_WAVE_STAGE_BYTES = 36 * 1024,
};

/* Of a vector of items, or of as many of what is beside them. */
static int vector_words(const jig_iter *in, const jig_iter *of) {
  enum { WORD_BYTES = 4 };
  return of != NULL ? (int)ceil_div(iter_vector_items(in) * of->type.size, WORD_BYTES) : 0;
}

static int row_words(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  return vector_words(in, in) + vector_words(in, loaded_beside(s));
}

/* Of two classes it gains little, of many small items it takes long to compile. */
bool select_has_long_wave(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *beside = loaded_beside(s);
  const unsigned items = iter_vector_items(in);
  (void)sm;
  return in->kind == JIG_ITER_POINTER && (beside == NULL || beside->kind == JIG_ITER_POINTER) &&
         (items == 2 || items == 4) && tests_of(s) == 1 && row_words(s) <= LONG_WAVE_ROW_WORDS;
}

/* Where there is no pipeline it is as small as can be, and takes nothing that the other does not. */
static policy choose_long_wave(const spec *s, int sm, tuning_told *told) {
  const size_t row_bytes = LONG_WAVE_THREADS * iter_vector_items(spec_find(s, "in")->iter) *
                           staged_item_bytes(s, gathers_values(s));
  shape to = {.threads = LONG_WAVE_THREADS,
              .rows = select_pipeline_fits(s, sm) ? LONG_WAVE_WORDS / row_words(s) : 1,
              .min_blocks = LONG_WAVE_BLOCKS};
  to.staged_rows = (int)min_of((unsigned)to.rows, max_of(LONG_WAVE_STAGE_BYTES / row_bytes, 1));
  tuning_take(told, &select_long_wave_space, &to);
  return make_policy(s, sm, to, 0);
}

const policy_space select_long_wave_space = {
    .choose = choose_long_wave,
    .knobs = {KNOB(shape, threads, 128, 192, 256), KNOB(shape, rows, 6, 8, 10, 12, 15, 16, 20, 24, 30),
              KNOB(shape, min_blocks, 1, 2, 3), STAGED_ROWS},
    .allows = allows};

static policy choose_cluster(const spec *s, int sm, tuning_told *told) {
  const size_t counts = (size_t)tests_of(s) * sizeof(uint64_t);
  shape to = find_row(s, true)->single_wave;
  to.rows = chain_cluster_rows(to.rows, counts);
  tuning_take(told, &select_cluster_space, &to);
  return make_policy(s, sm, to, chain_cluster(sm, counts));
}

const policy_space select_cluster_space = {
    .choose = choose_cluster, .knobs = {CLUSTER_KNOBS(shape), STAGED_ROWS}, .allows = cluster_allows};

static policy choose_lookback(const spec *s, int sm, tuning_told *told) {
  shape to = find_row(s, false)->lookback;
  tuning_take(told, &select_lookback_space, &to);
  return make_policy(s, sm, to, 0);
}

const policy_space select_lookback_space = {
    .choose = choose_lookback, .knobs = {LOOKBACK_KNOBS(shape), STAGED_ROWS}, .allows = allows};

/* ---- the pipeline, from SM 90: see scan.c */

/* A stage stays as long as it takes to load, reduce, wait for the tiles before and emit, and what all
 * stages hold at a time is what a multiprocessor gets done in that time: long warp tiles for few warps
 * where memory is the limit, many warps where what is done for each item is. Measured on an H200. */
typedef struct pipeline_row {
  uint32_t max_item_bytes;
  int max_tests;
  int reducers, emitters, stages, stage_kibibytes; /* of items and what is beside them */
} pipeline_row;

/* clang-format off */
static const pipeline_row pipeline_table[] = {
    {  1, 1, 12, 12, 4, 36},
    {  1, 2, 10, 10, 4, 30},
    {  2, 1, 10, 10, 4, 40},
    {ANY, 1,  8,  8, 4, 48},
    {ANY, 2, 12, 12, 4, 36},
};
/* clang-format on */
/* Of computed items, of which a stage has nothing until they are stored. */
static const pipeline_row computed_row = {ANY, ANY, 8, 8, 4, 64};

enum {
  PIPELINE_VECTOR_BYTES = 16,
  COMPUTED_VECTOR_ITEMS = 8,
  PIPELINE_MAX_BESIDE_BYTES = 64, /* a vector of it */
  PIPELINE_OTHER_BYTES = 4 * 1024,
  BLOCK_MAX_BYTES = 227 * 1024,
};

/* Whether items are computed from nothing but their numbers, so that flags are all that is loaded. */
static bool is_computed(const spec *s) {
  const spec_slot *flags = spec_find(s, "flags");
  return spec_find(s, "in")->iter->kind == JIG_ITER_COUNTING && flags != NULL && flags->iter != NULL;
}

/* Not where an item is compared with the one before, nor keys of nth element. */
static bool moves_structs(const spec *s) {
  return spec_find(s, "equality") == NULL && spec_find(s, "nth_out") == NULL;
}

bool select_pipeline_fits(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *beside = loaded_beside(s);
  if (is_computed(s))
    return (in->type.size == 4 || in->type.size == 8) && pipeline_can_copy(beside, sm) &&
           beside->type.size <= 4;
  if (!(moves_structs(s) ? pipeline_can_copy_vectors(in, sm) : pipeline_can_copy(in, sm))) return false;
  if (gathers_values(s)) return false;
  return beside == NULL || (pipeline_can_copy(beside, sm) &&
                            iter_vector_items(in) * beside->type.size <= PIPELINE_MAX_BESIDE_BYTES);
}

/* A stage: warp tiles of items, with room for ordering each class, and of what is beside them; of each
 * vector masks and ranks. See templates/jig/agent/select/select_pipeline.cuh. */
static int pipeline_stage_bytes(int emitters, int rows, int vector_items, int vector_bytes, int tests) {
  const int room = 2 * (2 * 3 * 16 + 16);
  const int masks = (rows * tests * vector_items + 31) / 32;
  const int ranks = (rows * tests * (vector_items < 8 ? 8 : 16) + 31) / 32;
  return emitters * (rows * 32 * vector_bytes + room + 32 * 4 * (masks + ranks) + 4 * ranks) + 128;
}

static policy choose_pipeline(const spec *s, int sm, tuning_told *told) {
  (void)sm;
  const jig_iter *in = spec_find(s, "in")->iter, *beside = loaded_beside(s);
  const int vector_items = is_computed(s) ? COMPUTED_VECTOR_ITEMS : (int)iter_vector_items(in),
            tests = tests_of(s);
  const int vector_bytes = vector_items * (int)(in->type.size + (beside != NULL ? beside->type.size : 0));
  const pipeline_row *found = pipeline_table;
  while (in->type.size > found->max_item_bytes || tests > found->max_tests) ++found;
  pipeline_row r = is_computed(s) ? computed_row : *found;
  tuning_take(told, &select_pipeline_space, &r);
  const int fitting = r.stage_kibibytes * 1024 / (r.emitters * 32 * vector_bytes),
            rows = fitting > 0 ? fitting : 1;
  const int stage_bytes = pipeline_stage_bytes(r.emitters, rows, vector_items, vector_bytes, tests);
  const int most = (BLOCK_MAX_BYTES - PIPELINE_OTHER_BYTES) / stage_bytes;
  const int stages = r.stages < most ? r.stages : most;
  return pipeline_tuning_pack(
      (pipeline_tuning){.threads = (r.reducers + r.emitters + CHAIN_OTHER_WARPS) * 32,
                        .rows = rows,
                        .min_blocks = 1,
                        .vector_items = vector_items,
                        .stages = stages,
                        .shared_bytes = stages * stage_bytes + PIPELINE_OTHER_BYTES,
                        .reducers = r.reducers});
}

const policy_space select_pipeline_space = {
    .choose = choose_pipeline,
    .knobs = {PIPELINE_KNOBS(pipeline_row),
              KNOB(pipeline_row, stage_kibibytes, 16, 20, 24, 28, 30, 32, 36, 40, 44, 48, 56, 64)},
    .allows = pipeline_allows};
