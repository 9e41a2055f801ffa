/* How segmented top-k is tuned, on an H200.
 *
 * What counts is how few instructions there are for each key of a row of some 10,000, and that whatever
 * is done once for a row is done by few warps: so a thread has many keys. It keeps only the best of each
 * vector of them, which leaves registers for two blocks, in which as many warp groups as possible hide
 * each other's latencies. */
#include "policy/segmented_top_k.h"

#include "policy/cluster.h"
#include "policy/shared_memory.h"

enum {
  WARP_THREADS = 32,
  SMALL_THREADS = 256,
  SMALL_BLOCKS = 4,
  WIDE_SMALL_BLOCKS = 2, /* where items take more registers */
  LARGE_THREADS = 512,
  LARGE_BLOCKS = 2,
  /* Of bits, in registers of a thread; where they take several each, so does all that is done with them.
   */
  TILE_BYTES = 256,
  WIDE_TILE_BYTES = 64,
  WIDEST_TILE_BYTES = 64,
  CAPACITY = 512,
  WIDE_CAPACITY = 256,
  PLACE_BYTES = 4,
  /* Of a thread, where all is searched again and again. */
  SEARCH_ITEMS = 8,
  /* Beside its items a block has a row of counters for each warp, and a few words; and those of a search.
   */
  COUNTER_BYTES = 256 * 4,
  OTHER_BYTES = 6 * 1024,
  MAX_FIELD_BYTES = 16,
  SEARCH_BYTES = 2048 * 4 + 2 * 1024,
  /* Of rows that threads hold: by a block, of which there are as many threads as it takes, or by those of
   * a cluster. */
  ROWS_THREADS = 1024,
  CLUSTERS_THREADS = 512,
  ROWS_TILE_BYTES = 64,
  ROWS_WIDE_TILE_BYTES = 128,
  ROWS_MOST_ITEMS = 16,
  ROWS_LIST_BYTES = 16 * 1024,
  ROWS_RANKED = 128,
  ROWS_DIGITS_BYTES = 256 * 4,
  ROWS_WORDS_BYTES = 64,
  ROWS_OTHER_BYTES = 1024, /* at least */
  ROWS_WAVES = 2,
  CLUSTERS_FEW_ITEMS = 4,
};

/* Of structs of which kernels have places it is what these are known by. */
static int key_bytes(const spec *s) {
  const jig_type *key = &spec_find(s, "keys_in")->iter->type;
  return key->kind != JIG_KIND_STRUCT && spec_find(s, "decomposer")->op != NULL ? MAX_FIELD_BYTES
                                                                                : (int)key->size;
}

/* TopKKeys::Bits. */
static int bits_bytes(const spec *s) {
  const int bytes = key_bytes(s);
  return bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
}

static int shared_bytes(const spec *s, int capacity, int others) {
  const int warps = LARGE_THREADS / WARP_THREADS;
  const int of_warp = capacity * (bits_bytes(s) + PLACE_BYTES) + COUNTER_BYTES;
  return round_up(warps * of_warp + others, KIBIBYTE);
}

/* What both have room for. */
static int most_capacity(const spec *s, int sm) {
  int capacity = bits_bytes(s) <= 4 ? CAPACITY : WIDE_CAPACITY;
  while (shared_bytes(s, capacity, OTHER_BYTES + SEARCH_BYTES) > (shared_kibibytes(sm) - 1) * KIBIBYTE)
    capacity /= 2;
  return capacity;
}

/* Bits of 16 bytes take more registers than two blocks have, and so do all before SM 90. */
static int most_blocks(const spec *s, int sm) {
  return bits_bytes(s) <= 8 && sm >= 90 ? LARGE_BLOCKS : 1;
}

/* As many as are wanted, or as fit. */
static int blocks_with(int bytes, int sm, int wanted) {
  const int fit = smaller(shared_kibibytes(sm) * KIBIBYTE / (bytes + KIBIBYTE),
                          multiprocessor_threads(sm) / LARGE_THREADS);
  return smaller(fit, wanted);
}

/* The second kernel's warps are as many as a warp group of the last class has, and so are the third
 * one's. */
typedef struct large_row {
  int min_blocks, items, capacity;
} large_row;

static large_row tune_tiles(const spec *s, int sm, const policy_space *space, tuning_told *told) {
  const int bits = bits_bytes(s);
  const int tile_bytes = bits <= 4 ? TILE_BYTES : bits <= 8 ? WIDE_TILE_BYTES : WIDEST_TILE_BYTES;
  large_row to = {
      .min_blocks = most_blocks(s, sm), .items = tile_bytes / bits, .capacity = most_capacity(s, sm)};
  tuning_take(told, space, &to);
  return to;
}

static large_row tune_large(const spec *s, int sm, tuning_told *told) {
  return tune_tiles(s, sm, &segmented_top_k_large_space, told);
}

