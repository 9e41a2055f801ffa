/* Radix sort by the blocks of one cluster, where there are clusters: types, patterns, sizes, bits,
 * values, and what is rare, everywhere. On other GPUs the same sizes are sorted by passes. */
#include "gpu.h"
#include "numbers.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static size_t block_of(jig_type key) {
  return radix_sort_marks_of(key, (jig_type)JIG_ZERO).alone;
}

/* ---- keys */

START_TEST(every_type) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type key = type_of(*kind);
    const size_t block = block_of(key);
    for (int i = 0; i < 2; ++i)
      check_radix_sort_of((sort_case){.key = key,
                                      .count = block + block / 3 + 77,
                                      .order = i == 0 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                      .has_buffers = i != 0,
                                      .offset = (size_t)i},
                          KEYS_RANDOM);
  }
}
END_TEST

START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_I32, JIG_KIND_F32, JIG_KIND_F64};
  for (int i = 0; i < (int)COUNT_OF(kinds) * KEY_PATTERNS; ++i) {
    const jig_type key = type_of(kinds[i / KEY_PATTERNS]);
    const size_t block = block_of(key);
    check_radix_sort_of((sort_case){.key = key, .count = i % 2 ? block + 1 : 2 * block - 3},
                        (key_pattern)(i % KEY_PATTERNS));
  }
}
END_TEST

/* As many blocks as there may be, with tiles of all sizes, and empty ones; what is one too many. */
START_TEST(every_size) {
  const radix_sort_marks marks = radix_sort_marks_of(JIG_U32, (jig_type)JIG_ZERO);
  const size_t all = marks.alone * marks.blocks;
  for (size_t blocks = 2; blocks <= marks.blocks; blocks *= 2) {
    const size_t least = marks.alone * blocks / 2;
    const size_t sizes[] = {least + 1, least + least / 9, least + least / 2 - 1};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
      check_radix_sort_of((sort_case){.key = JIG_U32, .count = sizes[i]}, KEYS_RANDOM);
  }
  check_radix_sort_of((sort_case){.key = JIG_U32, .count = all}, KEYS_NEARLY_SORTED);
  check_radix_sort_of((sort_case){.key = JIG_U32, .count = all + 1}, KEYS_RANDOM);
}
END_TEST

START_TEST(some_bits) {
  static const struct {
    jig_type_kind kind;
    int begin, end;
  } ranges[] = {{JIG_KIND_U8, 3, 7},   {JIG_KIND_F16, 5, 16},  {JIG_KIND_I32, 0, 1},
                {JIG_KIND_U32, 4, 29}, {JIG_KIND_U32, 32, 32}, {JIG_KIND_F32, 7, 25},
                {JIG_KIND_I64, 27, 64}};
  for (size_t i = 0; i < COUNT_OF(ranges); ++i) {
    const jig_type key = type_of(ranges[i].kind);
    check_radix_sort_of((sort_case){.key = key,
                                    .count = block_of(key) + 3000,
                                    .order = i % 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                    .begin_bit = ranges[i].begin,
                                    .end_bit = ranges[i].end},
                        i % 3 == 2 ? KEYS_FEW : KEYS_RANDOM);
  }
}
END_TEST

/* ---- pairs, which tell whether it is stable */

START_TEST(every_value) {
  const jig_type values[] = {JIG_U8, JIG_F32, JIG_U128, jig_opaque(3, 1), jig_opaque(256, 16)};
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_I32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  for (size_t i = 0; i < COUNT_OF(values); ++i) {
    const jig_type key = type_of(kinds[i]);
    const size_t block = radix_sort_marks_of(key, values[i]).alone;
    check_radix_sort_of((sort_case){.key = key, .value = values[i], .count = 3 * block + 1, .offset = i},
                        KEYS_RANDOM);
    check_radix_sort_of((sort_case){.key = key, .value = values[i], .count = block + 900},
                        KEYS_MOSTLY_ONE);
  }
}
END_TEST

/* ---- one block, and keys that a pass leaves in a few runs of equal ones, or in many */

/* Key i of a few: whether they differ in the lowest digit, in higher ones only, or, as only `many` do,
 * everywhere above four lowest digits. */
static uint64_t key_of_few(uint64_t random, int number, bool many) {
  static const uint64_t keys[] = {0x8000000000000000, 0x0102030405060708, 0xfff0000000000001,
                                  0x0102030405060709, 0x7102030905060708, 0x0000000000000000,
                                  0x0102030409060708};
  const uint64_t key = keys[(random >> 8) % (unsigned)number];
  return many ? (random & ~(uint64_t)0xff) | (key & 0xff) : key;
}

