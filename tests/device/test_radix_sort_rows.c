/* Sorts of keys that are not moved themselves: structs of more than 64 bytes, and such as are sorted by
 * more than 128 bits; of everything and of segments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "radix_sort_support.h"
#include "reduce_support.h"
#include "row_support.h"
#include "seed.h"
#include "segmented_sort_support.h"
#include "suite.h"

/* ---- everything */

typedef struct sort_of_rows {
  size_t count;
  jig_sort_order order;
  size_t value_bytes;      /* 0: there are none */
  bool iterates, buffered; /* how keys are given */
  int begin_bit, end_bit;
  uint64_t *counted; /* in device memory, where it is `there`; NULL: not there */
  size_t there;
} sort_of_rows;

/* The same items by an iterator: of those that lie in memory, or of such as are made. */
static jig_iter iterated(const row_kind *kind, const jig_iter *keys) {
  if (kind->size % 8 == 0) return jig_iter_transform(keys, JIG_IDENTITY, keys->type);
  return jig_strided(keys->pointer, (int64_t)kind->size, keys->type);
}

static void check_sort(jig_engine *engine, const row_kind *kind, sort_of_rows how) {
  row_arrays a = row_arrays_make(kind, how.count, how.value_bytes);
  const size_t there = how.counted != NULL ? how.there : how.count;
  const row_order by = {how.order == JIG_SORT_DESCENDING, how.begin_bit, how.end_bit};
  size_t *order = malloc(how.count * sizeof *order);
  for (size_t i = there; i < how.count; ++i) order[i] = ROW_UNTOUCHED;
  rows_in_order(kind, a.keys, by, 0, there, order);
  int selector = -1;
  const jig_iter there_in = jig_pointer(a.keys_in, row_type(kind));
  jig_radix_sort_args args = {.keys_in = how.iterates ? iterated(kind, &there_in) : there_in,
                              .keys_out = jig_pointer(a.keys_out, row_type(kind)),
                              .num_items = how.count,
                              .num_items_in = how.counted,
                              .order = how.order,
                              .begin_bit = how.begin_bit,
                              .end_bit = how.end_bit,
                              .selector = how.buffered ? &selector : NULL,
                              .decomposer = kind->decomposer};
  if (how.value_bytes > 0) args.values_in = jig_pointer(a.values_in, row_value(how.value_bytes));
  if (how.value_bytes > 0) args.values_out = jig_pointer(a.values_out, row_value(how.value_bytes));
  run_radix_sort(engine, &args);
  if (how.buffered) ck_assert_int_eq(selector, 1);
  row_arrays_check(&a, order, how.count);
  row_arrays_free(&a);
  free(order);
}

/* By one block or cluster, and by passes. */
static void check_sizes(const row_kind *kind) {
  jig_engine *engine = NULL;
  for (int i = 0; i < 2; ++i) {
    const jig_sort_order order = i == 0 ? JIG_SORT_ASCENDING : JIG_SORT_DESCENDING;
    check_sort(engine, kind, (sort_of_rows){.count = 1, .order = order});
    check_sort(engine, kind, (sort_of_rows){.count = 777, .order = order, .value_bytes = 4});
    limits_of(engine)->radix_sort_max_cluster = 1;
    check_sort(engine, kind,
               (sort_of_rows){.count = 9001, .order = order, .value_bytes = i == 0 ? 0 : 24});
    limits_of(engine)->radix_sort_max_cluster = ~0U;
  }
}

START_TEST(everything) {
  for (size_t i = 0; i < ROW_KINDS; ++i) check_sizes(&row_kinds[i]);
}
END_TEST

/* Keys by an iterator; two buffers, in which sorts of few and of many have what they need; and values
 * that are rows themselves. */
START_TEST(forms) {
  for (size_t i = 0; i < ROW_KINDS; ++i) {
    const row_kind *kind = &row_kinds[i];
    if (kind->size > 600 || !test_turn(i)) continue;
    check_sort(NULL, kind, (sort_of_rows){.count = 1500, .iterates = true});
    check_sort(NULL, kind, (sort_of_rows){.count = 1501, .value_bytes = 300, .buffered = true});
    check_sort(NULL, kind, (sort_of_rows){.count = 1, .buffered = true});
    limits_of(NULL)->radix_sort_max_cluster = 1;
    check_sort(NULL, kind, (sort_of_rows){.count = 7003, .value_bytes = 4, .buffered = true});
    limits_of(NULL)->radix_sort_max_cluster = ~0U;
  }
}
END_TEST

