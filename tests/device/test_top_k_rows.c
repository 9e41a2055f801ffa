/* Selecting among structs of more than 64 bytes, of which kernels only see the places: top-k, of
 * everything and of segments, and the nth element. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "row_support.h"
#include "seed.h"
#include "suite.h"

enum { SELECTED_KINDS = 4 }; /* the first ones, by no more than 128 bits */

static jig_iter input(const row_kind *kind, const row_arrays *a, bool iterates) {
  return iterates ? jig_strided(a->keys_in, (int64_t)kind->size, row_type(kind))
                  : jig_pointer(a->keys_in, row_type(kind));
}

/* Ends like a call of any algorithm that takes these. */
#define RUN(algorithm, args)                            \
  do {                                                  \
    size_t bytes = 0;                                   \
    OK(algorithm(NULL, NULL, &bytes, (args), NULL));    \
    void *storage = gpu_alloc(bytes, 0);                \
    OK(algorithm(NULL, storage, &bytes, (args), NULL)); \
    GPU(gpu()->cuStreamSynchronize(NULL));              \
    gpu_free(storage);                                  \
  } while (0)

/* ---- top-k */

typedef struct top_k_of {
  size_t count, k, value_bytes;
  jig_top_k_choice choice;
  bool is_sorted, iterates;
} top_k_of;

static int by_index(const void *a_, const void *b_) {
  const size_t a = *(const size_t *)a_, b = *(const size_t *)b_;
  return (a > b) - (a < b);
}

/* Results in no order are told by their values, which are the indices then. */
static void check_any_order(const row_arrays *a, size_t *wanted, size_t k) {
  uint32_t *found = malloc(k * sizeof *found);
  size_t *order = malloc(k * sizeof *order);
  gpu_read(found, a->values_out, k * sizeof *found);
  for (size_t i = 0; i < k; ++i) order[i] = found[i];
  row_arrays_check(a, order, k);
  qsort(order, k, sizeof *order, by_index);
  qsort(wanted, k, sizeof *wanted, by_index);
  for (size_t i = 0; i < k; ++i) ck_assert_uint_eq(order[i], wanted[i]);
  free(found);
  free(order);
}

static void number_values(row_arrays *a) {
  for (size_t i = 0; i < a->count; ++i) ((uint32_t *)(void *)a->values)[i] = (uint32_t)i;
  gpu_write(a->values_in, a->values, a->count * 4);
}

static void check_top_k(const row_kind *kind, top_k_of how) {
  row_arrays a = row_arrays_make(kind, how.count, how.value_bytes);
  size_t *order = malloc(how.count * sizeof *order);
  rows_in_order(kind, a.keys, (row_order){how.choice == JIG_TOP_K_MAX, 0, 0}, 0, how.count, order);
  if (!how.is_sorted) number_values(&a);
  jig_top_k_args args = {.keys_in = input(kind, &a, how.iterates),
                         .keys_out = jig_pointer(a.keys_out, row_type(kind)),
                         .num_items = how.count,
                         .k = how.k,
                         .choice = how.choice,
                         .is_sorted = how.is_sorted,
                         .decomposer = kind->decomposer};
  if (how.value_bytes > 0) args.values_in = jig_pointer(a.values_in, row_value(how.value_bytes));
  if (how.value_bytes > 0) args.values_out = jig_pointer(a.values_out, row_value(how.value_bytes));
  RUN(jig_top_k, &args);
  if (how.is_sorted)
    row_arrays_check(&a, order, how.k);
  else
    check_any_order(&a, order, how.k);
  row_arrays_free(&a);
  free(order);
}

/* By one block, and by more; one result, and many of equal keys. */
START_TEST(top_k) {
  for (size_t i = 0; i < SELECTED_KINDS; ++i) {
    if (!test_turn(i)) continue;
    const row_kind *kind = &row_kinds[i];
    const size_t many = kind->size > 1000 ? 9000 : 30000;
    check_top_k(kind, (top_k_of){.count = 700, .k = 50, .is_sorted = true, .value_bytes = 24});
    check_top_k(kind, (top_k_of){.count = 700, .k = 1, .is_sorted = true, .choice = JIG_TOP_K_MIN});
    check_top_k(kind, (top_k_of){.count = many, .k = 900, .value_bytes = 4, .choice = JIG_TOP_K_MIN});
    check_top_k(kind, (top_k_of){.count = many, .k = many / 2, .is_sorted = true, .iterates = true});
    check_top_k(kind, (top_k_of){.count = many, .k = many, .is_sorted = true, .value_bytes = 300});
  }
}
END_TEST

/* ---- of segments */

