/* Copy: every type at sizes around every boundary and at any alignment, conversions, iterators on both
 * sides, in place; fill, tabulate, gather and scatter; capture, strict mode, more items than 32 bits. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "strict_support.h"
#include "suite.h"
#include "words.h"

/* Around vectors, warps, and tiles of 256 threads with 1 to 128 items each. */
static const size_t sizes[] = {1,    2,    3,    4,    5,     15,    16,    17,    31,   33,   127,
                               255,  256,  257,  1023, 1024,  1025,  2047,  2048,  2049, 4095, 4096,
                               4097, 8191, 8193, 9000, 16384, 16387, 32769, 65537, 70001};
enum { MOST = 70001, OFFSETS = 16 };

static void run_copy(const jig_copy_args *args) {
  RUN_WITHOUT_STORAGE(jig_copy, args);
}

static void check_bytes(const void *got, const void *wanted, size_t item, size_t count,
                        const char *what) {
  for (size_t i = 0; i < count; ++i)
    ck_assert_msg(memcmp((const char *)got + i * item, (const char *)wanted + i * item, item) == 0,
                  "%s: item %zu of %zu", what, i, count);
}

/* Whether the first items of `out` are those, and frees it, whose guards tell of what is beyond. */
static void check_out(void *out, const void *wanted, size_t item, size_t count, const char *what) {
  void *got = malloc(count * item + 1);
  gpu_read(got, out, count * item);
  check_bytes(got, wanted, item, count, what);
  gpu_free(out);
  free(got);
}

/* ---- types */

static void check_type(jig_type type, size_t count, size_t in_offset, size_t out_offset) {
  char what[96];
  const size_t item = type.size;
  unsigned char *items = malloc(count * item + 1);
  fill_random(JIG_KIND_U8, items, count * item, 11);
  (void)snprintf(what, sizeof what, "%s, off by %zu and %zu", jig_type_name(&type), in_offset,
                 out_offset);
  void *in = gpu_copy(items, count * item, in_offset * type.align);
  void *out = gpu_alloc(count * item, out_offset * type.align);
  run_copy(
      &(jig_copy_args){.in = jig_pointer(in, type), .out = jig_pointer(out, type), .num_items = count});
  check_out(out, items, item, count, what);
  gpu_free(in);
  free(items);
}

START_TEST(every_type_of_every_size) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind)
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
      check_type(type_of(*kind), sizes[i], i % 3 == 0 ? 0 : i % OFFSETS,
                 i % 4 == 0 ? 0 : i * 5 % OFFSETS);
}
END_TEST

START_TEST(structs_of_any_size) {
  static const uint32_t shapes[][2] = {{3, 1},   {6, 2},    {12, 4},  {16, 16},  {24, 8},   {64, 4},
                                       {255, 1}, {256, 16}, {32, 32}, {192, 64}, {512, 128}};
  for (size_t s = 0; s < COUNT_OF(shapes); ++s)
    for (size_t i = 0; i < COUNT_OF(sizes); i += 3)
      check_type(jig_opaque(shapes[s][0], shapes[s][1]), sizes[i], i % OFFSETS, i % 2);
}
END_TEST

START_TEST(bytes_at_every_alignment) {
  for (size_t in = 0; in < OFFSETS; ++in)
    for (size_t out = 0; out < OFFSETS; out += in % 2 + 1) check_type(JIG_U8, 20011, in, out);
}
END_TEST

/* A block's last vectors, and the items behind them, as many as there may be; of few items and of many.
 */
