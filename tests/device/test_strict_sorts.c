/* Sorts, merge and top-k in strict mode, after prewarming from the calls' own specs and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "strict_support.h"
#include "suite.h"

#define AT(pointer, type) jig_pointer((pointer), JIG_##type)

static jig_type pair_type(void) {
  return jig_struct("pair", "struct pair { unsigned key, other; };", 8, 4);
}

/* ---- what comes out */

static int by_key(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* The keys in ascending order; malloc'ed. */
static uint32_t *sorted_keys(const strict_call *t) {
  uint32_t *keys = malloc(t->n * sizeof *keys + 1);
  ck_assert_ptr_nonnull(keys);
  memcpy(keys, t->keys, t->n * sizeof *keys);
  qsort(keys, t->n, sizeof *keys, by_key);
  return keys;
}

/* Whether the 4-byte words at the beginning of each of so many items of that size are the sorted keys,
 * counted from the end if they are to descend. */
static void check_keys(const strict_call *t, const void *items, size_t size, uint64_t count,
                       bool descending) {
  uint32_t *keys = sorted_keys(t);
  const unsigned char *got = strict_read(t, items, count * size);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < count; ++i)
    wrong += memcmp(got + i * size, &keys[descending ? t->n - 1 - i : i], 4) != 0;
  ck_assert_uint_eq(wrong, 0);
  free(keys);
}

/* Whether a value, which is an index in its first 4 bytes, is beside its key. */
static void check_values(const strict_call *t, const void *items, size_t size, const void *keys,
                         size_t key_size, uint64_t count) {
  unsigned char *there = malloc(count * key_size + 1);
  ck_assert_ptr_nonnull(there);
  gpu_read(there, keys, count * key_size);
  const unsigned char *got = strict_read(t, items, count * size);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t index;
    memcpy(&index, got + i * size, sizeof index);
    wrong += index >= t->n || memcmp(&t->keys[index], there + i * key_size, 4) != 0;
  }
  ck_assert_uint_eq(wrong, 0);
  free(there);
}

/* Whether every other word, from that one on, is no less than the one before. */
static void check_ascent(const strict_call *t, const void *pairs, unsigned first) {
  const uint32_t *got = strict_read(t, pairs, t->n * 8);
  uint64_t wrong = 0;
  for (uint64_t i = 1; i < t->n; ++i) wrong += got[2 * (i - 1) + first] > got[2 * i + first];
  ck_assert_uint_eq(wrong, 0);
}

/* ---- radix sort. Small numbers have the order of their bits whatever they are taken for. */

static void radix_sort_keys(strict_call *t) {
  const jig_radix_sort_args args = {
      .keys_in = AT(t->d_keys, U32), .keys_out = AT(t->out[0], U32), .num_items = t->n};
  STRICT(t, jig_radix_sort, args);
  check_keys(t, t->out[0], 4, t->n, false);
}

static void radix_sort_floats_with_values(strict_call *t) {
  const jig_radix_sort_args args = {.keys_in = AT(t->d_keys, F32),
                                    .keys_out = AT(t->out[0], F32),
                                    .values_in = AT(t->d_values, U32),
                                    .values_out = AT(t->out[1], U32),
                                    .num_items = t->n,
                                    .order = JIG_SORT_DESCENDING};
  STRICT(t, jig_radix_sort, args);
  check_keys(t, t->out[0], 4, t->n, true);
  check_values(t, t->out[1], 4, t->out[0], 4, t->n);
}

static void radix_sort_some_bits(strict_call *t) {
  const jig_radix_sort_args args = {.keys_in = AT(t->d_keys, I32),
                                    .keys_out = AT(t->out[0], I32),
                                    .num_items = t->n,
                                    .begin_bit = 0,
                                    .end_bit = 10};
  STRICT(t, jig_radix_sort, args);
  check_keys(t, t->out[0], 4, t->n, false);
}

