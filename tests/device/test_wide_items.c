/* Items of up to 4096 bytes, of which kernels only move the places where they are large: what selects,
 * finds and compares neighbours. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "suite.h"
#include "wide_items.h"

/* An output for `count` items, or for one: a call may refuse what lies within out[0]. */
static void *room_for(size_t count, jig_type type, size_t align) {
  return gpu_alloc((count > 0 ? count : 1) * type.size, align);
}

/* ---- select */

static size_t select_order(const wide_items *w, bool by_flags) {
  size_t count = 0;
  for (size_t i = 0; i < w->count; ++i)
    if (by_flags ? i % 3 == 0 : wide_key(w, i) < 9) w->order[count++] = i;
  return count;
}

static void check_select(jig_type type, size_t count, bool by_flags, bool in_place) {
  wide_items w = wide_make(type, count, 1);
  unsigned char *flags = malloc(count);
  for (size_t i = 0; i < count; ++i) flags[i] = i % 3 == 0;
  const size_t wanted = select_order(&w, by_flags);
  void *out = in_place ? w.device : room_for(wanted, type, type.align), *num = gpu_alloc(8, 0),
       *d_flags = gpu_copy(flags, count, 1);
  jig_select_args args = {.in = w.in,
                          .out = jig_pointer(out, type),
                          .num_selected_out = jig_pointer(num, JIG_I64),
                          .num_items = count};
  if (by_flags)
    args.flags = jig_pointer(d_flags, JIG_U8);
  else
    args.op = WIDE_TEST;
  RUN_PHASES(jig_select, &args, 1);
  ck_assert_int_eq(wide_count(num), (int64_t)wanted);
  wide_expect(&w, out, wanted, "select");
  if (!in_place) {
    wide_expect_kept(&w, "select's input");
    gpu_free(out);
  }
  gpu_free(num);
  gpu_free(d_flags);
  free(flags);
  wide_free(&w);
}

static void select_all(jig_type type, size_t count) {
  for (int k = 0; k < 4; ++k) check_select(type, count, k % 2 == 1, k >= 2);
}
START_TEST(items_are_selected) {
  wide_for_all(select_all);
}
END_TEST

/* ---- unique, and the same with values */

static size_t unique_order(const wide_items *w) {
  size_t count = 0;
  for (size_t i = 0; i < w->count; ++i)
    if (i == 0 || wide_key(w, i) != wide_key(w, i - 1)) w->order[count++] = i;
  return count;
}

static void check_unique(jig_type type, jig_type value, size_t count, bool in_place) {
  wide_items w = wide_make_runs(type, count, 2), values = wide_make(value, count, 3);
  void *out = in_place ? w.device : gpu_alloc(count * type.size, 0),
       *values_out = gpu_alloc(count * value.size, 0), *num = gpu_alloc(8, 0);
  jig_unique_args args = {.in = w.in,
                          .out = jig_pointer(out, type),
                          .num_selected_out = jig_pointer(num, JIG_I64),
                          .num_items = count,
                          .equality = WIDE_EQUAL};
  if (!in_place) {
    args.values_in = values.in;
    args.values_out = jig_pointer(values_out, value);
  }
  RUN_PHASES(jig_unique, &args, 1);
  const size_t wanted = unique_order(&w);
  ck_assert_int_eq(wide_count(num), (int64_t)wanted);
  wide_expect(&w, out, wanted, "unique");
  memcpy(values.order, w.order, wanted * sizeof *w.order);
  if (!in_place) wide_expect(&values, values_out, wanted, "values of unique");
  if (!in_place) gpu_free(out);
  gpu_free(values_out);
  gpu_free(num);
  wide_free(&w);
  wide_free(&values);
}

/* Keys that are numbers, with such values beside them. */
static void check_values_of_numbers(jig_type type, size_t count) {
  wide_items values = wide_make_runs(type, count, 2);
  uint32_t *keys = malloc(count * 4);
  for (size_t i = 0; i < count; ++i) keys[i] = wide_key(&values, i);
  const size_t wanted = unique_order(&values);
  void *keys_in = gpu_copy(keys, count * 4, 4), *keys_out = room_for(wanted, JIG_U32, 0),
       *values_out = room_for(wanted, type, 0), *num = gpu_alloc(8, 0);
  const jig_unique_args args = {.in = jig_pointer(keys_in, JIG_U32),
                                .out = jig_pointer(keys_out, JIG_U32),
                                .num_selected_out = jig_pointer(num, JIG_I64),
                                .num_items = count,
                                .values_in = values.in,
                                .values_out = jig_pointer(values_out, type)};
  RUN_PHASES(jig_unique, &args, 1);
  ck_assert_int_eq(wide_count(num), (int64_t)wanted);
  wide_expect(&values, values_out, wanted, "values of unique numbers");
  gpu_free(keys_in);
  gpu_free(keys_out);
  gpu_free(values_out);
  gpu_free(num);
  free(keys);
  wide_free(&values);
}