typedef struct small_row {
  int threads, min_blocks, small_items;
} small_row;

/* Its lists go by the second kernel's tiles and room. */
static policy choose_small(const spec *s, int sm, tuning_told *told) {
  const large_row large = tune_large(s, sm, told);
  const int bits = bits_bytes(s);
  small_row to = {.threads = SMALL_THREADS,
                  .min_blocks = bits <= 4 && sm < 120 ? SMALL_BLOCKS : WIDE_SMALL_BLOCKS,
                  .small_items = bits <= 8 ? 64 : 32};
  tuning_take(told, &segmented_top_k_small_space, &to);
  return segmented_top_k_small_tuning_pack(
      (segmented_top_k_small_tuning){.threads = to.threads,
                                     .min_blocks = to.min_blocks,
                                     .small_items = to.small_items,
                                     .tile = large.items * WARP_THREADS,
                                     .capacity = large.capacity});
}

/* What warps have lies in shared memory that a block has without asking. */
static bool small_has_room(const spec *s, int sm, const policy *p) {
  enum { GROUPS = 4, LANES = 8, SEGMENT_BYTES = 32 };
  const segmented_top_k_small_tuning to = segmented_top_k_small_tuning_of(p);
  const int results = GROUPS * (to.small_items + LANES) * (bits_bytes(s) + PLACE_BYTES);
  (void)sm;
  return to.threads / WARP_THREADS * (WARP_THREADS * SEGMENT_BYTES + results) <= STATIC_SHARED_BYTES;
}

const policy_space segmented_top_k_small_space = {
    .choose = choose_small,
    .knobs = {KNOB(small_row, threads, 64, 128, 256, 512),
              KNOB(small_row, min_blocks, 1, 2, 3, 4, 5, 6, 8),
              KNOB(small_row, small_items, 16, 32, 64, 128)},
    .allows = small_has_room};

static policy choose_tiles(const spec *s, int sm, const policy_space *space, tuning_told *told) {
  const large_row to = tune_tiles(s, sm, space, told);
  const int bytes = shared_bytes(s, to.capacity, OTHER_BYTES);
  return segmented_top_k_large_tuning_pack(
      (segmented_top_k_large_tuning){.threads = LARGE_THREADS,
                                     .min_blocks = blocks_with(bytes, sm, to.min_blocks),
                                     .items = to.items,
                                     .capacity = to.capacity,
                                     .shared_bytes = bytes});
}

static policy choose_large(const spec *s, int sm, tuning_told *told) {
  return choose_tiles(s, sm, &segmented_top_k_large_space, told);
}

static policy choose_even(const spec *s, int sm, tuning_told *told) {
  return choose_tiles(s, sm, &segmented_top_k_even_space, told);
}

/* A warp has a lane for each row of vectors. */
static bool large_has_lanes(const spec *s, int sm, const policy *p) {
  const int vector = (int)iter_vector_items(spec_find(s, "keys_in")->iter);
  (void)sm;
  return segmented_top_k_large_tuning_of(p).items <= WARP_THREADS * vector;
}

#define LARGE_KNOBS                                                                    \
  {                                                                                    \
    KNOB(large_row, min_blocks, 1, 2, 3, 4), KNOB(large_row, items, 4, 8, 16, 32, 64), \
        KNOB(large_row, capacity, 64, 128, 256, 512, 1024)                             \
  }
const policy_space segmented_top_k_large_space = {
    .choose = choose_large, .knobs = LARGE_KNOBS, .allows = large_has_lanes};
const policy_space segmented_top_k_even_space = {
    .choose = choose_even, .knobs = LARGE_KNOBS, .allows = large_has_lanes};

typedef struct search_row {
  int min_blocks, items;
} search_row;

/* Its lists are of what the second kernel has no room for, so that it has as much. */
static policy choose_search(const spec *s, int sm, tuning_told *told) {
  const int capacity = tune_large(s, sm, told).capacity;
  const int bytes = shared_bytes(s, capacity, OTHER_BYTES + SEARCH_BYTES);
  search_row to = {.min_blocks = most_blocks(s, sm), .items = SEARCH_ITEMS};
  tuning_take(told, &segmented_top_k_search_space, &to);
  return segmented_top_k_search_tuning_pack(
      (segmented_top_k_search_tuning){.threads = LARGE_THREADS,
                                      .min_blocks = blocks_with(bytes, sm, to.min_blocks),
                                      .items = to.items,
                                      .capacity = capacity,
                                      .shared_bytes = bytes});
}

const policy_space segmented_top_k_search_space = {
    .choose = choose_search,
    .knobs = {KNOB(search_row, min_blocks, 1, 2, 3, 4), KNOB(search_row, items, 2, 4, 8, 16)}};

/* ---- rows that are held */

