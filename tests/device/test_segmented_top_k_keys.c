/* Segmented top-k of keys alone: every type and pattern, lengths around every mark, every k. */
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "segmented_top_k_support.h"
#include "suite.h"

/* ---- types and patterns */

START_TEST(every_type) {
  unsigned long number = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!test_turn(number++)) continue;
    const jig_type key = type_of(*kind);
    const segmented_top_k_marks marks = segmented_top_k_marks_of(key);
    const size_t lengths[] = {5, marks.small + 40, marks.tile + 9, 0, 3 * marks.tile + 1, marks.block};
    segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
    for (int i = 0; i < 2; ++i)
      check_segmented_top_k_pattern(
          (segmented_top_k_case){.key = key,
                                 .k = i == 0 ? 17 : marks.warp + 30,
                                 .choice = i == 0 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                 .is_sorted = i == 1,
                                 .offset = (size_t)i},
          &list, KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

/* Sorted rows, which mislead whatever goes by what comes first, and equal keys, which do not fit any
 * buffer. */
START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F32, JIG_KIND_I64};
  for (size_t t = 0; t < COUNT_OF(kinds); ++t) {
    const jig_type key = type_of(kinds[t]);
    const segmented_top_k_marks marks = segmented_top_k_marks_of(key);
    const size_t lengths[] = {marks.small, marks.warp + 100, 2 * marks.tile, 16 * marks.tile + 1000,
                              40 * marks.tile};
    segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
    for (int p = 0; p < KEY_PATTERNS; ++p)
      check_segmented_top_k_pattern(
          (segmented_top_k_case){.key = key,
                                 .k = p % 2 == 0 ? 60 : marks.block / 2,
                                 .choice = p % 3 == 0 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                                 .is_sorted = p % 4 == 1},
          &list, (key_pattern)p);
    free_segments(&list);
  }
}
END_TEST

/* ---- lengths and k */

static void check_every_k(const segment_list *list, const segmented_top_k_marks *marks, bool is_fixed) {
  const size_t all_k[] = {0,
                          1,
                          2,
                          31,
                          32,
                          33,
                          marks->warp / 2,
                          marks->warp / 2 + 1,
                          1000,
                          marks->block / 4,
                          marks->block / 2};
  for (size_t i = 0; i < COUNT_OF(all_k); ++i)
    check_segmented_top_k_pattern(
        (segmented_top_k_case){.key = i % 2 == 0 ? JIG_F32 : JIG_U32,
                               .k = all_k[i],
                               .choice = i % 3 == 0 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                               .is_sorted = i % 4 == 3,
                               .is_fixed = is_fixed},
        list, i % 5 == 4 ? KEYS_FEW : KEYS_RANDOM);
}

START_TEST(every_length) {
  const segmented_top_k_marks marks = segmented_top_k_marks_of(JIG_F32);
  segment_list list = segments_around_marks(&marks);
  check_every_k(&list, &marks, false);
  free_segments(&list);
}
END_TEST

START_TEST(one_size) {
  const segmented_top_k_marks marks = segmented_top_k_marks_of(JIG_F32);
  const size_t sizes[] = {1, 3, marks.small, marks.small + 1, 1001, 4 * marks.tile, 16 * marks.tile + 5};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    segment_list list = segments_of_size(i < 5 ? 70 : 3, sizes[i]);
    check_every_k(&list, &marks, true);
    free_segments(&list);
  }
}
END_TEST

/* ---- few rows, held by blocks and clusters */

typedef struct held {
  size_t rows, size;
} held;

/* Around what a vector, a block's threads and its lists hold, several blocks of a cluster, and those
 * whose threads hold more; and more short rows than blocks that are resident. */
static const held all_held[] = {{7, 5},     {5, 64},    {3, 65},    {4, 128},    {3, 129},  {2, 255},
                                {4, 1024},  {2, 1025},  {1, 2047},  {3, 4099},   {2, 8192}, {1, 8193},
                                {1, 20011}, {2, 16384}, {1, 65536}, {1, 200003}, {31, 32},  {100, 33},
                                {17, 1024}, {23, 301},  {19, 2047}};