/* By the fields of structs: of three in a row the second and the third are zeros. */
static void radix_sort_structs(strict_call *t) {
  const jig_type pair = pair_type();
  const jig_radix_sort_args args = {.keys_in = jig_pointer(t->d_wide, pair),
                                    .keys_out = jig_pointer(t->out[0], pair),
                                    .num_items = t->n,
                                    .decomposer = "x.key, x.other"};
  STRICT(t, jig_radix_sort, args);
  check_ascent(t, t->out[0], 0);
}

static void radix_sort_within_buffers(strict_call *t) {
  int selector = -1;
  const jig_radix_sort_args args = {.keys_in = AT(t->out[1], U64),
                                    .keys_out = AT(t->out[0], U64),
                                    .num_items = t->n,
                                    .selector = &selector};
  if (t->engine != NULL) gpu_fill(t->out[1], 7, t->n * 8);
  STRICT(t, jig_radix_sort, args);
  ck_assert(selector == 0 || selector == 1);
  const uint64_t *got = strict_read(t, t->out[selector == 0], t->n * 8);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < t->n; ++i) wrong += got[i] != 0x0707070707070707;
  ck_assert_uint_eq(wrong, 0);
}

/* ---- keys that are not moved: some of the numbered items in one, so that their order is turned round */

enum { ROW_ITEMS = 3, ROW_SIZE = ROW_ITEMS * STRICT_WIDE };
static jig_type row_type(void) {
  return jig_struct("row", "struct row { unsigned key, others[17]; };", ROW_SIZE, 4);
}
static jig_type triple_type(void) {
  return jig_struct("triple", "struct triple { unsigned long long a, b, c; };", STRICT_WIDE, 8);
}

/* Whether the first `count` items of that size are numbered by a step, down from the last of all. */
static void check_descent(const strict_call *t, const void *items, size_t size, uint64_t count,
                          uint32_t last, uint32_t step) {
  const unsigned char *got = strict_read(t, items, count * size);
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t number;
    memcpy(&number, got + i * size, sizeof number);
    ck_assert_uint_eq(number, last - i * step);
  }
}

static void check_rows(const strict_call *t, const void *rows, uint64_t count) {
  const uint32_t all = (uint32_t)(t->n / ROW_ITEMS);
  check_descent(t, rows, ROW_SIZE, count, (all - 1) * ROW_ITEMS, ROW_ITEMS);
}

static void radix_sort_rows_with_values(strict_call *t) {
  const jig_type row = row_type();
  const jig_radix_sort_args args = {.keys_in = jig_pointer(t->d_wide, row),
                                    .keys_out = jig_pointer(t->out[0], row),
                                    .values_in = jig_counting(NULL, JIG_U32),
                                    .values_out = AT(t->out[1], U32),
                                    .num_items = t->n / ROW_ITEMS,
                                    .order = JIG_SORT_DESCENDING,
                                    .decomposer = "x.key"};
  STRICT(t, jig_radix_sort, args);
  check_rows(t, t->out[0], args.num_items);
  check_descent(t, t->out[1], 4, args.num_items, (uint32_t)args.num_items - 1, 1);
}

/* Keys that are moved if they have fewer fields. */
static void radix_sort_by_many_bits(strict_call *t) {
  const jig_type triple = triple_type();
  const jig_radix_sort_args args = {.keys_in = jig_pointer(t->d_wide, triple),
                                    .keys_out = jig_pointer(t->out[0], triple),
                                    .values_in = AT(t->d_values, U32),
                                    .values_out = AT(t->out[1], U32),
                                    .num_items = t->n,
                                    .order = JIG_SORT_DESCENDING,
                                    .decomposer = "x.a & 0xffffffffu, 0ull, 0ull"};
  STRICT(t, jig_radix_sort, args);
  check_descent(t, t->out[0], STRICT_WIDE, t->n, (uint32_t)t->n - 1, 1);
  check_descent(t, t->out[1], 4, t->n, (uint32_t)t->n - 1, 1);
}

static void segmented_sort_rows(strict_call *t) {
  const jig_type row = row_type();
  const uint64_t n = t->n / ROW_ITEMS;
  const jig_segmented_sort_args args = {.keys_in = jig_pointer(t->d_wide, row),
                                        .keys_out = jig_pointer(t->out[0], row),
                                        .num_items = n,
                                        .begin_offsets = jig_counting(NULL, JIG_U64),
                                        .end_offsets = jig_constant(&n, JIG_U64),
                                        .num_segments = 1,
                                        .order = JIG_SORT_DESCENDING,
                                        .decomposer = "x.key, x.others[16] & 0u"};
  STRICT(t, jig_segmented_sort, args);
  check_rows(t, t->out[0], n);
}

