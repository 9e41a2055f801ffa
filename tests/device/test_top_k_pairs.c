/* Top-k of keys with values, by which it is seen which of equal keys are taken, and of other iterators
 * than pointers; and samples that mislead. */
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"
#include "top_k_support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* ---- values */

START_TEST(every_value) {
  const jig_type values[] = {JIG_U8, JIG_F16, jig_opaque(3, 1), JIG_I32, JIG_F64, jig_opaque(24, 8)};
  static const jig_type_kind keys[] = {JIG_KIND_BOOL, JIG_KIND_I16, JIG_KIND_U32, JIG_KIND_U128};
  for (size_t v = 0; v < COUNT_OF(values); ++v) {
    const jig_type key = type_of(keys[v % COUNT_OF(keys)]);
    const size_t counts[] = {700, top_k_alone(key) + 1234};
    for (size_t i = 0; i < 4; ++i) {
      check_top_k_pattern((top_k_case){.key = key,
                                       .value = values[v],
                                       .count = counts[i % 2],
                                       .k = i < 2 ? 33 : 600,
                                       .choice = i == 3 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                                       .is_sorted = i == 1,
                                       .offset = v},
                          i == 2 ? KEYS_MOSTLY_ONE : KEYS_RANDOM);
    }
  }
}
END_TEST

/* The first of equal keys are taken, and they stay in their order. */
START_TEST(ties) {
  static const key_pattern patterns[] = {KEYS_EQUAL, KEYS_FEW, KEYS_MOSTLY_ONE, KEYS_ODD_LAST};
  for (size_t p = 0; p < COUNT_OF(patterns); ++p) {
    for (int i = 0; i < 6; ++i) {
      const size_t count = i % 2 ? 40000 : 3000;
      check_top_k_pattern((top_k_case){.key = i % 3 == 2 ? JIG_U64 : JIG_F32,
                                       .value = JIG_U32,
                                       .count = count,
                                       .k = i < 2   ? 5
                                            : i < 4 ? count / 3
                                                    : count - 2,
                                       .choice = p % 2 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                                       .is_sorted = i % 3 != 0},
                          patterns[p]);
    }
  }
}
END_TEST

/* ---- samples that mislead */

START_TEST(forced_mistakes) {
  for (int mistake = TOP_K_FINDS_TOO_FEW; mistake <= TOP_K_KEEPS_TOO_MANY; ++mistake) {
    limits_of(NULL)->top_k_forced_mistake = (top_k_mistake)mistake;
    for (int i = 0; i < 4; ++i) {
      const jig_type key = i == 1 ? JIG_U64 : i == 2 ? JIG_I8 : JIG_F32;
      check_top_k_pattern((top_k_case){.key = key,
                                       .value = i % 2 ? JIG_U32 : (jig_type)JIG_ZERO,
                                       .count = 70001,
                                       .k = i == 3 ? 30000 : 3000,
                                       .choice = i % 2 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                                       .is_sorted = i == 1,
                                       .offset = (size_t)i},
                          i == 3 ? KEYS_EQUAL : KEYS_RANDOM);
    }
  }
  limits_of(NULL)->top_k_forced_mistake = TOP_K_NO_MISTAKE;
}
END_TEST

/* So many items that an index leaves less than 32 bits for a candidate's key: enough for all, or for none
 * but those close to the last one. */
START_TEST(wide_indices) {
  static const unsigned widths[] = {33, 44, 60};
  const jig_type keys[] = {JIG_U32, JIG_F32, JIG_U8};
  limits_of(NULL)->top_k_most_single = 1;
  for (size_t w = 0; w < COUNT_OF(widths); ++w) {
    limits_of(NULL)->top_k_least_index_width = widths[w];
    for (size_t i = 0; i < COUNT_OF(keys); ++i)
      check_top_k_pattern((top_k_case){.key = keys[i],
                                       .value = i == 1 ? JIG_U32 : (jig_type)JIG_ZERO,
                                       .count = 50001,
                                       .k = i == 2 ? 20000 : 300,
                                       .choice = (i + w) % 2 ? JIG_TOP_K_MIN : JIG_TOP_K_MAX,
                                       .is_sorted = i == 0},
                          i == 1 ? KEYS_SORTED : KEYS_RANDOM);
  }
  limits_of(NULL)->top_k_least_index_width = 0;
  limits_of(NULL)->top_k_most_single = UINT64_MAX;
}
END_TEST