static void unique_all(jig_type type, size_t count) {
  check_unique(type, type, count, false);
  check_unique(type, jig_opaque(24, 8), count, false); /* which are gathered */
  check_unique(type, type, count, true);
  check_values_of_numbers(type, count);
}
START_TEST(unique_items_are_found) {
  wide_for_all(unique_all);
}
END_TEST

/* ---- partitions */

/* How many items there are is on the host, or in device memory. */
static void check_partition(jig_type type, size_t count, bool by_outputs, bool counted) {
  wide_items w = wide_make(type, count, 4);
  const size_t selected = select_order(&w, false);
  const uint64_t items = count;
  void *out = room_for(by_outputs ? selected : count, type, 0),
       *others = room_for(count - selected, type, 0), *num = gpu_alloc(8, 0),
       *d_count = gpu_copy(&items, sizeof items, 8);
  jig_partition_args args = {.in = w.in,
                             .out = jig_pointer(out, type),
                             .num_selected_out = jig_pointer(num, JIG_I64),
                             .num_items = count,
                             .op = WIDE_TEST};
  if (by_outputs) args.unselected_out = jig_pointer(others, type);
  if (counted) args.num_items_in = d_count;
  RUN_PHASES(jig_partition, &args, 1);
  ck_assert_int_eq(wide_count(num), (int64_t)selected);
  if (by_outputs) wide_expect(&w, out, selected, "what a partition selects");
  for (size_t i = 0, front = 0, back = count; i < count; ++i)
    if (wide_key(&w, i) >= 9) w.order[by_outputs ? front++ : --back] = i;
  if (by_outputs)
    wide_expect(&w, others, count - selected, "what a partition does not select");
  else
    wide_expect(&w, out, count, "partition");
  gpu_free(out);
  gpu_free(others);
  gpu_free(num);
  gpu_free(d_count);
  wide_free(&w);
}

static void check_three_ways(jig_type type, size_t count) {
  wide_items w = wide_make(type, count, 5);
  void *outs[3], *num = gpu_alloc(16, 0);
  for (int k = 0; k < 3; ++k) outs[k] = gpu_alloc(count * type.size, 0);
  const jig_three_way_partition_args args = {.in = w.in,
                                             .first_out = jig_pointer(outs[0], type),
                                             .second_out = jig_pointer(outs[1], type),
                                             .unselected_out = jig_pointer(outs[2], type),
                                             .num_selected_out = jig_pointer(num, JIG_I64),
                                             .num_items = count,
                                             .first_op = jig_op_source("return x.m[0] < 4;"),
                                             .second_op = WIDE_TEST};
  RUN_PHASES(jig_three_way_partition, &args, 1);
  for (int k = 0; k < 3; ++k) {
    size_t wanted = 0;
    for (size_t i = 0; i < count; ++i) {
      const int class = wide_key(&w, i) < 4 ? 0 : wide_key(&w, i) < 9 ? 1 : 2;
      if (class == k) w.order[wanted++] = i;
    }
    if (k < 2) ck_assert_int_eq(wide_count((int64_t *)num + k), (int64_t)wanted);
    wide_expect(&w, outs[k], wanted, "a class of a partition");
    gpu_free(outs[k]);
  }
  gpu_free(num);
  wide_free(&w);
}

static void partition_all(jig_type type, size_t count) {
  for (int k = 0; k < 4; ++k) check_partition(type, count, k % 2 == 1, k >= 2);
  check_three_ways(type, count);
}
START_TEST(items_are_partitioned) {
  wide_for_all(partition_all);
}
END_TEST

/* ---- runs */

