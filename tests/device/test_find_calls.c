/* find_if and its kin as calls: two inputs, by name, what is refused, capture, strict mode, more items
 * than 32 bits. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "strict_support.h"
#include "suite.h"

static const size_t sizes[] = {1, 2, 17, 511, 2047, 4097, 16385, 65537, 131073, 300007};
enum { MOST = 300007 };

/* ---- two inputs */

static int64_t read_index(const void *out) {
  int64_t index;
  gpu_read(&index, out, 8);
  return index;
}

START_TEST(inputs_that_differ) {
  float *items = malloc(MOST * 4);
  void *out = gpu_alloc(8, 0);
  const jig_op none = JIG_ZERO;
  for (size_t i = 0; i < MOST; ++i) items[i] = (float)(i % 1000);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const size_t count = sizes[s], place = count * (s % 5) / 5;
    void *a = gpu_copy(items, count * 4, 0), *b = gpu_copy(items, count * 4, s % 2 * 4);
    const jig_iter first = jig_pointer(a, JIG_F32), second = jig_pointer(b, JIG_F32);
    const jig_iter index = jig_pointer(out, JIG_I64);
    const float others[] = {-1, NAN};
    OK(jig_mismatch(NULL, NULL, NULL, first, second, index, count, none, NULL));
    ck_assert_int_eq(read_index(out), (int64_t)count);
    OK(jig_equal(NULL, NULL, NULL, first, second, index, count, none, NULL));
    ck_assert_int_eq(read_index(out), 1);
    gpu_write((float *)b + place, &others[s % 2], 4);
    if (s % 2 == 1) gpu_write((float *)a + place, &others[1], 4); /* a NaN equals none */
    OK(jig_mismatch(NULL, NULL, NULL, first, second, index, count, none, NULL));
    ck_assert_int_eq(read_index(out), (int64_t)place);
    OK(jig_equal(NULL, NULL, NULL, first, second, index, count, none, NULL));
    ck_assert_int_eq(read_index(out), 0);
    OK(jig_equal(NULL, NULL, NULL, first, second, index, count,
                 jig_op_source("return a == b || b < 0 || a != a;"), NULL));
    ck_assert_int_eq(read_index(out), 1);
    gpu_free(a);
    gpu_free(b);
  }
  gpu_free(out);
  free(items);
}
END_TEST

START_TEST(inputs_of_different_types) {
  enum { COUNT = 30000 };
  const int64_t zero = 0;
  uint16_t *words = malloc(COUNT * 2);
  void *out = gpu_alloc(4, 0);
  uint16_t index;
  for (size_t i = 0; i < COUNT; ++i) words[i] = (uint16_t)i;
  words[29991] = 7;
  const jig_iter items = jig_pointer(gpu_copy(words, COUNT * 2, 2), JIG_U16);
  OK(jig_mismatch(NULL, NULL, NULL, items, jig_counting(&zero, JIG_I64), jig_pointer(out, JIG_U16), COUNT,
                  (jig_op)JIG_ZERO, NULL));
  gpu_read(&index, out, 2);
  ck_assert_uint_eq(index, 29991);
  OK(jig_any_of(NULL, NULL, NULL, items, jig_pointer(out, JIG_BOOL), COUNT,
                jig_op_source("return x & 4;"), NULL));
  gpu_read(&index, out, 1);
  ck_assert_uint_eq(index & 255, 1);
  OK(jig_all_of(NULL, NULL, NULL, items, jig_pointer(out, JIG_U8), COUNT, jig_op_source("return x & 4;"),
                NULL));
  gpu_read(&index, out, 1);
  ck_assert_uint_eq(index & 255, 0);
  OK(jig_none_of(NULL, NULL, NULL, items, jig_pointer(out, JIG_BOOL), COUNT,
                 jig_op_source("return x == 40000;"), NULL));
  gpu_read(&index, out, 1);
  ck_assert_uint_eq(index & 255, 1);
  OK(jig_count_if(NULL, NULL, NULL, items, jig_pointer(out, JIG_U16), COUNT,
                  jig_op_source("return x & 4;"), NULL));
  gpu_read(&index, out, 2);
  size_t counted = 0;
  for (size_t i = 0; i < COUNT; ++i) counted += (words[i] & 4) != 0;
  ck_assert_uint_eq(index, counted);
  gpu_free(items.pointer);
  gpu_free(out);
  free(words);
}
END_TEST

/* ---- calls */