START_TEST(held_rows) {
  for (size_t h = 0; h < COUNT_OF(all_held); ++h) {
    const size_t size = all_held[h].size;
    segment_list list = segments_of_size(all_held[h].rows, size);
    const size_t all_k[] = {1, 30, size / 64 + 1, size / 16, size / 3, size - 1, size};
    for (size_t i = 0; i < COUNT_OF(all_k); ++i) {
      const size_t pattern = (h + 3 * i) % KEY_PATTERNS;
      check_segmented_top_k_pattern(
          (segmented_top_k_case){.key = JIG_F32,
                                 .value = i % 2 == 0 ? JIG_U32 : (jig_type){0},
                                 .k = all_k[i],
                                 .choice = i % 3 == 0 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                                 .is_sorted = (h + i) % 2 == 0,
                                 .is_fixed = true,
                                 .offset = (h + i) % 3},
          &list, (key_pattern)pattern);
    }
    free_segments(&list);
  }
}
END_TEST

/* Of 8 bytes, of which a thread has more before clusters hold them. */
START_TEST(held_wide_rows) {
  static const held some[] = {{3, 4097}, {2, 8193}, {3, 12007}, {1, 16384}, {1, 16385}, {1, 70001}};
  for (size_t h = 0; h < COUNT_OF(some); ++h) {
    segment_list list = segments_of_size(some[h].rows, some[h].size);
    static const size_t all_k[] = {1, 256, 3000};
    for (size_t i = 0; i < COUNT_OF(all_k); ++i)
      check_segmented_top_k_pattern((segmented_top_k_case){.key = (h + i) % 2 == 0 ? JIG_U64 : JIG_F64,
                                                           .value = i == 1 ? JIG_U64 : (jig_type){0},
                                                           .k = all_k[i],
                                                           .choice = JIG_TOP_K_MAX,
                                                           .is_sorted = i == 2,
                                                           .is_fixed = true,
                                                           .offset = h % 2},
                                    &list, (key_pattern)((h + i) % KEY_PATTERNS));
    free_segments(&list);
  }
}
END_TEST

START_TEST(held_patterns) {
  static const held some[] = {{3, 1003}, {2, 9001}, {1, 40000}};
  for (size_t h = 0; h < COUNT_OF(some); ++h) {
    segment_list list = segments_of_size(some[h].rows, some[h].size);
    for (int p = 0; p < KEY_PATTERNS; ++p) {
      for (int i = 0; i < 4; ++i)
        check_segmented_top_k_pattern(
            (segmented_top_k_case){.key = i % 2 == 0 ? JIG_U32 : JIG_F32,
                                   .value = JIG_U32,
                                   .k = i % 2 == 0 ? 100 : 700,
                                   .choice = i % 2 == 0 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                   .is_sorted = i > 1,
                                   .is_fixed = true},
            &list, (key_pattern)p);
    }
    free_segments(&list);
  }
}
END_TEST

START_TEST(held_types) {
  unsigned long number = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!test_turn(number++)) continue;
    static const held some[] = {{3, 901}, {2, 12007}, {1, 30001}};
    for (size_t h = 0; h < COUNT_OF(some); ++h) {
      segment_list list = segments_of_size(some[h].rows, some[h].size);
      for (int p = 0; p < 2; ++p)
        check_segmented_top_k_pattern(
            (segmented_top_k_case){.key = type_of(*kind),
                                   .value = JIG_U16,
                                   .k = h == 1 ? 3000 : 77,
                                   .choice = p == 0 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                   .is_sorted = h == (size_t)p,
                                   .iterates_keys = h == 2 && p == 1,
                                   .is_fixed = true,
                                   .offset = (size_t)p},
            &list, p == 0 ? KEYS_RANDOM : KEYS_MOSTLY_ONE);
      free_segments(&list);
    }
  }
}
END_TEST