START_TEST(last_tiles_of_any_length) {
  static const size_t behind[] = {1,    15,   16,   17,   255,  511,  1023,
                                  1024, 1027, 1916, 2047, 3001, 3964, 4095};
  const jig_type types[] = {JIG_U8, JIG_U16, JIG_U32, JIG_U64};
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  const jig_iter in = jig_pointer(gpu_copy(words, MOST * 4, 0), JIG_U32);
  for (size_t i = 0; i < MOST; ++i) wanted[i] = words[i] * 3 + 1;
  for (size_t k = 0; k < 2 * COUNT_OF(behind); ++k) {
    const size_t count = behind[k / 2] + k % 2 * 65536;
    for (size_t t = 0; t < COUNT_OF(types); ++t) check_type(types[t], count, 0, 0);
    uint32_t *out = gpu_alloc(count * 4, 0);
    run_copy(&(jig_copy_args){.in = jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                              .out = jig_pointer(out, JIG_U32),
                              .num_items = count});
    check_out(out, wanted, 4, count, "a computed input");
  }
  gpu_free(in.pointer);
  free(words);
  free(wanted);
}
END_TEST

static bool holds(jig_type_kind kind) {
  return kind != JIG_KIND_BOOL && type_of(kind).size <= 8;
}

/* Numbers that every type has: 0 to 99. */
static void check_conversion(jig_type_kind from, jig_type_kind to, size_t count, size_t variant) {
  char what[96];
  const jig_type in_type = type_of(from), out_type = type_of(to);
  void *items = malloc(count * 8 + 1), *wanted = malloc(count * 8 + 1);
  for (size_t i = 0; i < count; ++i) {
    const int value = (int)((i * 7 + variant) % 100);
    is_floating(from) ? put_float(from, items, i, value) : put_integer(from, items, i, value);
    is_floating(to) ? put_float(to, wanted, i, value) : put_integer(to, wanted, i, value);
  }
  (void)snprintf(what, sizeof what, "%s to %s", jig_type_name(&in_type), jig_type_name(&out_type));
  void *in = gpu_copy(items, count * in_type.size, variant % 3 * in_type.size);
  void *out = gpu_alloc(count * out_type.size, variant % 2 * out_type.size);
  run_copy(&(jig_copy_args){
      .in = jig_pointer(in, in_type), .out = jig_pointer(out, out_type), .num_items = count});
  check_out(out, wanted, out_type.size, count, what);
  gpu_free(in);
  free(items);
  free(wanted);
}

START_TEST(items_are_converted) {
  size_t variant = 0;
  for (const jig_type_kind *from = all_kinds; *from != JIG_KIND_NONE; ++from) {
    for (const jig_type_kind *to = all_kinds; *to != JIG_KIND_NONE; ++to) {
      if (!holds(*from) || !holds(*to)) continue;
      ++variant;
      check_conversion(*from, *to, sizes[variant % COUNT_OF(sizes)] % 20000 + 8192, variant);
    }
  }
}
END_TEST

/* ---- iterators */

START_TEST(inputs_that_are_computed) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  const uint32_t start = 5, step = 3;
  const jig_iter in = jig_pointer(gpu_copy(words, MOST * 4, 4), JIG_U32);
  const jig_iter counting = jig_counting_by(&start, &step, JIG_U32);
  const jig_iter inputs[] = {counting,
                             jig_constant(&start, JIG_U32),
                             jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                             jig_iter_transform(&counting, jig_op_source("return x * x;"), JIG_U32),
                             jig_iter_reverse(&in, MOST),
                             jig_strided(in.pointer, 8, JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(inputs); ++k) {
    for (size_t s = 0; s < COUNT_OF(sizes); s += 2) {
      const size_t count = k == 5 ? sizes[s] / 2 + 1 : sizes[s];
      for (size_t i = 0; i < count; ++i) {
        const uint32_t index = start + step * (uint32_t)i;
        const uint32_t values[] = {index,
                                   start,
                                   words[i] * 3 + 1,
                                   index * index,
                                   words[MOST - 1 - i],
                                   words[i <= MOST / 2 ? 2 * i : 0]};
        wanted[i] = values[k];
      }
      uint32_t *out = gpu_alloc(count * 4, 4 * (s % 3));
      run_copy(&(jig_copy_args){.in = inputs[k], .out = jig_pointer(out, JIG_U32), .num_items = count});
      check_out(out, wanted, 4, count, "a computed input");
    }
  }
  gpu_free(in.pointer);
  free(words);
  free(wanted);
}
END_TEST