static void check_run_lengths(jig_type type, size_t count) {
  wide_items w = wide_make_runs(type, count, 6);
  void *unique = gpu_alloc(count * type.size, 0), *lengths = gpu_alloc(count * 4, 0),
       *offsets = gpu_alloc(count * 4, 0), *num = gpu_alloc(8, 0);
  const jig_run_length_encode_args encode = {.in = w.in,
                                             .unique_out = jig_pointer(unique, type),
                                             .lengths_out = jig_pointer(lengths, JIG_I32),
                                             .num_runs_out = jig_pointer(num, JIG_I64),
                                             .num_items = count,
                                             .equality = WIDE_EQUAL};
  RUN_PHASES(jig_run_length_encode, &encode, 1);
  const size_t runs = unique_order(&w);
  int32_t *got = malloc(count * 4), *begins = malloc(count * 4);
  gpu_read(got, lengths, runs * 4);
  ck_assert_int_eq(wide_count(num), (int64_t)runs);
  wide_expect(&w, unique, runs, "run-length encoding");
  for (size_t r = 0; r < runs; ++r)
    ck_assert_int_eq(got[r], (int32_t)((r + 1 < runs ? w.order[r + 1] : count) - w.order[r]));
  const jig_non_trivial_runs_args find = {.in = w.in,
                                          .offsets_out = jig_pointer(offsets, JIG_I32),
                                          .lengths_out = jig_pointer(lengths, JIG_I32),
                                          .num_runs_out = jig_pointer(num, JIG_I64),
                                          .num_items = count,
                                          .equality = WIDE_EQUAL};
  RUN_PHASES(jig_non_trivial_runs, &find, 1);
  gpu_read(got, lengths, runs * 4);
  gpu_read(begins, offsets, runs * 4);
  int64_t found = 0;
  for (size_t r = 0; r < runs; ++r) {
    const size_t length = (r + 1 < runs ? w.order[r + 1] : count) - w.order[r];
    if (length < 2) continue;
    ck_assert_int_eq(begins[found], (int32_t)w.order[r]);
    ck_assert_int_eq(got[found++], (int32_t)length);
  }
  ck_assert_int_eq(wide_count(num), found);
  gpu_free(unique);
  gpu_free(lengths);
  gpu_free(offsets);
  gpu_free(num);
  free(got);
  free(begins);
  wide_free(&w);
}
START_TEST(runs_are_encoded) {
  wide_for_all(check_run_lengths);
}
END_TEST

/* Sums of ones, by keys. */
static void check_by_key(jig_type type, size_t count) {
  wide_items w = wide_make_runs(type, count, 7);
  const int32_t one = 1;
  void *unique = gpu_alloc(count * type.size, 0), *sums = gpu_alloc(count * 4, 0), *num = gpu_alloc(8, 0);
  const jig_reduce_by_key_args reduce = {.keys_in = w.in,
                                         .unique_out = jig_pointer(unique, type),
                                         .values_in = jig_constant(&one, JIG_I32),
                                         .aggregates_out = jig_pointer(sums, JIG_I32),
                                         .num_runs_out = jig_pointer(num, JIG_I64),
                                         .num_items = count,
                                         .equality = WIDE_EQUAL};
  RUN_PHASES(jig_reduce_by_key, &reduce, 1);
  size_t runs = unique_order(&w);
  int32_t *got = malloc(count * 4);
  gpu_read(got, sums, runs * 4);
  ck_assert_int_eq(wide_count(num), (int64_t)runs);
  for (size_t r = 0; r < runs; ++r) {
    const size_t end = r + 1 < runs ? w.order[r + 1] : count;
    ck_assert_int_eq(got[r], (int32_t)(end - w.order[r]));
    w.order[r] = end - 1; /* the last key of each run */
  }
  wide_expect(&w, unique, runs, "reduce by key");
  const jig_scan_by_key_args scan = {.keys_in = w.in,
                                     .values_in = jig_constant(&one, JIG_I32),
                                     .values_out = jig_pointer(sums, JIG_I32),
                                     .num_items = count,
                                     .equality = WIDE_EQUAL};
  RUN_PHASES(jig_scan_by_key, &scan, 1);
  gpu_read(got, sums, count * 4);
  for (size_t i = 0; i < count; ++i)
    ck_assert_int_eq(got[i], i > 0 && wide_key(&w, i) == wide_key(&w, i - 1) ? got[i - 1] + 1 : 1);
  gpu_free(unique);
  gpu_free(sums);
  gpu_free(num);
  free(got);
  wide_free(&w);
}
START_TEST(items_are_keys_of_runs) {
  wide_for_all(check_by_key);
}
END_TEST

/* ---- searches */