/* sizeof(jig::TopKItem). */
static int item_bytes(const spec *s) {
  const int bits = bits_bytes(s);
  return bits <= 4 ? 8 : bits <= 8 ? 16 : 32;
}

typedef struct rows_row {
  int threads, items, capacity, cluster, few_items, waves;
} rows_row;

static rows_row rows_of(const spec *s) {
  /* Vectors of shorter keys have so many that their bits take more registers. */
  return (rows_row){.threads = key_bytes(s) < 4 ? ROWS_THREADS / 2 : ROWS_THREADS,
                    .items = smaller(ROWS_TILE_BYTES / bits_bytes(s), ROWS_MOST_ITEMS),
                    .capacity = ROWS_LIST_BYTES / item_bytes(s),
                    .cluster = 1,
                    .few_items = 1,
                    .waves = ROWS_WAVES};
}

/* What each warp counts of each vector of its threads, and a few words. */
static int rows_other_bytes(const spec *s, const rows_row *row) {
  const int vector = (int)iter_vector_items(spec_find(s, "keys_in")->iter);
  const int vectors = larger(row->items / vector, 1);
  return larger((vectors + 1) * WARP_THREADS * 4 + ROWS_WORDS_BYTES, ROWS_OTHER_BYTES);
}

static policy rows_pack(const spec *s, int sm, const rows_row *row) {
  const int list = row->capacity * item_bytes(s) + 16;
  const int lone = ROWS_DIGITS_BYTES + ROWS_RANKED * item_bytes(s) + list + rows_other_bytes(s, row);
  const int others = row->cluster > 1 ? ROWS_DIGITS_BYTES * (1 + 2 * row->cluster) + list : 0;
  const int bytes = round_up(lone + others, 256),
            most_threads = bits_bytes(s) <= 4 && key_bytes(s) >= 4 ? 1024 : 512;
  return segmented_top_k_rows_tuning_pack((segmented_top_k_rows_tuning){
      .threads = row->threads,
      .min_blocks =
          smaller(larger(most_threads / row->threads, 1), (shared_kibibytes(sm) - 1) * KIBIBYTE / bytes),
      .items = row->items,
      .capacity = row->capacity,
      .shared_bytes = bytes,
      .cluster = row->cluster,
      .few_items = row->few_items,
      .waves = row->waves});
}

static policy choose_rows(const spec *s, int sm, tuning_told *told) {
  rows_row to = rows_of(s);
  const int few = to.items; /* of a thread: clusters may be faster than blocks whose threads have more */
  if (key_bytes(s) == 8 && sm < 120) to.items = ROWS_WIDE_TILE_BYTES / 8; /* registers spill on SM 120 */
  tuning_take(told, &segmented_top_k_rows_space, &to);
  to.few_items = smaller(few, to.items);
  return rows_pack(s, sm, &to);
}

#define ROWS_KNOBS(row)                                                  \
  KNOB(row, threads, 256, 512, 1024), KNOB(row, items, 2, 4, 8, 16, 32), \
      KNOB(row, capacity, 256, 512, 1024, 2048), KNOB(row, waves, 1, 2, 3, 4, 6, 8)
const policy_space segmented_top_k_rows_space = {.choose = choose_rows, .knobs = {ROWS_KNOBS(rows_row)}};

static rows_row clusters_of(const spec *s, int sm) {
  rows_row to = rows_of(s);
  to.threads = CLUSTERS_THREADS;
  to.cluster = most_cluster_blocks(sm);
  to.few_items = CLUSTERS_FEW_ITEMS;
  return to;
}

static policy choose_clusters(const spec *s, int sm, tuning_told *told) {
  rows_row to = clusters_of(s, sm);
  tuning_take(told, &segmented_top_k_clusters_space, &to);
  return rows_pack(s, sm, &to);
}

/* Few rows are slower so, by what is unrolled. */
static policy choose_long_rows(const spec *s, int sm, tuning_told *told) {
  rows_row to = clusters_of(s, sm);
  to.items *= 2;
  to.few_items = to.items;
  to.waves = 1;
  tuning_take(told, &segmented_top_k_long_rows_space, &to);
  return rows_pack(s, sm, &to);
}

static bool clusters_are_there(const spec *s, int sm, const policy *p) {
  (void)s;
  return segmented_top_k_rows_tuning_of(p).cluster <= most_cluster_blocks(sm);
}

const policy_space segmented_top_k_clusters_space = {
    .choose = choose_clusters,
    .knobs = {ROWS_KNOBS(rows_row), KNOB(rows_row, cluster, 1, 2, 4, 8, 16),
              KNOB(rows_row, few_items, 1, 2, 4, 8, 16)},
    .allows = clusters_are_there};
const policy_space segmented_top_k_long_rows_space = {
    .choose = choose_long_rows,
    .knobs = {ROWS_KNOBS(rows_row), KNOB(rows_row, cluster, 1, 2, 4, 8, 16)},
    .allows = clusters_are_there};
