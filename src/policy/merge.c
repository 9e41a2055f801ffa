/* How merge is tuned. Few shapes were measured. Where there are many items tiles are larger, as blocks
 * have fewer searches and ends then: on an H200 u32 takes 556 us at 2^28 by 256 threads of 36, 588 by as
 * many of 26 and 635 by 512 of 17; at 2^22 17.2, 15.4 and 18.1. To compile 36 takes 1.7 times as long as
 * 17, so that they are for what takes long. Keys of one or two bytes go by words, which blocks of 512 are
 * too few for; twice an odd number of them, or four times, keeps threads' outputs in banks of their own.
 */
#include "policy/merge.h"

#include "policy/merge_sort.h"
#include "policy/shared_memory.h"

typedef struct shape {
  int threads, items, min_blocks;
} shape;

typedef struct row {
  uint32_t max_bytes; /* of a record: a key, with its value or its place */
  shape small, large, largest;
  int largest_items; /* a multiprocessor has, from which on tiles are those of `largest` */
} row;

enum { ANY = 1 << 30, MANY = 400000 };

/* clang-format off */
static const row table[] = {
    /* bytes  small         large         largest         from */
    {     0, {256, 5, 6}, {256,  9, 5}, {256,  9, 5},   MANY}, /* small pairs, and narrow keys by iterators */
    {     1, {256, 5, 6}, {256, 36, 3}, {256, 36, 3},   MANY},
    {     2, {256, 5, 6}, {256, 26, 4}, {256, 38, 3},   MANY},
    {     4, {256, 5, 6}, {256, 26, 5}, {256, 36, 5}, 200000},
    {     8, {256, 5, 5}, {256, 13, 4}, {512, 13, 2},   MANY},
    {    12, {256, 5, 4}, {256,  9, 4}, {256,  9, 4},   MANY},
    {    16, {256, 4, 4}, {256,  7, 4}, {256,  7, 4},   MANY},
    {    32, {256, 2, 3}, {256,  4, 3}, {256,  4, 3},   MANY},
    {    64, {256, 1, 2}, {128,  3, 3}, {128,  3, 3},   MANY},
    {   ANY, {128, 1, 1}, {128,  1, 1}, {128,  1, 1},   MANY},
};
/* clang-format on */

static const jig_type *key_type(const spec *s) {
  return &spec_find(s, "first_keys_in")->iter->type;
}

static uint32_t record_bytes(const spec *s) {
  const jig_iter *values = spec_find(s, "first_values_in")->iter;
  return merge_sort_record_of(key_type(s), values != NULL ? &values->type : NULL).bytes;
}

static bool is_pointer(const spec *s, const char *name) {
  return spec_find(s, name)->iter->kind == JIG_ITER_POINTER;
}

/* As in agent/merge/merge_words.cuh. */
static bool goes_by_words(const spec *s) {
  const jig_type *key = key_type(s);
  return record_bytes(s) <= 2 && key->align == key->size && is_pointer(s, "first_keys_in") &&
         is_pointer(s, "second_keys_in") && is_pointer(s, "keys_out");
}

/* Small pairs have a register for the key and one for the value, and so fewer items; narrow keys that do
 * not go by words have as few. */
static const row *find_row(const spec *s) {
  const row *r = table;
  if (record_bytes(s) <= 4 && spec_find(s, "first_values_in")->iter != NULL) return r;
  if (record_bytes(s) <= 2 && !goes_by_words(s)) return r;
  while (record_bytes(s) > r->max_bytes) ++r;
  return r;
}

static policy make_policy(const spec *s, int sm, shape to, int has_splits) {
  /* As agent/merge/merge_tile.cuh says: items, or what is found before there are any; where the tile
   * begins and ends; and where each warp does, all of it aligned. */
  enum {
    WARP_THREADS = 32,
    FOUND_BYTES = WARP_THREADS * 8,
    SPLIT_BYTES = 2 * 8,
    LEAST_ALIGNMENT = 16,
    WORD_BYTES = 16
  };
  const int items = (to.threads + 1) * to.items * (int)record_bytes(s);
  const int warps = to.threads / WARP_THREADS;
  const int all = (items > FOUND_BYTES ? items : FOUND_BYTES) + SPLIT_BYTES + 4 * warps +
                  larger((int)key_type(s)->align, LEAST_ALIGNMENT);
  /* Narrow keys have whole rows of words there. */
  const bool has_words = has_splits && goes_by_words(s);
  const int words = has_words ? round_up(items + 4 * WORD_BYTES, to.threads * WORD_BYTES) : 0;
  const int bytes = round_up(larger(all, words), 128);
  const int blocks = merge_sort_min_blocks(sm, to.threads, bytes, to.min_blocks);
  return merge_tuning_pack((merge_tuning){.threads = to.threads,
                                          .items = to.items,
                                          .min_blocks = blocks,
                                          .shared_bytes = bytes,
                                          .has_splits = has_splits,
                                          .least_items = find_row(s)->largest_items});
}

static policy choose_small(const spec *s, int sm, tuning_told *told) {
  shape to = find_row(s)->small;
  tuning_take(told, &merge_small_space, &to);
  return make_policy(s, sm, to, 0);
}

const policy_space merge_small_space = {
    .choose = choose_small,
    .knobs = {KNOB(shape, threads, 64, 128, 256, 512), KNOB(shape, items, 1, 2, 3, 4, 5, 7, 9, 11),
              KNOB(shape, min_blocks, 1, 2, 3, 4, 5, 6, 8)}};

static policy choose_large(const spec *s, int sm, tuning_told *told) {
  shape to = find_row(s)->large;
  tuning_take(told, &merge_large_space, &to);
  return make_policy(s, sm, to, 1);
}

static policy choose_largest(const spec *s, int sm, tuning_told *told) {
  shape to = find_row(s)->largest;
  /* Keys alone leave registers for another block: 2^28 of 8 bytes take 1103 us on an H200 instead of
   * 1202. */
  if (sm >= 90 && to.threads == 512 && spec_find(s, "first_values_in")->iter == NULL) to.min_blocks = 3;
  tuning_take(told, &merge_largest_space, &to);
  return make_policy(s, sm, to, 1);
}

#define LARGE_KNOBS                                                  \
  KNOB(shape, threads, 64, 128, 256, 512),                           \
      KNOB(shape, items, 1, 3, 4, 7, 9, 11, 13, 17, 23, 26, 36, 38), \
      KNOB(shape, min_blocks, 1, 2, 3, 4, 5, 6, 8)
const policy_space merge_large_space = {.choose = choose_large, .knobs = {LARGE_KNOBS}};
const policy_space merge_largest_space = {.choose = choose_largest, .knobs = {LARGE_KNOBS}};

static policy choose_split(const spec *s, int sm, tuning_told *told) {
  merge_split_tuning to = {.threads = 128, .min_blocks = 1};
  (void)s;
  (void)sm;
  tuning_take(told, &merge_split_space, &to);
  return merge_split_tuning_pack(to);
}

const policy_space merge_split_space = {.choose = choose_split,
                                        .knobs = {KNOB(merge_split_tuning, threads, 64, 128, 256, 512)}};