static void check_few_keys(jig_engine *engine, jig_type key, jig_type value, size_t count, int number,
                           bool many) {
  unsigned char *keys = malloc(count * 8);
  uint64_t seed = count + (uint64_t)number;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t of_all = key_of_few(next_random(&seed), number, many);
    const uint64_t one = key.size == 4 ? of_all ^ of_all >> 32 : of_all;
    memcpy(keys + i * key.size, &one, key.size);
  }
  check_radix_sort(&(sort_case){.engine = engine,
                                .what = "few keys",
                                .keys = keys,
                                .key = key,
                                .value = value,
                                .count = count,
                                .order = number % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                .end_bit = number == 6 ? 31 : 0});
  free(keys);
}

START_TEST(few_keys) {
  static const char *const options[] = {"-DJIG_RADIX_SORT_FORCE=0", "-DJIG_RADIX_SORT_FORCE=4",
                                        "-DJIG_RADIX_SORT_FORCE=5"};
  static const size_t counts[] = {2, 300, 1000, 3001};
  for (size_t o = 0; o < COUNT_OF(options); ++o) {
    jig_engine *engine = engine_with_option(options[o]);
    for (int i = 0; i < 24; ++i) {
      const jig_type key = i % 3 == 0 ? JIG_U64 : i % 3 == 1 ? JIG_F64 : JIG_U32;
      const jig_type value = i % 2 ? JIG_U32 : (jig_type)JIG_ZERO;
      check_few_keys(engine, key, value, counts[i / 2 % 4], 2 + i % 6, i % 5 == 4);
    }
    jig_engine_destroy(engine);
  }
}
END_TEST

/* ---- keys of some making, and ways to sort them */

static const char *const ways[] = {"-DJIG_RADIX_SORT_FORCE=0", "-DJIG_RADIX_SORT_FORCE=2",
                                   "-DJIG_RADIX_SORT_FORCE=4"};

static jig_sort_order order_of(bool falls) {
  return falls ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING;
}

/* By these keys, which are freed; 700 of them by bits `begin` to `end` alone. */
static void check_keys(sort_case c, unsigned char *keys, int begin, int end) {
  c.keys = keys;
  if (c.count == 700) c.begin_bit = begin, c.end_bit = end;
  check_radix_sort(&c);
  free(keys);
}

/* ---- keys of which the first ones are of a few kinds that one digit tells apart */

/* What the others are. */
typedef enum other_keys { OTHERS_ALIKE, ONE_AGREES_IN_DIGIT, OTHERS_RANDOM, OTHERS } other_keys;

static void check_guessed_keys(sort_case c, other_keys others) {
  unsigned char *keys = malloc(c.count * c.key.size);
  uint64_t seed = c.count + (uint64_t)others;
  for (size_t i = 0; i < c.count; ++i) {
    const uint64_t random = next_random(&seed), few = (random >> 62) * 0x1234567812345678u;
    uint64_t one = i < 64 || others != OTHERS_RANDOM ? few : random;
    if (others == ONE_AGREES_IN_DIGIT && i == c.count - 2) one ^= 0x0101010101010101u;
    memcpy(keys + i * c.key.size, &one, c.key.size);
  }
  check_keys(c, keys, 3, 15);
}

START_TEST(guessed_keys) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_F32, JIG_KIND_I16};
  for (size_t w = 0; w < COUNT_OF(ways); ++w) {
    jig_engine *engine = engine_with_option(ways[w]);
    for (int i = 0; i < 6 * OTHERS; ++i) {
      const jig_type key = type_of(kinds[i / 3 % 3]);
      const jig_type value = i % 2 ? JIG_U32 : (jig_type)JIG_ZERO;
      const size_t counts[] = {33, 700, 3001, block_of(key) + 1901};
      check_guessed_keys((sort_case){.engine = engine,
                                     .what = "guessed keys",
                                     .key = key,
                                     .value = value,
                                     .count = counts[(i + i / 4) % 4],
                                     .order = order_of(i % 5 < 2)},
                         (other_keys)(i % OTHERS));
    }
    jig_engine_destroy(engine);
  }
}
END_TEST

/* ---- one block, of which the last rows are filled up, and keys like those that do so */

static void check_last_keys(sort_case c) {
  unsigned char *keys = malloc(c.count * c.key.size);
  uint64_t seed = c.count;
  for (size_t i = 0; i < c.count; ++i) {
    const uint64_t random = next_random(&seed), last = c.order == JIG_SORT_DESCENDING ? 0 : ~(uint64_t)0;
    const uint64_t one = random % 4 == 0 ? random : random % 4 == 1 ? last ^ 1 << random % 32 : last;
    memcpy(keys + i * c.key.size, &one, c.key.size);
  }
  check_keys(c, keys, 5, 19);
}

