/* Radix sort whose inputs are not in memory as they are sorted: iterators of keys, of values and of both.
 */
#include <stdlib.h>

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

static const jig_type none = {0};
static unsigned all_blocks;

/* In one block and in passes. */
static size_t count_of(jig_type key, jig_type value, int which) {
  const size_t most = alone(key, value);
  return which == 0 ? 1 : which == 1 ? 777 : which == 2 ? most - 1 : most * 3 + 1234;
}

START_TEST(every_key) {
  static const jig_type_kind kinds[] = {JIG_KIND_BOOL, JIG_KIND_I8,   JIG_KIND_U8,  JIG_KIND_I16,
                                        JIG_KIND_F16,  JIG_KIND_BF16, JIG_KIND_U32, JIG_KIND_F32,
                                        JIG_KIND_I64,  JIG_KIND_F64,  JIG_KIND_I128};
  for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
    if (!test_turn(i / 2)) continue;
    const jig_type key = type_of(kinds[i]);
    for (int which = 0; which < 4; ++which)
      check_radix_sort_of((sort_case){.key = key,
                                      .count = count_of(key, none, which),
                                      .order = which % 2 ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                      .iterates_keys = true},
                          i % 2 ? KEYS_RANDOM : KEYS_MOSTLY_ONE);
  }
}
END_TEST

START_TEST(every_value) {
  const jig_type values[] = {JIG_U8,
                             JIG_F16,
                             JIG_F32,
                             JIG_I64,
                             JIG_U128,
                             jig_opaque(3, 1),
                             jig_opaque(12, 4),
                             jig_struct("point", "struct point { double x, y, z; };", 24, 8),
                             jig_opaque(256, 16)};
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_I32, JIG_KIND_F64};
  for (size_t i = 0; i < COUNT_OF(values); ++i) {
    if (!test_turn(i / 2)) continue;
    const jig_type key = type_of(kinds[i % COUNT_OF(kinds)]);
    for (int which = 1; which < 4; ++which)
      check_radix_sort_of((sort_case){.key = key,
                                      .value = values[i],
                                      .count = count_of(key, values[i], which),
                                      .iterates_keys = which == 2 || i % 2 == 0,
                                      .iterates_values = which != 2},
                          KEYS_RANDOM);
  }
}
END_TEST

/* Several blocks of a cluster, where a GPU has them. */
START_TEST(clusters) {
  plan_limits *limits = limits_of(NULL);
  const unsigned most = limits->radix_sort_max_cluster;
  limits->radix_sort_max_cluster = all_blocks;
  for (int i = 0; i < 4; ++i)
    check_radix_sort_of((sort_case){.key = i % 2 ? JIG_F64 : JIG_U32,
                                    .value = i < 2    ? none
                                             : i == 2 ? JIG_U32
                                                      : jig_opaque(12, 4),
                                    .count = alone(JIG_F64, JIG_U32) * 3 / 2,
                                    .iterates_keys = true,
                                    .iterates_values = i >= 2},
                        KEYS_RANDOM);
  limits->radix_sort_max_cluster = most;
}
END_TEST

/* Passes that are left out: the first that is done reads the input, whichever it is. Keys and values of 4
 * bytes each travel together. */
START_TEST(every_pattern) {
  const size_t most = count_of(JIG_U32, JIG_U32, 3);
  for (int p = 0; p < KEY_PATTERNS; ++p)
    check_radix_sort_of((sort_case){.key = p % 2 ? JIG_F32 : JIG_U32,
                                    .value = p % 3 == 0 ? JIG_U64 : JIG_U32,
                                    .count = most,
                                    .begin_bit = p % 4 == 3 ? 5 : 0,
                                    .end_bit = p % 3 == 0 ? 20 : 0,
                                    .iterates_keys = p % 4 != 1,
                                    .iterates_values = p % 4 != 2},
                        (key_pattern)p);
}
END_TEST

/* What is rare, everywhere: see test_radix_sort_pairs.c. */
START_TEST(forced) {
  static const char *const options[] = {"-DJIG_RADIX_SORT_FORCE=1", "-DJIG_RADIX_SORT_FORCE=2"};
  for (size_t i = 0; i < COUNT_OF(options); ++i) {
    jig_engine *engine = engine_with_option(options[i]);
    limits_of(engine)->radix_sort_max_cluster = 1;
    for (int large = 0; large < 2; ++large)
      for (int records = 0; records < 2; ++records)
        check_radix_sort_of((sort_case){.engine = engine,
                                        .key = JIG_I32,
                                        .value = records ? JIG_F32 : JIG_U16,
                                        .count = count_of(JIG_I32, JIG_F32, large ? 3 : 2),
                                        .iterates_keys = true,
                                        .iterates_values = true},
                            KEYS_RANDOM);
    jig_engine_destroy(engine);
  }
}
END_TEST

