/* An argument that every call needs and that is left out is named, by every algorithm. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

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
  char *spec = NULL;                                  \
  OK(jig_##algorithm##_spec(&whole, &spec));          \
  jig_free(spec)
#define WITHOUT(algorithm, field) \
  args = whole;                   \
  args.field = (jig_iter){0};     \
  check_named(jig_##algorithm##_spec(&args, &spec), #algorithm, #field)

START_TEST(of_reductions_and_scans) {
  {
    WHOLE(reduce, .in = I32, .out = I32);
    WITHOUT(reduce, in);
    WITHOUT(reduce, out);
  }
  {
    WHOLE(arg_reduce, .in = I32, .index_out = jig_pointer(NULL, JIG_I64));
    WITHOUT(arg_reduce, in);
    WITHOUT(arg_reduce, index_out);
  }
  {
    WHOLE(scan, .in = I32, .out = I32);
    WITHOUT(scan, in);
    WITHOUT(scan, out);
  }
  {
    WHOLE(scan_by_key, .keys_in = I32, .values_in = I32, .values_out = I32);
    WITHOUT(scan_by_key, keys_in);
    WITHOUT(scan_by_key, values_in);
    WITHOUT(scan_by_key, values_out);
  }
  {
    WHOLE(segmented_scan, .in = I32, .out = I32, .begin_offsets = I32, .end_offsets = I32);
    WITHOUT(segmented_scan, in);
    WITHOUT(segmented_scan, out);
    WITHOUT(segmented_scan, begin_offsets);
    WITHOUT(segmented_scan, end_offsets);
  }
}
END_TEST

START_TEST(of_runs_and_selections) {
  {
    WHOLE(reduce_by_key, .keys_in = I32, .unique_out = I32, .values_in = I32, .aggregates_out = I32,
          .num_runs_out = U64);
    WITHOUT(reduce_by_key, keys_in);
    WITHOUT(reduce_by_key, unique_out);
    WITHOUT(reduce_by_key, values_in);
    WITHOUT(reduce_by_key, aggregates_out);
    WITHOUT(reduce_by_key, num_runs_out);
  }
  {
    WHOLE(run_length_encode, .in = I32, .unique_out = I32, .lengths_out = I32, .num_runs_out = U64);
    WITHOUT(run_length_encode, in);
    WITHOUT(run_length_encode, unique_out);
    WITHOUT(run_length_encode, lengths_out);
    WITHOUT(run_length_encode, num_runs_out);
  }
  {
    WHOLE(non_trivial_runs, .in = I32, .offsets_out = I32, .lengths_out = I32, .num_runs_out = U64);
    WITHOUT(non_trivial_runs, in);
    WITHOUT(non_trivial_runs, offsets_out);
    WITHOUT(non_trivial_runs, lengths_out);
    WITHOUT(non_trivial_runs, num_runs_out);
  }
  {
    WHOLE(select, .in = I32, .out = I32, .flags = I32, .num_selected_out = U64);
    WITHOUT(select, in);
    WITHOUT(select, out);
    WITHOUT(select, num_selected_out);
  }
  {
    WHOLE(unique, .in = I32, .out = I32, .num_selected_out = U64);
    WITHOUT(unique, in);
    WITHOUT(unique, out);
    WITHOUT(unique, num_selected_out);
  }
  {
    WHOLE(partition, .in = I32, .out = I32, .flags = I32, .num_selected_out = U64);
    WITHOUT(partition, in);
    WITHOUT(partition, out);
    WITHOUT(partition, num_selected_out);
  }
  {
    WHOLE(three_way_partition, .in = I32, .first_out = I32, .second_out = I32, .unselected_out = I32,
          .num_selected_out = U64, .first_op = jig_op_source("return x < 0;"),
          .second_op = jig_op_source("return x > 0;"));
    WITHOUT(three_way_partition, in);
    WITHOUT(three_way_partition, first_out);
    WITHOUT(three_way_partition, second_out);
    WITHOUT(three_way_partition, unselected_out);
    WITHOUT(three_way_partition, num_selected_out);
  }
}
END_TEST

START_TEST(of_sorts) {
  {
    WHOLE(radix_sort, .keys_in = I32, .keys_out = I32);
    WITHOUT(radix_sort, keys_in);
    WITHOUT(radix_sort, keys_out);
  }
  {
    WHOLE(segmented_sort, .keys_in = I32, .keys_out = I32, .begin_offsets = I32, .end_offsets = I32);
    WITHOUT(segmented_sort, keys_in);
    WITHOUT(segmented_sort, keys_out);
    WITHOUT(segmented_sort, begin_offsets);
    WITHOUT(segmented_sort, end_offsets);
  }
  {
    WHOLE(merge_sort, .keys_in = I32, .keys_out = I32);
    WITHOUT(merge_sort, keys_in);
    WITHOUT(merge_sort, keys_out);
  }
  {
    WHOLE(merge, .first_keys_in = I32, .second_keys_in = I32, .keys_out = I32);
    WITHOUT(merge, first_keys_in);
    WITHOUT(merge, second_keys_in);
    WITHOUT(merge, keys_out);
  }
  {
    WHOLE(set_operation, .first_keys_in = I32, .second_keys_in = I32, .num_items_out = I32);
    WITHOUT(set_operation, first_keys_in);
    WITHOUT(set_operation, second_keys_in);
    WITHOUT(set_operation, num_items_out);
  }
  {
    WHOLE(is_sorted, .in = I32, .out = I32);
    WITHOUT(is_sorted, in);
    WITHOUT(is_sorted, out);
  }
  {
    WHOLE(reverse, .in = I32, .out = I32);
    WITHOUT(reverse, in);
    WITHOUT(reverse, out);
  }
  {
    WHOLE(top_k, .keys_in = I32, .keys_out = I32);
    WITHOUT(top_k, keys_in);
    WITHOUT(top_k, keys_out);
  }
  {
    WHOLE(segmented_top_k, .keys_in = I32, .keys_out = I32);
    WITHOUT(segmented_top_k, keys_in);
    WITHOUT(segmented_top_k, keys_out);
  }
  {
    WHOLE(nth_element, .in = I32, .out = I32);
    WITHOUT(nth_element, in);
    WITHOUT(nth_element, out);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(of_reductions_and_scans),
      SUITE_TEST(of_runs_and_selections),
      SUITE_TEST(of_sorts),
  };
  return SUITE_RUN("unit/missing_arguments", tests, false);
}
