/* Segmented sort whose inputs are not in memory as they are sorted: keys, values or both by iterators. */
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "segmented_sort_support.h"
#include "suite.h"

static const jig_type none = {0};

/* Tiny ones, a small one, a warp's, a warp group's, and some of several tiles. */
static segment_list some_of_each(jig_type key, jig_type value) {
  const segmented_sort_marks marks = segmented_sort_marks_of(key, value);
  const size_t lengths[] = {
      marks.small / 2,     marks.first - 3, marks.block + 500, 1, 0, marks.first * 3, 5,
      2 * marks.block + 77};
  return segments_of(lengths, COUNT_OF(lengths), true);
}

/* Such as long ones are sorted by: by a block each, by all blocks. */
static void in_both_ways(sort_case c, const segment_list *list, key_pattern pattern) {
  plan_limits *limits = limits_of(c.engine);
  const uint64_t parts = limits->segmented_sort_parts;
  for (int way = 0; way < 2; ++way) {
    limits->segmented_sort_parts = way == 0 ? 0 : 1000;
    check_segmented_pattern(c, list, pattern);
  }
  limits->segmented_sort_parts = parts;
}

START_TEST(every_key) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8,  JIG_KIND_BF16, JIG_KIND_I32,
                                        JIG_KIND_F32, JIG_KIND_U64,  JIG_KIND_I128};
  for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
    if (!test_turn(i / 2)) continue;
    const jig_type key = type_of(kinds[i]);
    segment_list list = key.size > 1 ? some_of_each(key, none) : new_segments(20, 1000, true);
    in_both_ways(
        (sort_case){
            .key = key, .order = i % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING, .iterates_keys = true},
        &list, i % 3 ? KEYS_RANDOM : KEYS_MOSTLY_ONE);
    free_segments(&list);
  }
}
END_TEST

