/* is_sorted: where order ends, of every type and size, by orders, of iterators, NaNs; calls. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "strict_support.h"
#include "suite.h"

static const size_t sizes[] = {0, 1, 2, 17, 511, 2047, 4097, 16385, 24578, 65537, 131073, 300007};
enum { MOST = 300007 };

static void check_until(jig_is_sorted_args args, size_t wanted) {
  void *out = gpu_alloc(8, 0);
  uint64_t until;
  uint8_t whether;
  args.mode = JIG_SORTED_UNTIL;
  args.out = jig_pointer(out, JIG_U64);
  RUN_PHASES(jig_is_sorted, &args, 0);
  gpu_read(&until, out, 8);
  ck_assert_msg(until == wanted, "%zu of %zu are in order, not %zu", wanted, (size_t)args.num_items,
                (size_t)until);
  args.mode = JIG_SORTED;
  args.out = jig_pointer(out, JIG_BOOL);
  RUN_PHASES(jig_is_sorted, &args, 0);
  gpu_read(&whether, out, 1);
  ck_assert_uint_eq(whether, wanted == args.num_items);
  gpu_free(out);
}

/* Items in order, and the same with one in front of some place that is too large there. */
START_TEST(every_type_and_size) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    const key_order order = order_of_kind(*kind);
    for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
      const size_t count = sizes[s], size = type.size;
      uint32_t *ranks = ranks_of(ORDER_RANDOM, count, s + 1);
      char *random = items_of_ranks(type, ranks, count);
      size_t *places = stable_order(random, size, count, order);
      char *items = permuted(random, size, places, count);
      void *in = gpu_copy(items, count * size, s % 2 * size);
      jig_is_sorted_args args = {.in = jig_pointer(in, type), .num_items = count};
      check_until(args, count);
      const size_t broken[] = {1, count / 2, count - 1};
      for (size_t k = 0; k < COUNT_OF(broken) && count > 2; ++k) {
        const size_t i = broken[k];
        if (order(items, items + (count - 1) * size) == 0) continue; /* all are equal */
        /* The first item is the smallest; where it is equal to the one before nothing is broken. */
        char kept[16];
        memcpy(kept, items + i * size, size);
        memcpy(items + i * size, items, size);
        size_t wanted = 1;
        while (wanted < count && order(items + wanted * size, items + (wanted - 1) * size) >= 0) ++wanted;
        gpu_write(in, items, count * size);
        check_until(args, wanted);
        memcpy(items + i * size, kept, size);
      }
      gpu_free(in);
      free(ranks);
      free(random);
      free(places);
      free(items);
    }
  }
}
END_TEST

START_TEST(orders) {
  enum { COUNT = 20000 };
  uint32_t *numbers = malloc(COUNT * 4);
  for (uint32_t i = 0; i < COUNT; ++i) numbers[i] = (COUNT - i) / 2; /* falls, each twice */
  void *in = gpu_copy(numbers, COUNT * 4, 0);
  jig_is_sorted_args args = {.in = jig_pointer(in, JIG_U32), .num_items = COUNT, .compare = JIG_GREATER};
  check_until(args, COUNT);
  args.compare = (jig_op)JIG_ZERO;
  check_until(args, 1);
  args.compare = jig_op_source("return a >= b;"); /* whether they fall strictly */
  check_until(args, 2);
  args.compare = jig_op_source("return a / 10000 > b / 10000;");
  check_until(args, COUNT);
  gpu_free(in);
  free(numbers);
}
END_TEST

START_TEST(structs_and_iterators) {
  enum { COUNT = 5000, SIZE = 24 };
  const jig_type type = jig_struct("wide", "struct wide { int key; int rest[5]; };", SIZE, 4);
  int32_t(*items)[SIZE / 4] = calloc(COUNT, SIZE);
  for (int i = 0; i < COUNT; ++i) items[i][0] = i / 3;
  items[3333][0] = 7;
  void *in = gpu_copy(items, (size_t)COUNT * SIZE, 4);
  jig_is_sorted_args args = {
      .in = jig_pointer(in, type), .num_items = COUNT, .compare = jig_op_source("return a.key < b.key;")};
  check_until(args, 3333);
  args = (jig_is_sorted_args){.in = jig_strided(in, SIZE, JIG_I32), .num_items = COUNT};
  check_until(args, 3333);
  args.num_items = 3333;
  check_until(args, 3333);
  args = (jig_is_sorted_args){.in = jig_iter_source(jig_op_source("return i < 70001 ? i : 3;"), JIG_U64),
                              .num_items = 200000};
  check_until(args, 70001);
  gpu_free(in);
  free(items);
}
END_TEST

