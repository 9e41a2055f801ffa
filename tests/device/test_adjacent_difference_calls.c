/* Adjacent difference: iterators on either side, by name, in place through iterators, what is refused,
 * capture, strict mode, more items than 32 bits. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "seed.h"
#include "strict_support.h"
#include "suite.h"
#include "words.h"

static const size_t sizes[] = {1, 2, 31, 33, 255, 257, 1023, 1024, 1025, 2049, 4097, 9000};
enum { MOST = 9000 };

static void run_difference(const jig_adjacent_difference_args *args) {
  RUN_PHASES(jig_adjacent_difference, args, 3);
}

static void differ(const uint32_t *items, uint32_t *wanted, size_t count, bool right) {
  for (size_t i = 0; i < count; ++i) {
    wanted[i] = items[i];
    if (right && i + 1 < count) wanted[i] -= items[i + 1];
    if (!right && i > 0) wanted[i] -= items[i - 1];
  }
}

static jig_difference_direction direction_of(bool right) {
  return right ? JIG_DIFFERENCE_RIGHT : JIG_DIFFERENCE_LEFT;
}

/* ---- iterators */

START_TEST(inputs_of_every_kind) {
  const uint32_t start = 5, step = 3;
  uint32_t *words = random_words(2 * MOST, 7), *items = malloc(MOST * 4), *wanted = malloc(MOST * 4);
  uint32_t *indices = malloc(MOST * 4);
  for (size_t i = 0; i < MOST; ++i) indices[i] = (uint32_t)(i * 7919 % MOST);
  const jig_iter in = jig_pointer(gpu_copy(words, 2 * MOST * 4, 4), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(indices, MOST * 4, 0), JIG_U32);
  const jig_type pair = jig_struct("pair", "struct pair { unsigned a, b; };", 8, 4);
  const jig_iter both[] = {in, jig_pointer((uint32_t *)in.pointer + MOST, JIG_U32)};
  const jig_iter zip = jig_zip(both, 2, pair);
  const jig_iter inputs[] = {jig_counting_by(&start, &step, JIG_U32),
                             jig_constant(&start, JIG_U32),
                             jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                             jig_iter_reverse(&in, MOST),
                             jig_permutation(&in, &map),
                             jig_strided(in.pointer, 8, JIG_U32),
                             jig_iter_source(jig_op_source("return i * i;"), JIG_U32),
                             jig_iter_transform(&zip, jig_op_source("return x.a ^ x.b;"), JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(inputs); ++k) {
    for (uint32_t i = 0; i < MOST; ++i) {
      const uint32_t values[] = {
          start + step * i, start, words[i] * 3 + 1,          words[MOST - 1 - i], words[indices[i]],
          words[2 * i],     i * i, words[i] ^ words[MOST + i]};
      items[i] = values[k];
    }
    for (size_t s = 0; s < 2 * COUNT_OF(sizes); ++s) {
      const size_t count = sizes[s / 2];
      const bool right = s % 2 == 1;
      differ(items, wanted, count, right);
      void *out = gpu_alloc(count * 4, 4 * (s % 3));
      run_difference(&(jig_adjacent_difference_args){.in = inputs[k],
                                                     .out = jig_pointer(out, JIG_U32),
                                                     .num_items = count,
                                                     .direction = direction_of(right)});
      check_words(out, wanted, count, "a computed input");
      gpu_free(out);
    }
  }
  gpu_free(in.pointer);
  gpu_free(map.pointer);
  free(words);
  free(items);
  free(wanted);
  free(indices);
}
END_TEST

START_TEST(outputs_of_every_kind) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4), *expected = malloc(MOST * 8);
  const jig_iter in = jig_pointer(gpu_copy(words, MOST * 4, 4), JIG_U32);
  uint32_t *memory = gpu_alloc(MOST * 8, 0);
  const jig_iter out = jig_pointer(memory, JIG_U32);
  const jig_iter outputs[] = {jig_iter_reverse(&out, MOST), jig_strided(memory, 8, JIG_U32),
                              jig_transform_output(&out, jig_op_source("return x ^ 5;"), JIG_U32),
                              jig_discard(JIG_U32)};
  for (size_t k = 0; k < 2 * COUNT_OF(outputs); ++k) {
    const size_t kind = k / 2;
    const bool right = k % 2 == 1;
    gpu_fill(memory, 0, MOST * 8);
    memset(expected, 0, MOST * 8);
    differ(words, wanted, MOST, right);
    for (size_t i = 0; i < MOST && kind < 3; ++i)
      expected[kind == 0 ? MOST - 1 - i : kind == 1 ? 2 * i : i] = kind == 2 ? wanted[i] ^ 5 : wanted[i];
    run_difference(&(jig_adjacent_difference_args){
        .in = in, .out = outputs[kind], .num_items = MOST, .direction = direction_of(right)});
    check_words(memory, expected, 2 * MOST, "an output");
  }
  gpu_free(memory);
  gpu_free(in.pointer);
  free(words);
  free(wanted);
  free(expected);
}
END_TEST

