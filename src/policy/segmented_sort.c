/* How segmented sort is tuned.
 *
 * Short segments are sorted by comparing all of their keys with each other, which is the faster way up to
 * some 96 keys of 4 bytes: fewer if they have fewer digits, more if they have more. Keys of up to 4 bytes
 * without values are mostly sorted by lanes, up to 128 (TINY_ITEMS in algorithm/segmented_sort_plan.c).
 * All others take a share of a block's shared memory, twice over, and have as many warps as they take
 * shares, or more: so a share should be large, while two blocks hide each other's waiting. On an H200
 * three blocks of a multiprocessor are far slower, one is as fast or slower but for segments that only
 * fit then. */
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
  /* Of a block that has one segment, of few; as in policy/radix_sort.c. */
  FEW_THREADS = 512,
  FEW_BLOCKS = 2,
  FEW_REGISTERS = 16, /* for keys */
  FEW_ROWS = 8,
  FEW_LONG_ROWS = 16,
  FEW_OTHER_BYTES = 2 * COUNTER_BYTES + 256,
  FEW_FREQUENT = 4,
  FEW_FREQUENT_SHARE = 32,
  FEW_COMPARED = 512,
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

typedef struct small_row {
  int threads, warp_bytes, min_blocks, small_items;
} small_row;

/* Up to how many keys a segment is sorted by comparing. */
static int small_items_for(int bytes, bool has_tiny) {
  if (bytes <= 2 && has_tiny) return 64;
  if (bytes <= 2) return bytes == 1 ? 24 : 40;
  return bytes <= 8 ? 96 : 128;
}

static policy choose_small(const spec *s, int sm, tuning_told *told) {
  const int bytes = key_bytes(s);
  /* The compiler takes more registers for SM 120; and, of keys that lanes sort in registers, for all but
   * SM 90. */
  const bool has_tiny = bytes <= 4 && spec_find(s, "value")->type == NULL;
  const bool has_registers = has_tiny ? sm == 90 : sm < 120;
  small_row to = {.threads = SMALL_THREADS,
                  .warp_bytes = SMALL_BYTES,
                  .min_blocks = has_registers ? SMALL_BLOCKS : SMALL_BLOCKS - 1,
                  .small_items = small_items_for(bytes, has_tiny)};
  tuning_take(told, &segmented_sort_small_space, &to);
  return segmented_sort_small_tuning_pack(
      (segmented_sort_small_tuning){.threads = to.threads,
                                    .warp_items = to.warp_bytes / word_bytes(s),
                                    .min_blocks = to.min_blocks,
                                    .small_items = to.small_items});
}

/* A warp has whole batches of rows, a lane for each row, and room for a segment; and what warps have lies
 * in shared memory that a block has without asking. */
static bool small_has_room(const spec *s, int sm, const policy *p) {
  enum { BATCH_ITEMS = 4 * WARP_THREADS, PLACE_BYTES = 2, LISTED_BYTES = 20 * WARP_THREADS };
  const segmented_sort_small_tuning to = segmented_sort_small_tuning_of(p);
  const int warp_bytes = to.warp_items * (word_bytes(s) + PLACE_BYTES) + LISTED_BYTES;
  (void)sm;
  return to.warp_items % BATCH_ITEMS == 0 && to.warp_items <= WARP_THREADS * WARP_THREADS &&
         to.small_items <= to.warp_items && to.threads / WARP_THREADS * warp_bytes <= STATIC_SHARED_BYTES;
}

const policy_space segmented_sort_small_space = {
    .choose = choose_small,
    .knobs = {KNOB(small_row, threads, 64, 128, 256, 512), KNOB(small_row, warp_bytes, 1024, 2048, 4096),
              KNOB(small_row, min_blocks, 1, 2, 3, 4, 5, 6, 8),
              KNOB(small_row, small_items, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256)},
    .allows = small_has_room};

typedef struct large_row {
  int threads, min_blocks, log_spread;
} large_row;

/* Of an item, its key and its index, both times. */
static int large_item_bytes(const spec *s) {
  const int bytes = key_bytes(s), index_bytes = spec_find(s, "value")->type != NULL ? 2 : 0;
  const int least = bytes > WORD_BYTES ? WORD_BYTES + 2 : 0;
  return 2 * larger(bytes + index_bytes, least);
}

