/* Sorts, merge, set operations, is_sorted, top-k and arg-reduce ask about items of their inputs and about
 * nothing else: orders, decomposers, and iterators that keys and values come from. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "seed.h"
#include "segmented_sort_support.h"
#include "segmented_top_k_support.h"
#include "sort_support.h"
#include "spans.h"
#include "suite.h"
#include "top_k_support.h"

enum { SMALL_SIZES = 40 };

/* The items at these indices of new_spans(). */
static void *spans_in_order(jig_type type, const size_t *order, size_t count) {
  void *items = new_spans(type, count), *ordered = permuted(items, type.size, order, count);
  free(items);
  return ordered;
}

/* The indices first .. first + count - 1 of spans in stable order. */
static int sign = 1;
static jig_type ordered_type;
static int by_rank(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  const uint32_t p = span_rank(ordered_type, x), q = span_rank(ordered_type, y);
  if (p != q) return p < q ? -sign : sign;
  return (x > y) - (x < y);
}
static void order_spans(jig_type type, size_t *order, size_t first, size_t count) {
  ordered_type = type;
  for (size_t i = 0; i < count; ++i) order[first + i] = first + i;
  qsort(order + first, count, sizeof *order, by_rank);
}

/* Keys, and their indices as values, of one call. */
typedef struct sort_scene {
  watch w;
  jig_type type;
  size_t count, *order;
  uint32_t *indices;
  unsigned char *items;
  void *keys, *values, *keys_out, *values_out;
  jig_iter keys_base, values_base;
} sort_scene;

static void open_scene(sort_scene *s, jig_type type, size_t count) {
  *s = (sort_scene){.w = new_watch(count), .type = type, .count = count, .items = new_spans(type, count)};
  s->order = malloc((count + 1) * sizeof *s->order);
  s->indices = malloc(count * 4 + 1);
  for (size_t i = 0; i < count; ++i) s->indices[i] = (uint32_t)i;
  s->keys = gpu_copy(s->items, count * type.size, 0);
  s->values = gpu_copy(s->indices, count * 4, 0);
  s->keys_out = gpu_alloc(count * type.size, 0);
  s->values_out = gpu_alloc(count * 4, 0);
  s->keys_base = jig_pointer(s->keys, type);
  s->values_base = jig_pointer(s->values, JIG_U32);
}

/* Compares the first `count` outputs with the items in the scene's order. */
static void close_scene(sort_scene *s, size_t count, bool has_values, const char *what) {
  check_watch(&s->w, what);
  void *keys = permuted(s->items, s->type.size, s->order, count),
       *values = permuted(s->indices, 4, s->order, count);
  check_sorted(s->keys_out, keys, s->type.size, count, what);
  if (has_values) check_sorted(s->values_out, values, 4, count, what);
  gpu_free(s->keys);
  gpu_free(s->values);
  gpu_free(s->keys_out);
  gpu_free(s->values_out);
  free(s->order);
  free(s->indices);
  free(s->items);
  free(keys);
  free(values);
}

static const char index_identity[] =
    "if (x >= state.items) state.tell(x, 0, 0, 0);\n"
    "return x;\n";

/* ---- merge sort and merge */

static void check_merge_sort_of(jig_type type, size_t count, bool has_values, bool transformed) {
  char what[128];
  (void)snprintf(what, sizeof what, "merge sort of %zu %s%s%s", count, type.name,
                 has_values ? " with values" : "", transformed ? ", transformed" : "");
  sort_scene s;
  open_scene(&s, type, count);
  order_spans(type, s.order, 0, count);
  jig_merge_sort_args args = {.keys_in = s.keys_base,
                              .keys_out = jig_pointer(s.keys_out, type),
                              .num_items = count,
                              .compare = watched(span_less, &s.w)};
  if (has_values) {
    args.values_in = s.values_base;
    args.values_out = jig_pointer(s.values_out, JIG_U32);
  }
  if (transformed) {
    args.keys_in = span_source(type, &s.w);
    if (has_values)
      args.values_in = jig_iter_transform(&s.values_base, watched(index_identity, &s.w), JIG_U32);
  }
  run_merge_sort(&args);
  close_scene(&s, count, has_values, what);
}