static void segmented_sort_by_many_bits(strict_call *t) {
  const jig_type triple = triple_type();
  const jig_segmented_sort_args args = {.keys_in = jig_pointer(t->d_wide, triple),
                                        .keys_out = jig_pointer(t->out[0], triple),
                                        .num_items = t->n,
                                        .begin_offsets = jig_counting(NULL, JIG_U64),
                                        .end_offsets = jig_constant(&t->n, JIG_U64),
                                        .num_segments = 1,
                                        .order = JIG_SORT_DESCENDING,
                                        .decomposer = "x.a & 0xffffffffu, 0ull, 0ull"};
  STRICT(t, jig_segmented_sort, args);
  check_descent(t, t->out[0], STRICT_WIDE, t->n, (uint32_t)t->n - 1, 1);
}

static void top_k_of_rows_sorted(strict_call *t) {
  const jig_type row = row_type();
  const jig_top_k_args args = {.keys_in = jig_pointer(t->d_wide, row),
                               .keys_out = jig_pointer(t->out[0], row),
                               .num_items = t->n / ROW_ITEMS,
                               .k = t->n / ROW_ITEMS / 2,
                               .is_sorted = 1,
                               .decomposer = "x.key"};
  STRICT(t, jig_top_k, args);
  check_rows(t, t->out[0], args.k);
}

static void segmented_top_k_of_rows(strict_call *t) {
  const jig_type row = row_type();
  const jig_segmented_top_k_args args = {.keys_in = jig_pointer(t->d_wide, row),
                                         .keys_out = jig_pointer(t->out[0], row),
                                         .num_segments = 1,
                                         .segment_size = t->n / ROW_ITEMS,
                                         .k = t->n / ROW_ITEMS / 2,
                                         .is_sorted = 1,
                                         .decomposer = "x.key"};
  STRICT(t, jig_segmented_top_k, args);
  check_rows(t, t->out[0], args.k);
}

static void nth_row(strict_call *t) {
  const jig_type row = row_type();
  const jig_nth_element_args args = {.in = jig_pointer(t->d_wide, row),
                                     .out = jig_pointer(t->out[0], row),
                                     .nth_out = jig_pointer(t->out[1], row),
                                     .num_items = t->n / ROW_ITEMS,
                                     .order = JIG_SORT_DESCENDING,
                                     .decomposer = "x.key"};
  STRICT(t, jig_nth_element, args);
  check_rows(t, t->out[0], args.num_items > 0 ? 1 : 0);
  check_rows(t, t->out[1], args.num_items > 0 ? 1 : 0);
}

/* ---- segmented sort: a sort of each hundred */

static jig_segmented_sort_args segmented_args(const strict_call *t) {
  return (jig_segmented_sort_args){.keys_in = AT(t->d_keys, U32),
                                   .keys_out = AT(t->out[0], U32),
                                   .num_items = t->n,
                                   .begin_offsets = AT(t->d_offsets, I64),
                                   .end_offsets = AT((char *)t->d_offsets + 8, I64),
                                   .num_segments = t->segments};
}

static void check_segments(const strict_call *t, const void *keys, bool descending) {
  const uint32_t *got = strict_read(t, keys, t->n * 4);
  uint64_t sum = 0, wanted = 0, wrong = 0;
  for (uint64_t i = 0; i < t->n; ++i) {
    sum += got[i];
    wanted += t->keys[i];
    if (i % STRICT_SEGMENT > 0) wrong += descending ? got[i - 1] < got[i] : got[i - 1] > got[i];
  }
  ck_assert_uint_eq(sum, wanted);
  ck_assert_uint_eq(wrong, 0);
}

static void segmented_sort_keys(strict_call *t) {
  const jig_segmented_sort_args args = segmented_args(t);
  STRICT(t, jig_segmented_sort, args);
  check_segments(t, t->out[0], false);
}

