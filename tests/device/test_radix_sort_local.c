/* Radix sort by the highest digits, after which blocks sort what agrees in them: keys and values of all
 * sizes, however many digits go before and however many keys they leave in a bucket; what is rare in it;
 * and who decides. */
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "sort_support.h"
#include "suite.h"

enum { TILE = 4608, CHUNK = TILE - TILE / 16 };

static const jig_type no_value = JIG_ZERO;

static void use_passes(jig_engine *engine, int top_passes) {
  plan_limits *limits = limits_of(engine);
  limits->radix_sort_max_cluster = 1;
  limits->radix_sort_least_local = 0;
  limits->radix_sort_top_passes = top_passes;
}

static size_t alone(jig_type key, jig_type value) {
  return radix_sort_marks_of(key, value).alone;
}

START_TEST(every_key_and_value) {
  const struct {
    jig_type key, value;
  } types[] = {{JIG_U64, no_value},
               {JIG_F64, no_value},
               {JIG_I128, no_value},
               {JIG_I64, JIG_U64},
               {JIG_F64, JIG_U32},
               {JIG_U32, JIG_I64},
               {JIG_F32, JIG_U128},
               {JIG_I32, JIG_U32},
               {JIG_F32, JIG_F32},
               {JIG_U128, jig_opaque(3, 1)},
               {JIG_U64, jig_opaque(12, 4)},
               {JIG_I64, JIG_U8},
               {JIG_U64, jig_opaque(256, 16)}};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    for (int top = 1; top <= 3; ++top) {
      if (!test_turn(i * 3 + (size_t)top)) continue;
      use_passes(NULL, top);
      check_radix_sort_of(
          (sort_case){.key = types[i].key,
                      .value = types[i].value,
                      .count = alone(types[i].key, types[i].value) + 9000 + i,
                      .order = (i + (size_t)top) % 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                      .has_buffers = (i / 2 + (size_t)top) % 2,
                      .offset = i % 3},
          KEYS_RANDOM);
    }
  }
}
END_TEST

/* Buckets that fit no tile, and tiles in which ranks are not enough, or digits are frequent. */
START_TEST(every_pattern) {
  for (int p = 0; p < KEY_PATTERNS; ++p) {
    if (!test_turn((unsigned)p / 2)) continue;
    for (int top = 1; top <= 2; ++top) {
      use_passes(NULL, top);
      check_radix_sort_of((sort_case){.key = JIG_U64,
                                      .value = p % 2 ? JIG_U32 : no_value,
                                      .count = 4 * TILE + 77,
                                      .order = p % 3 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                      .has_buffers = top == 2},
                          (key_pattern)p);
      if (p % 2 == top % 2)
        check_radix_sort_of((sort_case){.key = JIG_F64, .count = 3 * TILE}, (key_pattern)p);
    }
  }
}
END_TEST

/* Keys of so many different values in each of some bits, as their indices are hashed. */
static void check_bits(const uint64_t *masks, size_t count, int top, bool has_values, bool has_buffers) {
  uint64_t *keys = malloc(count * sizeof *keys), seed = 5;
  for (size_t i = 0; i < count; ++i) keys[i] = next_random(&seed) & masks[i % 2];
  use_passes(NULL, top);
  check_radix_sort(&(sort_case){.key = JIG_U64,
                                .value = has_values ? JIG_U64 : no_value,
                                .keys = keys,
                                .count = count,
                                .has_buffers = has_buffers,
                                .what = "masked bits"});
  free(keys);
}

/* Half of the keys agree in digits in which others differ: many of one rank, buckets next to tiny ones,
 * digits that are skipped between others. */
START_TEST(uneven_keys) {
  static const uint64_t masks[][2] = {{~UINT64_C(0), UINT64_C(0xff)},
                                      {UINT64_C(0xff000000000000ff), UINT64_C(0xff000000000000ff)},
                                      {UINT64_C(0xff00ff00ff00ff00), UINT64_C(0xff00ff00ff00ff00)},
                                      {UINT64_C(0x0f00000000000fff), ~UINT64_C(0)},
                                      {UINT64_C(0x000fffffff), UINT64_C(0x0fffffff0000)},
                                      {UINT64_C(0xff0f000000010000), UINT64_C(0xff0f000000010000)},
                                      {UINT64_C(0xff3f000000030000), UINT64_C(0xff07000000000007)},
                                      {UINT64_C(0x8000ffffffffffff), UINT64_C(0x7fff)}};
  for (size_t i = 0; i < COUNT_OF(masks); ++i) {
    if (!test_turn(i)) continue;
    for (int top = 0; top <= 3; ++top)
      check_bits(masks[i], 5 * TILE + 1000 * i, top, (i + (size_t)top) % 2, top % 2);
  }
}
END_TEST

/* Records of keys and values, of which half lie in either array, the odd last one in both; in arrays that
 * are aligned to them or not, and in buckets that fit no tile. */
START_TEST(records) {
  for (size_t i = 0; i < 8; ++i) {
    use_passes(NULL, 1 + (int)(i % 2));
    check_radix_sort_of((sort_case){.key = i % 3 ? JIG_I32 : JIG_F32,
                                    .value = JIG_F32,
                                    .count = 3 * TILE + 1000 * i + i / 4,
                                    .order = i % 5 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                    .begin_bit = i == 6 ? 5 : 0,
                                    .offset = i / 2 % 2},
                        i % 4 == 3 ? KEYS_MOSTLY_ONE : KEYS_RANDOM);
  }
}
END_TEST