/* Sum and product of two inputs, each to an output of its own. */
START_TEST(several_inputs_and_outputs) {
  const jig_type pair = jig_struct("pair", "struct pair { unsigned a, b; };", 8, 4);
  uint32_t *words = random_words(2 * MOST, 7), *sums = malloc(MOST * 4), *products = malloc(MOST * 4);
  for (size_t i = 0; i < MOST; ++i) {
    sums[i] = words[i] + words[MOST + i];
    products[i] = words[i] * words[MOST + i];
  }
  uint32_t *in = gpu_copy(words, 2 * MOST * 4, 0);
  const jig_iter bases[] = {jig_pointer(in, JIG_U32), jig_pointer(in + MOST, JIG_U32)};
  const jig_iter zip = jig_zip(bases, 2, pair);
  for (size_t s = 0; s < COUNT_OF(sizes); s += 4) {
    uint32_t *first = gpu_alloc(sizes[s] * 4, 0), *second = gpu_alloc(sizes[s] * 4, 4);
    const jig_iter outs[] = {jig_pointer(first, JIG_U32), jig_pointer(second, JIG_U32)};
    run_copy(&(jig_copy_args){
        .in = jig_iter_transform(&zip, jig_op_source("return pair{x.a + x.b, x.a * x.b};"), pair),
        .out = jig_zip(outs, 2, pair),
        .num_items = sizes[s]});
    check_out(first, sums, 4, sizes[s], "sums");
    check_out(second, products, 4, sizes[s], "products");
  }
  gpu_free(in);
  free(words);
  free(sums);
  free(products);
}
END_TEST