/* More than shared memory has room for: a block searches, and sorts records. */
START_TEST(large_k) {
  const segmented_top_k_marks marks = segmented_top_k_marks_of(JIG_F32);
  const size_t lengths[] = {
      100, marks.block, marks.block + 1, 2 * marks.block + 5, 3 * marks.block + 333, 9 * marks.block};
  segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
  const size_t all_k[] = {marks.block / 2 + 1, marks.block, marks.block + 1, 3 * marks.block + 1,
                          10 * marks.block};
  for (size_t i = 0; i < 2 * COUNT_OF(all_k); ++i)
    check_segmented_top_k_pattern(
        (segmented_top_k_case){.key = JIG_F32,
                               .k = all_k[i / 2],
                               .choice = i % 3 == 0 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                               .is_sorted = i % 2 == 0},
        &list, i % 4 == 0 ? KEYS_MOSTLY_ONE : KEYS_RANDOM);
  free_segments(&list);
  list = segments_of_size(2, 2 * marks.block + 1);
  for (int i = 0; i < 2; ++i)
    check_segmented_top_k_pattern(
        (segmented_top_k_case){
            .key = JIG_F32, .k = 2 * marks.block - 7, .is_sorted = i == 0, .is_fixed = true},
        &list, KEYS_FEW);
  free_segments(&list);
}
END_TEST

/* ---- parts */

/* Of some lengths, or so many of one size. */
static void check_cut(size_t rows, size_t tiles) {
  static const size_t all_k[] = {1, 100, 1024};
  const segmented_top_k_marks marks = segmented_top_k_marks_of(JIG_U32);
  const size_t lengths[] = {
      10, 20 * marks.tile, 500, 48 * marks.tile + 3, 0, 70 * marks.tile, 16 * marks.tile + 1};
  segment_list list = rows > 0 ? segments_of_size(rows, tiles * marks.tile + 7)
                               : segments_of(lengths, COUNT_OF(lengths), true);
  limits_of(NULL)->segmented_top_k_part_items = 16 * marks.tile;
  for (size_t i = 0; i < COUNT_OF(all_k); ++i) {
    for (int p = 0; p < KEY_PATTERNS; p += 1 + (int)i)
      check_segmented_top_k_pattern(
          (segmented_top_k_case){.key = JIG_U32,
                                 .value = JIG_U32,
                                 .k = all_k[i],
                                 .choice = p % 2 == 0 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                 .is_sorted = p % 3 == 0,
                                 .is_fixed = rows > 0},
          &list, (key_pattern)p);
  }
  limits_of(NULL)->segmented_top_k_part_items = 0;
  free_segments(&list);
}

START_TEST(cut_segments) {
  check_cut(0, 0);
}
END_TEST

/* A few are cut; on few multiprocessors one more is not. */
START_TEST(cut_segments_of_one_size) {
  check_cut(2, 20);
  check_cut(3, 40);
}
END_TEST

/* ---- many */

START_TEST(many_segments) {
  segment_list list = new_segments(30000, 6, true);
  check_segmented_top_k_pattern((segmented_top_k_case){.key = JIG_I16, .k = 3}, &list, KEYS_RANDOM);
  free_segments(&list);
  list = new_segments(1500, 150, true);
  shuffle_segments(&list);
  check_segmented_top_k_pattern((segmented_top_k_case){.key = JIG_F64, .k = 20}, &list, KEYS_RANDOM);
  free_segments(&list);
}
END_TEST

START_TEST(empty_segments) {
  size_t *lengths = calloc(1000000, sizeof *lengths);
  lengths[333333] = 5000;
  lengths[999999] = 7;
  segment_list list = segments_of(lengths, 1000000, false);
  check_segmented_top_k_pattern((segmented_top_k_case){.key = JIG_U8, .k = 2}, &list, KEYS_RANDOM);
  free_segments(&list);
  free(lengths);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),
      SUITE_TEST(every_pattern),
      SUITE_TEST(every_length),
      SUITE_TEST(one_size),
      SUITE_TEST(held_rows),
      SUITE_TEST(held_wide_rows),
      SUITE_TEST(held_patterns),
      SUITE_TEST(held_types),
      SUITE_TEST(large_k),
      SUITE_TEST(cut_segments),
      SUITE_TEST(cut_segments_of_one_size),
      SUITE_TEST(many_segments),
      SUITE_TEST(empty_segments),
  };
  return SUITE_RUN("device/segmented_top_k_keys", tests, true);
}
