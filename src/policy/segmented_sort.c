/* How segmented sort is tuned.
 *
 * Short segments are sorted by comparing all of their keys with each other, which is the faster way up to
 * some 96 keys of 4 bytes: fewer if they have fewer digits, more if they have more. All others take a
 * share of a block's shared memory, twice over, and have as many warps as they take shares, or more: so a
 * share should be large, while two blocks hide each other's waiting. On an H200 three blocks of a
 * multiprocessor are far slower, one is as fast or slower but for segments that only fit then. */
#include "policy/segmented_sort.h"

#include "policy/shared_memory.h"

enum {
  WARP_THREADS = 32,
  SMALL_THREADS = 256,
  SMALL_BLOCKS = 4,
  SMALL_BYTES = 2048, /* of a warp's words */
  LARGE_THREADS = 512,
  /* What a block has beside its items: a row of counters for each warp; where digits begin, and one more
   * row; and a few words, most of them for each warp. */
  COUNTER_BYTES = 256 * 4,
  OTHER_BYTES = 3 * COUNTER_BYTES + 1024,
  /* Where there is room, segments get up to 2 to this power times the warps that they need. */
  LOG_SPREAD = 2,
  /* Indices have 16 bits. */
  MAX_ITEMS = 65535,
  /* Larger keys are rows (jig::RowKeys), of which a word is sorted with an index; smaller ones, down to
   * that of a word, may be. */
  MOVED_BYTES = 64,
  WORD_BYTES = 16,
};

static int key_bytes(const spec *s) {
  const int bytes = (int)spec_find(s, "key")->type->size;
  return bytes > MOVED_BYTES ? WORD_BYTES : bytes;
}

/* Of what keys are compared by. */
static int word_bytes(const spec *s) {
  const int bytes = key_bytes(s);
  return bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
}

policy segmented_sort_small_policy(const spec *s, int sm) {
  const int bytes = key_bytes(s);
  /* The compiler takes more registers for SM 120. */
  const int blocks = sm < 120 ? SMALL_BLOCKS : SMALL_BLOCKS - 1;
  const int items = bytes == 1 ? 24 : bytes == 2 ? 40 : bytes <= 8 ? 96 : 128;
  return segmented_sort_small_tuning_pack(
      (segmented_sort_small_tuning){.threads = SMALL_THREADS,
                                    .warp_items = SMALL_BYTES / word_bytes(s),
                                    .min_blocks = blocks,
                                    .small_items = items});
}

policy segmented_sort_large_policy(const spec *s, int sm) {
  const int bytes = key_bytes(s), index_bytes = spec_find(s, "value")->type != NULL ? 2 : 0;
  const int least = bytes > WORD_BYTES ? WORD_BYTES + 2 : 0;
  /* Half of what small GPUs have is too little. */
  const int blocks = shared_kibibytes(sm) > 128 ? 2 : 1;
  /* Wide keys take registers, too. */
  const int threads = bytes > 8 ? LARGE_THREADS / 2 : LARGE_THREADS, warps = threads / WARP_THREADS;
  const int fixed = warps * COUNTER_BYTES + OTHER_BYTES;
  const int room = (shared_kibibytes(sm) / blocks - 1) * KIBIBYTE - fixed;
  const int item_bytes = 2 * larger(bytes + index_bytes, least);
  const int items = smaller(room / item_bytes, MAX_ITEMS) / warps / WARP_THREADS * WARP_THREADS;
  return segmented_sort_large_tuning_pack((segmented_sort_large_tuning){
      .threads = threads,
      .warp_items = items,
      .min_blocks = blocks,
      .log_spread = LOG_SPREAD,
      .shared_bytes = round_up(fixed + warps * items * item_bytes, KIBIBYTE)});
}
