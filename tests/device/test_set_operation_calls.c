/* Set operations as calls: by name, includes, iterators, what is refused, capture, strict mode, more
 * items than 32 bits.
 */
#include <jig/jig.h>
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "strict_support.h"
#include "suite.h"

static uint64_t read_count(const void *out) {
  uint64_t count;
  gpu_read(&count, out, 8);
  return count;
}

/* ---- by name: multiples of 2 and of 3, below 6 * COUNT */

enum { COUNT = 5000 };

typedef jig_status (*named_function)(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                     jig_iter first_in, uint64_t first_num_items, jig_iter second_in,
                                     uint64_t second_num_items, jig_iter out, jig_iter num_items_out,
                                     jig_op compare, CUstream stream);

START_TEST(calls_by_name) {
  const int64_t two = 2, three = 3;
  const jig_iter first = jig_counting_by(NULL, &two, JIG_I64),
                 second = jig_counting_by(NULL, &three, JIG_I64);
  const jig_op none = JIG_ZERO;
  static const struct {
    named_function call;
    bool of_both, of_two, of_three; /* which numbers are kept */
  } rows[] = {{jig_set_union, true, true, true},
              {jig_set_intersection, true, false, false},
              {jig_set_difference, false, true, false},
              {jig_set_symmetric_difference, false, true, true}};
  int64_t *got = malloc(5 * COUNT * 8);
  void *out = gpu_alloc(5 * COUNT * 8, 0), *num_items_out = gpu_alloc(8, 0);
  for (size_t r = 0; r < COUNT_OF(rows); ++r) {
    OK(rows[r].call(NULL, NULL, NULL, first, 3 * COUNT, second, 2 * COUNT, jig_pointer(out, JIG_I64),
                    jig_pointer(num_items_out, JIG_U64), none, NULL));
    gpu_read(got, out, 5 * COUNT * 8);
    uint64_t kept = 0;
    for (int64_t x = 0; x < 6 * COUNT; ++x) {
      const bool by_two = x % 2 == 0, by_three = x % 3 == 0;
      if (by_two && by_three ? rows[r].of_both : by_two ? rows[r].of_two : by_three && rows[r].of_three)
        ck_assert_int_eq(got[kept++], x);
    }
    ck_assert_uint_eq(read_count(num_items_out), kept);
  }
  gpu_free(out);
  gpu_free(num_items_out);
  free(got);
}
END_TEST

START_TEST(includes) {
  const int64_t six = 6, three = 3, from = -3;
  const jig_iter few = jig_counting_by(NULL, &six, JIG_I64),
                 many = jig_counting_by(NULL, &three, JIG_I64);
  const jig_iter twice = jig_iter_source(jig_op_source("return i / 2;"), JIG_I64),
                 thrice = jig_iter_source(jig_op_source("return i / 3;"), JIG_I64);
  const jig_op none = JIG_ZERO;
  const struct {
    jig_iter first;
    uint64_t first_count;
    jig_iter second;
    uint64_t second_count;
    bool wanted;
  } rows[] = {{many, 2 * COUNT, few, COUNT, true},
              {many, 2 * COUNT - 2, few, COUNT, false},
              {few, COUNT, many, 2 * COUNT, false},
              {many, 100, jig_counting_by(&from, &three, JIG_I64), 50, false},
              {many, COUNT, many, 0, true},
              {many, 0, few, 1, false},
              {many, 0, few, 0, true},
              {thrice, 3 * COUNT, twice, 2 * COUNT, true},
              {twice, 2 * COUNT, thrice, 3 * COUNT, false},
              {twice, 2 * COUNT, thrice, 2, true},
              {twice, 2 * COUNT, thrice, 3, false}};
  uint8_t *out = gpu_alloc(8, 0);
  for (size_t r = 0; r < COUNT_OF(rows); ++r) {
    uint8_t got;
    OK(jig_includes(NULL, NULL, NULL, rows[r].first, rows[r].first_count, rows[r].second,
                    rows[r].second_count, jig_pointer(out, JIG_BOOL), none, NULL));
    gpu_read(&got, out, 1);
    ck_assert_msg(got == rows[r].wanted, "row %zu: %d", r, got);
  }
  gpu_free(out);
}
END_TEST

