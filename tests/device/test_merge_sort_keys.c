/* Merge sort of keys alone: every type, pattern and size. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

static merge_sort_marks marks_of(jig_type key) {
  const jig_merge_sort_args args = {.keys_in = jig_pointer(NULL, key),
                                    .keys_out = jig_pointer(NULL, key)};
  return merge_sort_marks_of(&args);
}

static void check_pattern(merge_sort_case c, order_pattern pattern) {
  static const char *const names[ORDER_PATTERNS] = {"random",   "few",           "equal",    "sorted",
                                                    "reversed", "nearly sorted", "odd last", "sawtooth"};
  uint32_t *ranks = ranks_of(pattern, c.count, 23 + c.count);
  void *keys = items_of_ranks(c.key, ranks, c.count);
  c.keys = keys;
  c.what = names[pattern];
  if (c.order == NULL) c.order = order_of_kind(c.key.kind);
  check_merge_sort(&c);
  free(keys);
  free(ranks);
}

/* ---- types and patterns */

START_TEST(every_type) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type key = type_of(*kind);
    const merge_sort_marks marks = marks_of(key);
    check_pattern((merge_sort_case){.key = key, .count = 500, .offset = 1}, ORDER_RANDOM);
    check_pattern((merge_sort_case){.key = key, .count = 3 * marks.small_tile - 77, .in_place = true},
                  ORDER_RANDOM);
    check_pattern((merge_sort_case){.key = key, .count = marks.large_from + 777, .offset = 3},
                  ORDER_RANDOM);
  }
}
END_TEST

START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_I64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const merge_sort_marks marks = marks_of(key);
    for (int p = 0; p < ORDER_PATTERNS; ++p) {
      check_pattern((merge_sort_case){.key = key, .count = marks.small_tile - 7}, (order_pattern)p);
      check_pattern((merge_sort_case){.key = key, .count = 4 * marks.small_tile, .in_place = p % 2},
                    (order_pattern)p);
      check_pattern((merge_sort_case){.key = key, .count = marks.large_from + 12 * 1024 - 5},
                    (order_pattern)p);
    }
  }
}
END_TEST

/* ---- sizes */

START_TEST(every_size) {
  static const jig_type_kind kinds[] = {JIG_KIND_U16, JIG_KIND_F64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const merge_sort_marks marks = marks_of(key);
    const size_t tile = marks.small_tile, merge = marks.merge_tile,
                 sizes[] = {0,        1,        2,         3,         31,          32,       33,
                            127,      128,      129,       tile - 1,  tile,        tile + 1, 2 * tile - 1,
                            2 * tile, 3 * tile, merge + 1, 2 * merge, 5 * tile + 1};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
      check_pattern((merge_sort_case){.key = key, .count = sizes[i], .in_place = i % 3 == 2},
                    ORDER_RANDOM);
  }
}
END_TEST

/* From few large tiles to some, the last one whole or not. */
START_TEST(large_tiles) {
  const merge_sort_marks marks = marks_of(JIG_U32);
  const size_t first = (marks.large_from + marks.large_tile - 1) / marks.large_tile * marks.large_tile;
  for (size_t i = 0; i < 4; ++i) {
    const size_t count = first + i * marks.large_tile;
    check_pattern((merge_sort_case){.key = JIG_U32, .count = count - 1}, ORDER_RANDOM);
    check_pattern((merge_sort_case){.key = JIG_U32, .count = count, .in_place = true}, ORDER_FEW);
    check_pattern((merge_sort_case){.key = JIG_F32, .count = count + 1}, ORDER_NEARLY_SORTED);
  }
}
END_TEST

/* Passes by four: of several groups of runs, the last one of one to four; aligned or not. */
START_TEST(passes_by_four) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_I8, JIG_KIND_U64, JIG_KIND_I128};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const merge_sort_marks marks = marks_of(key);
    const size_t runs = (marks.four_from / marks.large_tile + 4) / 4 * 4;
    for (size_t i = 0; i < 4; ++i) {
      const size_t count = (runs + i) * marks.large_tile + (k == 0 ? 1 : 57);
      check_pattern((merge_sort_case){.key = key, .count = count, .in_place = i == 1, .offset = i == 3},
                    i == 0 ? ORDER_SAWTOOTH : ORDER_RANDOM);
    }
  }
}
END_TEST

