/* Radix sort of keys alone: every type, pattern, size, order and range of bits. */
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "suite.h"

static radix_sort_marks marks_of(jig_type key) {
  return radix_sort_marks_of(key, (jig_type)JIG_ZERO);
}

/* ---- types and patterns */

START_TEST(every_type) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type key = type_of(*kind);
    const radix_sort_marks marks = marks_of(key);
    const size_t counts[] = {300, marks.alone + marks.tile / 3};
    for (int i = 0; i < 4; ++i) {
      check_radix_sort_of((sort_case){.key = key,
                                      .count = counts[i % 2],
                                      .order = i < 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                      .offset = (size_t)i},
                          KEYS_RANDOM);
    }
  }
}
END_TEST

START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_I32, JIG_KIND_F32, JIG_KIND_F64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const radix_sort_marks marks = marks_of(key);
    for (int p = 0; p < KEY_PATTERNS; ++p) {
      check_radix_sort_of((sort_case){.key = key, .count = marks.alone - 7}, (key_pattern)p);
      check_radix_sort_of((sort_case){.key = key, .count = marks.alone + 5001, .has_buffers = p % 2},
                          (key_pattern)p);
    }
  }
}
END_TEST

/* ---- sizes */

START_TEST(every_size) {
  static const jig_type_kind kinds[] = {JIG_KIND_U16, JIG_KIND_U32, JIG_KIND_F64};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const size_t alone = marks_of(key).alone,
                 sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1024, 1025, alone - 1, alone, alone + 1};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
      check_radix_sort_of((sort_case){.key = key, .count = sizes[i], .has_buffers = i % 3 == 2},
                          KEYS_RANDOM);
  }
}
END_TEST

/* Tiles of all sizes, the last one whole or not. */
START_TEST(every_tile) {
  const radix_sort_marks marks = marks_of(JIG_U32);
  for (size_t i = 1; i <= 4; ++i) {
    const size_t count = marks.resident * i / 4;
    if (count <= marks.alone || count > 1000000) continue;
    check_radix_sort_of((sort_case){.key = JIG_U32, .count = count}, KEYS_RANDOM);
    check_radix_sort_of((sort_case){.key = JIG_U32, .count = count + 1, .has_buffers = true},
                        KEYS_NEARLY_SORTED);
    check_radix_sort_of((sort_case){.key = JIG_F32, .count = count - 1}, KEYS_MOSTLY_ONE);
  }
}
END_TEST

/* ---- bits */

START_TEST(all_bits_of_small_keys) {
  for (int begin = 0; begin <= 8; ++begin) {
    for (int end = begin > 0 ? begin : 1; end <= 8; ++end) {
      check_radix_sort_of((sort_case){.key = begin % 2 ? JIG_U8 : JIG_I8,
                                      .count = (begin + end) % 2 ? 500 : marks_of(JIG_U8).alone + 400,
                                      .order = end % 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                      .begin_bit = begin,
                                      .end_bit = end},
                          KEYS_RANDOM);
    }
  }
}
END_TEST

START_TEST(some_bits_of_large_keys) {
  static const struct {
    jig_type_kind kind;
    int begin, end;
  } ranges[] = {{JIG_KIND_U16, 3, 15},   {JIG_KIND_F16, 5, 16},    {JIG_KIND_BF16, 0, 9},
                {JIG_KIND_I32, 0, 1},    {JIG_KIND_U32, 4, 29},    {JIG_KIND_I32, 31, 32},
                {JIG_KIND_F32, 7, 25},   {JIG_KIND_U64, 0, 13},    {JIG_KIND_I64, 27, 64},
                {JIG_KIND_F64, 30, 50},  {JIG_KIND_U64, 60, 64},   {JIG_KIND_U32, 32, 32},
                {JIG_KIND_I128, 60, 70}, {JIG_KIND_U128, 100, 128}};
  for (size_t i = 0; i < COUNT_OF(ranges); ++i) {
    const jig_type key = type_of(ranges[i].kind);
    for (int large = 0; large < 2; ++large) {
      check_radix_sort_of((sort_case){.key = key,
                                      .count = large ? marks_of(key).alone + 3000 : 700,
                                      .order = i % 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                      .begin_bit = ranges[i].begin,
                                      .end_bit = ranges[i].end,
                                      .has_buffers = i % 3 == 0},
                          i % 4 == 3 ? KEYS_FEW : KEYS_RANDOM);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type), SUITE_TEST(every_pattern),          SUITE_TEST(every_size),
      SUITE_TEST(every_tile), SUITE_TEST(all_bits_of_small_keys), SUITE_TEST(some_bits_of_large_keys),
  };
  limits_of(NULL)->radix_sort_max_cluster =
      1; /* test_radix_sort_cluster.c has what more blocks sort together */
  return SUITE_RUN("device/radix_sort_keys", tests, true);
}
