/* How segmented top-k is tuned, on an H200.
 *
 * What counts is how few instructions there are for each key of a row of some 10,000, and that whatever
 * is done once for a row is done by few warps: so a thread has many keys. It keeps only the best of each
 * vector of them, which leaves registers for two blocks, in which as many warp groups as possible hide
 * each other's latencies. */
#include "policy/segmented_top_k.h"

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

/* Of the second kernel and the third alike, as lists go by it. */
static int capacity_of(const spec *s, int sm) {
  int capacity = bits_bytes(s) <= 4 ? CAPACITY : WIDE_CAPACITY;
  while (shared_bytes(s, capacity, OTHER_BYTES + SEARCH_BYTES) > (shared_kibibytes(sm) - 1) * KIBIBYTE)
    capacity /= 2;
  return capacity;
}

/* Bits of 16 bytes take more registers than two blocks have, and so do all before SM 90. */
static int blocks_with(const spec *s, int bytes, int sm) {
  const int most = bits_bytes(s) <= 8 && sm >= 90 ? LARGE_BLOCKS : 1;
  const int fit = smaller(shared_kibibytes(sm) * KIBIBYTE / (bytes + KIBIBYTE),
                          multiprocessor_threads(sm) / LARGE_THREADS);
  return smaller(fit, most);
}

static int tile_items(const spec *s) {
  const int bits = bits_bytes(s);
  return (bits <= 4 ? TILE_BYTES : bits <= 8 ? WIDE_TILE_BYTES : WIDEST_TILE_BYTES) / bits;
}

static segmented_top_k_large_tuning tune_large(const spec *s, int sm) {
  const int capacity = capacity_of(s, sm), bytes = shared_bytes(s, capacity, OTHER_BYTES);
  return (segmented_top_k_large_tuning){.threads = LARGE_THREADS,
                                        .min_blocks = blocks_with(s, bytes, sm),
                                        .items = tile_items(s),
                                        .capacity = capacity,
                                        .shared_bytes = bytes};
}

policy segmented_top_k_small_policy(const spec *s, int sm) {
  const segmented_top_k_large_tuning large = tune_large(s, sm);
  const int bits = bits_bytes(s);
  return segmented_top_k_small_tuning_pack((segmented_top_k_small_tuning){
      .threads = SMALL_THREADS,
      .min_blocks = bits <= 4 && sm < 120 ? SMALL_BLOCKS : WIDE_SMALL_BLOCKS,
      .small_items = bits <= 8 ? 64 : 32,
      .tile = large.items * WARP_THREADS,
      .capacity = large.capacity});
}

policy segmented_top_k_large_policy(const spec *s, int sm) {
  return segmented_top_k_large_tuning_pack(tune_large(s, sm));
}

policy segmented_top_k_search_policy(const spec *s, int sm) {
  const int capacity = capacity_of(s, sm), bytes = shared_bytes(s, capacity, OTHER_BYTES + SEARCH_BYTES);
  return segmented_top_k_search_tuning_pack(
      (segmented_top_k_search_tuning){.threads = LARGE_THREADS,
                                      .min_blocks = blocks_with(s, bytes, sm),
                                      .items = SEARCH_ITEMS,
                                      .capacity = capacity,
                                      .shared_bytes = bytes});
}