START_TEST(outputs_of_every_kind) {
  enum { COUNT = 9000 };
  uint32_t *words = random_words(COUNT, 7), *wanted = malloc(COUNT * 8), *got = malloc(COUNT * 8);
  const jig_iter in = jig_pointer(gpu_copy(words, COUNT * 4, 4), JIG_U32);
  uint32_t *memory = gpu_alloc(COUNT * 8, 0);
  const jig_iter out = jig_pointer(memory, JIG_U32);
  const jig_iter outputs[] = {jig_iter_reverse(&out, COUNT), jig_strided(memory, 8, JIG_U32),
                              jig_transform_output(&out, jig_op_source("return x ^ 5;"), JIG_U32),
                              jig_discard(JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(outputs); ++k) {
    gpu_fill(memory, 0, COUNT * 8);
    memset(wanted, 0, COUNT * 8);
    for (size_t i = 0; i < COUNT && k < 3; ++i)
      wanted[k == 0 ? COUNT - 1 - i : k == 1 ? 2 * i : i] = k == 2 ? words[i] ^ 5 : words[i];
    run_copy(&(jig_copy_args){.in = in, .out = outputs[k], .num_items = COUNT});
    gpu_read(got, memory, COUNT * 8);
    check_bytes(got, wanted, 4, 2 * COUNT, "an output");
  }
  gpu_free(memory);
  gpu_free(in.pointer);
  free(words);
  free(wanted);
  free(got);
}
END_TEST

/* ---- by name */

/* Calls that allocate for themselves. */
START_TEST(fill_and_tabulate) {
  uint64_t *wanted = malloc(MOST * 8);
  const double value = 2.5;
  const uint8_t byte = 0xa5;
  for (size_t s = 0; s < COUNT_OF(sizes); s += 2) {
    const size_t count = sizes[s];
    void *out = gpu_alloc(count * 8, 8 * (s % 3));
    OK(jig_fill(NULL, NULL, NULL, jig_pointer(out, JIG_F64), &value, count, NULL));
    for (size_t i = 0; i < count; ++i) memcpy(&wanted[i], &value, 8);
    check_out(out, wanted, 8, count, "filled");
    out = gpu_alloc(count, s % 5);
    OK(jig_fill(NULL, NULL, NULL, jig_pointer(out, JIG_U8), &byte, count, NULL));
    memset(wanted, byte, count);
    check_out(out, wanted, 1, count, "filled with bytes");
    out = gpu_alloc(count * 4, 0);
    OK(jig_generate(NULL, NULL, NULL, jig_pointer(out, JIG_U32), jig_op_source("return 9;"), count,
                    NULL));
    for (size_t i = 0; i < count; ++i) ((uint32_t *)wanted)[i] = 9;
    check_out(out, wanted, 4, count, "generated");
    out = gpu_alloc(count * 8, 0);
    OK(jig_tabulate(NULL, NULL, NULL, jig_pointer(out, JIG_U64), jig_op_source("return i * i % 1001;"),
                    count, NULL));
    for (size_t i = 0; i < count; ++i) wanted[i] = i * i % 1001;
    check_out(out, wanted, 8, count, "tabulated");
  }
  free(wanted);
}
END_TEST

START_TEST(gather_and_scatter) {
  uint32_t *words = random_words(MOST, 7), *wanted = malloc(MOST * 4);
  int64_t *indices = malloc(MOST * 8);
  for (size_t i = 0; i < MOST; ++i)
    indices[i] = (int64_t)(i * 12347 % MOST); /* 12347 divides nothing here */
  const jig_iter in = jig_pointer(gpu_copy(words, MOST * 4, 4), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(indices, MOST * 8, 0), JIG_I64);
  uint32_t *out = gpu_alloc(MOST * 4, 0);
  OK(jig_gather(NULL, NULL, NULL, in, map, jig_pointer(out, JIG_U32), MOST, NULL));
  for (size_t i = 0; i < MOST; ++i) wanted[i] = words[indices[i]];
  check_out(out, wanted, 4, MOST, "gathered");
  out = gpu_alloc(MOST * 4, 8);
  OK(jig_scatter(NULL, NULL, NULL, in, map, jig_pointer(out, JIG_U32), MOST, NULL));
  for (size_t i = 0; i < MOST; ++i) wanted[indices[i]] = words[i];
  check_out(out, wanted, 4, MOST, "scattered");
  gpu_free(in.pointer);
  gpu_free(map.pointer);
  free(words);
  free(wanted);
  free(indices);
}
END_TEST

/* ---- places */

START_TEST(the_output_may_be_the_input) {
  uint32_t *words = random_words(MOST, 7), *got = malloc(MOST * 4);
  const jig_iter place = jig_pointer(gpu_copy(words, MOST * 4, 4), JIG_U32);
  run_copy(&(jig_copy_args){.in = place, .out = place, .num_items = MOST});
  run_copy(&(jig_copy_args){.in = jig_iter_transform(&place, jig_op_source("return x + 9;"), JIG_U32),
                            .out = place,
                            .num_items = MOST});
  gpu_read(got, place.pointer, MOST * 4);
  for (size_t i = 0; i < MOST; ++i) words[i] += 9;
  check_bytes(got, words, 4, MOST, "in place");
  gpu_free(place.pointer);
  free(words);
  free(got);
}
END_TEST

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(400, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32);
  jig_copy_args args = {.in = in, .out = jig_pointer(memory + 1, JIG_U32), .num_items = 50};
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_copy: out overlaps in");
  args.out = jig_pointer(memory, JIG_U8);
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_copy: out overlaps in");
  args.out = jig_pointer(NULL, JIG_U32);
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "out");
  args = (jig_copy_args){.in = in, .out = jig_pointer(memory + 50, jig_opaque(3, 1)), .num_items = 1};
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "in: the item type");
  args = (jig_copy_args){.in = in, .num_items = 1};
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "out");
  args = (jig_copy_args){.in = in, .out = in, .num_items = UINT64_MAX};
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "num_items");
  FAILS(jig_copy(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  args = (jig_copy_args){.in = in, .out = in, .num_items = 1, .reserved = {0, 1}};
  FAILS(jig_copy(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "reserved is not zero");
  args = (jig_copy_args){.in = jig_pointer(NULL, JIG_U32), .out = jig_pointer(NULL, JIG_U32)};
  run_copy(&args); /* nothing, to nowhere */
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

/* ---- graphs, strict mode, size */

START_TEST(a_captured_copy_is_replayed) {
  enum { COUNT = 9000 };
  uint32_t *words = random_words(COUNT, 7), *in = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  uint32_t *got = malloc(COUNT * 4);
  size_t bytes = 0;
  const jig_copy_args args = {
      .in = jig_pointer(in, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = COUNT};
  CUstream stream;
  OK(jig_copy(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_copy(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int replay = 0; replay < 3; ++replay) {
    for (size_t i = 0; i < COUNT; ++i) words[i] += (uint32_t)i;
    gpu_write(in, words, COUNT * 4);
    gpu_replay(exec, stream);
    gpu_read(got, out, COUNT * 4);
    check_bytes(got, words, 4, COUNT, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(words);
  free(got);
}
END_TEST

static void strict_words(strict_call *t) {
  const jig_copy_args args = {
      .in = jig_pointer(t->d_keys, JIG_F32), .out = jig_pointer(t->out[0], JIG_F32), .num_items = t->n};
  STRICT(t, jig_copy, args);
  check_bytes(strict_read(t, t->out[0], t->n * 4), t->keys, 4, t->n, "strict");
}

static void strict_conversion(strict_call *t) {
  const jig_copy_args args = {
      .in = jig_pointer(t->d_flags, JIG_U8), .out = jig_pointer(t->out[0], JIG_I64), .num_items = t->n};
  STRICT(t, jig_copy, args);
  const int64_t *got = strict_read(t, t->out[0], t->n * 8);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_int_eq(got[i], t->flags[i]);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_words), STRICT_CASE(strict_conversion)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(more_items_than_32_bits_count) {
  const size_t count = ((size_t)1 << 32) + 12345;
  if (!gpu_begin_large("device/copy: more_items_than_32_bits_count", 2 * count + ((size_t)1 << 28)))
    return;
  CUdeviceptr in, out;
  GPU(gpu()->cuMemAlloc(&in, count));
  GPU(gpu()->cuMemAlloc(&out, count));
  gpu_fill((void *)(uintptr_t)in, 0, count);
  gpu_fill((void *)(uintptr_t)out, 1, count);
  const uint8_t three = 3;
  gpu_write((void *)(uintptr_t)(in + count - 1), &three, 1);
  const jig_iter copy = jig_pointer((void *)(uintptr_t)out, JIG_U8);
  OK(jig_copy(
      NULL, NULL, NULL,
      &(jig_copy_args){.in = jig_pointer((void *)(uintptr_t)in, JIG_U8), .out = copy, .num_items = count},
      NULL));
  uint64_t sum;
  reduce_to_host((jig_reduce_args){.in = copy, .num_items = count, .accum_type = JIG_U64}, JIG_U64, &sum);
  ck_assert_uint_eq(sum, 3);
  GPU(gpu()->cuMemFree(in));
  GPU(gpu()->cuMemFree(out));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type_of_every_size),
      SUITE_TEST(structs_of_any_size),
      SUITE_TEST(bytes_at_every_alignment),
      SUITE_TEST(last_tiles_of_any_length),
      SUITE_TEST(items_are_converted),
      SUITE_TEST(inputs_that_are_computed),
      SUITE_TEST(several_inputs_and_outputs),
      SUITE_TEST(outputs_of_every_kind),
      SUITE_TEST(fill_and_tabulate),
      SUITE_TEST(gather_and_scatter),
      SUITE_TEST(the_output_may_be_the_input),
      SUITE_TEST(what_cannot_be_is_refused),
      SUITE_TEST(a_captured_copy_is_replayed),
      SUITE_TEST(a_spec_prewarms_its_calls),
      SUITE_TEST(more_items_than_32_bits_count),
  };
  return SUITE_RUN("device/copy", tests, true);
}
