/* Top-k of keys alone: every type, pattern, size, and k. */
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "top_k_support.h"

#include <stdlib.h>

/* ---- types and patterns */

START_TEST(every_type) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type key = type_of(*kind);
    const size_t counts[] = {300, top_k_alone(key) + 3001};
    for (size_t i = 0; i < 4; ++i) {
      check_top_k_pattern((top_k_case){.key = key,
                                       .count = counts[i % 2],
                                       .k = i < 2 ? 17 : 270,
                                       .choice = i % 3 == 0 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                       .offset = i},
                          KEYS_RANDOM);
    }
  }
}
END_TEST

START_TEST(every_pattern) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_I32, JIG_KIND_F64};
  for (size_t t = 0; t < COUNT_OF(kinds); ++t) {
    const jig_type key = type_of(kinds[t]);
    const size_t alone = top_k_alone(key);
    for (int p = 0; p < KEY_PATTERNS; ++p) {
      check_top_k_pattern((top_k_case){.key = key, .count = 5000, .k = 100, .is_sorted = p % 2},
                          (key_pattern)p);
      check_top_k_pattern((top_k_case){.key = key, .count = alone + 5001, .k = 100}, (key_pattern)p);
      check_top_k_pattern(
          (top_k_case){.key = key, .count = alone + 7777, .k = alone / 3, .choice = JIG_TOP_K_MIN},
          (key_pattern)p);
    }
  }
}
END_TEST

/* ---- sizes */

static void check_every_k(size_t count) {
  const size_t all_k[] = {0, 1, 2, 31, 32, 33, 1000, count / 2, count - 1, count, count + 1};
  for (size_t i = 0; i < COUNT_OF(all_k); ++i) {
    if (count == 0 && i > 1) break;
    check_top_k_pattern((top_k_case){.key = i % 2 ? JIG_U32 : JIG_F32,
                                     .count = count,
                                     .k = all_k[i],
                                     .choice = i % 3 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                     .is_sorted = i % 4 == 3},
                        i % 5 == 4 ? KEYS_FEW : KEYS_RANDOM);
  }
}

START_TEST(every_k_of_few) {
  static const size_t counts[] = {0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 8191, 8192, 8193};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) check_every_k(counts[i]);
}
END_TEST

START_TEST(every_k_of_many) {
  const size_t alone = top_k_alone(JIG_U32);
  check_every_k(alone);
  check_every_k(alone + 1);
}
END_TEST

/* As many as a cluster takes, and more, of which one with larger blocks takes some. */
START_TEST(around_a_cluster) {
  static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_SORTED};
  for (size_t p = 0; p < COUNT_OF(patterns); ++p) {
    check_top_k_pattern(
        (top_k_case){.key = JIG_F64, .count = 1 << 16, .k = 1000, .offset = p % 2, .is_sorted = p == 1},
        patterns[p]);
    check_top_k_pattern(
        (top_k_case){
            .key = JIG_U64, .count = (1 << 16) + 1, .k = 50000, .choice = JIG_TOP_K_MIN, .offset = 1},
        patterns[p]);
  }
  for (size_t bits = 16; bits <= 18; bits += 2) {
    const size_t count = (size_t)1 << bits;
    check_top_k_pattern((top_k_case){.key = JIG_U32, .count = count, .k = 100}, KEYS_RANDOM);
    check_top_k_pattern((top_k_case){.key = JIG_U32, .count = count, .k = count / 3}, KEYS_FEW);
    check_top_k_pattern((top_k_case){.key = JIG_U32, .count = count + 1, .k = 100}, KEYS_RANDOM);
  }
}
END_TEST

/* Bytes alone, which are counted: by one block, by two, by more than are added up at once; the result by
 * the block that adds them up, and by another launch. */
static void check_bytes(size_t count, key_pattern pattern) {
  static const jig_type types[] = {JIG_U8, JIG_I8, JIG_BOOL};
  const size_t all_k[] = {1, 256, count / 3, count - 1, count, count + 1};
  for (size_t i = 0; i < COUNT_OF(all_k); ++i)
    check_top_k_pattern((top_k_case){.key = types[i % COUNT_OF(types)],
                                     .count = count,
                                     .k = all_k[i],
                                     .choice = (count + i / 2) % 2 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                     .is_sorted = i % 4 == 1,
                                     .offset = (count + 5 * i) % 19},
                        pattern);
}

START_TEST(counted_bytes) {
  static const size_t counts[] = {2, 17, 255, 4096, 16383, 16384, 16385, 32768, 65536, 90001};
  static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_FEW, KEYS_EQUAL, KEYS_MOSTLY_ONE};
  for (size_t i = 0; i < COUNT_OF(counts); ++i)
    for (size_t p = i % 2; p < COUNT_OF(patterns); p += 2) check_bytes(counts[i], patterns[p]);
  check_top_k_pattern((top_k_case){.key = JIG_U8, .count = 600001, .k = 256}, KEYS_RANDOM);
}
END_TEST

