/* Segmented sort of keys alone: every type, pattern, length, order and range of bits. */
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "segmented_sort_support.h"
#include "suite.h"

#include <stdlib.h>

static const jig_type no_value = JIG_ZERO;

/* ---- lengths */

/* Around the limits of every class, for keys of every size. */
START_TEST(every_length) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_F64, JIG_KIND_I128, JIG_KIND_F16};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const segmented_sort_marks marks = segmented_sort_marks_of(key, no_value);
    segment_list list = segments_around(&marks);
    check_segmented_pattern((sort_case){.key = key,
                                        .order = k % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                        .has_buffers = k == 1,
                                        .offset = k},
                            &list, KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

/* Many and few segments of short, medium and mixed lengths. */
START_TEST(every_average) {
  static const size_t averages[] = {1, 4, 16, 40, 90, 400, 3000, 20000};
  static const size_t counts[] = {1, 2, 31, 33, 300, 2500};
  for (size_t a = 0; a < COUNT_OF(averages); ++a) {
    for (size_t k = 0; k < COUNT_OF(counts); ++k) {
      if (averages[a] * counts[k] > 60000) continue;
      segment_list list = new_segments(counts[k], averages[a], k % 2 == 1);
      if (k % 3 == 1) shuffle_segments(&list);
      check_segmented_pattern((sort_case){.key = JIG_U32}, &list, KEYS_RANDOM);
      free_segments(&list);
    }
  }
}
END_TEST

/* So many that a warp has several lots of them, with gaps between them and without, in any order; some
 * that take a few lanes, between others that are too long; keys of every size that a lane sorts, whole
 * and in part, with zeros of both signs and without. */
START_TEST(tiny) {
  static const struct {
    jig_type_kind kind;
    size_t count, average;
    int begin;
    bool has_gaps, shuffled;
    key_pattern pattern;
  } cases[] = {{JIG_KIND_U32, 70000, 2, 0, false, false, KEYS_RANDOM},
               {JIG_KIND_I32, 1000, 8, 0, false, false, KEYS_RANDOM},
               {JIG_KIND_F32, 1000, 8, 0, false, false, KEYS_RANDOM},
               {JIG_KIND_F32, 1000, 5, 0, false, false, KEYS_FEW},
               {JIG_KIND_F16, 1000, 7, 0, true, false, KEYS_RANDOM},
               {JIG_KIND_U8, 1000, 4, 0, false, true, KEYS_RANDOM},
               {JIG_KIND_I16, 1000, 8, 3, false, false, KEYS_RANDOM},
               {JIG_KIND_I8, 1000, 8, 0, false, false, KEYS_EQUAL},
               {JIG_KIND_U16, 1000, 30, 0, false, false, KEYS_RANDOM},
               {JIG_KIND_U32, 700, 60, 0, false, false, KEYS_RANDOM},
               {JIG_KIND_F32, 600, 40, 0, false, false, KEYS_FEW},
               {JIG_KIND_U8, 700, 20, 0, true, false, KEYS_RANDOM},
               {JIG_KIND_I32, 400, 90, 0, false, false, KEYS_RANDOM}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    segment_list list = new_segments(cases[i].count, cases[i].average, cases[i].has_gaps);
    if (cases[i].shuffled) shuffle_segments(&list);
    check_segmented_pattern((sort_case){.key = type_of(cases[i].kind),
                                        .order = i % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                        .begin_bit = cases[i].begin,
                                        .offset = i},
                            &list, cases[i].pattern);
    free_segments(&list);
  }
}
END_TEST

/* Such as have a block each, of keys of every size, whole and in part. */
START_TEST(few) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32,  JIG_KIND_F64, JIG_KIND_I16,
                                        JIG_KIND_U128, JIG_KIND_F32, JIG_KIND_U8};
  for (int i = 0; i < 2 * (int)COUNT_OF(kinds); ++i) {
    const jig_type key = type_of(kinds[i / 2]);
    for (int number = i % 2; number < SEGMENTED_SORT_FEW_LISTS; number += 2) {
      segment_list list = few_segments(key, no_value, number);
      check_segmented_pattern((sort_case){.key = key,
                                          .order = i % 3 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                          .begin_bit = i % 4 == 3 ? 3 : 0,
                                          .has_buffers = i % 5 == 1},
                              &list, i % 3 == 2 ? KEYS_FEW : KEYS_RANDOM);
      free_segments(&list);
    }
  }
}
END_TEST

