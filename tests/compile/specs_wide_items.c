/* Items of more than 256 bytes, in everything that moves them. Registers may spill: operators hold such
 * items in local memory. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

#define LESS jig_op_source("return a.m[0] < b.m[0];")
#define EQUAL jig_op_source("return a.m[0] == b.m[0];")
#define TEST jig_op_source("return x.m[0] < 9;")

static void add(jig_status status, char *text) {
  specs_add(status == JIG_SUCCESS ? text : NULL, true);
}
/* The spec of a call with these args. */
#define ADD(name, ...)                                            \
  do {                                                            \
    char *text_ = NULL;                                           \
    const jig_##name##_args args_ = {__VA_ARGS__};                \
    const jig_status status_ = jig_##name##_spec(&args_, &text_); \
    add(status_, text_);                                          \
  } while (0)

static void add_selections(jig_iter w, jig_iter count, jig_iter flags) {
  ADD(select, .in = w, .out = w, .num_selected_out = count, .op = TEST);
  ADD(select, .in = w, .out = w, .num_selected_out = count, .flags = flags);
  ADD(unique, .in = w, .out = w, .num_selected_out = count, .equality = EQUAL, .values_in = w,
      .values_out = w);
  ADD(partition, .in = w, .out = w, .num_selected_out = count, .op = TEST);
  ADD(three_way_partition, .in = w, .first_out = w, .second_out = w, .unselected_out = w,
      .num_selected_out = count, .first_op = TEST, .second_op = TEST);
}

static void add_runs(jig_iter w, jig_iter count, jig_iter words) {
  ADD(run_length_encode, .in = w, .unique_out = w, .lengths_out = words, .num_runs_out = count,
      .equality = EQUAL);
  ADD(non_trivial_runs, .in = w, .offsets_out = words, .lengths_out = words, .num_runs_out = count,
      .equality = EQUAL);
  ADD(reduce_by_key, .keys_in = w, .unique_out = w, .values_in = words, .aggregates_out = words,
      .num_runs_out = count, .equality = EQUAL);
  ADD(scan_by_key, .keys_in = w, .values_in = words, .values_out = words, .equality = EQUAL);
}

static void add_searches(jig_iter w, jig_iter count) {
  ADD(find_if, .in = w, .out = count, .predicate = TEST);
  ADD(is_sorted, .in = w, .out = count, .compare = LESS);
  ADD(binary_search, .in = w, .needles_in = w, .out = count, .compare = LESS);
  ADD(arg_reduce, .in = w, .value_out = w, .index_out = count, .op = JIG_MAX, .compare = LESS);
  ADD(min_max, .in = w, .min_out = w, .max_out = w, .compare = LESS);
  ADD(segmented_arg_reduce, .in = w, .value_out = w, .index_out = count, .begin_offsets = count,
      .end_offsets = count, .op = JIG_MIN, .compare = LESS);
}

static void add_sorts(jig_iter w, jig_iter count, jig_iter words) {
  ADD(merge_sort, .keys_in = w, .keys_out = w, .values_in = w, .values_out = w, .compare = LESS);
  ADD(merge, .first_keys_in = w, .second_keys_in = w, .keys_out = w, .compare = LESS);
  ADD(set_operation, .first_keys_in = w, .second_keys_in = w, .keys_out = w, .first_values_in = w,
      .second_values_in = w, .values_out = w, .num_items_out = count, .compare = LESS);
  ADD(radix_sort, .keys_in = words, .keys_out = words, .values_in = w, .values_out = w);
  ADD(segmented_sort, .keys_in = words, .keys_out = words, .values_in = w, .values_out = w,
      .begin_offsets = words, .end_offsets = words);
  ADD(top_k, .keys_in = words, .keys_out = words, .values_in = w, .values_out = w);
}

static void add_moves(jig_iter w, jig_iter words) {
  const jig_iter gathered = jig_permutation(&w, &words);
  const jig_op touch = jig_op_source("x.m[1] = x.m[0]; return x;");
  ADD(copy, .in = gathered, .out = w);
  ADD(copy, .in = jig_iter_transform(&w, touch, w.type), .out = w);
  ADD(reverse, .in = w, .out = w);
  ADD(copy_batched, .in = gathered, .out = w, .in_offsets = words, .out_offsets = words, .sizes = words);
  ADD(transform, .in = &w, .num_inputs = 1, .out = w, .op = touch, .predicate = TEST);
  ADD(for_each, .in = w, .op = jig_op_source("x.m[0] = 1;"));
  ADD(adjacent_difference, .in = w, .out = w, .op = jig_op_source("a.m[1] = b.m[1]; return a;"));
}

static void add_all(void) {
  const jig_type types[] = {jig_struct("w", "struct alignas(8) w { unsigned char m[504]; };", 504, 8),
                            jig_struct("w", "struct w { unsigned m[1024]; };", 4096, 4)};
  const jig_iter count = jig_pointer(NULL, JIG_I64), words = jig_pointer(NULL, JIG_U32),
                 flags = jig_pointer(NULL, JIG_U8);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t t = 0; t < COUNT_OF(types); ++t) {
    const jig_iter w = jig_pointer(NULL, types[t]);
    add_selections(w, count, flags);
    add_runs(w, count, words);
    add_searches(w, count);
    add_sorts(w, count, words);
    add_moves(w, words);
  }
}

const specs_family specs_wide_items = {add_all};