static void segmented_sort_floats_with_values(strict_call *t) {
  jig_segmented_sort_args args = segmented_args(t);
  args.keys_in.type = args.keys_out.type = JIG_F32;
  args.values_in = AT(t->d_values, U32);
  args.values_out = AT(t->out[1], U32);
  args.order = JIG_SORT_DESCENDING;
  STRICT(t, jig_segmented_sort, args);
  check_segments(t, t->out[0], true);
  check_values(t, t->out[1], 4, t->out[0], 4, t->n);
}

/* One segment of everything, by the fields of structs, with offsets that are computed. */
static void segmented_sort_structs(strict_call *t) {
  const jig_type pair = pair_type();
  const uint64_t n = t->n;
  const jig_segmented_sort_args args = {.keys_in = jig_pointer(t->d_wide, pair),
                                        .keys_out = jig_pointer(t->out[0], pair),
                                        .num_items = n,
                                        .begin_offsets = jig_counting(NULL, JIG_U64),
                                        .end_offsets = jig_constant(&n, JIG_U64),
                                        .num_segments = 1,
                                        .decomposer = "x.key, x.other"};
  STRICT(t, jig_segmented_sort, args);
  check_ascent(t, t->out[0], 0);
}

/* ---- merge sort and merge */

static void merge_sort_keys(strict_call *t) {
  const jig_merge_sort_args args = {
      .keys_in = AT(t->d_keys, U32), .keys_out = AT(t->out[0], U32), .num_items = t->n};
  STRICT(t, jig_merge_sort, args);
  check_keys(t, t->out[0], 4, t->n, false);
}

static void merge_sort_pairs_by_source(strict_call *t) {
  const jig_merge_sort_args args = {.keys_in = AT(t->d_keys, U32),
                                    .keys_out = AT(t->out[0], U32),
                                    .values_in = AT(t->d_values, U32),
                                    .values_out = AT(t->out[1], U32),
                                    .num_items = t->n,
                                    .compare = jig_op_source("return a > b;")};
  STRICT(t, jig_merge_sort, args);
  check_keys(t, t->out[0], 4, t->n, true);
  check_values(t, t->out[1], 4, t->out[0], 4, t->n);
}

/* Values so large that places are moved in their stead; keys are computed. */
static void merge_sort_large_values(strict_call *t) {
  const jig_type wide = jig_opaque(STRICT_WIDE, 8);
  const jig_iter base = AT(t->d_keys, U32);
  const jig_merge_sort_args args = {
      .keys_in = jig_iter_transform(&base, jig_op_source("return x;"), JIG_U32),
      .keys_out = AT(t->out[0], U32),
      .values_in = jig_pointer(t->d_wide, wide),
      .values_out = jig_pointer(t->out[1], wide),
      .num_items = t->n};
  STRICT(t, jig_merge_sort, args);
  check_keys(t, t->out[0], 4, t->n, false);
  check_values(t, t->out[1], STRICT_WIDE, t->out[0], 4, t->n);
}

/* Both inputs are in order. */
static jig_merge_args merge_args(const strict_call *t) {
  return (jig_merge_args){.first_keys_in = AT(t->d_runs, U32),
                          .second_keys_in = AT(t->d_values, U32),
                          .keys_out = AT(t->out[0], U32),
                          .first_num_items = t->n,
                          .second_num_items = t->n};
}

static void check_merged(const strict_call *t) {
  const uint32_t *got = strict_read(t, t->out[0], t->n * 2 * 4);
  uint64_t sum = 0, wanted = 0, wrong = 0;
  for (uint64_t i = 0; i < 2 * t->n; ++i) {
    sum += got[i];
    wanted += i < t->n ? t->runs[i] : t->values[i - t->n];
    wrong += i > 0 && got[i - 1] > got[i];
  }
  ck_assert_uint_eq(sum, wanted);
  ck_assert_uint_eq(wrong, 0);
}

static void merge_keys(strict_call *t) {
  const jig_merge_args args = merge_args(t);
  STRICT(t, jig_merge, args);
  check_merged(t);
}