/* Bits that end within a field, and begin there; none at all; more than the fields have. */
START_TEST(bits) {
  for (size_t i = 0; i < ROW_KINDS; ++i) {
    if (test_turn(i)) continue;
    const row_kind *kind = &row_kinds[i];
    const int most = row_bits(kind);
    check_sort(NULL, kind, (sort_of_rows){.count = 900, .begin_bit = 5, .end_bit = most - 3});
    check_sort(NULL, kind,
               (sort_of_rows){.count = 901, .begin_bit = most - 9, .order = JIG_SORT_DESCENDING});
    check_sort(NULL, kind, (sort_of_rows){.count = 902, .begin_bit = 7, .end_bit = 7, .value_bytes = 4});
    if (most > 128) check_sort(NULL, kind, (sort_of_rows){.count = 903, .begin_bit = 128});
    if (most > 128)
      check_sort(NULL, kind, (sort_of_rows){.count = 904, .begin_bit = 120, .end_bit = 136});
    if (most < 128) check_sort(NULL, kind, (sort_of_rows){.count = 905, .end_bit = 128});
  }
}
END_TEST

START_TEST(counts_in_device_memory) {
  for (size_t i = 0; i < ROW_KINDS; ++i) {
    if (!test_turn(i)) continue;
    uint64_t count = 4321;
    uint64_t *counted = gpu_copy(&count, sizeof count, 0);
    if (row_kinds[i].size <= 600)
      check_sort(NULL, &row_kinds[i],
                 (sort_of_rows){.count = 5000, .counted = counted, .there = 4321, .value_bytes = 4});
    gpu_free(counted);
  }
}
END_TEST

/* What is captured after a size query is replayed, with other keys. */
START_TEST(replays) {
  enum { COUNT = 9000 };
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (size_t i = 4; i < 7; ++i) {
    const row_kind *kind = &row_kinds[i];
    row_arrays a = row_arrays_make(kind, COUNT, 4);
    size_t bytes = 0, *order = malloc(COUNT * sizeof *order);
    const jig_radix_sort_args args = {.keys_in = jig_pointer(a.keys_in, row_type(kind)),
                                      .keys_out = jig_pointer(a.keys_out, row_type(kind)),
                                      .values_in = jig_pointer(a.values_in, JIG_U32),
                                      .values_out = jig_pointer(a.values_out, JIG_U32),
                                      .num_items = COUNT,
                                      .decomposer = kind->decomposer};
    OK(jig_radix_sort(NULL, NULL, &bytes, &args, stream));
    void *storage = gpu_alloc(bytes, 0);
    gpu_begin_capture(stream);
    OK(jig_radix_sort(NULL, storage, &bytes, &args, stream));
    CUgraphExec exec = gpu_end_capture(stream);
    for (uint64_t round = 0; round < 2; ++round) {
      free(a.keys);
      a.keys = rows_of(kind, COUNT, 77 + round);
      gpu_write(a.keys_in, a.keys, COUNT * kind->size);
      gpu_replay(exec, stream);
      rows_in_order(kind, a.keys, (row_order){false, 0, 0}, 0, COUNT, order);
      row_arrays_check(&a, order, COUNT);
    }
    GPU(gpu()->cuGraphExecDestroy(exec));
    gpu_free(storage);
    row_arrays_free(&a);
    free(order);
  }
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

/* As the header says: two words and two indices; within two buffers, one index. Besides, less than a byte
 * for each. */
START_TEST(temp_storage) {
  const row_kind *kind = &row_kinds[1];
  const jig_iter keys = jig_pointer(NULL, row_type(kind));
  jig_radix_sort_args args = {.keys_in = keys, .keys_out = keys, .decomposer = kind->decomposer};
  int selector;
  for (uint64_t n = 1; n < (uint64_t)1 << 34; n += n / 3 + 1) {
    size_t bytes = 0, with_buffers = 0;
    const size_t others = 4096 * 1024 + n;
    args.num_items = n;
    args.selector = NULL;
    OK(jig_radix_sort(NULL, NULL, &bytes, &args, NULL));
    ck_assert_uint_le(bytes, 32 * n + others);
    args.selector = &selector;
    OK(jig_radix_sort(NULL, NULL, &with_buffers, &args, NULL));
    ck_assert_uint_le(with_buffers, 8 * n + others);
  }
}
END_TEST

/* ---- segments */

static void check_segments(const row_kind *kind, size_t count, size_t value_bytes, jig_sort_order order) {
  enum { SEGMENTS = 40 };
  row_arrays a = row_arrays_make(kind, count, value_bytes);
  size_t *wanted = malloc(count * sizeof *wanted);
  int32_t begins[SEGMENTS], ends[SEGMENTS];
  uint64_t seed = count;
  /* The first one has half of all; between others there are gaps. */
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) wanted[i] = ROW_UNTOUCHED;
  for (int s = 0; s < SEGMENTS; ++s) {
    const size_t length = s == 0 ? count / 2 : next_random(&seed) % (count / 2 / SEGMENTS);
    begins[s] = (int32_t)at;
    ends[s] = (int32_t)(at + length);
    rows_in_order(kind, a.keys, (row_order){order == JIG_SORT_DESCENDING, 0, 0}, at, length, wanted + at);
    at += length + (s % 3 == 0);
  }
  void *begin_offsets = gpu_copy(begins, sizeof begins, 0), *end_offsets = gpu_copy(ends, sizeof ends, 0);
  jig_segmented_sort_args args = {.keys_in = jig_pointer(a.keys_in, row_type(kind)),
                                  .keys_out = jig_pointer(a.keys_out, row_type(kind)),
                                  .num_items = count,
                                  .begin_offsets = jig_pointer(begin_offsets, JIG_I32),
                                  .end_offsets = jig_pointer(end_offsets, JIG_I32),
                                  .num_segments = SEGMENTS,
                                  .order = order,
                                  .decomposer = kind->decomposer};
  /* Without guards: whoever looks for a value where none is, reads what is nobody's. */
  CUdeviceptr values = 0;
  if (value_bytes > 0) {
    GPU(gpu()->cuMemAlloc(&values, count * value_bytes));
    gpu_write((void *)(uintptr_t)values, a.values, count * value_bytes);
    args.values_in = jig_device_pointer(values, row_value(value_bytes));
    args.values_out = jig_pointer(a.values_out, row_value(value_bytes));
  }
  run_segmented_sort(NULL, &args);
  row_arrays_check(&a, wanted, count);
  if (value_bytes > 0) GPU(gpu()->cuMemFree(values));
  gpu_free(begin_offsets);
  gpu_free(end_offsets);
  row_arrays_free(&a);
  free(wanted);
}

