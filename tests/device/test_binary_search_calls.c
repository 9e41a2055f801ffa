/* Binary search as calls: partition points, counts beyond 32 bits, what is refused, capture, strict mode.
 */
#include <jig/jig.h>
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "strict_support.h"
#include "suite.h"
#include "words.h"

START_TEST(partition_points) {
  const uint64_t zero = 0, counts[] = {0, 1, 1000, 5000, (uint64_t)1 << 50};
  void *out = gpu_alloc(8, 0);
  for (size_t k = 0; k < COUNT_OF(counts); ++k) {
    const uint64_t points[] = {0, counts[k] / 2, counts[k] / 3 + 1, counts[k], counts[k] + 5};
    for (size_t p = 0; p < COUNT_OF(points); ++p) {
      const uint64_t right = points[p] < counts[k] ? points[p] : counts[k];
      uint64_t got;
      OK(jig_partition_point(
          NULL, NULL, NULL, jig_counting(&zero, JIG_U64), counts[k], jig_pointer(out, JIG_U64),
          jig_op_with_state(jig_op_source("return x < state;"), &points[p], JIG_U64), NULL));
      gpu_read(&got, out, 8);
      ck_assert_uint_eq(got, right);
    }
  }
  gpu_free(out);
}
END_TEST

/* Computed, so that no memory is needed. */
START_TEST(counts_beyond_32_bits) {
  enum { NEEDLES = 3000 };
  const uint64_t zero = 0, count = (uint64_t)1 << 40;
  uint64_t *got = malloc(NEEDLES * 8), *needles = malloc(NEEDLES * 8), seed = 3;
  void *out = gpu_alloc(NEEDLES * 8, 0);
  for (int sorted = 0; sorted < 2; ++sorted) {
    for (size_t i = 0; i < NEEDLES; ++i)
      needles[i] = sorted ? count / 2 + i * 1000003 : next_random(&seed) % (count + count / 8);
    void *looked_for = gpu_copy(needles, NEEDLES * 8, 0);
    OK(jig_upper_bound(NULL, NULL, NULL, jig_counting(&zero, JIG_U64), count,
                       jig_pointer(looked_for, JIG_U64), NEEDLES, jig_pointer(out, JIG_I64),
                       (jig_op)JIG_ZERO, NULL));
    gpu_read(got, out, NEEDLES * 8);
    for (size_t i = 0; i < NEEDLES; ++i)
      ck_assert_uint_eq(got[i], needles[i] < count ? needles[i] + 1 : count);
    gpu_free(looked_for);
  }
  gpu_free(out);
  free(got);
  free(needles);
}
END_TEST

/* Needles in order, of which only the GPU knows how many there are: places of no others are stored. */
START_TEST(needles_that_the_gpu_counts) {
  enum { ITEMS = 50000, NEEDLES = 90000 };
  static const uint64_t counts[] = {0, 1, 24577, 60001, NEEDLES, NEEDLES + 1000};
  uint32_t *words = malloc(NEEDLES * 4), *got = malloc(NEEDLES * 4);
  for (uint32_t i = 0; i < NEEDLES; ++i) words[i] = i;
  void *in = gpu_copy(words, NEEDLES * 4, 4), *out = gpu_alloc(NEEDLES * 4, 0);
  const jig_iter items = jig_pointer(in, JIG_U32);
  for (size_t k = 0; k < COUNT_OF(counts); ++k) {
    void *count_in = gpu_copy(&counts[k], 8, 0);
    gpu_fill(out, 0xff, NEEDLES * 4);
    const jig_binary_search_args args = {
        .in = jig_iter_transform(&items, jig_op_source("return 2 * x;"), JIG_U32),
        .needles_in = items,
        .out = jig_pointer(out, JIG_U32),
        .num_items = ITEMS,
        .num_needles = NEEDLES,
        .num_needles_in = count_in};
    RUN_WITHOUT_STORAGE(jig_binary_search, &args);
    gpu_read(got, out, NEEDLES * 4);
    for (uint32_t i = 0; i < NEEDLES; ++i)
      ck_assert_uint_eq(got[i], i >= counts[k] ? UINT32_MAX : i < 2 * ITEMS ? (i + 1) / 2 : ITEMS);
    gpu_free(count_in);
  }
  gpu_free(in);
  gpu_free(out);
  free(words);
  free(got);
}
END_TEST