static policy choose_large(const spec *s, int sm, tuning_told *told) {
  /* Half of what small GPUs have is too little; wide keys take registers, too. */
  large_row to = {.threads = key_bytes(s) > 8 ? LARGE_THREADS / 2 : LARGE_THREADS,
                  .min_blocks = shared_kibibytes(sm) > 128 ? 2 : 1,
                  .log_spread = LOG_SPREAD};
  tuning_take(told, &segmented_sort_large_space, &to);
  const int warps = to.threads / WARP_THREADS, item_bytes = large_item_bytes(s);
  const int fixed = warps * COUNTER_BYTES + OTHER_BYTES;
  const int room = (shared_kibibytes(sm) / to.min_blocks - 1) * KIBIBYTE - fixed;
  const int items = smaller(room / item_bytes, MAX_ITEMS) / warps / WARP_THREADS * WARP_THREADS;
  return segmented_sort_large_tuning_pack((segmented_sort_large_tuning){
      .threads = to.threads,
      .warp_items = items,
      .min_blocks = to.min_blocks,
      .log_spread = to.log_spread,
      .shared_bytes = round_up(fixed + warps * items * item_bytes, KIBIBYTE)});
}

/* Digits are counted where keys are otherwise. */
static bool large_has_room(const spec *s, int sm, const policy *p) {
  enum { LEAST_BYTES = 24 * KIBIBYTE };
  const segmented_sort_large_tuning to = segmented_sort_large_tuning_of(p);
  (void)sm;
  return to.threads / WARP_THREADS * to.warp_items * large_item_bytes(s) >= LEAST_BYTES;
}

/* A block's warps are a power of two, and every digit has a thread. */
const policy_space segmented_sort_large_space = {
    .choose = choose_large,
    .knobs = {KNOB(large_row, threads, 256, 512), KNOB(large_row, min_blocks, 1, 2, 3, 4),
              KNOB(large_row, log_spread, 1, 2, 3, 4)},
    .allows = large_has_room};

typedef struct few_row {
  int threads, rows, min_blocks, compared_items;
} few_row;

static policy make_few(const spec *s, int sm, const few_row *to) {
  /* Each item is in two places. */
  const int row_bytes = 2 * to->threads * key_bytes(s), indexed_bytes = row_bytes + 2 * to->threads * 2;
  const int fixed = to->threads / WARP_THREADS * COUNTER_BYTES + FEW_OTHER_BYTES;
  const int room = (shared_kibibytes(sm) / to->min_blocks - 1) * KIBIBYTE - fixed;
  const int most = smaller(to->rows, room / indexed_bytes);
  const int rows = most > 4 ? most / 4 * 4 : larger(most, 1);
  const int used = round_up(fixed + rows * indexed_bytes, KIBIBYTE);
  return segmented_sort_few_tuning_pack(
      (segmented_sort_few_tuning){.threads = to->threads,
                                  .rows = rows,
                                  .indexed_rows = rows,
                                  .min_blocks = to->min_blocks,
                                  .compared_items = smaller(to->compared_items, to->threads),
                                  .cluster = 1,
                                  .frequent_digits = FEW_FREQUENT,
                                  .frequent_share = FEW_FREQUENT_SHARE,
                                  .used_bytes = used,
                                  .shared_bytes = larger(used, shared_kibibytes(sm) / 2 * KIBIBYTE)});
}

static few_row few_of(const spec *s) {
  const int bytes = key_bytes(s), words = (bytes + 3) / 4;
  return (few_row){.threads = bytes > 8 ? FEW_THREADS / 2 : FEW_THREADS,
                   .rows = larger(smaller(FEW_REGISTERS / words, FEW_ROWS), 1),
                   .min_blocks = 1,
                   .compared_items = bytes > 2 ? FEW_COMPARED : FEW_COMPARED / 2};
}

static policy choose_few(const spec *s, int sm, tuning_told *told) {
  few_row to = few_of(s);
  if (shared_kibibytes(sm) > 128) to.min_blocks = FEW_BLOCKS;
  tuning_take(told, &segmented_sort_few_space, &to);
  return make_few(s, sm, &to);
}

/* Twice as many items as the other kernel has room for, or more, take twice as many registers. */
static policy choose_few_long(const spec *s, int sm, tuning_told *told) {
  few_row to = few_of(s);
  to.rows = key_bytes(s) > 8 ? FEW_LONG_ROWS / 2 : FEW_LONG_ROWS;
  tuning_take(told, &segmented_sort_few_long_space, &to);
  return make_few(s, sm, &to);
}

/* Every digit has a thread. */
#define FEW_KNOBS                                                                  \
  KNOB(few_row, threads, 256, 512, 1024), KNOB(few_row, rows, 1, 2, 4, 8, 12, 16), \
      KNOB(few_row, min_blocks, 1, 2, 3, 4), KNOB(few_row, compared_items, 32, 64, 128, 256, 512)
const policy_space segmented_sort_few_space = {.choose = choose_few, .knobs = {FEW_KNOBS}};
const policy_space segmented_sort_few_long_space = {.choose = choose_few_long, .knobs = {FEW_KNOBS}};