START_TEST(last_keys) {
  static const size_t counts[] = {1, 31, 129, 700, 1000, 3001};
  for (size_t w = 0; w < COUNT_OF(ways); ++w) {
    jig_engine *engine = engine_with_option(ways[w]);
    for (int i = 0; i < 12; ++i) {
      const jig_type key = i % 2 ? JIG_U32 : JIG_U64;
      const jig_type value = i / 2 % 2 ? JIG_U32 : (jig_type)JIG_ZERO;
      check_last_keys((sort_case){.engine = engine,
                                  .what = "last keys",
                                  .key = key,
                                  .value = value,
                                  .count = counts[(i + i / 6) % 6],
                                  .order = order_of(i / 4 % 2)});
    }
    jig_engine_destroy(engine);
  }
}
END_TEST

/* ---- wide keys of which many agree in their highest digits */

/* Key i of such as have one of so many different words above their lowest 24 bits, of which all digits
 * differ; half of them that of one. */
static void check_agreeing_keys(jig_engine *engine, jig_type key, jig_type value, size_t count,
                                unsigned words, bool most_agree) {
  unsigned char *keys = malloc(count * key.size);
  uint64_t seed = count + words;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t random = next_random(&seed),
                   word = most_agree && random % 2 ? 0 : (random >> 32) % words;
    const uint64_t one = word * 0x9e3779b97f4a7c15u >> 24 << 24 | (random >> 8 & 0xffffff);
    memset(keys + i * key.size, 0, key.size);
    memcpy(keys + (i + 1) * key.size - 8, &one, 8);
    if (key.size > 8) memcpy(keys + i * key.size, &random, 8);
  }
  check_radix_sort(&(sort_case){.engine = engine,
                                .what = "agreeing keys",
                                .keys = keys,
                                .key = key,
                                .value = value,
                                .count = count,
                                .order = words % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                .begin_bit = words == 40 ? 3 : 0,
                                .end_bit = words == 40 ? 61 : 0});
  free(keys);
}

START_TEST(agreeing_keys) {
  static const char *const options[] = {"-DJIG_RADIX_SORT_FORCE=0", "-DJIG_RADIX_SORT_FORCE=1",
                                        "-DJIG_RADIX_SORT_FORCE=2", "-DJIG_RADIX_SORT_FORCE=4",
                                        "-DJIG_RADIX_SORT_FORCE=5"};
  static const unsigned words[] = {3, 40, 301, 2000};
  for (size_t o = 0; o < COUNT_OF(options); ++o) {
    jig_engine *engine = engine_with_option(options[o]);
    for (int i = 0; i < 12; ++i) {
      const jig_type key = i % 3 == 0 ? JIG_U64 : i % 3 == 1 ? JIG_F64 : JIG_U128;
      const jig_type value = i / 3 % 2 ? JIG_U32 : (jig_type)JIG_ZERO;
      const size_t counts[] = {257, 1000, 3001, block_of(key) + 1901};
      check_agreeing_keys(engine, key, value, counts[(i + i / 4) % 4], words[i % 4], i % 5 == 0);
    }
    jig_engine_destroy(engine);
  }
}
END_TEST

/* ---- what is rare: as agent/radix_sort/radix_rank.cuh says */

static void check_forced(const char *option) {
  jig_engine *engine = engine_with_option(option);
  for (int p = 0; p < KEY_PATTERNS; p += 2)
    for (int i = 0; i < 3; ++i)
      check_radix_sort_of((sort_case){.engine = engine,
                                      .key = i == 1 ? JIG_F32 : JIG_U32,
                                      .value = i == 2 ? JIG_U32 : (jig_type)JIG_ZERO,
                                      .count = 9000 + 100 * (size_t)p,
                                      .end_bit = p == 4 ? 20 : 0},
                          (key_pattern)p);
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

START_TEST(lanes_in_another_order) {
  check_forced("-DJIG_RADIX_SORT_FORCE=4");
}
END_TEST

START_TEST(frequent_digits_everywhere) {
  check_forced("-DJIG_RADIX_SORT_FORCE=5");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_size),
      SUITE_TEST(few_keys),
      SUITE_TEST(guessed_keys),
      SUITE_TEST(last_keys),
      SUITE_TEST(agreeing_keys),
      SUITE_TEST(every_type),
      SUITE_TEST(every_pattern),
      SUITE_TEST(some_bits),
      SUITE_TEST(every_value),
      SUITE_TEST(matching_everywhere),
      SUITE_TEST(everything_again),
      SUITE_TEST(frequent_digits_everywhere),
      SUITE_TEST(lanes_in_another_order),
  };
  return SUITE_RUN("device/radix_sort_cluster", tests, true);
}