static void check_segments(const row_kind *kind, size_t count, size_t size, size_t k, bool by_offsets) {
  const size_t segments = count / size;
  row_arrays a = row_arrays_make(kind, count, 4);
  size_t *order = malloc(size * sizeof *order), *wanted = malloc(segments * k * sizeof *wanted);
  int32_t *offsets = malloc((segments + 1) * sizeof *offsets);
  for (size_t i = 0; i < segments * k; ++i) wanted[i] = ROW_UNTOUCHED;
  for (size_t s = 0; s <= segments; ++s) offsets[s] = (int32_t)(s * size);
  for (size_t s = 0; s < segments; ++s) {
    rows_in_order(kind, a.keys, (row_order){by_offsets, 0, 0}, s * size, size, order);
    memcpy(wanted + s * k, order, (k < size ? k : size) * sizeof *order);
  }
  int32_t *begins = gpu_copy(offsets, (segments + 1) * sizeof *offsets, 0);
  jig_segmented_top_k_args args = {.keys_in = input(kind, &a, false),
                                   .keys_out = jig_pointer(a.keys_out, row_type(kind)),
                                   .values_in = jig_pointer(a.values_in, JIG_U32),
                                   .values_out = jig_pointer(a.values_out, JIG_U32),
                                   .num_segments = segments,
                                   .segment_size = size,
                                   .k = k,
                                   .choice = by_offsets ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                   .is_sorted = 1,
                                   .decomposer = kind->decomposer};
  if (by_offsets) {
    args.segment_size = 0;
    args.num_items = count;
    args.begin_offsets = jig_pointer(begins, JIG_I32);
    args.end_offsets = jig_pointer(begins + 1, JIG_I32);
  }
  RUN(jig_segmented_top_k, &args);
  row_arrays_check(&a, wanted, segments * k);
  gpu_free(begins);
  row_arrays_free(&a);
  free(order);
  free(wanted);
  free(offsets);
}

/* Short segments, some for a block, and one that all blocks have, with more results than one keeps. */
START_TEST(segmented_top_k) {
  for (size_t i = 0; i < SELECTED_KINDS; ++i) {
    if (test_turn(i)) continue;
    const row_kind *kind = &row_kinds[i];
    const size_t count = kind->size > 1000 ? 6000 : 24000;
    check_segments(kind, 3000, 20, 7, true);
    check_segments(kind, count, 2000, 40, false);
    check_segments(kind, count, count, 100, true);
    check_segments(kind, count, count / 2, count / 3, false);
  }
}
END_TEST

/* ---- the nth element */

typedef struct nth_of {
  size_t count, nth, value_bytes;
  jig_sort_order order;
  bool iterates, finds_only;
} nth_of;

/* The nth in its place, and on either side of it, as they come, what belongs there. */
static void check_nth(const row_kind *kind, nth_of how) {
  row_arrays a = row_arrays_make(kind, how.count, how.value_bytes);
  size_t *order = malloc(how.count * sizeof *order);
  rows_in_order(kind, a.keys, (row_order){how.order == JIG_SORT_DESCENDING, 0, 0}, 0, how.count, order);
  qsort(order, how.nth, sizeof *order, by_index);
  qsort(order + how.nth + 1, how.count - how.nth - 1, sizeof *order, by_index);
  jig_nth_element_args args = {.in = input(kind, &a, how.iterates),
                               .num_items = how.count,
                               .nth = how.nth,
                               .order = how.order,
                               .decomposer = kind->decomposer};
  const jig_iter out = jig_pointer(a.keys_out, row_type(kind));
  if (how.finds_only) args.nth_out = out;
  if (!how.finds_only) args.out = out;
  if (how.value_bytes > 0) args.values_in = jig_pointer(a.values_in, row_value(how.value_bytes));
  if (how.value_bytes > 0) args.values_out = jig_pointer(a.values_out, row_value(how.value_bytes));
  RUN(jig_nth_element, &args);
  if (how.finds_only)
    row_arrays_check(&a, order + how.nth, 1);
  else
    row_arrays_check(&a, order, how.count);
  row_arrays_free(&a);
  free(order);
}

START_TEST(nth_element) {
  for (size_t i = 0; i < SELECTED_KINDS; ++i) {
    if (!test_turn(i / 2)) continue;
    const row_kind *kind = &row_kinds[i];
    const size_t many = kind->size > 1000 ? 9000 : 20001;
    check_nth(kind, (nth_of){.count = 500, .nth = 499});
    check_nth(kind, (nth_of){.count = 501, .nth = 0, .finds_only = true, .order = JIG_SORT_DESCENDING});
    check_nth(kind, (nth_of){.count = many, .nth = many / 3, .value_bytes = 24});
    check_nth(kind,
              (nth_of){.count = many, .nth = many / 2, .order = JIG_SORT_DESCENDING, .iterates = true});
    check_nth(kind, (nth_of){.count = many, .nth = many - 7, .finds_only = true});
  }
}
END_TEST

/* ---- what is refused */

START_TEST(too_many_bits) {
  const row_kind *longer = &row_kinds[6], *shorter = &row_kinds[4];
  size_t bytes = 0;
  jig_top_k_args top = {.num_items = 9, .k = 3, .decomposer = longer->decomposer};
  top.keys_in = top.keys_out = jig_pointer(NULL, row_type(longer));
  FAILS(jig_top_k(NULL, NULL, &bytes, &top, NULL), JIG_ERROR_COMPILE, "more bits than are selected by");
  jig_nth_element_args nth = {.num_items = 9, .nth = 3, .decomposer = shorter->decomposer};
  nth.in = nth.out = jig_pointer(NULL, row_type(shorter));
  FAILS(jig_nth_element(NULL, NULL, &bytes, &nth, NULL), JIG_ERROR_COMPILE,
        "more bits than are sorted by");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(top_k),
      SUITE_TEST(segmented_top_k),
      SUITE_TEST(nth_element),
      SUITE_TEST(too_many_bits),
  };
  return SUITE_RUN("device/top_k_rows", tests, true);
}