/* The same place read and stored through iterators, of which nobody knows where they lead. */
START_TEST(iterators_may_be_in_place) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  for (size_t s = 0; s < 2 * COUNT_OF(sizes); ++s) {
    const size_t count = sizes[s / 2];
    const bool right = s % 2 == 1;
    const jig_iter place = jig_pointer(gpu_copy(words, count * 4, 4 * (s % 3)), JIG_U32);
    jig_adjacent_difference_args args = {
        .in = jig_iter_transform(&place, jig_op_source("return x ^ 1;"), JIG_U32),
        .out = place,
        .num_items = count,
        .direction = direction_of(right)};
    uint32_t *items = malloc(count * 4);
    for (size_t i = 0; i < count; ++i) items[i] = words[i] ^ 1;
    differ(items, wanted, count, right);
    run_difference(&args);
    check_words(place.pointer, wanted, count, "in place, from a transform");
    memcpy(items, wanted, count * 4);
    for (size_t i = 0; i < count; ++i) items[i] ^= 1;
    differ(items, wanted, count, right);
    for (size_t i = 0; i < count; ++i) wanted[i] += 2;
    args.out = jig_transform_output(&place, jig_op_source("return x + 2;"), JIG_U32);
    run_difference(&args);
    check_words(place.pointer, wanted, count, "in place, from a transform to another");
    gpu_free(place.pointer);
    free(items);
  }
  free(words);
  free(wanted);
}
END_TEST

/* Blocks that have no items then leave what others have stored. */
START_TEST(in_place_as_many_as_the_gpu_says) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  for (size_t s = 0; s < 2 * COUNT_OF(sizes); ++s) {
    const uint64_t count = sizes[s / 2];
    const bool right = s % 2 == 1;
    const jig_iter place = jig_pointer(gpu_copy(words, MOST * 4, 0), JIG_U32);
    uint64_t *num_items_in = gpu_copy(&count, sizeof count, 0);
    memcpy(wanted, words, MOST * 4);
    differ(words, wanted, count, right);
    run_difference(&(jig_adjacent_difference_args){.in = place,
                                                   .out = place,
                                                   .num_items = MOST,
                                                   .num_items_in = num_items_in,
                                                   .direction = direction_of(right)});
    check_words(place.pointer, wanted, MOST, "in place, fewer than there may be");
    gpu_free(place.pointer);
    gpu_free(num_items_in);
  }
  free(words);
  free(wanted);
}
END_TEST

/* ---- structs of three words, through shared memory if that is not in place */

/* Word for word: `wanted` of `count` structs at `words`. */
static void differ_by_threes(const uint32_t *words, uint32_t *wanted, size_t count) {
  for (size_t i = 0; i < 3 * count; ++i) wanted[i] = words[i] - (i < 3 ? 0 : words[i - 3]);
}

static jig_adjacent_difference_args threes_of(void *in, void *out) {
  const jig_type three = jig_struct("three", "struct three { unsigned a, b, c; };", 12, 4);
  return (jig_adjacent_difference_args){
      .in = jig_pointer(in, three),
      .out = jig_pointer(out, three),
      .num_items = MOST,
      .op = jig_op_source("return three{a.a - b.a, a.b - b.b, a.c - b.c};")};
}

/* Two places for such structs, of which the first has some, and room for what is wanted. */
typedef struct threes {
  uint32_t *words, *wanted;
  void *in, *out;
} threes;