/* Everything is one segment; and one of the three has next to nothing. */
START_TEST(giants) {
  const segmented_sort_marks marks = segmented_sort_marks_of(JIG_I32, no_value);
  const size_t lengths[] = {3, 5 * marks.block + 1, 1};
  for (size_t k = 0; k < 2; ++k) {
    segment_list list = segments_of(lengths + (k == 0), k == 0 ? 1 : 3, false);
    check_segmented_pattern((sort_case){.key = JIG_I32, .has_buffers = k == 1}, &list,
                            k == 0 ? KEYS_RANDOM : KEYS_NEARLY_SORTED);
    free_segments(&list);
  }
}
END_TEST

/* ---- types and patterns */

/* A small one, a warp's, a warp group's and a large one. */
static segment_list few_of_each(const segmented_sort_marks *marks) {
  const size_t lengths[] = {
      marks->small / 2, marks->first - 3, marks->block + 500, 3, marks->first * 3, 0};
  return segments_of(lengths, COUNT_OF(lengths), true);
}

START_TEST(every_type) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type key = type_of(*kind);
    const segmented_sort_marks marks = segmented_sort_marks_of(key, no_value);
    segment_list list = few_of_each(&marks);
    if (marks.block > 20000) {
      free_segments(&list);
      list = new_segments(20, 1000, true);
    }
    for (int order = 0; order < 2; ++order)
      check_segmented_pattern((sort_case){.key = key,
                                          .order = order ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                          .offset = (size_t)order},
                              &list, KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_I32, JIG_KIND_F32};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const segmented_sort_marks marks = segmented_sort_marks_of(key, no_value);
    segment_list list = few_of_each(&marks);
    for (int p = 0; p < KEY_PATTERNS; ++p)
      check_segmented_pattern((sort_case){.key = key, .has_buffers = p % 2}, &list, (key_pattern)p);
    free_segments(&list);
  }
}
END_TEST

/* ---- bits */

START_TEST(some_bits) {
  static const struct {
    jig_type_kind kind;
    int begin, end;
  } ranges[] = {{JIG_KIND_U8, 2, 7},   {JIG_KIND_F16, 5, 16},  {JIG_KIND_I32, 31, 32},
                {JIG_KIND_F32, 7, 25}, {JIG_KIND_I64, 27, 64}, {JIG_KIND_U32, 32, 32},
                {JIG_KIND_U32, 8, 24}, {JIG_KIND_I128, 60, 70}};
  for (size_t i = 0; i < COUNT_OF(ranges); ++i) {
    const jig_type key = type_of(ranges[i].kind);
    const segmented_sort_marks marks = segmented_sort_marks_of(key, no_value);
    segment_list list = few_of_each(&marks);
    check_segmented_pattern((sort_case){.key = key,
                                        .order = i % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                        .begin_bit = ranges[i].begin,
                                        .end_bit = ranges[i].end,
                                        .has_buffers = i % 3 == 0},
                            &list, i % 4 == 3 ? KEYS_FEW : KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_length),  SUITE_TEST(every_average), SUITE_TEST(tiny),
      SUITE_TEST(few),           SUITE_TEST(giants),        SUITE_TEST(every_type),
      SUITE_TEST(every_pattern), SUITE_TEST(some_bits),
  };
  return SUITE_RUN("device/segmented_sort_keys", tests, true);
}