/* The indices of keys in order, without an array of indices. */
START_TEST(argsort) {
  const jig_type indices[] = {JIG_U32, JIG_U64};
  for (size_t i = 0; i < COUNT_OF(indices); ++i) {
    for (int which = 0; which < 4; ++which) {
      const jig_type key = JIG_F32, index = indices[i];
      const size_t count = count_of(key, index, which);
      void *keys = keys_of(key, KEYS_FEW, count, 3), *in = gpu_copy(keys, count * 4, 0);
      void *keys_out = gpu_alloc(count * 4, 0), *out = gpu_alloc(count * index.size, 0);
      size_t *order = malloc(count * sizeof *order);
      sort_on_host(&(sort_case){.key = key, .keys = keys, .count = count}, 0, count, order);
      run_radix_sort(NULL, &(jig_radix_sort_args){.keys_in = jig_pointer(in, key),
                                                  .keys_out = jig_pointer(keys_out, key),
                                                  .values_in = jig_counting(NULL, index),
                                                  .values_out = jig_pointer(out, index),
                                                  .num_items = count});
      char *places = malloc(count * index.size);
      gpu_read(places, out, count * index.size);
      for (size_t k = 0; k < count; ++k)
        ck_assert_uint_eq(
            index.size == 4 ? ((uint32_t *)(void *)places)[k] : ((uint64_t *)(void *)places)[k],
            order[k]);
      free(places);
      free(order);
      free(keys);
      gpu_free(in);
      gpu_free(keys_out);
      gpu_free(out);
    }
  }
}
END_TEST

/* Keys that are nowhere: of an operator that may be called for its items alone, whose number it has. */
START_TEST(computed_keys) {
  static const jig_type key = JIG_U64;
  for (int which = 0; which < 4; ++which) {
    const uint64_t count = count_of(key, none, which);
    uint64_t *sorted = malloc(count * 8);
    void *out = gpu_alloc(count * 8, 0);
    const jig_iter numbers = jig_counting(NULL, JIG_U64);
    const jig_op op = jig_op_with_state(jig_op_source("if (x >= state) __trap(); return state - 1 - x;"),
                                        &count, JIG_U64);
    run_radix_sort(NULL, &(jig_radix_sort_args){.keys_in = jig_iter_transform(&numbers, op, key),
                                                .keys_out = jig_pointer(out, key),
                                                .num_items = count});
    gpu_read(sorted, out, count * 8);
    for (uint64_t i = 0; i < count; ++i) ck_assert_uint_eq(sorted[i], i);
    free(sorted);
    gpu_free(out);
  }
}
END_TEST

typedef struct pair {
  uint32_t low, high;
} pair;

/* Structs from the columns of a table. */
START_TEST(zipped_keys) {
  const jig_type type = jig_struct("pair", "struct pair { unsigned low, high; };", 8, 4);
  for (int which = 1; which < 4; ++which) {
    const size_t count = count_of(JIG_U64, none, which);
    uint32_t *lows = keys_of(JIG_U32, KEYS_RANDOM, count, 1),
             *highs = keys_of(JIG_U32, KEYS_FEW, count, 2);
    void *low = gpu_copy(lows, count * 4, 0), *high = gpu_copy(highs, count * 4, 0);
    void *out = gpu_alloc(count * 8, 0);
    pair *sorted = malloc(count * sizeof *sorted);
    uint64_t sum = 0, wanted = 0;
    const jig_iter columns[] = {jig_pointer(low, JIG_U32), jig_pointer(high, JIG_U32)};
    run_radix_sort(NULL, &(jig_radix_sort_args){.keys_in = jig_zip(columns, 2, type),
                                                .keys_out = jig_pointer(out, type),
                                                .num_items = count,
                                                .decomposer = "x.high, x.low"});
    gpu_read(sorted, out, count * 8);
    for (size_t i = 0; i < count; ++i) {
      sum += sorted[i].low * (uint64_t)(sorted[i].high | 1);
      wanted += lows[i] * (uint64_t)(highs[i] | 1);
      if (i > 0)
        ck_assert(sorted[i - 1].high < sorted[i].high ||
                  (sorted[i - 1].high == sorted[i].high && sorted[i - 1].low <= sorted[i].low));
    }
    ck_assert_uint_eq(sum, wanted);
    free(sorted);
    free(lows);
    free(highs);
    gpu_free(low);
    gpu_free(high);
    gpu_free(out);
  }
}
END_TEST

START_TEST(refused) {
  char *memory = gpu_alloc(4096, 0);
  const jig_iter out = jig_pointer(memory, JIG_U32), numbers = jig_counting(NULL, JIG_U32);
  int selector = 0;
  size_t bytes = 4096;
  void *storage = gpu_alloc(bytes, 0);
  jig_radix_sort_args args = {
      .keys_in = numbers, .keys_out = out, .num_items = 100, .selector = &selector};
  FAILS(jig_radix_sort(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "keys_in: it must be a pointer where there is a selector");
  args.selector = NULL;
  args.keys_in = jig_strided(memory + 4, 8, JIG_U32);
  FAILS(jig_radix_sort(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "overlaps");
  args.keys_in = jig_strided(NULL, 8, JIG_U32);
  FAILS(jig_radix_sort(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "keys_in");
  args.keys_in = jig_counting(NULL, JIG_I32);
  FAILS(jig_radix_sort(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "keys_out: its type must be that of keys_in");
  gpu_free(storage);
  gpu_free(memory);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_key),     SUITE_TEST(every_value), SUITE_TEST(clusters),
      SUITE_TEST(every_pattern), SUITE_TEST(forced),      SUITE_TEST(argsort),
      SUITE_TEST(computed_keys), SUITE_TEST(zipped_keys), SUITE_TEST(refused),
  };
  all_blocks = limits_of(NULL)->radix_sort_max_cluster;
  limits_of(NULL)->radix_sort_max_cluster = 1; /* otherwise passes take many items */
  limits_of(NULL)->radix_sort_least_local = 0;
  return SUITE_RUN("device/radix_sort_iterators", tests, true);
}