/* Where the sample is taken: AgentTopKSample::place(). */
static size_t sample_place(uint32_t i, int log_samples, size_t count) {
  uint32_t r = (i + 1) * 0x9e3779b9U;
  r = (r ^ r >> 16) * 0x85ebca6bU;
  r = (r ^ r >> 13) * 0xc2b2ae35U;
  r ^= r >> 16;
  const uint64_t fraction = ((uint64_t)i << 32 | r) << (32 - log_samples);
  return (size_t)((uint128)fraction * count >> 64);
}

/* The best items are those that the sample has, or just none of them. */
START_TEST(made_for_the_sample) {
  enum { COUNT = 70000, LOG_SAMPLES = 8, BEST = 1000 };
  uint32_t *keys = malloc(COUNT * sizeof *keys);
  for (int hides = 0; hides < 2; ++hides) {
    uint64_t seed = 3;
    for (size_t i = 0; i < COUNT; ++i) keys[i] = (uint32_t)(next_random(&seed) >> 33);
    for (size_t i = 0; i < BEST && hides; ++i) keys[40000 + i] |= 0x80000000U;
    for (uint32_t i = 0; i < 1 << LOG_SAMPLES; ++i) {
      uint32_t *key = &keys[sample_place(i, LOG_SAMPLES, COUNT)];
      *key = hides ? *key & 0x7fffffffU : *key | 0x80000000U;
    }
    check_top_k(&(top_k_case){.key = JIG_U32,
                              .value = JIG_U32,
                              .keys = keys,
                              .count = COUNT,
                              .k = BEST - 10,
                              .is_sorted = hides == 0,
                              .what = hides ? "hidden" : "seen"});
  }
  free(keys);
}
END_TEST

/* The best all in one place, and of no use to a sample of every so many items. */
START_TEST(best_in_one_place) {
  enum { COUNT = 90000, BEST = 300 };
  uint64_t *keys = malloc(COUNT * sizeof *keys);
  for (size_t at = 0; at < COUNT; at += 29900) {
    uint64_t seed = 9;
    for (size_t i = 0; i < COUNT; ++i) keys[i] = next_random(&seed) >> 1;
    for (size_t i = 0; i < BEST && at + i < COUNT; ++i) keys[at + i] |= (uint64_t)1 << 63;
    check_top_k(
        &(top_k_case){.key = JIG_U64, .keys = keys, .count = COUNT, .k = BEST, .what = "one place"});
  }
  free(keys);
}
END_TEST

/* ---- other iterators */

/* The largest by what an operator makes of a counting iterator's items, and their numbers, in a strided
 * output; all of it is in order, so that it is easily told. */
static void check_iterators(uint64_t count) {
  enum { K = 40 };
  static const uint32_t zero = 0;
  const jig_iter numbers = jig_counting(&zero, JIG_U32);
  const jig_iter keys = jig_iter_transform(&numbers, jig_op_source("return int(x / 3u);"), JIG_I32);
  int32_t got_keys[2 * K];
  uint32_t got_values[K];
  int32_t *keys_out = gpu_alloc(sizeof got_keys, 0);
  uint32_t *values_out = gpu_alloc(sizeof got_values, 0);
  run_top_k(&(jig_top_k_args){.keys_in = keys,
                              .keys_out = jig_strided(keys_out, 8, JIG_I32),
                              .values_in = numbers,
                              .values_out = jig_pointer(values_out, JIG_U32),
                              .num_items = count,
                              .k = K,
                              .is_sorted = 1});
  gpu_read(got_keys, keys_out, sizeof got_keys - 4);
  gpu_read(got_values, values_out, sizeof got_values);
  /* Threes of equal keys, of which the last may be incomplete; each in the order of its numbers. */
  uint64_t place = 0;
  for (uint64_t key = (count - 1) / 3; place < K; --key) {
    for (uint64_t i = key * 3; i < count && i < key * 3 + 3 && place < K; ++i, ++place) {
      ck_assert_int_eq(got_keys[2 * place], (int32_t)key);
      ck_assert_uint_eq(got_values[place], i);
    }
  }
  gpu_free(keys_out);
  gpu_free(values_out);
}

START_TEST(iterators) {
  check_iterators(41);
  check_iterators(5000);
  check_iterators(top_k_alone(JIG_I32) + 2000);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_value),         SUITE_TEST(ties),
      SUITE_TEST(forced_mistakes),     SUITE_TEST(wide_indices),
      SUITE_TEST(made_for_the_sample), SUITE_TEST(best_in_one_place),
      SUITE_TEST(iterators),
  };
  return SUITE_RUN("device/top_k_pairs", tests, true);
}