static void merge_pairs_by_source(strict_call *t) {
  jig_merge_args args = merge_args(t);
  args.first_values_in = AT(t->d_runs, U32);
  args.second_values_in = AT(t->d_values, U32);
  args.values_out = AT(t->out[1], U32);
  args.compare = jig_op_source("return a < b;");
  STRICT(t, jig_merge, args);
  check_merged(t);
}

/* ---- top-k */

enum { K = 300 };

static jig_top_k_args top_k_args(const strict_call *t, jig_type key) {
  return (jig_top_k_args){.keys_in = jig_pointer(t->d_keys, key),
                          .keys_out = jig_pointer(t->out[0], key),
                          .num_items = t->n,
                          .k = K};
}

static uint64_t count_of_best(const strict_call *t) {
  return t->n < K ? t->n : K;
}

static void top_k_of_largest(strict_call *t) {
  const jig_top_k_args args = top_k_args(t, JIG_I32);
  STRICT(t, jig_top_k, args);
  const uint64_t best = count_of_best(t);
  uint32_t *keys = sorted_keys(t);
  const uint32_t *got = strict_read(t, t->out[0], best * 4);
  for (uint64_t i = 0; i < best; ++i) ck_assert_uint_ge(got[i], keys[t->n - best]);
  free(keys);
}

static void top_k_pairs_sorted(strict_call *t) {
  jig_top_k_args args = top_k_args(t, JIG_F32);
  args.values_in = AT(t->d_values, U32);
  args.values_out = AT(t->out[1], U32);
  args.choice = JIG_TOP_K_MIN;
  args.is_sorted = 1;
  STRICT(t, jig_top_k, args);
  check_keys(t, t->out[0], 4, count_of_best(t), false);
  check_values(t, t->out[1], 4, t->out[0], 4, count_of_best(t));
}

/* All of them, so that the sort has passes. */
static void top_k_all_sorted(strict_call *t) {
  jig_top_k_args args = top_k_args(t, JIG_U32);
  args.k = UINT64_MAX;
  args.is_sorted = 1;
  STRICT(t, jig_top_k, args);
  check_keys(t, t->out[0], 4, t->n, true);
}

static void check_wide(strict_call *t, jig_top_k_args args) {
  const jig_type key = args.keys_in.type;
  args.keys_in.pointer = t->d_wide;
  args.num_items = t->n * STRICT_WIDE / key.size;
  args.k = t->n / 2;
  args.is_sorted = 1;
  args.choice = JIG_TOP_K_MIN;
  STRICT(t, jig_top_k, args);
  const unsigned char *got = strict_read(t, t->out[0], args.k * key.size);
  uint64_t wrong = 0;
  for (uint64_t i = 1; i < args.k; ++i) {
    uint128 before = 0, here = 0;
    memcpy(&before, got + (i - 1) * key.size, key.size);
    memcpy(&here, got + i * key.size, key.size);
    wrong += before > here;
  }
  ck_assert_uint_eq(wrong, 0);
}

static void top_k_of_8_bytes_sorted(strict_call *t) {
  check_wide(t, top_k_args(t, JIG_U64));
}
static void top_k_of_16_bytes_sorted(strict_call *t) {
  check_wide(t, top_k_args(t, JIG_U128));
}

static void top_k_of_structs_sorted(strict_call *t) {
  jig_top_k_args args = top_k_args(t, pair_type());
  args.decomposer = "x.other, x.key";
  args.keys_in.pointer = t->d_wide;
  args.k = t->n;
  args.is_sorted = 1;
  args.choice = JIG_TOP_K_MIN;
  STRICT(t, jig_top_k, args);
  check_ascent(t, t->out[0], 1);
}

static void top_k_of_indices_sorted(strict_call *t) {
  jig_top_k_args args = top_k_args(t, JIG_U32);
  args.keys_in = jig_counting(NULL, JIG_U32);
  args.is_sorted = 1;
  STRICT(t, jig_top_k, args);
  const uint32_t *got = strict_read(t, t->out[0], count_of_best(t) * 4);
  for (uint64_t i = 0; i < count_of_best(t); ++i) ck_assert_uint_eq(got[i], t->n - 1 - i);
}