START_TEST(every_size) {
  const size_t sizes[] = {TILE - 1,  TILE,      TILE + 1,      CHUNK,
                          CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1, 10 * CHUNK - 1};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    use_passes(NULL, (int)(i % 3));
    check_radix_sort_of((sort_case){.key = JIG_I128, .count = sizes[i], .has_buffers = i % 2},
                        KEYS_RANDOM);
    check_radix_sort_of((sort_case){.key = JIG_I64, .value = JIG_F32, .count = 4 * sizes[i]},
                        KEYS_RANDOM);
  }
}
END_TEST

START_TEST(some_bits) {
  static const struct {
    jig_type_kind kind;
    int begin, end;
  } ranges[] = {{JIG_KIND_I64, 27, 64}, {JIG_KIND_F64, 20, 50},   {JIG_KIND_U64, 0, 30},
                {JIG_KIND_U64, 3, 60},  {JIG_KIND_I128, 60, 100}, {JIG_KIND_U128, 100, 128}};
  for (size_t i = 0; i < COUNT_OF(ranges); ++i) {
    for (int top = 1; top <= 2; ++top) {
      use_passes(NULL, top);
      check_radix_sort_of((sort_case){.key = type_of(ranges[i].kind),
                                      .value = i % 3 == 1 ? JIG_U32 : no_value,
                                      .count = 2 * TILE + 9000,
                                      .order = i % 2 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING,
                                      .begin_bit = ranges[i].begin,
                                      .end_bit = ranges[i].end,
                                      .has_buffers = top == 1},
                          i % 4 == 3 ? KEYS_MOSTLY_ONE : KEYS_RANDOM);
    }
  }
}
END_TEST

START_TEST(iterators) {
  for (int i = 0; i < 3; ++i) {
    use_passes(NULL, i);
    check_radix_sort_of((sort_case){.key = JIG_U64,
                                    .value = JIG_U64,
                                    .count = 3 * TILE,
                                    .iterates_keys = i != 1,
                                    .iterates_values = i != 2},
                        KEYS_RANDOM);
  }
}
END_TEST

/* Of as many keys as the GPU is told the last time, when launches are planned for more. */
START_TEST(counts_in_device_memory) {
  enum { MOST = 5 * TILE };
  static const uint64_t counts[] = {0, 1, 4000, 2 * CHUNK + 1, MOST};
  const size_t bytes = MOST * sizeof(uint64_t);
  for (size_t i = 0; i < 2 * COUNT_OF(counts); ++i) {
    const uint64_t there = counts[i / 2];
    uint64_t *keys = keys_of(JIG_U64, KEYS_RANDOM, MOST, 23 + i);
    size_t *order = malloc(MOST * sizeof *order);
    const sort_case c = {.key = JIG_U64, .keys = keys, .what = "counted"};
    sort_on_host(&c, 0, there, order);
    use_passes(NULL, (int)(i % 2));
    void *in = gpu_copy(keys, bytes, 0), *out = gpu_copy(keys, bytes, 0);
    void *counted = gpu_copy(&there, sizeof there, 0);
    const jig_radix_sort_args args = {.keys_in = jig_pointer(in, JIG_U64),
                                      .keys_out = jig_pointer(out, JIG_U64),
                                      .num_items = MOST,
                                      .num_items_in = counted};
    run_radix_sort(NULL, &args);
    for (size_t k = there; k < MOST; ++k) order[k] = k;
    void *wanted = permuted(keys, sizeof *keys, order, MOST);
    check_sorted(out, wanted, sizeof *keys, MOST, c.what);
    gpu_free(in);
    gpu_free(out);
    gpu_free(counted);
    free(wanted);
    free(order);
    free(keys);
  }
}
END_TEST

/* Ranking that fails its check, as it is forced to or because of what the hardware does, in tiles and in
 * buckets that fit none. */
static void check_forced(const char *option) {
  jig_engine *engine = engine_with_option(option);
  for (int top = 1; top <= 2; ++top) {
    use_passes(engine, top);
    for (int p = 0; p < 2; ++p) {
      const key_pattern pattern = p ? KEYS_MOSTLY_ONE : KEYS_RANDOM;
      const size_t count = 3 * TILE;
      check_radix_sort_of((sort_case){.engine = engine, .key = JIG_U64, .count = count}, pattern);
      check_radix_sort_of((sort_case){.engine = engine, .key = JIG_I64, .value = JIG_U32, .count = count},
                          pattern);
    }
  }
  jig_engine_destroy(engine);
}

START_TEST(failed_checks) {
  check_forced("-DJIG_RADIX_SORT_FORCE=2");
}
END_TEST

START_TEST(opposite_order) {
  check_forced("-DJIG_RADIX_SORT_FORCE=4");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_key_and_value), SUITE_TEST(every_pattern),
      SUITE_TEST(uneven_keys),         SUITE_TEST(records),
      SUITE_TEST(every_size),          SUITE_TEST(some_bits),
      SUITE_TEST(iterators),           SUITE_TEST(counts_in_device_memory),

      SUITE_TEST(failed_checks),       SUITE_TEST(opposite_order),
  };
  return SUITE_RUN("device/radix_sort_local", tests, true);
}