/* With values they are not. */
START_TEST(bytes_with_values) {
  static const size_t counts[] = {4096, 16385, 65536, 65537};
  for (size_t i = 0; i < COUNT_OF(counts); ++i)
    for (size_t k = 1; k <= counts[i]; k += counts[i] - 1)
      check_top_k_pattern(
          (top_k_case){.key = JIG_U8, .value = JIG_U16, .count = counts[i], .k = k, .offset = i},
          i % 2 ? KEYS_RANDOM : KEYS_FEW);
}
END_TEST

/* Those that are computed, and cannot be loaded by words. */
START_TEST(counted_iterators) {
  enum { COUNT = 40000, K = 300 };
  static const uint8_t start = 7;
  uint8_t *out = gpu_alloc(K, 0), got[K];
  char *memory = gpu_alloc(COUNT + 1, 0);
  GPU(gpu()->cuMemsetD8((CUdeviceptr)memory, 3, COUNT + 1));
  const jig_iter bytes = jig_pointer(memory + 1, JIG_U8);
  const jig_iter add = jig_iter_transform(&bytes, jig_op_source("return x + 1;"), JIG_U8);
  const jig_iter inputs[] = {jig_counting(&start, JIG_U8), add};
  for (size_t i = 0; i < COUNT_OF(inputs); ++i) {
    run_top_k(&(jig_top_k_args){
        .keys_in = inputs[i], .keys_out = jig_pointer(out, JIG_U8), .num_items = COUNT, .k = K});
    gpu_read(got, out, K);
    /* Of 40000 numbers from 7 on, 156 or 157 have each remainder. */
    for (size_t k = 0; k < K; ++k) ck_assert_uint_eq(got[k], i == 1 ? 4 : k < 156 ? 255 : 254);
  }
  gpu_free(out);
  gpu_free(memory);
}
END_TEST

/* Four keys, of which the wanted ones end with the first and the last of any one, and in every block. */
START_TEST(few_keys) {
  enum { COUNT = 20011 };
  for (size_t k = 1; k < COUNT; k += 1 + k / 2)
    check_top_k_pattern((top_k_case){.key = JIG_U32, .count = COUNT, .k = k}, KEYS_FEW);
  for (size_t k = 1000; k < COUNT; k += 1499) {
    check_top_k_pattern((top_k_case){.key = JIG_I64, .count = COUNT, .k = k, .offset = 1}, KEYS_FEW);
    check_top_k_pattern((top_k_case){.key = JIG_U128, .count = COUNT / 16, .k = k / 16}, KEYS_FEW);
  }
}
END_TEST

/* The last of those that are found has the key of one to three others: near it, or anywhere. */
START_TEST(few_equal_keys) {
  enum { COUNT = 40009, EACH = 4 };
  static uint32_t keys[COUNT];
  static uint64_t wide[COUNT];
  for (uint64_t scatter = 1; scatter <= 7919; scatter += 7918) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      keys[i] = (uint32_t)(i * scatter % COUNT) / EACH;
      wide[i] = (i * scatter % COUNT / EACH) << 30;
    }
    for (size_t k = 256; k < 256 + EACH; ++k) {
      check_top_k(&(top_k_case){.key = JIG_U32,
                                .keys = keys,
                                .count = COUNT,
                                .k = k,
                                .choice = JIG_TOP_K_MIN,
                                .what = "equal"});
      check_top_k(&(top_k_case){.key = JIG_U32, .keys = keys, .count = COUNT, .k = k, .what = "equal"});
      check_top_k(
          &(top_k_case){.key = JIG_U64, .keys = wide, .count = COUNT, .k = k, .what = "wide equal"});
    }
  }
}
END_TEST

/* Tiles of the pass, which are of 8192 items: the last one whole, or not. */
START_TEST(every_last_tile) {
  const size_t whole = (top_k_alone(JIG_U32) / 8192 + 1) * 8192;
  for (size_t count = whole - 1; count <= whole + 1; ++count) {
    check_top_k_pattern((top_k_case){.key = JIG_U32, .count = count, .k = 50}, KEYS_SORTED);
    check_top_k_pattern((top_k_case){.key = JIG_U32, .count = count, .k = 5000, .choice = JIG_TOP_K_MIN},
                        KEYS_REVERSED);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),        SUITE_TEST(every_pattern),     SUITE_TEST(every_k_of_few),
      SUITE_TEST(every_k_of_many),   SUITE_TEST(around_a_cluster),  SUITE_TEST(few_keys),
      SUITE_TEST(every_last_tile),   SUITE_TEST(few_equal_keys),    SUITE_TEST(counted_bytes),
      SUITE_TEST(bytes_with_values), SUITE_TEST(counted_iterators),
  };
  return SUITE_RUN("device/top_k_keys", tests, true);
}