/* One row, so that it is what sorting would put first. */
static void segmented_top_k_of_a_row(strict_call *t) {
  const jig_segmented_top_k_args args = {.keys_in = AT(t->d_keys, U32),
                                         .keys_out = AT(t->out[0], U32),
                                         .values_in = AT(t->d_values, U32),
                                         .values_out = AT(t->out[1], U32),
                                         .num_segments = 1,
                                         .segment_size = t->n,
                                         .k = K,
                                         .choice = JIG_TOP_K_MIN,
                                         .is_sorted = 1};
  STRICT(t, jig_segmented_top_k, args);
  check_keys(t, t->out[0], 4, count_of_best(t), false);
  check_values(t, t->out[1], 4, t->out[0], 4, count_of_best(t));
}

static void nth_elements(strict_call *t) {
  const uint64_t nth = t->n / 3;
  const jig_nth_element_args args = {.in = AT(t->d_keys, U32),
                                     .out = AT(t->out[0], U32),
                                     .nth_out = AT(t->out[1], U32),
                                     .num_items = t->n,
                                     .nth = nth};
  STRICT(t, jig_nth_element, args);
  if (t->n == 0) return;
  uint32_t *keys = sorted_keys(t);
  const uint32_t wanted = keys[nth];
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i)
    ck_assert(i < nth ? got[i] <= wanted : i > nth ? got[i] >= wanted : got[i] == wanted);
  ck_assert_uint_eq(*(const uint32_t *)strict_read(t, t->out[1], 4), wanted);
  free(keys);
}

/* ---- all of them */

START_TEST(radix_sorts) {
  static const strict_case cases[] = {
      STRICT_CASE(radix_sort_keys),           STRICT_CASE(radix_sort_floats_with_values),
      STRICT_CASE(radix_sort_some_bits),      STRICT_CASE(radix_sort_structs),
      STRICT_CASE(radix_sort_within_buffers), STRICT_CASE(segmented_sort_keys),
      STRICT_CASE(segmented_sort_structs),    STRICT_CASE(segmented_sort_floats_with_values),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(keys_that_are_not_moved) {
  static const strict_case cases[] = {
      STRICT_CASE(radix_sort_rows_with_values),
      STRICT_CASE(radix_sort_by_many_bits),
      STRICT_CASE(segmented_sort_rows),
      STRICT_CASE(segmented_sort_by_many_bits),
      STRICT_CASE(top_k_of_rows_sorted),
      STRICT_CASE(segmented_top_k_of_rows),
      STRICT_CASE(nth_row),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(merges) {
  static const strict_case cases[] = {
      STRICT_CASE(merge_sort_keys),         STRICT_CASE(merge_sort_pairs_by_source),
      STRICT_CASE(merge_sort_large_values), STRICT_CASE(merge_keys),
      STRICT_CASE(merge_pairs_by_source),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(best_ones) {
  static const strict_case cases[] = {
      STRICT_CASE(top_k_of_largest),
      STRICT_CASE(top_k_pairs_sorted),
      STRICT_CASE(top_k_all_sorted),
      STRICT_CASE(top_k_of_8_bytes_sorted),
      STRICT_CASE(top_k_of_16_bytes_sorted),
      STRICT_CASE(top_k_of_structs_sorted),
      STRICT_CASE(top_k_of_indices_sorted),
      STRICT_CASE(segmented_top_k_of_a_row),
      STRICT_CASE(nth_elements),
  };
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* PTX serves newer GPUs, and all programs of a call are found. */
START_TEST(programs_for_older_gpus) {
  static const strict_case cases[] = {STRICT_CASE(radix_sort_keys), STRICT_CASE(top_k_pairs_sorted)};
  check_strict_of(cases, COUNT_OF(cases), "compute_75");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(radix_sorts), SUITE_TEST(keys_that_are_not_moved), SUITE_TEST(merges),
      SUITE_TEST(best_ones),   SUITE_TEST(programs_for_older_gpus),
  };
  return SUITE_RUN("device/strict_sorts", tests, true);
}