/* So many tiles that where they begin is found in two steps. */
START_TEST(searches_in_brackets) {
  const merge_sort_marks marks = marks_of(JIG_U8);
  const size_t count = marks.brackets_from;
  check_pattern((merge_sort_case){.key = JIG_U8, .count = count + 3}, ORDER_RANDOM);
  check_pattern((merge_sort_case){.key = JIG_U16, .count = count}, ORDER_RANDOM);
  check_pattern((merge_sort_case){.key = JIG_U16, .count = count + 5001}, ORDER_EQUAL);
}
END_TEST

START_TEST(patterns_by_four) {
  const merge_sort_marks marks = marks_of(JIG_I32);
  for (int p = 0; p < ORDER_PATTERNS; ++p) {
    const size_t count = 4 * marks.large_tile * (marks.four_from / marks.large_tile / 4 + 1);
    check_pattern((merge_sort_case){.key = JIG_I32, .count = count - (size_t)p % 3}, (order_pattern)p);
  }
}
END_TEST

/* ---- structs that are more aligned than vectors are */

/* A key and its number, and what fills an alignment up. */
static void check_alignment(uint32_t align, const char *definition, size_t count) {
  const jig_type type = jig_struct("spread", definition, align, align);
  const jig_op order = jig_op_source("return a.key < b.key;");
  uint32_t *items = calloc(count, align), *sorted = calloc(count, align);
  const size_t words = align / sizeof *items;
  for (size_t i = 0; i < count; ++i) {
    items[i * words] = (uint32_t)(i * 7919 % 101);
    items[i * words + 1] = (uint32_t)i;
  }
  void *in = gpu_copy(items, count * align, align), *out = gpu_alloc(count * align, align);
  OK(jig_merge_sort_keys(NULL, NULL, NULL, jig_pointer(in, type), jig_pointer(out, type), count, order,
                         NULL));
  gpu_read(sorted, out, count * align);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t *item = sorted + i * words, number = item[1];
    ck_assert_uint_lt(number, count);
    ck_assert_int_eq(memcmp(item, items + number * words, align), 0);
    if (i > 0)
      ck_assert(item[0] > item[-(ptrdiff_t)words] ||
                (item[0] == item[-(ptrdiff_t)words] && number > item[1 - (ptrdiff_t)words]));
  }
  /* Equal keys of both inputs come from the first. */
  const size_t half = count / 2;
  const jig_merge_args merge = {.first_keys_in = jig_pointer(out, type),
                                .second_keys_in = jig_pointer((char *)out + half * align, type),
                                .keys_out = jig_pointer(in, type),
                                .first_num_items = half,
                                .second_num_items = count - half,
                                .compare = order};
  OK(jig_merge(NULL, NULL, NULL, &merge, NULL));
  gpu_read(items, in, count * align);
  ck_assert_int_eq(memcmp(items, sorted, count * align), 0);
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(sorted);
}

START_TEST(keys_of_large_alignment) {
  static const size_t counts[] = {100, 9001};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    check_alignment(32, "struct alignas(32) spread { unsigned key, number; };", counts[i]);
    check_alignment(64, "struct alignas(64) spread { unsigned key, number; };", counts[i]);
    check_alignment(256, "struct alignas(256) spread { unsigned key, number; };", counts[i]);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),           SUITE_TEST(every_pattern),           SUITE_TEST(every_size),
      SUITE_TEST(large_tiles),          SUITE_TEST(passes_by_four),          SUITE_TEST(patterns_by_four),
      SUITE_TEST(searches_in_brackets), SUITE_TEST(keys_of_large_alignment),
  };
  return SUITE_RUN("device/merge_sort_keys", tests, true);
}