static threes begin_threes(size_t in_offset, size_t out_offset) {
  uint32_t *words = random_words(3 * MOST, 7);
  limits_of(NULL)->transform_most_few = 0;
  return (threes){words, malloc(12 * MOST), gpu_copy(words, 12 * MOST, in_offset),
                  gpu_alloc(12 * MOST, out_offset)};
}

static void end_threes(const threes *t) {
  limits_of(NULL)->transform_most_few = UINT64_MAX;
  gpu_free(t->in);
  gpu_free(t->out);
  free(t->words);
  free(t->wanted);
}

START_TEST(odd_structs_as_many_as_the_gpu_says) {
  const threes t = begin_threes(4, 8);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const uint64_t count = sizes[s];
    uint64_t *num_items_in = gpu_copy(&count, sizeof count, 0);
    jig_adjacent_difference_args args = threes_of(t.in, t.out);
    args.num_items_in = num_items_in;
    run_difference(&args);
    differ_by_threes(t.words, t.wanted, count);
    check_words(t.out, t.wanted, 3 * count, "structs, fewer than there may be");
    gpu_free(num_items_in);
  }
  end_threes(&t);
}
END_TEST

/* A prepared call that is moved to where its items are, which another kernel takes, and away again. */
START_TEST(odd_structs_are_moved) {
  const threes t = begin_threes(0, 4);
  uint32_t *twice = malloc(12 * MOST);
  const jig_adjacent_difference_args args = threes_of(t.in, t.out);
  jig_prepared *prepared = NULL;
  OK(JIG_PREPARE(NULL, adjacent_difference, &args, &prepared));
  OK(jig_prepared_launch(prepared, NULL, NULL, NULL));
  differ_by_threes(t.words, t.wanted, MOST);
  check_words(t.out, t.wanted, 3 * MOST, "apart");
  OK(jig_prepared_set_pointer(prepared, "out", t.in));
  OK(jig_prepared_launch(prepared, NULL, NULL, NULL));
  check_words(t.in, t.wanted, 3 * MOST, "in place");
  OK(jig_prepared_set_pointer(prepared, "out", t.out));
  OK(jig_prepared_launch(prepared, NULL, NULL, NULL));
  differ_by_threes(t.wanted, twice, MOST);
  check_words(t.out, twice, 3 * MOST, "apart again");
  jig_prepared_free(prepared);
  free(twice);
  end_threes(&t);
}
END_TEST

/* ---- calls */

/* By name, with storage of their own, to another array and in place. */
START_TEST(by_name) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  const jig_iter in = jig_pointer(gpu_copy(words, MOST * 4, 0), JIG_U32);
  const jig_iter out = jig_pointer(gpu_alloc(MOST * 4, 4), JIG_U32);
  const jig_op none = JIG_ZERO;
  OK(jig_subtract_left(NULL, NULL, NULL, in, out, MOST, none, NULL));
  differ(words, wanted, MOST, false);
  check_words(out.pointer, wanted, MOST, "left");
  OK(jig_subtract_right(NULL, NULL, NULL, in, out, MOST, jig_op_source("return a - b;"), NULL));
  differ(words, wanted, MOST, true);
  check_words(out.pointer, wanted, MOST, "right");
  OK(jig_subtract_right(NULL, NULL, NULL, in, in, MOST, none, NULL));
  check_words(in.pointer, wanted, MOST, "right, in place");
  gpu_free(in.pointer);
  gpu_free(out.pointer);
  free(words);
  free(wanted);
}
END_TEST

/* Temp storage follows from types and counts alone; what needs none asks for a byte. */
START_TEST(temp_storage_does_not_follow_from_pointers) {
  jig_adjacent_difference_args args = {.num_items = MOST};
  uint32_t *memory = gpu_alloc(MOST * 8, 0);
  size_t without, apart, in_place;
  args.in = args.out = jig_pointer(NULL, JIG_U32);
  OK(jig_adjacent_difference(NULL, NULL, &without, &args, NULL));
  args.in = args.out = jig_pointer(memory, JIG_U32);
  OK(jig_adjacent_difference(NULL, NULL, &in_place, &args, NULL));
  args.out = jig_pointer(memory + MOST, JIG_U32);
  OK(jig_adjacent_difference(NULL, NULL, &apart, &args, NULL));
  ck_assert_uint_eq(without, in_place);
  ck_assert_uint_eq(apart, in_place);
  ck_assert_uint_lt(in_place, 1024);
  args.num_items = 200;
  OK(jig_adjacent_difference(NULL, NULL, &apart, &args, NULL));
  ck_assert_uint_eq(apart, 1);
  args.num_items = MOST;
  args.out = jig_pointer(NULL, JIG_F64);
  OK(jig_adjacent_difference(NULL, NULL, &apart, &args, NULL));
  ck_assert_uint_eq(apart, 1);
  ck_assert(gpu_is_untouched(memory, MOST * 8));
  gpu_free(memory);
}
END_TEST