static void check_searches(jig_type type, size_t count) {
  wide_items w = wide_make_sorted(type, count, 8), needles = wide_make(type, count, 9);
  void *out = gpu_alloc(count * 8, 0);
  const jig_find_if_args find = {.in = w.in,
                                 .out = jig_pointer(out, JIG_I64),
                                 .num_items = count,
                                 .predicate = jig_op_source("return x.m[0] > 5;")};
  RUN_PHASES(jig_find_if, &find, 1);
  int64_t first = 0;
  while (first < (int64_t)count && wide_key(&w, (size_t)first) <= 5) ++first;
  ck_assert_int_eq(wide_count(out), first);
  jig_is_sorted_args sorted = {.in = w.in,
                               .out = jig_pointer(out, JIG_I64),
                               .num_items = count,
                               .compare = WIDE_LESS,
                               .mode = JIG_SORTED_UNTIL};
  RUN_PHASES(jig_is_sorted, &sorted, 1);
  ck_assert_int_eq(wide_count(out), (int64_t)count);
  sorted.in = needles.in;
  RUN_PHASES(jig_is_sorted, &sorted, 1);
  int64_t until = 1;
  while (until < (int64_t)count &&
         wide_key(&needles, (size_t)until) >= wide_key(&needles, (size_t)until - 1))
    ++until;
  ck_assert_int_eq(wide_count(out), until);
  const jig_binary_search_args search = {.in = w.in,
                                         .needles_in = needles.in,
                                         .out = jig_pointer(out, JIG_I64),
                                         .num_items = count,
                                         .num_needles = count,
                                         .compare = WIDE_LESS};
  RUN_PHASES(jig_binary_search, &search, 1);
  int64_t *got = malloc(count * 8);
  gpu_read(got, out, count * 8);
  for (size_t i = 0; i < count; ++i) {
    int64_t place = 0;
    while (place < (int64_t)count && wide_key(&w, (size_t)place) < wide_key(&needles, i)) ++place;
    ck_assert_int_eq(got[i], place);
  }
  free(got);
  gpu_free(out);
  wide_free(&w);
  wide_free(&needles);
}
START_TEST(items_are_found) {
  wide_for_all(check_searches);
}
END_TEST

/* ---- extremes */

static size_t extreme_of(const wide_items *w, size_t begin, size_t end, bool largest) {
  size_t best = begin;
  for (size_t i = begin; i < end; ++i)
    if (largest ? wide_key(w, i) > wide_key(w, best) : wide_key(w, i) < wide_key(w, best)) best = i;
  return best;
}

static void check_extremes(jig_type type, size_t count) {
  wide_items w = wide_make(type, count, 10);
  void *value = gpu_alloc(2 * type.size, 0), *index = gpu_alloc(16, 0);
  const jig_iter second = jig_pointer((char *)value + type.size, type);
  const jig_arg_reduce_args arg = {.in = w.in,
                                   .value_out = jig_pointer(value, type),
                                   .index_out = jig_pointer(index, JIG_I64),
                                   .num_items = count,
                                   .op = JIG_MAX,
                                   .compare = WIDE_LESS};
  RUN_PHASES(jig_arg_reduce, &arg, 1);
  w.order[0] = extreme_of(&w, 0, count, true);
  ck_assert_int_eq(wide_count(index), (int64_t)w.order[0]);
  wide_expect(&w, value, 1, "the largest item");
  const jig_min_max_args both = {.in = w.in,
                                 .min_out = jig_pointer(value, type),
                                 .max_out = second,
                                 .max_index_out = jig_pointer(index, JIG_I64),
                                 .num_items = count,
                                 .compare = WIDE_LESS};
  RUN_PHASES(jig_min_max, &both, 1);
  w.order[1] = w.order[0];
  w.order[0] = extreme_of(&w, 0, count, false);
  ck_assert_int_eq(wide_count(index), (int64_t)w.order[1]);
  wide_expect(&w, value, 2, "the smallest item and the largest");
  const jig_segmented_arg_reduce_args halves = {.in = w.in,
                                                .value_out = jig_pointer(value, type),
                                                .index_out = jig_pointer(index, JIG_I64),
                                                .num_segments = count > 1 ? 2 : 1,
                                                .segment_size = count > 1 ? count / 2 : 1,
                                                .op = JIG_MIN,
                                                .compare = WIDE_LESS};
  RUN_PHASES(jig_segmented_arg_reduce, &halves, 1);
  const size_t half = halves.segment_size;
  for (size_t s = 0; s < halves.num_segments; ++s) {
    w.order[s] = extreme_of(&w, s * half, (s + 1) * half, false);
    ck_assert_int_eq(wide_count((int64_t *)index + s), (int64_t)(w.order[s] - s * half));
  }
  wide_expect(&w, value, halves.num_segments, "the smallest items of segments");
  gpu_free(value);
  gpu_free(index);
  wide_free(&w);
}
START_TEST(extremes_are_found) {
  wide_for_all(check_extremes);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(items_are_selected),     SUITE_TEST(unique_items_are_found),
      SUITE_TEST(items_are_partitioned),  SUITE_TEST(runs_are_encoded),
      SUITE_TEST(items_are_keys_of_runs), SUITE_TEST(items_are_found),
      SUITE_TEST(extremes_are_found)};
  return SUITE_RUN("device/wide_items", tests, true);
}
