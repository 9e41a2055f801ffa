/* Radix sort of keys with values, which tell whether it is stable; what is rare in it, everywhere; and
 * more than one portion. */
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

static size_t alone(jig_type key, jig_type value) {
  return radix_sort_marks_of(key, value).alone;
}

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
    for (int large = 0; large < 2; ++large)
      check_radix_sort_of(
          (sort_case){.key = key,
                      .value = values[i],
                      .count = large ? alone(key, values[i]) + 1234 : 777,
                      .order = (i + (size_t)large) % 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                      .has_buffers = i % 3 == 1,
                      .offset = i},
          KEYS_RANDOM);
  }
}
END_TEST

START_TEST(every_pattern) {
  const size_t most = alone(JIG_U32, JIG_U32);
  for (int p = 0; p < KEY_PATTERNS; ++p) {
    check_radix_sort_of((sort_case){.key = JIG_U32, .value = JIG_U32, .count = most - 100},
                        (key_pattern)p);
    check_radix_sort_of((sort_case){.key = p % 2 ? JIG_F32 : JIG_U32,
                                    .value = JIG_U32,
                                    .count = most + 7000,
                                    .has_buffers = p % 2,
                                    .end_bit = p % 3 == 0 ? 20 : 0},
                        (key_pattern)p);
  }
}
END_TEST

/* Keys and values of 4 bytes each travel together, half of them in either array: an odd number of them,
 * in arrays that are aligned to both or not, by odd and even numbers of passes. */
START_TEST(records) {
  const size_t least = alone(JIG_I32, JIG_F32) + 1;
  for (size_t i = 0; i < 16; ++i)
    check_radix_sort_of((sort_case){.key = i % 3 ? JIG_I32 : JIG_F32,
                                    .value = JIG_F32,
                                    .count = least + 3333 * (i % 4) + i / 8,
                                    .order = i % 5 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                    .begin_bit = i % 8 < 4 ? 0 : 9,
                                    .has_buffers = i / 2 % 2,
                                    .offset = i % 2},
                        i % 7 ? KEYS_RANDOM : KEYS_MOSTLY_ONE);
}
END_TEST

/* ---- what is rare */

static void check_forced(const char *option) {
  jig_engine *engine = engine_with_option(option);
  limits_of(engine)->radix_sort_max_cluster = 1;
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_U32, JIG_KIND_F32, JIG_KIND_I64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    sort_case c = {.engine = engine, .key = type_of(kinds[k])};
    for (int p = 0; p < KEY_PATTERNS; p += 2) {
      c.value = p % 4 ? (jig_type)JIG_ZERO : JIG_U32;
      c.count = 3900;
      check_radix_sort_of(c, (key_pattern)p);
      c.count = 13000;
      check_radix_sort_of(c, (key_pattern)p);
    }
    /* Keys alone, of which many are equal in the bits that count and in no others, or by all bits. */
    for (int i = 0; i < 6; ++i)
      check_radix_sort_of((sort_case){.engine = engine,
                                      .key = type_of(kinds[k]),
                                      .count = i % 2 ? 30000 : 3900,
                                      .begin_bit = i / 4,
                                      .end_bit = i < 2 ? 0 : 6},
                          KEYS_RANDOM);
  }
  jig_engine_destroy(engine);
}

START_TEST(matching_everywhere) {
  check_forced("-DJIG_RADIX_SORT_FORCE=1");
}
END_TEST

START_TEST(every_tile_again) {
  check_forced("-DJIG_RADIX_SORT_FORCE=2");
}
END_TEST

START_TEST(wide_places) {
  check_forced("-DJIG_RADIX_SORT_FORCE=3");
}
END_TEST

START_TEST(frequent_digits_everywhere) {
  check_forced("-DJIG_RADIX_SORT_FORCE=5");
}
END_TEST

START_TEST(lanes_in_another_order) {
  check_forced("-DJIG_RADIX_SORT_FORCE=4");
}
END_TEST

/* ---- portions */

START_TEST(portions) {
  const uint64_t most = limits_of(NULL)->radix_sort_max_portion;
  for (uint64_t limit = 7000; limit < 30000; limit += 9000) {
    limits_of(NULL)->radix_sort_max_portion = limit;
    for (int i = 0; i < 3; ++i)
      check_radix_sort_of((sort_case){.key = i == 0 ? JIG_U8 : JIG_I32,
                                      .value = i == 1 ? JIG_U16 : (jig_type)JIG_ZERO,
                                      .count = 25000 + 611 * (size_t)i,
                                      .has_buffers = i == 2},
                          i == 2 ? KEYS_ONE_DIGIT : KEYS_RANDOM);
  }
  limits_of(NULL)->radix_sort_max_portion = most;
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(records),
      SUITE_TEST(every_value),
      SUITE_TEST(every_pattern),
      SUITE_TEST(matching_everywhere),
      SUITE_TEST(every_tile_again),
      SUITE_TEST(wide_places),
      SUITE_TEST(portions),
      SUITE_TEST(lanes_in_another_order),
      SUITE_TEST(frequent_digits_everywhere),
  };
  limits_of(NULL)->radix_sort_max_cluster =
      1; /* test_radix_sort_cluster.c has what more blocks sort together */
  return SUITE_RUN("device/radix_sort_pairs", tests, true);
}