START_TEST(every_value) {
  const jig_type values[] = {JIG_U8, JIG_F32, JIG_U128, jig_opaque(3, 1), jig_opaque(24, 8)};
  static const jig_type_kind kinds[] = {JIG_KIND_U16, JIG_KIND_F32, JIG_KIND_I64};
  for (size_t i = 0; i < COUNT_OF(values); ++i) {
    if (!test_turn(i)) continue;
    const jig_type key = type_of(kinds[i % COUNT_OF(kinds)]);
    segment_list list = some_of_each(key, values[i]);
    for (int which = 1; which < 4; ++which)
      check_segmented_pattern((sort_case){.key = key,
                                          .value = values[i],
                                          .begin_bit = which == 2 ? 3 : 0,
                                          .iterates_keys = which != 1,
                                          .iterates_values = which != 2},
                              &list, which == 3 ? KEYS_FEW : KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

/* Segments of a few items, which lanes sort by a network. */
START_TEST(tiny) {
  const size_t lengths[] = {1, 2, 16, 3, 7, 0, 12, 16, 16, 5, 9, 1, 1, 4};
  for (int gaps = 0; gaps < 2; ++gaps) {
    segment_list list = segments_of(lengths, COUNT_OF(lengths), gaps == 1);
    check_segmented_pattern((sort_case){.key = JIG_U32, .iterates_keys = true}, &list, KEYS_RANDOM);
    check_segmented_pattern((sort_case){.key = JIG_F16, .iterates_keys = true}, &list, KEYS_FEW);
    free_segments(&list);
  }
}
END_TEST

/* Such as have a block each. */
START_TEST(few) {
  for (int number = 0; number < SEGMENTED_SORT_FEW_LISTS; ++number) {
    segment_list list = few_segments(JIG_U32, JIG_U16, number);
    check_segmented_pattern((sort_case){.key = JIG_U32,
                                        .value = JIG_U16,
                                        .iterates_keys = number != 1,
                                        .iterates_values = number != 2},
                            &list, KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

/* Passes that are left out: the first that is done reads the input, whichever it is. */
START_TEST(every_pattern) {
  segment_list list = some_of_each(JIG_F32, JIG_U32);
  for (int p = 0; p < KEY_PATTERNS; ++p)
    check_segmented_pattern((sort_case){.key = p % 2 ? JIG_F32 : JIG_U32,
                                        .value = JIG_U32,
                                        .iterates_keys = p % 4 != 1,
                                        .iterates_values = p % 4 != 2},
                            &list, (key_pattern)p);
  free_segments(&list);
}
END_TEST

/* What is rare, everywhere: see test_segmented_sort_pairs.c. */
START_TEST(forced) {
  static const char *const options[] = {"-DJIG_RADIX_SORT_FORCE=1", "-DJIG_RADIX_SORT_FORCE=2"};
  segment_list list = some_of_each(JIG_I32, JIG_U16);
  for (size_t i = 0; i < COUNT_OF(options); ++i) {
    jig_engine *engine = engine_with_option(options[i]);
    in_both_ways((sort_case){.engine = engine,
                             .key = JIG_I32,
                             .value = JIG_U16,
                             .iterates_keys = true,
                             .iterates_values = true},
                 &list, KEYS_RANDOM);
    jig_engine_destroy(engine);
  }
  free_segments(&list);
}
END_TEST

/* Sorts the segments of a list. */
static void run(const segment_list *list, jig_segmented_sort_args args) {
  void *begins = gpu_copy(list->begins, list->count * 8, 0),
       *ends = gpu_copy(list->ends, list->count * 8, 0);
  args.num_items = list->items;
  args.num_segments = list->count;
  args.begin_offsets = jig_pointer(begins, JIG_I64);
  args.end_offsets = jig_pointer(ends, JIG_I64);
  run_segmented_sort(NULL, &args);
  gpu_free(begins);
  gpu_free(ends);
}

/* The indices of each segment's keys in order, without an array of indices. */
START_TEST(argsort) {
  segment_list list = some_of_each(JIG_F32, JIG_U32);
  const size_t count = list.items;
  void *keys = keys_of(JIG_F32, KEYS_FEW, count, 3), *in = gpu_copy(keys, count * 4, 0);
  void *keys_out = gpu_alloc(count * 4, 0), *out = gpu_alloc(count * 4, 0);
  size_t *order = malloc((count + 1) * sizeof *order);
  uint32_t *places = malloc(count * sizeof *places);
  run(&list, (jig_segmented_sort_args){.keys_in = jig_pointer(in, JIG_F32),
                                       .keys_out = jig_pointer(keys_out, JIG_F32),
                                       .values_in = jig_counting(NULL, JIG_U32),
                                       .values_out = jig_pointer(out, JIG_U32)});
  gpu_read(places, out, count * sizeof *places);
  for (size_t s = 0; s < list.count; ++s) {
    const size_t begin = (size_t)list.begins[s], end = (size_t)list.ends[s];
    if (begin >= end) continue;
    sort_on_host(&(sort_case){.key = JIG_F32, .keys = keys, .count = count}, begin, end - begin, order);
    for (size_t i = begin; i < end; ++i) ck_assert_uint_eq(places[i], order[i - begin]);
  }
  free(places);
  free(order);
  free(keys);
  gpu_free(in);
  gpu_free(keys_out);
  gpu_free(out);
  free_segments(&list);
}
END_TEST

/* Keys that are nowhere: of an operator that may be called for its items alone. Segments begin every 4000
 * items, and have 3000 at most. */
START_TEST(computed_keys) {
  static const char key_of[] = "if (x >= state || x % 4000 >= 3000) __trap(); return state - x;";
  static const int64_t lengths[] = {7, 3000, 1, 60, 260, 3000, 3000, 16};
  int64_t begins[COUNT_OF(lengths)], ends[COUNT_OF(lengths)];
  for (size_t s = 0; s < COUNT_OF(lengths); ++s) {
    begins[s] = (int64_t)s * 4000;
    ends[s] = begins[s] + lengths[s];
  }
  const uint64_t count = COUNT_OF(lengths) * 4000;
  const segment_list list = {.begins = begins, .ends = ends, .count = COUNT_OF(lengths), .items = count};
  const jig_iter numbers = jig_counting(NULL, JIG_U64);
  const jig_op op = jig_op_with_state(jig_op_source(key_of), &count, JIG_U64);
  uint64_t *sorted = malloc(count * 8);
  void *out = gpu_alloc(count * 8, 0);
  for (int begin_bit = 0; begin_bit < 2; ++begin_bit) {
    run(&list, (jig_segmented_sort_args){.keys_in = jig_iter_transform(&numbers, op, JIG_U64),
                                         .keys_out = jig_pointer(out, JIG_U64),
                                         .begin_bit = begin_bit});
    gpu_read(sorted, out, count * 8);
    for (size_t s = 0; s < list.count; ++s) {
      const uint64_t first = count - (uint64_t)ends[s] + 1, last = count - (uint64_t)begins[s];
      for (uint64_t key = first; key <= last; ++key) {
        /* Keys fall as numbers rise; those that differ in the lowest bit alone stay in order. */
        const bool has_twin = begin_bit == 1 && (key ^ 1) >= first && (key ^ 1) <= last;
        ck_assert_uint_eq(sorted[(uint64_t)begins[s] + (key - first)], has_twin ? key ^ 1 : key);
      }
    }
  }
  free(sorted);
  gpu_free(out);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_key),     SUITE_TEST(every_value), SUITE_TEST(tiny),    SUITE_TEST(few),
      SUITE_TEST(every_pattern), SUITE_TEST(forced),      SUITE_TEST(argsort), SUITE_TEST(computed_keys),
  };
  return SUITE_RUN("device/segmented_sort_iterators", tests, true);
}
