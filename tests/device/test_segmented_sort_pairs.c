/* Segmented sort of keys with values, which tell whether it is stable; and what is rare in it,
 * everywhere. */
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "segmented_sort_support.h"
#include "suite.h"

#include <stdlib.h>

static segment_list few_of_each(jig_type key, jig_type value) {
  const segmented_sort_marks marks = segmented_sort_marks_of(key, value);
  const size_t lengths[] = {marks.block + 300, 7, marks.first * 2, marks.small, 1, marks.first - 5};
  segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
  shuffle_segments(&list);
  return list;
}

START_TEST(every_length) {
  const segmented_sort_marks marks = segmented_sort_marks_of(JIG_U32, JIG_U32);
  segment_list list = segments_around(&marks);
  for (int order = 0; order < 2; ++order)
    check_segmented_pattern((sort_case){.key = JIG_U32,
                                        .value = JIG_U32,
                                        .order = order ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                        .has_buffers = order == 1},
                            &list, order ? KEYS_FEW : KEYS_RANDOM);
  free_segments(&list);
}
END_TEST

START_TEST(every_value) {
  const jig_type values[] = {JIG_U8,
                             JIG_BF16,
                             JIG_F32,
                             JIG_I64,
                             JIG_U128,
                             jig_opaque(3, 1),
                             jig_opaque(12, 4),
                             jig_struct("point", "struct point { double x, y, z; };", 24, 8),
                             jig_opaque(256, 16)};
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_I32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  for (size_t i = 0; i < COUNT_OF(values); ++i) {
    if (!test_turn(i)) continue;
    const jig_type key = type_of(kinds[i % COUNT_OF(kinds)]);
    segment_list list = few_of_each(key, values[i]);
    check_segmented_pattern((sort_case){.key = key,
                                        .value = values[i],
                                        .order = i % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                        .has_buffers = i % 3 == 1,
                                        .offset = i},
                            &list, i % 4 ? KEYS_RANDOM : KEYS_FEW);
    free_segments(&list);
  }
}
END_TEST

/* Such as have a block each. */
START_TEST(few) {
  const jig_type values[] = {JIG_U32, JIG_U8, JIG_U64, jig_opaque(24, 8), jig_opaque(256, 16)};
  for (int i = 0; i < (int)COUNT_OF(values); ++i) {
    const jig_type key = i % 2 ? JIG_F64 : JIG_F32;
    for (int number = 0; number < SEGMENTED_SORT_FEW_LISTS; ++number) {
      if (!test_turn((size_t)(i + number))) continue;
      segment_list list = few_segments(key, values[i], number);
      check_segmented_pattern(
          (sort_case){
              .key = key, .value = values[i], .has_buffers = i % 3 == 1, .end_bit = i % 3 == 2 ? 23 : 0},
          &list, i % 2 ? KEYS_RANDOM : KEYS_FEW);
      free_segments(&list);
    }
  }
}
END_TEST

START_TEST(every_pattern) {
  segment_list list = few_of_each(JIG_U32, JIG_U32);
  for (int p = 0; p < KEY_PATTERNS; ++p)
    check_segmented_pattern((sort_case){.key = p % 2 ? JIG_F32 : JIG_U32,
                                        .value = JIG_U32,
                                        .has_buffers = p % 2,
                                        .end_bit = p % 3 == 0 ? 20 : 0},
                            &list, (key_pattern)p);
  free_segments(&list);
}
END_TEST

/* Keys that are equal, of whichever the indices are different. */
START_TEST(averages) {
  static const size_t of[] = {3, 20, 70, 500};
  for (size_t i = 0; i < COUNT_OF(of); ++i) {
    segment_list list = new_segments(12000 / of[i], of[i], i % 2);
    check_segmented_pattern((sort_case){.key = JIG_U16, .value = JIG_F64}, &list,
                            i % 2 ? KEYS_MOSTLY_ONE : KEYS_FEW);
    free_segments(&list);
  }
}
END_TEST

/* ---- what is rare */

static void check_forced(const char *option) {
  jig_engine *engine = engine_with_option(option);
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_F32, JIG_KIND_I64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    sort_case c = {.engine = engine, .key = type_of(kinds[k])};
    for (int p = 0; p < KEY_PATTERNS; p += 3) {
      c.value = p % 2 ? (jig_type)JIG_ZERO : JIG_U32;
      segment_list list = few_of_each(c.key, c.value);
      check_segmented_pattern(c, &list, (key_pattern)p);
      free_segments(&list);
    }
  }
  jig_engine_destroy(engine);
}

START_TEST(matching_everywhere) {
  check_forced("-DJIG_RADIX_SORT_FORCE=1");
}
END_TEST

START_TEST(everything_again) {
  check_forced("-DJIG_RADIX_SORT_FORCE=2");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_length),     SUITE_TEST(every_value), SUITE_TEST(few),
      SUITE_TEST(every_pattern),    SUITE_TEST(averages),    SUITE_TEST(matching_everywhere),
      SUITE_TEST(everything_again),
  };
  return SUITE_RUN("device/segmented_sort_pairs", tests, true);
}