/* ---- calls */

#define REFUSED(args, part) \
  FAILS(jig_set_operation(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(8192, 0);
  const jig_iter first = jig_pointer(memory, JIG_U32), second = jig_pointer(memory + 256, JIG_U32);
  const jig_iter out = jig_pointer(memory + 512, JIG_U32), counted = jig_pointer(memory + 1100, JIG_I32);
  const jig_set_operation_args good = {.first_keys_in = first,
                                       .second_keys_in = second,
                                       .keys_out = out,
                                       .num_items_out = counted,
                                       .first_num_items = 100,
                                       .second_num_items = 200};
  jig_set_operation_args bad = good;
  bad.second_keys_in.type = JIG_F32;
  REFUSED(&bad, "second_keys_in");
  bad = good;
  bad.keys_out.type = JIG_U64;
  REFUSED(&bad, "keys_out");
  bad = good;
  bad.num_items_out.type = JIG_U8;
  REFUSED(&bad, "num_items_out: u8 has no room for 300");
  bad.num_items_out.type = JIG_F32;
  REFUSED(&bad, "num_items_out");
  bad = good;
  bad.num_items_out = (jig_iter){0};
  REFUSED(&bad, "num_items_out");
  bad = good;
  bad.mode = (jig_set_mode)4;
  REFUSED(&bad, "mode: no such choice (4)");
  bad = good;
  bad.first_values_in = first;
  REFUSED(&bad, "missing");
  bad.values_out = jig_pointer(memory + 1500, JIG_U32);
  REFUSED(&bad, "second_values_in");
  bad = good;
  bad.keys_out.pointer = memory + 455; /* the second input's last item */
  REFUSED(&bad, "keys_out overlaps second_keys_in");
  bad = good;
  bad.num_items_out.pointer = memory + 811; /* the last item that there may be */
  REFUSED(&bad, "overlaps");
  bad = good;
  bad.second_num_items = UINT64_MAX;
  REFUSED(&bad, "second_num_items");
  bad = good;
  bad.first_keys_in.pointer = NULL;
  REFUSED(&bad, "first_keys_in");
  bad = good;
  bad.reserved32 = 1;
  REFUSED(&bad, "reserved is not zero");
  REFUSED(NULL, "args");
  bad = good;
  bad.compare = jig_op_source("return a <;");
  FAILS(jig_set_operation(NULL, NULL, NULL, &bad, NULL), JIG_ERROR_COMPILE, "compare:1:11: error:");
  ck_assert(gpu_is_untouched(memory, 8192));
  gpu_free(memory);
}
END_TEST

/* Each replay has other data, and none may find what the one before has left; by one launch and by two.
 */
static void check_replays(size_t count) {
  uint32_t *keys = malloc(2 * count * 4);
  void *in = gpu_alloc(2 * count * 4, 0), *out = gpu_alloc(2 * count * 4, 0),
       *num_items_out = gpu_alloc(8, 0);
  const jig_set_operation_args args = {.first_keys_in = jig_pointer(in, JIG_U32),
                                       .second_keys_in = jig_pointer((uint32_t *)in + count, JIG_U32),
                                       .keys_out = jig_pointer(out, JIG_U32),
                                       .num_items_out = jig_pointer(num_items_out, JIG_U64),
                                       .first_num_items = count,
                                       .second_num_items = count};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_set_operation(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_set_operation(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint32_t k = 0; k < 5; ++k) {
    /* Of the second input so many numbers are in the first. */
    const size_t shared = count * k / 4;
    for (size_t i = 0; i < count; ++i) {
      keys[i] = (uint32_t)i;
      keys[count + i] = (uint32_t)(count - shared + i);
    }
    gpu_write(in, keys, 2 * count * 4);
    gpu_replay(exec, stream);
    ck_assert_uint_eq(read_count(num_items_out), 2 * count - shared);
    gpu_read(keys, out, (2 * count - shared) * 4);
    for (size_t i = 0; i < 2 * count - shared; ++i) ck_assert_uint_eq(keys[i], i);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  gpu_free(num_items_out);
  free(keys);
}

START_TEST(a_captured_call_is_replayed) {
  int count;
  check_replays(300);
  check_replays(30000);
  check_replays((size_t)driver_devices(&count)->multiprocessors * 16384);
}
END_TEST

static void strict_intersection(strict_call *t) {
  const jig_set_operation_args args = {.first_keys_in = jig_pointer(t->d_values, JIG_U32),
                                       .second_keys_in = jig_pointer(t->d_runs, JIG_U32),
                                       .keys_out = jig_pointer(t->out[0], JIG_U32),
                                       .first_values_in = jig_pointer(t->d_keys, JIG_U32),
                                       .values_out = jig_pointer(t->out[1], JIG_U32),
                                       .num_items_out = jig_pointer(t->d_count, JIG_U64),
                                       .first_num_items = t->n,
                                       .second_num_items = t->n,
                                       .mode = JIG_SET_INTERSECTION};
  STRICT(t, jig_set_operation, args);
  const uint64_t wanted = (t->n + STRICT_RUN - 1) / STRICT_RUN;
  ck_assert_uint_eq(strict_count(t, 0), wanted);
  const uint32_t *got = strict_read(t, t->out[1], wanted * 4);
  for (uint64_t i = 0; i < wanted; ++i) ck_assert_uint_eq(got[i], t->keys[i]);
}

/* Of inputs for which there would be a launch that shares them out. */
START_TEST(no_items_of_many_that_there_might_be) {
  static const uint64_t none = 0;
  uint64_t *count = gpu_copy(&none, sizeof none, 0), *num_items_out = gpu_alloc(8, 0);
  const jig_set_operation_args args = {.first_keys_in = jig_counting(NULL, JIG_U32),
                                       .second_keys_in = jig_counting(NULL, JIG_U32),
                                       .num_items_out = jig_pointer(num_items_out, JIG_U64),
                                       .first_num_items = 1 << 23,
                                       .second_num_items = 1 << 23,
                                       .first_num_items_in = count,
                                       .second_num_items_in = count};
  RUN_PHASES(jig_set_operation, &args, 0);
  ck_assert_uint_eq(read_count(num_items_out), 0);
  gpu_free(count);
  gpu_free(num_items_out);
}
END_TEST

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_intersection)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* Not for the software GPU, hence the memory. All multiples of 3 of so many numbers, and some of them of
 * another input. */
START_TEST(more_items_than_32_bits_count) {
  const uint64_t count = ((uint64_t)1 << 32) + 12345, step = 3, from = 3 * (count - 5);
  if (!gpu_begin_large("device/set_operation_calls: more_items_than_32_bits_count", (size_t)1 << 36))
    return;
  void *out = gpu_alloc(80, 0), *num_items_out = gpu_alloc(8, 0);
  uint64_t got[10];
  const jig_set_operation_args args = {.first_keys_in = jig_counting_by(NULL, &step, JIG_U64),
                                       .second_keys_in = jig_counting(&from, JIG_U64),
                                       .keys_out = jig_pointer(out, JIG_U64),
                                       .num_items_out = jig_pointer(num_items_out, JIG_U64),
                                       .first_num_items = count,
                                       .second_num_items = 10,
                                       .mode = JIG_SET_INTERSECTION};
  RUN_PHASES(jig_set_operation, &args, 0);
  ck_assert_uint_eq(read_count(num_items_out), 4);
  gpu_read(got, out, 32);
  for (uint64_t i = 0; i < 4; ++i) ck_assert_uint_eq(got[i], from + 3 * i);
  gpu_free(out);
  gpu_free(num_items_out);
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(calls_by_name),
      SUITE_TEST(includes),
      SUITE_TEST(what_cannot_be_is_refused),
      SUITE_TEST(a_captured_call_is_replayed),
      SUITE_TEST(no_items_of_many_that_there_might_be),
      SUITE_TEST(a_spec_prewarms_its_calls),
      SUITE_TEST(more_items_than_32_bits_count),
  };
  return SUITE_RUN("device/set_operation_calls", tests, true);
}