START_TEST(nans_come_last) {
  const float items[] = {-1, 0, -0.0f, 5, INFINITY, NAN, -NAN, NAN, 3};
  void *in = gpu_copy(items, sizeof items, 0);
  jig_is_sorted_args args = {.in = jig_pointer(in, JIG_F32), .num_items = 8};
  check_until(args, 8);
  args.num_items = 9;
  check_until(args, 8);
  gpu_free(in);
}
END_TEST

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(4096, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), out = jig_pointer(memory + 1, JIG_U8);
  const jig_type plain = jig_struct("plain", "struct plain { int x; };", 4, 4);
  const jig_status bad = JIG_ERROR_INVALID_ARGUMENT;
  const jig_op none = JIG_ZERO;
  jig_is_sorted_args args = {.in = in, .out = out, .num_items = 256, .mode = JIG_SORTED_UNTIL};
  FAILS(jig_is_sorted(NULL, NULL, NULL, &args, NULL), bad, "jig_is_sorted: out: u8 has no room for 256");
  args.out.type = JIG_BOOL;
  FAILS(jig_is_sorted(NULL, NULL, NULL, &args, NULL), bad, "out: ");
  args = (jig_is_sorted_args){.in = jig_pointer(memory, plain), .out = out, .num_items = 9};
  FAILS(jig_is_sorted(NULL, NULL, NULL, &args, NULL), bad, "in");
  args = (jig_is_sorted_args){.in = in, .out = out, .mode = (jig_sorted_mode)2};
  FAILS(jig_is_sorted(NULL, NULL, NULL, &args, NULL), bad, "mode: no such choice (2)");
  args = (jig_is_sorted_args){.in = jig_pointer(NULL, JIG_U32), .out = out, .num_items = 1};
  FAILS(jig_is_sorted(NULL, NULL, NULL, &args, NULL), bad, "in");
  FAILS(jig_is_sorted_until(NULL, NULL, NULL, in, jig_pointer(NULL, JIG_I32), 3, none, NULL), bad, "out");
  ck_assert(gpu_is_untouched(memory, 4096));
  gpu_free(memory);
}
END_TEST

/* Each replay has other data, and none may find what the one before has left. */
START_TEST(a_captured_call_is_replayed) {
  uint32_t *numbers = malloc(MOST * 4);
  for (uint32_t i = 0; i < MOST; ++i) numbers[i] = i + 1;
  void *in = gpu_alloc(MOST * 4, 0), *out = gpu_alloc(8, 0);
  const size_t places[] = {200000, MOST, 3, MOST - 1, MOST, 1, 150000, MOST};
  const jig_is_sorted_args args = {.in = jig_pointer(in, JIG_U32),
                                   .out = jig_pointer(out, JIG_I64),
                                   .num_items = MOST,
                                   .mode = JIG_SORTED_UNTIL};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_is_sorted(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_is_sorted(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (size_t k = 0; k < COUNT_OF(places); ++k) {
    int64_t until;
    if (places[k] < MOST) numbers[places[k]] = 0;
    gpu_write(in, numbers, MOST * 4);
    gpu_replay(exec, stream);
    gpu_read(&until, out, 8);
    ck_assert_int_eq(until, (int64_t)places[k]);
    if (places[k] < MOST) numbers[places[k]] = (uint32_t)places[k] + 1;
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(numbers);
}
END_TEST

static void strict_sorted(strict_call *t) {
  const jig_is_sorted_args args = {.in = jig_pointer(t->d_runs, JIG_U32),
                                   .out = jig_pointer(t->d_count, JIG_U64),
                                   .num_items = t->n,
                                   .mode = JIG_SORTED_UNTIL};
  STRICT(t, jig_is_sorted, args);
  ck_assert_uint_eq(strict_count(t, 0), t->n);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_sorted)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type_and_size),       SUITE_TEST(orders),
      SUITE_TEST(structs_and_iterators),     SUITE_TEST(nans_come_last),
      SUITE_TEST(what_cannot_be_is_refused), SUITE_TEST(a_captured_call_is_replayed),
      SUITE_TEST(a_spec_prewarms_its_calls)};
  return SUITE_RUN("device/is_sorted", tests, true);
}