#define REFUSED(args, part) \
  FAILS(jig_binary_search(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(4096, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), out = jig_pointer(memory + 512, JIG_U32),
                 none = JIG_ZERO;
  const jig_type plain = jig_struct("plain", "struct plain { int x; };", 4, 4);
  const jig_binary_search_args right = {
      .in = in, .needles_in = in, .out = out, .num_items = 9, .num_needles = 9};
  jig_binary_search_args args = right;
  args.needles_in.type = JIG_I32;
  REFUSED(&args, "needles_in");
  args = right;
  args.out.type = JIG_F32;
  REFUSED(&args, "out: ");
  args = right;
  args.out = jig_pointer(memory + 512, JIG_I8);
  args.num_items = 128;
  REFUSED(&args, "out: i8 has no room for 128");
  args = right;
  args.bound = JIG_BOUND_EQUAL_RANGE;
  REFUSED(&args, "upper_out: it is missing, where bound is 'equal_range'");
  args.bound = JIG_BOUND_LOWER;
  args.upper_out = out;
  REFUSED(&args, "upper_out: it is given, where bound is 'lower'");
  args.bound = (jig_bound)3;
  REFUSED(&args, "bound: no such choice (3)");
  args = right;
  args.out = in;
  REFUSED(&args, "out overlaps");
  args = right;
  args.in = args.needles_in = jig_pointer(memory, plain);
  REFUSED(&args, "in: '<' is not defined for struct plain");
  args = right;
  args.compare = JIG_PLUS;
  REFUSED(&args, "compare: ");
  args = right;
  args.needles_in = none;
  REFUSED(&args, "needles_in");
  args = right;
  args.num_needles = UINT64_MAX;
  REFUSED(&args, "num_needles");
  args = right;
  args.num_items = UINT64_MAX;
  REFUSED(&args, "num_items");
  args = right;
  args.reserved[5] = 1;
  REFUSED(&args, "reserved is not zero");
  REFUSED(NULL, "args");
  args = right;
  args.num_needles = 0;
  RUN_WITHOUT_STORAGE(jig_binary_search, &args);
  ck_assert(gpu_is_untouched(memory, 4096));
  gpu_free(memory);
}
END_TEST

START_TEST(a_captured_call_is_replayed) {
  enum { COUNT = 20000 };
  uint32_t *words = malloc(COUNT * 4), *wanted = malloc(COUNT * 4);
  void *in = gpu_alloc(COUNT * 4, 0), *needles = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  CUstream stream;
  size_t bytes = 1;
  void *storage = gpu_alloc(1, 0);
  const jig_binary_search_args args = {.in = jig_pointer(in, JIG_U32),
                                       .needles_in = jig_pointer(needles, JIG_U32),
                                       .out = jig_pointer(out, JIG_U32),
                                       .num_items = COUNT,
                                       .num_needles = COUNT};
  OK(jig_binary_search(NULL, NULL, &bytes, &args, NULL));
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_binary_search(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint32_t round = 1; round < 4; ++round) {
    for (uint32_t i = 0; i < COUNT; ++i) words[i] = i * round;
    gpu_write(in, words, COUNT * 4);
    for (uint32_t i = 0; i < COUNT; ++i) words[i] = i * 7919 % COUNT;
    gpu_write(needles, words, COUNT * 4);
    for (uint32_t i = 0; i < COUNT; ++i) wanted[i] = (words[i] + round - 1) / round;
    gpu_replay(exec, stream);
    check_words(out, wanted, COUNT, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(needles);
  gpu_free(out);
  free(words);
  free(wanted);
}
END_TEST

static void strict_bounds(strict_call *t) {
  const uint32_t zero = 0;
  const jig_binary_search_args args = {.in = jig_counting(&zero, JIG_U32),
                                       .needles_in = jig_pointer(t->d_keys, JIG_U32),
                                       .out = jig_pointer(t->out[0], JIG_U32),
                                       .upper_out = jig_pointer(t->out[1], JIG_U32),
                                       .num_items = t->n,
                                       .num_needles = t->n,
                                       .bound = JIG_BOUND_EQUAL_RANGE};
  STRICT(t, jig_binary_search, args);
  const uint32_t *got = strict_read(t, t->out[1], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i)
    ck_assert_uint_eq(got[i], t->keys[i] < t->n ? t->keys[i] + 1 : t->n);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_bounds)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(partition_points),
                                     SUITE_TEST(counts_beyond_32_bits),
                                     SUITE_TEST(needles_that_the_gpu_counts),
                                     SUITE_TEST(what_cannot_be_is_refused),
                                     SUITE_TEST(a_captured_call_is_replayed),
                                     SUITE_TEST(a_spec_prewarms_its_calls)};
  return SUITE_RUN("device/binary_search_calls", tests, true);
}