START_TEST(merge_sort) {
  for (int i = 0; i < SPAN_TYPES; ++i) {
    if (!test_turn((unsigned)i)) continue; /* two of the four tests have each type */
    const jig_type type = span_types[i];
    const watch w = {0};
    const jig_iter keys = jig_pointer(NULL, type);
    const jig_merge_sort_args args = {
        .keys_in = keys, .keys_out = keys, .compare = watched(span_less, &w)};
    const merge_sort_marks m = merge_sort_marks_of(&args);
    const size_t sizes[] = {m.small_tile - 1,     m.small_tile,         m.small_tile + 1,
                            2 * m.small_tile + 5, 5 * m.merge_tile + 3, m.large_from + 1,
                            m.four_from + 7};
    for (size_t count = 1; count <= SMALL_SIZES; ++count)
      check_merge_sort_of(type, count, i % 2 == 0, count % 8 == 0);
    for (size_t k = 0; k < COUNT_OF(sizes); ++k)
      if (sizes[k] < 300000) check_merge_sort_of(type, sizes[k], i % 2 == 0, k % 4 == 3);
  }
}
END_TEST

static void check_merge_of(jig_type type, size_t first, size_t second) {
  char what[128];
  (void)snprintf(what, sizeof what, "merge of %zu and %zu %s", first, second, type.name);
  sort_scene s;
  const size_t count = first + second;
  open_scene(&s, type, count);
  order_spans(type, s.order, 0, first);
  order_spans(type, s.order, first, second);
  unsigned char *sorted = spans_in_order(type, s.order, count);
  gpu_write(s.keys, sorted, count * type.size);
  /* In the order of both inputs, of which the first one's items are the first in the array. */
  order_spans(type, s.order, 0, count);
  const jig_merge_args args = {.first_keys_in = s.keys_base,
                               .second_keys_in = jig_pointer((char *)s.keys + first * type.size, type),
                               .keys_out = jig_pointer(s.keys_out, type),
                               .first_num_items = first,
                               .second_num_items = second,
                               .compare = watched(span_less, &s.w)};
  size_t bytes = 0;
  OK(jig_merge(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_merge(NULL, storage, &bytes, &args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
  free(sorted);
  close_scene(&s, count, false, what);
}

START_TEST(merge) {
  for (int i = 0; i < SPAN_TYPES; ++i) {
    if (!test_turn((unsigned)i + 1)) continue;
    const jig_type type = span_types[i];
    for (size_t count = 0; count <= SMALL_SIZES; ++count)
      check_merge_of(type, count, (count * 7 + 1) % 23);
    check_merge_of(type, 1023, 2050);
    check_merge_of(type, 5000, 1);
    check_merge_of(type, 0, 7001);
    if (i % 2 == 0) check_merge_of(type, 50000, 33333);
  }
}
END_TEST

/* ---- set operations and is_sorted; what comes of them is not looked at here */

static void check_set_of(jig_type type, jig_set_mode mode, size_t first, size_t second) {
  char what[128];
  (void)snprintf(what, sizeof what, "set operation %d on %zu and %zu %s", (int)mode, first, second,
                 type.name);
  sort_scene s;
  const size_t count = first + second;
  open_scene(&s, type, count);
  order_spans(type, s.order, 0, first);
  order_spans(type, s.order, first, second);
  unsigned char *sorted = spans_in_order(type, s.order, count);
  gpu_write(s.keys, sorted, count * type.size);
  void *number = gpu_alloc(8, 0);
  const jig_set_operation_args args = {
      .first_keys_in = s.keys_base,
      .second_keys_in = jig_pointer((char *)s.keys + first * type.size, type),
      .keys_out = jig_pointer(s.keys_out, type),
      .num_items_out = jig_pointer(number, JIG_U64),
      .first_num_items = first,
      .second_num_items = second,
      .compare = watched(span_less, &s.w),
      .mode = mode};
  OK(jig_set_operation(NULL, NULL, NULL, &args, NULL));
  const jig_is_sorted_args order = {.in = s.keys_base,
                                    .out = jig_pointer(number, JIG_U64),
                                    .num_items = count,
                                    .compare = watched(span_less, &s.w),
                                    .mode = JIG_SORTED_UNTIL};
  OK(jig_is_sorted(NULL, NULL, NULL, &order, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(number);
  free(sorted);
  close_scene(&s, 0, false, what);
}

START_TEST(sets_and_order) {
  for (int i = 0; i < SPAN_TYPES; ++i) {
    if (!test_turn((unsigned)i + 2)) continue;
    const jig_type type = span_types[i];
    const jig_set_mode mode = (jig_set_mode)(i % 4);
    for (size_t count = 0; count <= SMALL_SIZES; ++count)
      check_set_of(type, mode, count, (count * 7 + 1) % 23);
    check_set_of(type, mode, 1023, 2050);
    check_set_of(type, mode, 5000, 1);
    check_set_of(type, mode, 0, 7001);
    if (i % 2 == 0) check_set_of(type, mode, 50000, 33333);
  }
}
END_TEST

/* ---- the first or the last by an order */

static void check_arg_reduce_of(jig_type type, size_t count, bool is_last, bool transformed) {
  char what[128];
  (void)snprintf(what, sizeof what, "arg reduce of %zu %s%s", count, type.name,
                 transformed ? ", transformed" : "");
  const watch w = new_watch(count);
  unsigned char *items = new_spans(type, count), got[40];
  void *in = gpu_copy(items, count * type.size, 0), *value = gpu_alloc(type.size, 0);
  int64_t *index = gpu_alloc(8, 0), found;
  size_t best = 0;
  for (size_t i = 1; i < count; ++i) {
    const uint32_t rank = span_rank(type, i), best_rank = span_rank(type, best);
    if (is_last ? rank > best_rank : rank < best_rank) best = i;
  }
  run_arg_reduce(&(jig_arg_reduce_args){.in = transformed ? span_source(type, &w) : jig_pointer(in, type),
                                        .value_out = jig_pointer(value, type),
                                        .index_out = jig_pointer(index, JIG_I64),
                                        .num_items = count,
                                        .op = is_last ? (jig_op)JIG_MAX : (jig_op)JIG_MIN,
                                        .compare = watched(span_less, &w)},
                 0);
  gpu_read(got, value, type.size);
  gpu_read(&found, index, 8);
  check_watch(&w, what);
  ck_assert_msg(found == (int64_t)best, "%s: item %lld, not %zu", what, (long long)found, best);
  check_items(got, items + best * type.size, type.size, 1, what);
  gpu_free(in);
  gpu_free(value);
  gpu_free(index);
  free(items);
}

START_TEST(arg_reduce) {
  static const size_t more[] = {63, 65, 1025, 4097, 33333, 300001};
  for (int i = 0; i < SPAN_TYPES; ++i) {
    if (!test_turn((unsigned)i + 3)) continue;
    for (size_t count = 1; count <= SMALL_SIZES; ++count)
      check_arg_reduce_of(span_types[i], count, count % 3 == 0, false);
    for (size_t k = 0; k < COUNT_OF(more); ++k)
      check_arg_reduce_of(span_types[i], more[k], k % 2 == 0, i % 3 == 0 && k % 3 == 1);
  }
}
END_TEST

/* ---- decomposers */

static void check_radix_of(jig_type type, size_t count, bool has_values) {
  char what[128];
  (void)snprintf(what, sizeof what, "radix sort of %zu %s", count, type.name);
  sort_scene s;
  open_scene(&s, type, count);
  sign = count % 2 == 0 ? -1 : 1;
  order_spans(type, s.order, 0, count);
  jig_radix_sort_args args = {.keys_in = s.keys_base,
                              .keys_out = jig_pointer(s.keys_out, type),
                              .num_items = count,
                              .order = sign < 0 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                              .decomposer = span_decomposer};
  if (has_values) {
    args.values_in = s.values_base;
    args.values_out = jig_pointer(s.values_out, JIG_U32);
  }
  run_radix_sort(NULL, &args);
  sign = 1;
  close_scene(&s, count, has_values, what);
}

START_TEST(radix_sort) {
  static const int types[] = {SPAN_4, SPAN_12, SPAN_40};
  static const size_t more[] = {255, 1000, 4097, 20001, 70003};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (size_t count = 1; count <= SMALL_SIZES; ++count) check_radix_of(type, count, i % 2 == 0);
    for (size_t k = 0; k < COUNT_OF(more); ++k) check_radix_of(type, more[k], i % 2 == 0);
  }
}
END_TEST

static void check_segments_of(jig_type type, const segment_list *list) {
  sort_scene s;
  open_scene(&s, type, list->items);
  for (size_t i = 0; i < list->items; ++i) s.order[i] = i;
  for (size_t k = 0; k < list->count; ++k)
    if (list->ends[k] > list->begins[k])
      order_spans(type, s.order, (size_t)list->begins[k], (size_t)(list->ends[k] - list->begins[k]));
  gpu_write(s.keys_out, s.items, list->items * type.size); /* what is in no segment stays */
  const watch w = new_watch(list->count);
  void *begins = gpu_copy(list->begins, list->count * 8, 0),
       *ends = gpu_copy(list->ends, list->count * 8, 0);
  const jig_iter counting = jig_counting(NULL, JIG_U64);
  const jig_iter indices = jig_iter_transform(&counting, watched(index_identity, &w), JIG_U64);
  const jig_iter stored[] = {jig_pointer(begins, JIG_I64), jig_pointer(ends, JIG_I64)};
  run_segmented_sort(NULL,
                     &(jig_segmented_sort_args){.keys_in = s.keys_base,
                                                .keys_out = jig_pointer(s.keys_out, type),
                                                .num_items = list->items,
                                                .begin_offsets = jig_permutation(&stored[0], &indices),
                                                .end_offsets = jig_permutation(&stored[1], &indices),
                                                .num_segments = list->count,
                                                .decomposer = span_decomposer});
  check_watch(&w, "segmented sort: offsets");
  gpu_free(begins);
  gpu_free(ends);
  close_scene(&s, list->items, false, "segmented sort");
}

START_TEST(segmented_sort) {
  static const int types[] = {SPAN_8, SPAN_16};
  static const size_t averages[] = {1, 4, 30, 300, 3000};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (size_t a = 0; a < COUNT_OF(averages); ++a)
      for (size_t count = 1; count <= 33; count += 8) {
        segment_list list = new_segments(count, averages[a], true);
        check_segments_of(type, &list);
        free_segments(&list);
      }
    const segmented_sort_marks m =
        segmented_sort_marks_of(type.size > 8 ? JIG_U128 : JIG_U64, (jig_type){0});
    segment_list list = segments_around(&m);
    check_segments_of(type, &list);
    free_segments(&list);
  }
}
END_TEST

static void check_top_k_of(jig_type type, size_t count, size_t k, bool transformed) {
  char what[128];
  (void)snprintf(what, sizeof what, "top %zu of %zu %s", k, count, type.name);
  sort_scene s;
  open_scene(&s, type, count);
  sign = k % 2 == 0 ? -1 : 1;
  order_spans(type, s.order, 0, count);
  jig_top_k_args args = {.keys_in = s.keys_base,
                         .keys_out = jig_pointer(s.keys_out, type),
                         .values_in = s.values_base,
                         .values_out = jig_pointer(s.values_out, JIG_U32),
                         .num_items = count,
                         .k = k,
                         .choice = sign < 0 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                         .is_sorted = 1,
                         .decomposer = span_decomposer};
  if (transformed) {
    args.keys_in = span_source(type, &s.w);
    args.values_in = jig_iter_transform(&s.values_base, watched(index_identity, &s.w), JIG_U32);
  }
  run_top_k(&args);
  sign = 1;
  close_scene(&s, k < count ? k : count, true, what);
}

START_TEST(top_k) {
  static const int types[] = {SPAN_4, SPAN_12};
  static const size_t more[] = {1000, 5001, 20001, 100003};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (int transformed = 0; transformed < 2; ++transformed) {
      for (size_t count = 1; count <= SMALL_SIZES; count += 3)
        check_top_k_of(type, count, 1 + count / 2, transformed == 1);
      for (size_t m = 0; m < COUNT_OF(more); ++m)
        for (size_t k = 3; k < more[m]; k = k * 20 + 1)
          check_top_k_of(type, more[m], k, transformed == 1);
    }
  }
}
END_TEST

static void check_row_of(jig_type type, size_t count, size_t k, bool transformed) {
  char what[128];
  (void)snprintf(what, sizeof what, "top %zu of a row of %zu %s", k, count, type.name);
  sort_scene s;
  open_scene(&s, type, count);
  order_spans(type, s.order, 0, count);
  jig_segmented_top_k_args args = {.keys_in = s.keys_base,
                                   .keys_out = jig_pointer(s.keys_out, type),
                                   .values_in = s.values_base,
                                   .values_out = jig_pointer(s.values_out, JIG_U32),
                                   .num_segments = 1,
                                   .segment_size = count,
                                   .k = k,
                                   .choice = JIG_TOP_K_MIN,
                                   .is_sorted = 1,
                                   .decomposer = span_decomposer};
  if (transformed) {
    args.keys_in = span_source(type, &s.w);
    args.values_in = jig_iter_transform(&s.values_base, watched(index_identity, &s.w), JIG_U32);
  }
  run_segmented_top_k(&args);
  close_scene(&s, k < count ? k : count, true, what);
}

START_TEST(segmented_top_k) {
  static const int types[] = {SPAN_4, SPAN_12};
  static const size_t more[] = {1000, 5001, 20001, 100003};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (int transformed = 0; transformed < 2; ++transformed) {
      for (size_t count = 1; count <= SMALL_SIZES; count += 3)
        check_row_of(type, count, 1 + count / 2, transformed == 1);
      for (size_t m = 0; m < COUNT_OF(more); ++m)
        for (size_t k = 3; k < more[m]; k = k * 20 + 1) check_row_of(type, more[m], k, transformed == 1);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(arg_reduce),      SUITE_TEST(merge_sort),     SUITE_TEST(merge),
      SUITE_TEST(radix_sort),      SUITE_TEST(segmented_sort), SUITE_TEST(top_k),
      SUITE_TEST(segmented_top_k), SUITE_TEST(sets_and_order),
  };
  return SUITE_RUN("device/operand_domain_sorts", tests, true);
}
