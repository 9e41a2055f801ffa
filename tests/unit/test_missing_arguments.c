/* An argument that every call needs and that is left out is named, by every algorithm. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

#include "jit/algorithm.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

#define I32 jig_pointer(NULL, JIG_I32)
#define U64 jig_pointer(NULL, JIG_U64)

/* What a spec function says of a call without one of its arguments. */
static void check_named(jig_status status, const char *function, const char *field) {
  char wanted[96];
  (void)snprintf(wanted, sizeof wanted, "jig_%s_spec: %s: ", function, field);
  ck_assert_msg(status == JIG_ERROR_INVALID_ARGUMENT, "%s without %s: %s", function, field,
                jig_status_name(status));
  ck_assert_msg(strncmp(jig_last_error(), wanted, strlen(wanted)) == 0, "%s without %s: %s", function,
                field, jig_last_error());
}

/* Whole args of an algorithm, and what becomes of them without each of the fields. */
#define WHOLE(algorithm, ...)                         \
  jig_##algorithm##_args whole = {__VA_ARGS__}, args; \
  char *text = NULL;                                  \
  OK(jig_##algorithm##_spec(&whole, &text));          \
  jig_free(text)
#define WITHOUT(algorithm, field)            \
  args = whole;                              \
  memset(&args.field, 0, sizeof args.field); \
  check_named(jig_##algorithm##_spec(&args, &text), #algorithm, #field)

static void without_reduce(void) {
  WHOLE(reduce, .in = I32, .out = I32);
  WITHOUT(reduce, in);
  WITHOUT(reduce, out);
}

static void without_arg_reduce(void) {
  WHOLE(arg_reduce, .in = I32, .index_out = jig_pointer(NULL, JIG_I64));
  WITHOUT(arg_reduce, in);
  WITHOUT(arg_reduce, index_out);
}

static void without_scan(void) {
  WHOLE(scan, .in = I32, .out = I32);
  WITHOUT(scan, in);
  WITHOUT(scan, out);
}

static void without_scan_by_key(void) {
  WHOLE(scan_by_key, .keys_in = I32, .values_in = I32, .values_out = I32);
  WITHOUT(scan_by_key, keys_in);
  WITHOUT(scan_by_key, values_in);
  WITHOUT(scan_by_key, values_out);
}

static void without_segmented_scan(void) {
  WHOLE(segmented_scan, .in = I32, .out = I32, .begin_offsets = I32, .end_offsets = I32);
  WITHOUT(segmented_scan, in);
  WITHOUT(segmented_scan, out);
  WITHOUT(segmented_scan, begin_offsets);
  WITHOUT(segmented_scan, end_offsets);
}

static void without_reduce_by_key(void) {
  WHOLE(reduce_by_key, .keys_in = I32, .unique_out = I32, .values_in = I32, .aggregates_out = I32,
        .num_runs_out = U64);
  WITHOUT(reduce_by_key, keys_in);
  WITHOUT(reduce_by_key, unique_out);
  WITHOUT(reduce_by_key, values_in);
  WITHOUT(reduce_by_key, aggregates_out);
  WITHOUT(reduce_by_key, num_runs_out);
}

static void without_run_length_encode(void) {
  WHOLE(run_length_encode, .in = I32, .unique_out = I32, .lengths_out = I32, .num_runs_out = U64);
  WITHOUT(run_length_encode, in);
  WITHOUT(run_length_encode, unique_out);
  WITHOUT(run_length_encode, lengths_out);
  WITHOUT(run_length_encode, num_runs_out);
}

static void without_non_trivial_runs(void) {
  WHOLE(non_trivial_runs, .in = I32, .offsets_out = I32, .lengths_out = I32, .num_runs_out = U64);
  WITHOUT(non_trivial_runs, in);
  WITHOUT(non_trivial_runs, offsets_out);
  WITHOUT(non_trivial_runs, lengths_out);
  WITHOUT(non_trivial_runs, num_runs_out);
}

static void without_select(void) {
  WHOLE(select, .in = I32, .out = I32, .flags = I32, .num_selected_out = U64);
  WITHOUT(select, in);
  WITHOUT(select, out);
  WITHOUT(select, num_selected_out);
}

static void without_unique(void) {
  WHOLE(unique, .in = I32, .out = I32, .num_selected_out = U64);
  WITHOUT(unique, in);
  WITHOUT(unique, out);
  WITHOUT(unique, num_selected_out);
}

static void without_partition(void) {
  WHOLE(partition, .in = I32, .out = I32, .flags = I32, .num_selected_out = U64);
  WITHOUT(partition, in);
  WITHOUT(partition, out);
  WITHOUT(partition, num_selected_out);
}

static void without_three_way_partition(void) {
  WHOLE(three_way_partition, .in = I32, .first_out = I32, .second_out = I32, .unselected_out = I32,
        .num_selected_out = U64, .first_op = jig_op_source("return x < 0;"),
        .second_op = jig_op_source("return x > 0;"));
  WITHOUT(three_way_partition, in);
  WITHOUT(three_way_partition, first_out);
  WITHOUT(three_way_partition, second_out);
  WITHOUT(three_way_partition, unselected_out);
  WITHOUT(three_way_partition, num_selected_out);
}

static void without_radix_sort(void) {
  WHOLE(radix_sort, .keys_in = I32, .keys_out = I32);
  WITHOUT(radix_sort, keys_in);
  WITHOUT(radix_sort, keys_out);
}

static void without_segmented_sort(void) {
  WHOLE(segmented_sort, .keys_in = I32, .keys_out = I32, .begin_offsets = I32, .end_offsets = I32);
  WITHOUT(segmented_sort, keys_in);
  WITHOUT(segmented_sort, keys_out);
  WITHOUT(segmented_sort, begin_offsets);
  WITHOUT(segmented_sort, end_offsets);
}

static void without_merge_sort(void) {
  WHOLE(merge_sort, .keys_in = I32, .keys_out = I32);
  WITHOUT(merge_sort, keys_in);
  WITHOUT(merge_sort, keys_out);
}

static void without_merge(void) {
  WHOLE(merge, .first_keys_in = I32, .second_keys_in = I32, .keys_out = I32);
  WITHOUT(merge, first_keys_in);
  WITHOUT(merge, second_keys_in);
  WITHOUT(merge, keys_out);
}

static void without_set_operation(void) {
  WHOLE(set_operation, .first_keys_in = I32, .second_keys_in = I32, .num_items_out = I32);
  WITHOUT(set_operation, first_keys_in);
  WITHOUT(set_operation, second_keys_in);
  WITHOUT(set_operation, num_items_out);
}

static void without_is_sorted(void) {
  WHOLE(is_sorted, .in = I32, .out = I32);
  WITHOUT(is_sorted, in);
  WITHOUT(is_sorted, out);
}

static void without_reverse(void) {
  WHOLE(reverse, .in = I32, .out = I32);
  WITHOUT(reverse, in);
  WITHOUT(reverse, out);
}

static void without_top_k(void) {
  WHOLE(top_k, .keys_in = I32, .keys_out = I32);
  WITHOUT(top_k, keys_in);
  WITHOUT(top_k, keys_out);
}

static void without_segmented_top_k(void) {
  WHOLE(segmented_top_k, .keys_in = I32, .keys_out = I32);
  WITHOUT(segmented_top_k, keys_in);
  WITHOUT(segmented_top_k, keys_out);
}

static void without_nth_element(void) {
  WHOLE(nth_element, .in = I32, .out = I32);
  WITHOUT(nth_element, in);
  WITHOUT(nth_element, out);
}

static void without_copy(void) {
  WHOLE(copy, .in = I32, .out = I32);
  WITHOUT(copy, in);
  WITHOUT(copy, out);
}

static void without_adjacent_difference(void) {
  WHOLE(adjacent_difference, .in = I32, .out = I32);
  WITHOUT(adjacent_difference, in);
  WITHOUT(adjacent_difference, out);
}

static void without_memcpy_batched(void) {
  WHOLE(memcpy_batched, .sources = U64, .destinations = U64, .sizes = I32);
  WITHOUT(memcpy_batched, sources);
  WITHOUT(memcpy_batched, destinations);
  WITHOUT(memcpy_batched, sizes);
}

static void without_copy_batched(void) {
  WHOLE(copy_batched, .in = I32, .out = I32, .in_offsets = I32, .out_offsets = I32, .sizes = I32);
  WITHOUT(copy_batched, in);
  WITHOUT(copy_batched, out);
  WITHOUT(copy_batched, in_offsets);
  WITHOUT(copy_batched, out_offsets);
  WITHOUT(copy_batched, sizes);
}

static void without_transform(void) {
  const jig_iter in[] = {I32, I32};
  WHOLE(transform, .in = in, .num_inputs = 2, .out = I32, .op = JIG_PLUS);
  WITHOUT(transform, in);
  WITHOUT(transform, num_inputs);
  WITHOUT(transform, out);
  WITHOUT(transform, op);
}

static void without_for_each(void) {
  WHOLE(for_each, .in = I32, .op = jig_op_source("x += 1;"));
  WITHOUT(for_each, in);
  WITHOUT(for_each, op);
}

static void without_bulk(void) {
  WHOLE(bulk, .op = jig_op_source("if (i > 9) __trap();"));
  WITHOUT(bulk, op);
}

static void without_histogram(void) {
  static const int32_t lower = 0, upper = 4;
  WHOLE(histogram, .samples = I32, .level_type = JIG_I32, .counts = {I32.pointer}, .num_bins = {4},
        .lower = {&lower}, .upper = {&upper});
  WITHOUT(histogram, samples);
}

static void without_segmented_reduce(void) {
  WHOLE(segmented_reduce, .in = I32, .out = I32, .begin_offsets = I32, .end_offsets = I32);
  WITHOUT(segmented_reduce, in);
  WITHOUT(segmented_reduce, out);
  WITHOUT(segmented_reduce, begin_offsets);
  WITHOUT(segmented_reduce, end_offsets);
}

static void without_segmented_arg_reduce(void) {
  WHOLE(segmented_arg_reduce, .in = I32, .index_out = I32, .begin_offsets = I32, .end_offsets = I32);
  WITHOUT(segmented_arg_reduce, in);
  WITHOUT(segmented_arg_reduce, index_out);
  WITHOUT(segmented_arg_reduce, begin_offsets);
  WITHOUT(segmented_arg_reduce, end_offsets);
}

static void without_find_if(void) {
  WHOLE(find_if, .in = I32, .out = I32);
  WITHOUT(find_if, in);
  WITHOUT(find_if, out);
}

static void without_binary_search(void) {
  WHOLE(binary_search, .in = I32, .needles_in = I32, .out = I32);
  WITHOUT(binary_search, in);
  WITHOUT(binary_search, needles_in);
  WITHOUT(binary_search, out);
}

static void without_min_max(void) {
  WHOLE(min_max, .in = I32, .min_out = I32);
  WITHOUT(min_max, in);
}

static const struct {
  const char *algorithm;
  void (*check)(void);
} rows[] = {
#define ROW(algorithm) \
  { #algorithm, without_##algorithm }
    ROW(reduce),
    ROW(arg_reduce),
    ROW(scan),
    ROW(scan_by_key),
    ROW(segmented_scan),
    ROW(reduce_by_key),
    ROW(run_length_encode),
    ROW(non_trivial_runs),
    ROW(select),
    ROW(unique),
    ROW(partition),
    ROW(three_way_partition),
    ROW(radix_sort),
    ROW(segmented_sort),
    ROW(merge_sort),
    ROW(merge),
    ROW(set_operation),
    ROW(is_sorted),
    ROW(reverse),
    ROW(top_k),
    ROW(segmented_top_k),
    ROW(nth_element),
    ROW(copy),
    ROW(adjacent_difference),
    ROW(memcpy_batched),
    ROW(copy_batched),
    ROW(transform),
    ROW(for_each),
    ROW(bulk),
    ROW(histogram),
    ROW(segmented_reduce),
    ROW(segmented_arg_reduce),
    ROW(find_if),
    ROW(binary_search),
    ROW(min_max),
};

START_TEST(of_every_algorithm) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    size_t i = 0;
    while (i < COUNT_OF(rows) && strcmp(rows[i].algorithm, (*a)->schema.algorithm) != 0) ++i;
    ck_assert_msg(i < COUNT_OF(rows), "%s: not tested", (*a)->schema.algorithm);
    rows[i].check();
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(of_every_algorithm)};
  return SUITE_RUN("unit/missing_arguments", tests, false);
}
