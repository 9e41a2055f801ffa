/* How segmented top-k is tuned; not measured yet.
 *
 * What counts is how little a block does for each key of a row of some 10,000. A tile of 32 KiB is under
 * way at once, which takes a quarter of a thread's registers, and two blocks hide each other's searching.
 * A thread tells the best of four parts of its items, so that 2048 of them bound results of up to 1024
 * items. */
#include "policy/segmented_top_k.h"

#include "policy/shared_memory.h"

enum {
  WARP_THREADS = 32,
  SMALL_THREADS = 256,
  SMALL_BLOCKS = 4,
  SMALL_BYTES = 2048, /* of a warp's keys */
  LARGE_THREADS = 512,
  LARGE_BLOCKS = 2,
  /* Of bits, in registers of a thread; where they take several each, so does all that is done with them.
   */
  TILE_BYTES = 64,
  WIDE_TILE_BYTES = 32,
  PARTS = 4,
  CAPACITY = 256,
  PLACE_BYTES = 4,
  /* Of a thread, where all is searched again and again. */
  SEARCH_ITEMS = 8,
  /* Beside its items a block has a row of counters for each warp, and a few words; and those of a search.
   */
  COUNTER_BYTES = 256 * 4,
  OTHER_BYTES = 2 * 1024,
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
  int capacity = CAPACITY;
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
  return (bits <= 4 ? TILE_BYTES : WIDE_TILE_BYTES) / bits;
}

static segmented_top_k_large_tuning tune_large(const spec *s, int sm) {
  const int capacity = capacity_of(s, sm), bytes = shared_bytes(s, capacity, OTHER_BYTES);
  return (segmented_top_k_large_tuning){.threads = LARGE_THREADS,
                                        .min_blocks = blocks_with(s, bytes, sm),
                                        .items = tile_items(s),
                                        .parts = smaller(PARTS, capacity / WARP_THREADS),
                                        .capacity = capacity,
                                        .shared_bytes = bytes};
}

policy segmented_top_k_small_policy(const spec *s, int sm) {
  const segmented_top_k_large_tuning large = tune_large(s, sm);
  const int bits = bits_bytes(s);
  return segmented_top_k_small_tuning_pack(
      (segmented_top_k_small_tuning){.threads = SMALL_THREADS,
                                     .warp_items = SMALL_BYTES / bits,
                                     .min_blocks = SMALL_BLOCKS,
                                     .small_items = bits <= 8 ? 96 : 64,
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
