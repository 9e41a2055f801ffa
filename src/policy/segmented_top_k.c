/* How segmented top-k is tuned; not measured yet.
 *
 * What counts is how much a block does for each key of a row that just fits its tile: 16 KiB items of 4
 * bytes, all of which are under way at once, and two blocks that hide each other's searching. A thread
 * tells the best of four parts of its items, so that 2048 of them bound results of up to 1024 items,
 * which is what the buffer has room for, twice over, anyway. */
#include "policy/segmented_top_k.h"

#include "policy/shared_memory.h"

enum {
  WARP_THREADS = 32,
  SMALL_THREADS = 256,
  SMALL_BLOCKS = 4,
  SMALL_BYTES = 2048, /* of a warp's keys */
  LARGE_THREADS = 512,
  LARGE_BLOCKS = 2,
  /* Of bits, in registers of a thread. */
  TILE_BYTES = 64,
  PARTS = 4,
  CAPACITY = 256,
  PLACE_BYTES = 4,
  /* Beside its items a block has a row of counters for each warp, those of a search, and a few words. */
  COUNTER_BYTES = 256 * 4,
  OTHER_BYTES = 2048 * 4 + 3 * 1024,
};

static int key_bytes(const spec *s) {
  return (int)spec_find(s, "keys_in")->iter->type.size;
}

/* TopKKeys::Bits. */
static int bits_bytes(const spec *s) {
  const int bytes = key_bytes(s);
  return bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
}

static int shared_bytes(const spec *s, int capacity) {
  const int warps = LARGE_THREADS / WARP_THREADS;
  const int of_warp = capacity * (bits_bytes(s) + PLACE_BYTES) + COUNTER_BYTES;
  return round_up(warps * of_warp + OTHER_BYTES, KIBIBYTE);
}

static segmented_top_k_large_tuning tune_large(const spec *s, int sm) {
  const int kibibytes = shared_kibibytes(sm);
  int capacity = CAPACITY;
  while (shared_bytes(s, capacity) > (kibibytes - 1) * KIBIBYTE) capacity /= 2;
  const int bytes = shared_bytes(s, capacity);
  const bool fits_twice = LARGE_BLOCKS * (bytes + KIBIBYTE) <= kibibytes * KIBIBYTE;
  const bool has_room = LARGE_BLOCKS * LARGE_THREADS <= multiprocessor_threads(sm);
  return (segmented_top_k_large_tuning){.threads = LARGE_THREADS,
                                        .min_blocks = fits_twice && has_room ? LARGE_BLOCKS : 1,
                                        .items = TILE_BYTES / bits_bytes(s),
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