#define REFUSED(args, part) \
  FAILS(jig_adjacent_difference(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(400, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32);
  jig_adjacent_difference_args args = {
      .in = in, .out = jig_pointer(memory + 1, JIG_U32), .num_items = 50};
  REFUSED(&args, "jig_adjacent_difference: out overlaps in");
  args.out = jig_pointer(memory, JIG_U16);
  REFUSED(&args, "jig_adjacent_difference: out overlaps in");
  args = (jig_adjacent_difference_args){.in = jig_iter_reverse(&in, 50), .out = in, .num_items = 50};
  REFUSED(&args, "jig_adjacent_difference: out overlaps in");
  args.out = jig_pointer(NULL, JIG_U32);
  REFUSED(&args, "out");
  args = (jig_adjacent_difference_args){.in = in, .num_items = 1};
  REFUSED(&args, "out");
  args = (jig_adjacent_difference_args){.in = in, .out = in, .num_items = UINT64_MAX};
  REFUSED(&args, "num_items");
  args = (jig_adjacent_difference_args){.in = in, .out = in, .direction = (jig_difference_direction)2};
  REFUSED(&args, "direction: no such choice (2)");
  args = (jig_adjacent_difference_args){.in = in, .out = in, .op = JIG_LESS};
  REFUSED(&args, "op: ");
  args = (jig_adjacent_difference_args){
      .in = in, .out = jig_pointer(memory, JIG_U64), .num_items = 9, .op = JIG_PLUS};
  REFUSED(&args, "op: 'plus' makes u32 of two; what is needed here makes u64 of them");
  args = (jig_adjacent_difference_args){.in = in, .out = in, .reserved32 = 1};
  REFUSED(&args, "reserved is not zero");
  REFUSED(NULL, "args");
  const jig_type plain = jig_struct("plain", "struct plain { int x; plain *operator->(); };", 4, 4);
  args =
      (jig_adjacent_difference_args){.in = jig_pointer(memory, plain), .out = jig_pointer(memory, plain)};
  REFUSED(&args, "in: '-' is not defined for struct plain; give an operator, or an operator-");
  args.op = jig_op_source("a.x -= b.x; return a;");
  args.out = in;
  REFUSED(&args, "in: the item type");
  args =
      (jig_adjacent_difference_args){.in = jig_pointer(NULL, JIG_U32), .out = jig_pointer(NULL, JIG_U32)};
  run_difference(&args); /* nothing, to nowhere */
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

/* ---- graphs, strict mode, size */

static void replay(bool in_place, bool right) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  void *in = gpu_alloc(MOST * 4, 0), *out = in_place ? in : gpu_alloc(MOST * 4, 0);
  size_t bytes = 0;
  const jig_adjacent_difference_args args = {.in = jig_pointer(in, JIG_U32),
                                             .out = jig_pointer(out, JIG_U32),
                                             .num_items = MOST,
                                             .direction = direction_of(right)};
  CUstream stream;
  OK(jig_adjacent_difference(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_adjacent_difference(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint32_t round = 1; round < 4; ++round) {
    for (uint32_t i = 0; i < MOST; ++i) words[i] += i * round;
    gpu_write(in, words, MOST * 4);
    gpu_replay(exec, stream);
    differ(words, wanted, MOST, right);
    check_words(out, wanted, MOST, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  if (!in_place) gpu_free(out);
  free(words);
  free(wanted);
}

START_TEST(a_captured_call_is_replayed) {
  for (int way = 0; way < 4; ++way) replay(way % 2 == 1, way / 2 == 1);
}
END_TEST

static void strict_left(strict_call *t) {
  const jig_adjacent_difference_args args = {
      .in = jig_pointer(t->d_keys, JIG_U32), .out = jig_pointer(t->out[0], JIG_U32), .num_items = t->n};
  STRICT(t, jig_adjacent_difference, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i)
    ck_assert_uint_eq(got[i], i > 0 ? t->keys[i] - t->keys[i - 1] : t->keys[i]);
}

static void strict_right_to_wider(strict_call *t) {
  const jig_adjacent_difference_args args = {.in = jig_pointer(t->d_flags, JIG_U8),
                                             .out = jig_pointer(t->out[0], JIG_I64),
                                             .num_items = t->n,
                                             .op = jig_op_source("return a * 10 - b;"),
                                             .direction = JIG_DIFFERENCE_RIGHT};
  STRICT(t, jig_adjacent_difference, args);
  const int64_t *got = strict_read(t, t->out[0], t->n * 8);
  for (uint64_t i = 0; i < t->n; ++i)
    ck_assert_int_eq(got[i], i + 1 < t->n ? t->flags[i] * 10 - t->flags[i + 1] : t->flags[i]);
}

/* In place, so that both kernels are needed. */
static void strict_in_place(strict_call *t) {
  const jig_iter place = jig_pointer(t->d_values, JIG_U32);
  const jig_adjacent_difference_args args = {
      .in = place, .out = place, .num_items = t->n, .op = JIG_PLUS};
  STRICT(t, jig_adjacent_difference, args);
  const uint32_t *got = strict_read(t, t->d_values, t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_uint_eq(got[i], i > 0 ? 2 * i - 1 : 0);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_left), STRICT_CASE(strict_right_to_wider),
                                      STRICT_CASE(strict_in_place)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* All ones, but for three at the end: of differences all are 0 but for the first and the last one. In
 * place every other time. */
START_TEST(more_items_than_32_bits_count) {
  const bool in_place = test_turn(0);
  const size_t count = ((size_t)1 << 32) + 12345;
  const uint8_t three = 3;
  if (!gpu_begin_large("device/adjacent_difference_calls: more_items_than_32_bits_count",
                       2 * count + ((size_t)1 << 28)))
    return;
  CUdeviceptr in, out = 0;
  GPU(gpu()->cuMemAlloc(&in, count));
  gpu_fill((void *)(uintptr_t)in, 1, count);
  if (!in_place) {
    GPU(gpu()->cuMemAlloc(&out, count));
    gpu_fill((void *)(uintptr_t)out, 77, count);
  }
  gpu_write((void *)(uintptr_t)(in + count - 1), &three, 1);
  const jig_iter items = jig_pointer((void *)(uintptr_t)in, JIG_U8);
  const jig_iter output = in_place ? items : jig_pointer((void *)(uintptr_t)out, JIG_U8);
  uint64_t sum;
  uint8_t first, last;
  OK(jig_subtract_left(NULL, NULL, NULL, items, output, count, (jig_op)JIG_ZERO, NULL));
  reduce_to_host((jig_reduce_args){.in = output, .num_items = count, .accum_type = JIG_U64}, JIG_U64,
                 &sum);
  gpu_read(&first, output.pointer, 1);
  gpu_read(&last, (uint8_t *)output.pointer + count - 1, 1);
  ck_assert_uint_eq(sum, 3);
  ck_assert_uint_eq(first, 1);
  ck_assert_uint_eq(last, 2);
  GPU(gpu()->cuMemFree(in));
  if (!in_place) GPU(gpu()->cuMemFree(out));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(inputs_of_every_kind),
      SUITE_TEST(outputs_of_every_kind),
      SUITE_TEST(iterators_may_be_in_place),
      SUITE_TEST(in_place_as_many_as_the_gpu_says),
      SUITE_TEST(odd_structs_as_many_as_the_gpu_says),
      SUITE_TEST(odd_structs_are_moved),
      SUITE_TEST(by_name),
      SUITE_TEST(temp_storage_does_not_follow_from_pointers),
      SUITE_TEST(what_cannot_be_is_refused),
      SUITE_TEST(a_captured_call_is_replayed),
      SUITE_TEST(a_spec_prewarms_its_calls),
      SUITE_TEST(more_items_than_32_bits_count),
  };
  return SUITE_RUN("device/adjacent_difference_calls", tests, true);
}