START_TEST(segments) {
  for (size_t i = 0; i < ROW_KINDS; ++i) {
    if (test_turn(i)) continue;
    check_segments(&row_kinds[i], 3000, 0, JIG_SORT_ASCENDING);
    if (row_kinds[i].size < 1000) check_segments(&row_kinds[i], 9000, 4, JIG_SORT_DESCENDING);
  }
}
END_TEST

/* ---- what is compiled */

/* How many bits there are a kernel has to tell, which is one that is needed anyway. */
START_TEST(a_first_call_compiles_what_it_needs) {
  enum { MOST = 4 }; /* of six; two, where there are clusters */
  const jig_engine_config config = {.cache_dir = "", .background = JIG_SWITCH_OFF};
  const row_kind *kind = &row_kinds[1];
  const jig_iter keys = jig_pointer(NULL, row_type(kind));
  const jig_radix_sort_args args = {
      .keys_in = keys, .keys_out = keys, .num_items = 100, .decomposer = kind->decomposer};
  jig_engine *engine = NULL;
  jig_engine_stats stats;
  size_t bytes;
  OK(jig_engine_create(&engine, &config));
  OK(jig_radix_sort(engine, NULL, &bytes, &args, NULL));
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_uint_ge(stats.kernels, 2);
  ck_assert_uint_le(stats.kernels, MOST);
  jig_engine_destroy(engine);
}
END_TEST

/* ---- what is refused */

START_TEST(refused) {
  const row_kind *kind = &row_kinds[1];
  size_t bytes = 0;
  const jig_iter keys = jig_pointer((void *)(uintptr_t)4096, row_type(kind));
  jig_radix_sort_args args = {
      .keys_in = keys, .keys_out = keys, .num_items = 9, .decomposer = kind->decomposer};
  args.end_bit = 129;
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "end_bit: it is 129, and keys have 128 bits");
  args.end_bit = 0;
  args.begin_bit = 129;
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "begin_bit: it is 129, and the end is 128");
  args.begin_bit = 0;
  args.decomposer = "x.f, x.nothing";
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_COMPILE, "decomposer:1:8");
  args.decomposer = NULL;
  FAILS(jig_radix_sort(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "keys_in");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(everything),   SUITE_TEST(forms),
      SUITE_TEST(bits),         SUITE_TEST(counts_in_device_memory),
      SUITE_TEST(temp_storage), SUITE_TEST(replays),
      SUITE_TEST(segments),     SUITE_TEST(a_first_call_compiles_what_it_needs),
      SUITE_TEST(refused),
  };
  limits_of(NULL)->radix_sort_least_local = 0;
  return SUITE_RUN("device/radix_sort_rows", tests, true);
}