#define REFUSED(args, part) \
  FAILS(jig_find_if(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(4096, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), out = jig_pointer(memory + 1, JIG_U8);
  const jig_type plain = jig_struct("plain", "struct plain { int x; };", 4, 4);
  jig_find_if_args args = {.in = in, .out = out, .num_items = 256};
  REFUSED(&args, "jig_find_if: out: u8 has no room for 256");
  args.out.type = JIG_F32;
  REFUSED(&args, "out: ");
  args.out.type = JIG_BOOL;
  REFUSED(&args, "out: ");
  args = (jig_find_if_args){.in = jig_pointer(memory, plain), .out = out, .num_items = 9};
  REFUSED(&args, "in: without a predicate: plain does not convert to bool");
  args = (jig_find_if_args){.in = in, .out = out, .mode = (jig_find_mode)5};
  REFUSED(&args, "mode: no such choice (5)");
  args = (jig_find_if_args){.in = in, .num_items = 1};
  REFUSED(&args, "out");
  args = (jig_find_if_args){.out = out, .num_items = 1};
  REFUSED(&args, "in");
  args = (jig_find_if_args){.in = jig_pointer(NULL, JIG_U32), .out = out, .num_items = 1};
  REFUSED(&args, "in");
  args = (jig_find_if_args){.in = in, .out = jig_pointer(memory, JIG_I64), .num_items = UINT64_MAX};
  REFUSED(&args, "num_items");
  args = (jig_find_if_args){.in = in, .out = out, .reserved32 = 1};
  REFUSED(&args, "reserved is not zero");
  REFUSED(NULL, "args");
  ck_assert(gpu_is_untouched(memory, 4096));
  gpu_free(memory);
}
END_TEST

/* From that place on; each so many behind it, too, which other blocks find. */
static void set_words(uint32_t *words, size_t place, size_t step, uint32_t to) {
  for (; place < MOST; place += step) words[place] = to;
}

/* Each replay has other data, and none may find what the one before has left; nor does it matter whether
 * that is there still. */
START_TEST(a_captured_call_is_replayed) {
  uint32_t *words = calloc(MOST, 4);
  void *in = gpu_alloc(MOST * 4, 0), *out = gpu_alloc(8, 0);
  const size_t places[] = {200000, MOST, 3, MOST - 1, MOST, 0, 150000, MOST};
  const size_t steps[] = {MOST, 1013, 1}, turns = 3 * COUNT_OF(places);
  const jig_find_if_args args = {
      .in = jig_pointer(in, JIG_U32), .out = jig_pointer(out, JIG_I64), .num_items = MOST};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_find_if(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_find_if(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (size_t k = 0; k < turns; ++k) {
    const size_t place = places[k % COUNT_OF(places)], step = steps[k / COUNT_OF(places)];
    set_words(words, place, step, 1);
    gpu_write(in, words, MOST * 4);
    if (k % 5 == 4) gpu_fill(storage, (unsigned char)(k * 51), bytes);
    gpu_replay(exec, stream);
    ck_assert_int_eq(read_index(out), (int64_t)place);
    set_words(words, place, step, 0);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(words);
}
END_TEST

static void strict_find(strict_call *t) {
  const jig_find_if_args args = {.in = jig_pointer(t->d_values, JIG_U32),
                                 .out = jig_pointer(t->d_count, JIG_U64),
                                 .num_items = t->n,
                                 .predicate = jig_op_source("return x >= 37;")};
  STRICT(t, jig_find_if, args);
  ck_assert_uint_eq(strict_count(t, 0), t->n < 37 ? t->n : 37);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_find)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* Not for the software GPU, which takes half a minute, hence the memory. */
START_TEST(more_items_than_32_bits_count) {
  const size_t count = ((size_t)1 << 32) + 12345;
  const uint8_t one = 1;
  if (!gpu_begin_large("device/find_calls: more_items_than_32_bits_count", (size_t)1 << 36)) return;
  CUdeviceptr in;
  GPU(gpu()->cuMemAlloc(&in, count));
  gpu_fill((void *)(uintptr_t)in, 0, count);
  gpu_write((void *)(uintptr_t)(in + count - 2), &one, 1);
  void *out = gpu_alloc(8, 0);
  const jig_find_if_args args = {.in = jig_pointer((void *)(uintptr_t)in, JIG_U8),
                                 .out = jig_pointer(out, JIG_I64),
                                 .num_items = count};
  OK(jig_find_if(NULL, NULL, NULL, &args, NULL));
  ck_assert_int_eq(read_index(out), (int64_t)count - 2);
  gpu_free(out);
  GPU(gpu()->cuMemFree(in));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(inputs_that_differ),        SUITE_TEST(inputs_of_different_types),
      SUITE_TEST(what_cannot_be_is_refused), SUITE_TEST(a_captured_call_is_replayed),
      SUITE_TEST(a_spec_prewarms_its_calls), SUITE_TEST(more_items_than_32_bits_count)};
  return SUITE_RUN("device/find_calls", tests, true);
}
