/* Transform: one to eight inputs and outputs, operators of every form, some of the items, in place,
 * iterators; what is refused, capture, strict mode. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "strict_support.h"
#include "suite.h"
#include "words.h"

/* Around vectors, warps and tiles. */
static const size_t sizes[] = {1,    2,    3,    5,    31,   33,   127,  255,   257,  1023,
                               1024, 1025, 2047, 2049, 4096, 4099, 8193, 16387, 20011};
enum { MOST = 20011, MOST_INPUTS = 8 };

static void run_transform(const jig_transform_args *args) {
  RUN_WITHOUT_STORAGE(jig_transform, args);
}

/* ---- inputs */

/* Inputs of eight types, off by different offsets, with small numbers that all types have. */
typedef struct inputs {
  jig_iter iters[MOST_INPUTS];
  int32_t *numbers[MOST_INPUTS];
} inputs;

static const jig_type_kind input_kinds[MOST_INPUTS] = {JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_U8,
                                                       JIG_KIND_I16, JIG_KIND_F32, JIG_KIND_U64,
                                                       JIG_KIND_I8,  JIG_KIND_U32};

static void make_inputs(inputs *in, size_t count) {
  for (size_t k = 0; k < MOST_INPUTS; ++k) {
    const jig_type type = type_of(input_kinds[k]);
    void *items = malloc(count * type.size + 1);
    in->numbers[k] = malloc(count * sizeof(int32_t) + 1);
    for (size_t i = 0; i < count; ++i) {
      const int value = (int)((i * (2 * k + 3) + k) % 101);
      in->numbers[k][i] = value;
      is_floating(input_kinds[k]) ? put_float(input_kinds[k], items, i, value)
                                  : put_integer(input_kinds[k], items, i, value);
    }
    in->iters[k] = jig_pointer(gpu_copy(items, count * type.size, (k + count) % 3 * type.size), type);
    free(items);
  }
}

static void free_inputs(inputs *in) {
  for (size_t k = 0; k < MOST_INPUTS; ++k) {
    gpu_free(in->iters[k].pointer);
    free(in->numbers[k]);
  }
}

/* a + 2 * b + 3 * c + ... */
static uint32_t weighted(const inputs *in, size_t count, size_t i) {
  uint32_t sum = 0;
  for (size_t k = 0; k < count; ++k) sum += (uint32_t)(k + 1) * (uint32_t)in->numbers[k][i];
  return sum;
}

static const char *const weighted_bodies[MOST_INPUTS] = {
    "return x;",
    "return a + 2 * b;",
    "return a + 2 * b + 3 * c;",
    "return a + 2 * b + 3 * c + 4 * d;",
    "return a + 2 * b + 3 * c + 4 * d + 5 * e;",
    "return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f;",
    "return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;",
    "return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;"};

START_TEST(one_to_eight_inputs_of_any_types) {
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    inputs in;
    make_inputs(&in, sizes[s]);
    for (uint32_t k = 1; k <= MOST_INPUTS; ++k) {
      uint32_t *wanted = malloc(sizes[s] * 4);
      for (size_t i = 0; i < sizes[s]; ++i) wanted[i] = weighted(&in, k, i);
      void *out = gpu_alloc(sizes[s] * 4, (s + k) % 3 * 4);
      run_transform(&(jig_transform_args){.in = in.iters,
                                          .num_inputs = k,
                                          .out = jig_pointer(out, JIG_U32),
                                          .num_items = sizes[s],
                                          .op = jig_op_source(weighted_bodies[k - 1])});
      check_words(out, wanted, sizes[s], "a weighted sum");
      gpu_free(out);
      free(wanted);
    }
    free_inputs(&in);
  }
}
END_TEST

/* In units of 1 to 16 bytes: what is loaded and stored has as many items a vector as the larger one. */
START_TEST(items_of_every_size) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    if (*kind == JIG_KIND_BOOL) continue;
    for (size_t s = 0; s < COUNT_OF(sizes); s += 3) {
      const size_t count = sizes[s];
      void *items = malloc(count * type.size + 1), *got = malloc(count * type.size + 1);
      void *wanted = malloc(count * type.size + 1);
      for (size_t i = 0; i < count; ++i) {
        const int value = (int)(i % 31);
        is_floating(*kind) ? put_float(*kind, items, i, value) : put_integer(*kind, items, i, value);
        is_floating(*kind) ? put_float(*kind, wanted, i, 2 * value)
                           : put_integer(*kind, wanted, i, 2 * value);
      }
      const jig_iter in = jig_pointer(gpu_copy(items, count * type.size, s % 3 * type.size), type);
      const jig_iter out = jig_pointer(gpu_alloc(count * type.size, s % 2 * type.size), type);
      OK(jig_transform_binary(NULL, NULL, NULL, in, in, out, count, JIG_PLUS, NULL));
      gpu_read(got, out.pointer, count * type.size);
      ck_assert_msg(memcmp(got, wanted, count * type.size) == 0, "%zu items of %s", count,
                    jig_type_name(&type));
      gpu_free(in.pointer);
      gpu_free(out.pointer);
      free(items);
      free(wanted);
      free(got);
    }
  }
}
END_TEST

START_TEST(structs_of_any_size) {
  static const uint32_t shapes[] = {3, 12, 24, 255};
  for (size_t s = 0; s < COUNT_OF(shapes); ++s) {
    char definition[64];
    const size_t size = shapes[s], count = 1025;
    (void)snprintf(definition, sizeof definition, "struct bytes { unsigned char m[%zu]; };", size);
    const jig_type type = jig_struct("bytes", definition, (uint32_t)size, 1);
    unsigned char *items = malloc(count * size), *got = malloc(count * size);
    fill_random(JIG_KIND_U8, items, count * size, 3);
    const jig_iter in = jig_pointer(gpu_copy(items, count * size, 1), type);
    const jig_iter out = jig_pointer(gpu_alloc(count * size, 0), type);
    OK(jig_transform_unary(NULL, NULL, NULL, in, out, count, jig_op_source("x.m[1] += 5; return x;"),
                           NULL));
    for (size_t i = 0; i < count; ++i) items[i * size + 1] += 5;
    gpu_read(got, out.pointer, count * size);
    ck_assert_int_eq(memcmp(got, items, count * size), 0);
    gpu_free(in.pointer);
    gpu_free(out.pointer);
    free(items);
    free(got);
  }
}
END_TEST

/* Of sizes that are no power of two, which go through shared memory unless they are few; in place, at any
 * addresses, beside items of other sizes, as many as the GPU is told. */
typedef struct odd_shape {
  uint32_t words, width; /* of a struct, and bytes of a word */
} odd_shape;

static jig_type odd_type(odd_shape shape, char *definition, size_t room) {
  (void)snprintf(definition, room, "struct odd { %s m[%u]; };",
                 shape.width == 8   ? "unsigned long long"
                 : shape.width == 4 ? "unsigned"
                                    : "unsigned short",
                 shape.words);
  return jig_struct("odd", definition, shape.words * shape.width, shape.width);
}

/* m[0] of each has all that is added, in words of that width. */
static void add_to_first(unsigned char *item, uint32_t width, uint64_t more) {
  uint64_t first = 0;
  memcpy(&first, item, width);
  first += more;
  memcpy(item, &first, width);
}

static void check_odd(odd_shape shape, size_t count, size_t way) {
  enum { MORE = 77 };
  char definition[64];
  const jig_type type = odd_type(shape, definition, sizeof definition);
  const size_t bytes = count * type.size, limit = count + MORE * (way % 2);
  unsigned char *items = malloc(bytes + MORE * type.size), *got = malloc(bytes + MORE * type.size);
  uint8_t *small = malloc(count + MORE);
  fill_random(JIG_KIND_U8, items, limit * type.size, 3);
  fill_random(JIG_KIND_U8, small, limit, 4);
  const uint64_t counted = count;
  const jig_iter in[] = {jig_pointer(gpu_copy(items, limit * type.size, way % 5 * type.size), type),
                         jig_pointer(gpu_copy(small, limit, way % 3), JIG_U8),
                         jig_counting(&(uint32_t){5}, JIG_U32)};
  void *num_items = gpu_copy(&counted, sizeof counted, 0);
  const bool in_place = way % 4 == 3;
  const jig_iter out =
      in_place ? in[0] : jig_pointer(gpu_copy(items, limit * type.size, way % 7 * type.size), type);
  const uint32_t num_inputs = 1 + (uint32_t)way % 3;
  const char *const bodies[] = {"x.m[0] += 9; return x;", "a.m[0] += 9 + b; return a;",
                                "a.m[0] += 9 + b + c; return a;"};
  run_transform(&(jig_transform_args){.in = in,
                                      .num_inputs = num_inputs,
                                      .out = out,
                                      .num_items = limit,
                                      .num_items_in = way % 2 != 0 ? num_items : NULL,
                                      .op = jig_op_source(bodies[num_inputs - 1])});
  for (size_t i = 0; i < count; ++i)
    add_to_first(items + i * type.size, shape.width,
                 9U + (num_inputs > 1 ? small[i] : 0U) + (num_inputs > 2 ? 5 + i : 0));
  gpu_read(got, out.pointer, limit * type.size);
  ck_assert_msg(memcmp(got, items, limit * type.size) == 0, "%zu items of %u bytes, way %zu", count,
                type.size, way);
  gpu_free(in[0].pointer);
  gpu_free(in[1].pointer);
  gpu_free(num_items);
  if (!in_place) gpu_free(out.pointer);
  free(items);
  free(got);
  free(small);
}

START_TEST(sizes_of_no_power_of_two) {
  static const odd_shape shapes[] = {{3, 4}, {3, 2}, {5, 4}, {3, 8}, {6, 8}, {12, 4}};
  size_t way = 0;
  limits_of(NULL)->transform_most_few = 0;
  for (size_t k = 0; k < COUNT_OF(shapes); ++k)
    for (size_t s = 0; s < COUNT_OF(sizes); ++s) check_odd(shapes[k], sizes[s], way++);
  limits_of(NULL)->transform_most_few = UINT64_MAX;
  check_odd(shapes[0], MOST, way);
}
END_TEST

START_TEST(inputs_of_every_kind) {
  const uint32_t start = 5, step = 3;
  uint32_t *words = random_words(2 * MOST, 7), *indices = malloc(MOST * 4), *wanted = malloc(MOST * 4);
  for (size_t i = 0; i < MOST; ++i) indices[i] = (uint32_t)(i * 7919 % MOST);
  const jig_iter in = jig_pointer(gpu_copy(words, 2 * MOST * 4, 4), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(indices, MOST * 4, 0), JIG_U32);
  const jig_iter all[] = {jig_counting_by(&start, &step, JIG_U32),
                          in,
                          jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                          jig_iter_reverse(&in, MOST),
                          jig_permutation(&in, &map),
                          jig_strided(in.pointer, 8, JIG_U32),
                          jig_iter_source(jig_op_source("return i * i;"), JIG_U32),
                          jig_constant(&start, JIG_U32)};
  for (size_t s = 0; s < COUNT_OF(sizes); s += 4) {
    for (uint32_t i = 0; i < sizes[s]; ++i)
      wanted[i] = (start + step * i) ^ words[i] ^ (words[i] * 3 + 1) ^ words[MOST - 1 - i] ^
                  words[indices[i]] ^ words[2 * i] ^ (i * i) ^ start;
    void *out = gpu_alloc(sizes[s] * 4, 4);
    run_transform(&(jig_transform_args){.in = all,
                                        .num_inputs = 8,
                                        .out = jig_pointer(out, JIG_U32),
                                        .num_items = sizes[s],
                                        .op = jig_op_source("return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;")});
    check_words(out, wanted, sizes[s], "of every kind");
    gpu_free(out);
  }
  gpu_free(in.pointer);
  gpu_free(map.pointer);
  free(words);
  free(indices);
  free(wanted);
}
END_TEST

/* The iterator by itself, as any algorithm's input: a dot product, and a scan of sums. */
START_TEST(other_algorithms_take_it_as_an_input) {
  uint32_t *words = random_words(2 * MOST, 7), *wanted = malloc(MOST * 4), dot = 0, sum = 0;
  for (size_t i = 0; i < MOST; ++i) {
    dot += words[i] * words[MOST + i];
    wanted[i] = sum += words[i] + words[MOST + i];
  }
  uint32_t *in = gpu_copy(words, 2 * MOST * 4, 0), *out = gpu_alloc(MOST * 4, 0);
  const jig_iter sides[] = {jig_pointer(in, JIG_U32), jig_pointer(in + MOST, JIG_U32)};
  const jig_iter products = jig_zip_transform(sides, 2, JIG_MULTIPLIES, JIG_U32),
                 sums = jig_zip_transform(sides, 2, jig_op_source("return a + b;"), JIG_U32);
  OK(jig_reduce_sum(NULL, NULL, NULL, products, jig_pointer(out, JIG_U32), MOST, NULL));
  check_words(out, &dot, 1, "a dot product");
  OK(jig_inclusive_sum(NULL, NULL, NULL, sums, jig_pointer(out, JIG_U32), MOST, NULL));
  check_words(out, wanted, MOST, "a scan of sums");
  gpu_free(in);
  gpu_free(out);
  free(words);
  free(wanted);
}
END_TEST

/* ---- operators */

/* By a function with and without a state, and by compiled ones, by value and by pointer. */
START_TEST(operators_of_every_form) {
  static const char function[] =
      "unsigned mix(unsigned s, unsigned a, unsigned b, unsigned char c) { return s * a + b - c; }";
  static const char in_c[] =
      "EXPORT unsigned by_value(const unsigned *s, unsigned a, unsigned b, unsigned char c)"
      "{ return *s * a + b - c; }"
      "EXPORT void by_pointer(const unsigned *s, const unsigned *a, const unsigned *b,"
      " const unsigned char *c, unsigned *r) { *r = *s * *a + *b - *c; }";
  enum { COUNT = 4099 };
  const uint32_t state = 7;
  uint32_t *words = random_words(3 * COUNT, 7), *wanted = malloc(COUNT * 4);
  const uint8_t *bytes = (const uint8_t *)(words + 2 * COUNT);
  for (size_t i = 0; i < COUNT; ++i) wanted[i] = state * words[i] + words[COUNT + i] - bytes[i];
  uint32_t *memory = gpu_copy(words, 3 * COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  uint32_t *d_state = gpu_copy(&state, 4, 0);
  const jig_iter in[] = {jig_pointer(memory, JIG_U32), jig_pointer(memory + COUNT, JIG_U32),
                         jig_pointer(memory + 2 * COUNT, JIG_U8)};
  char text[1024];
  (void)snprintf(text, sizeof text, "%s%s", binary_prelude, in_c);
  const binary *b = binary_make(BY_NVRTC, BINARY_LTO_IR, text, 0);
  const jig_op ops[] = {jig_op_source("return state * a + b - c;"), jig_op_function(function, "mix"),
                        binary_op(b, "by_value"), jig_op_by_pointer(binary_op(b, "by_pointer"))};
  for (size_t k = 0; k < 2 * COUNT_OF(ops); ++k) {
    const jig_op op = k % 2 == 0 ? jig_op_with_state(ops[k / 2], &state, JIG_U32)
                                 : jig_op_with_device_state(ops[k / 2], d_state, JIG_U32);
    gpu_fill(out, 0, COUNT * 4);
    run_transform(&(jig_transform_args){
        .in = in, .num_inputs = 3, .out = jig_pointer(out, JIG_U32), .num_items = COUNT, .op = op});
    check_words(out, wanted, COUNT, "by an operator of some form");
  }
  gpu_free(memory);
  gpu_free(out);
  gpu_free(d_state);
  free(words);
  free(wanted);
}
END_TEST

/* ---- PTX that is part of the program */

#define PTX(text) ".version 6.3\n.target sm_75\n.address_size 64\n" text

/* Items of every size, that are read and written in any order; a name that registers of the program have,
 * too. */
typedef struct record {
  uint8_t a;
  int8_t b;
  uint16_t c;
  int16_t d[2];
  uint32_t e, f;
  int64_t g;
} record;
static const char record_definition[] =
    "struct record { unsigned char a; signed char b; unsigned short c; short d[2]; unsigned e, f; long "
    "long g; };";
static const char change_record[] =
    PTX(".visible .func (.param .align 8 .b8 r[24]) change(.param .align 8 .b8 x[24])\n"
        "{\n"
        "  .reg .b16 %rs<6>;\n  .reg .b32 %r<6>, sum; // two of them\n  .reg .b64 %rd<4>;\n"
        "  ld.param.v2.u32 {%r1, %r2}, [x+8];\n"
        "  ld.param.u8 %rs1, [x];\n  ld.param.s8 %rs2, [x+1];\n  ld.param.u16 %r3, [x+2];\n"
        "  ld.param.s16 %rd1, [x+4];\n  ld.param.s16 %rs4, [x+6];\n  ld.param.u64 %rd2, [x+16];\n"
        "  cvt.s32.s16 %r4, %rs2;\n  add.s32 sum, %r4, %r3;\n"
        "  st.param.v2.b32 [r+8], {%r2, sum};\n"
        "  st.param.b8 [r], %rs2;\n  st.param.b8 [r+1], %rs1;\n  st.param.b16 [r+2], %rs4;\n"
        "  st.param.b16 [r+4], %r1;\n  cvt.u16.u64 %rs5, %rd1;\n  st.param.b16 [r+6], %rs5;\n"
        "  sub.s64 %rd3, %rd2, %rd1;\n  st.param.b64 [r+16], %rd3;\n"
        "  ret;\n}\n");

static record changed(record x) {
  return (record){(uint8_t)x.b, (int8_t)x.a,           (uint16_t)x.d[1], {(int16_t)x.e, x.d[0]},
                  x.f,          (uint32_t)(x.b + x.c), x.g - x.d[0]};
}

START_TEST(ptx_reads_and_writes_parts_of_structs) {
  enum { COUNT = 3001 };
  const jig_type type = jig_struct("record", record_definition, sizeof(record), _Alignof(record));
  record *host = calloc(COUNT, sizeof *host), *got = calloc(COUNT, sizeof *got);
  uint64_t seed = 8;
  for (size_t i = 0; i < COUNT * sizeof *host / sizeof seed; ++i)
    ((uint64_t *)(void *)host)[i] = next_random(&seed);
  const jig_iter in = jig_pointer(gpu_copy(host, COUNT * sizeof *host, 0), type);
  const jig_iter out = jig_pointer(gpu_copy(got, COUNT * sizeof *got, 0), type);
  run_transform(&(jig_transform_args){
      .in = &in,
      .num_inputs = 1,
      .out = out,
      .num_items = COUNT,
      .op = jig_op_binary(JIG_FORMAT_PTX, change_record, sizeof change_record, "change")});
  gpu_read(got, out.pointer, COUNT * sizeof *got);
  for (size_t i = 0; i < COUNT; ++i) {
    const record wanted = changed(host[i]), *g = &got[i];
    ck_assert_msg(g->a == wanted.a && g->b == wanted.b && g->c == wanted.c && g->d[0] == wanted.d[0] &&
                      g->d[1] == wanted.d[1] && g->e == wanted.e && g->f == wanted.f && g->g == wanted.g,
                  "record %zu", i);
  }
  gpu_free(in.pointer);
  gpu_free(out.pointer);
  free(host);
  free(got);
}
END_TEST

/* Labels, a loop, and more than one way out; twice in one program. */
static const char greatest[] =
    PTX(".visible .func (.param .b32 r) gcd(.param .b32 a, .param .b32 b)\n"
        "{\n"
        "  .reg .pred %p<2>;\n  .reg .b32 %r<4>;\n"
        "  ld.param.u32 %r1, [a];\n  ld.param.u32 %r2, [b];\n  st.param.b32 [r+0], %r1;\n"
        "  setp.eq.s32 %p1, %r2, 0;\n  @%p1 ret;\n"
        "$L__BB0_1: // again\n"
        "  rem.u32 %r3, %r1, %r2;\n  mov.u32 %r1, %r2;\n  mov.u32 %r2, %r3;\n"
        "  setp.ne.s32 %p1, %r3, 0;\n  @%p1 bra $L__BB0_1;\n"
        "  st.param.b32 [r+0], %r1;\n  ret;\n}\n");
/* A truth value is handed on as a word. */
static const char is_one[] =
    PTX(".visible .func (.param .b32 r) is_one(.param .b32 x)\n"
        "{\n"
        "  .reg .pred %p<2>;\n  .reg .b32 %r<3>;\n"
        "  ld.param.u32 %r1, [x];\n  setp.ne.s32 %p1, %r1, 1;\n"
        "  @!%p1 bra yes;\n  st.param.b32 [r], 0;\n  bra.uni no;\n"
        "yes:\n  mov.b32 %r2, 1;\n  st.param.b32 [r], %r2;\n"
        "no:\n  ret;\n}\n");

static uint32_t gcd(uint32_t a, uint32_t b) {
  return b == 0 ? a : gcd(b, a % b);
}

START_TEST(ptx_branches_and_returns) {
  enum { COUNT = 2003 };
  uint32_t host[2][COUNT];
  bool got[COUNT];
  uint64_t seed = 9;
  for (size_t i = 0; i < COUNT; ++i)
    for (int k = 0; k < 2; ++k) host[k][i] = (uint32_t)(next_random(&seed) >> 52);
  const jig_op divide = jig_op_binary(JIG_FORMAT_PTX, greatest, sizeof greatest, "gcd");
  jig_iter in[3];
  for (int k = 0; k < 2; ++k) in[k] = jig_pointer(gpu_copy(host[k], sizeof host[k], 4), JIG_U32);
  const jig_iter zipped = jig_zip_transform(in, 2, divide, JIG_U32);
  const jig_iter both[] = {zipped, in[1]};
  const jig_iter folded = jig_zip_transform(both, 2, divide, JIG_U32);
  const jig_iter out = jig_pointer(gpu_copy(got, sizeof got, 0), JIG_BOOL);
  run_transform(
      &(jig_transform_args){.in = &folded,
                            .num_inputs = 1,
                            .out = out,
                            .num_items = COUNT,
                            .op = jig_op_binary(JIG_FORMAT_PTX, is_one, sizeof is_one, "is_one")});
  gpu_read(got, out.pointer, sizeof got);
  for (size_t i = 0; i < COUNT; ++i)
    ck_assert_msg(got[i] == (gcd(gcd(host[0][i], host[1][i]), host[1][i]) == 1), "item %zu", i);
  for (int k = 0; k < 2; ++k) gpu_free(in[k].pointer);
  gpu_free(out.pointer);
}
END_TEST

/* ---- no operator */

/* Items are converted. */
START_TEST(no_operator_converts) {
  enum { COUNT = 4099 };
  uint32_t *words = random_words(COUNT, 7);
  for (size_t i = 0; i < COUNT; ++i) words[i] %= 1000;
  const jig_iter in = jig_pointer(gpu_copy(words, COUNT * 4, 4), JIG_U32);
  const jig_iter middle = jig_pointer(gpu_alloc(COUNT * 8, 8), JIG_F64);
  const jig_iter out = jig_pointer(gpu_alloc(COUNT * 4, 0), JIG_U32);
  run_transform(&(jig_transform_args){.in = &in, .num_inputs = 1, .out = middle, .num_items = COUNT});
  run_transform(&(jig_transform_args){.in = &middle, .num_inputs = 1, .out = out, .num_items = COUNT});
  check_words(out.pointer, words, COUNT, "there and back");
  gpu_free(in.pointer);
  gpu_free(middle.pointer);
  gpu_free(out.pointer);
  free(words);
}
END_TEST

/* They are copied where both sides are of one type, whether or not these lie at whole vectors. */
START_TEST(no_operator_moves) {
  enum { COUNT = 20011 };
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_U32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  const jig_type small = jig_struct("small", "struct small { unsigned char a, b, c; };", 3, 1);
  const jig_type halves = jig_struct("halves", "struct halves { unsigned short a, b, c; };", 6, 2);
  uint32_t *words = random_words(COUNT * 4, 11);
  char *got = malloc(COUNT * 16);
  for (size_t k = 0; k < COUNT_OF(kinds) + 2; ++k) {
    const jig_type type = k == COUNT_OF(kinds) ? small : k > COUNT_OF(kinds) ? halves : type_of(kinds[k]);
    for (size_t way = 0; way < 4; ++way) {
      const size_t bytes = COUNT * type.size;
      const jig_iter in = jig_pointer(gpu_copy(words, bytes, way % 2 * type.size), type);
      const jig_iter out = jig_pointer(gpu_alloc(bytes, way / 2 * type.size), type);
      run_transform(&(jig_transform_args){.in = &in, .num_inputs = 1, .out = out, .num_items = COUNT});
      gpu_read(got, out.pointer, bytes);
      ck_assert_msg(memcmp(got, words, bytes) == 0, "items of %s, way %zu", jig_type_name(&type), way);
      gpu_free(in.pointer);
      gpu_free(out.pointer);
    }
  }
  free(got);
  free(words);
}
END_TEST

/* ---- outputs */

/* Two of one size and one of another, each at another offset. */
START_TEST(several_outputs) {
  const jig_type both = jig_struct("both", "struct both { unsigned sum, product; };", 8, 4);
  const jig_type mixed =
      jig_struct("mixed", "struct mixed { unsigned first; unsigned char low; double half; };", 16, 8);
  uint32_t *words = random_words(2 * MOST, 7), *sums = malloc(MOST * 4), *products = malloc(MOST * 4);
  for (size_t i = 0; i < MOST; ++i) {
    sums[i] = words[i] + words[MOST + i];
    products[i] = words[i] * words[MOST + i];
  }
  uint32_t *memory = gpu_copy(words, 2 * MOST * 4, 0);
  const jig_iter in[] = {jig_pointer(memory, JIG_U32), jig_pointer(memory + MOST, JIG_U32)};
  uint8_t *lows = malloc(MOST);
  double *halves = malloc(MOST * 8);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const size_t count = sizes[s];
    uint32_t *first = gpu_alloc(count * 4, 0), *second = gpu_alloc(count * 4, s % 2 * 4);
    void *third = gpu_alloc(count, s % 3), *fourth = gpu_alloc(count * 8, 8);
    const jig_iter two[] = {jig_pointer(first, JIG_U32), jig_pointer(second, JIG_U32)};
    run_transform(&(jig_transform_args){.in = in,
                                        .num_inputs = 2,
                                        .out = jig_zip(two, 2, both),
                                        .num_items = count,
                                        .op = jig_op_source("return both{a + b, a * b};")});
    check_words(first, sums, count, "sums");
    check_words(second, products, count, "products");
    const jig_iter three[] = {jig_pointer(first, JIG_U32), jig_pointer(third, JIG_U8),
                              jig_pointer(fourth, JIG_F64)};
    run_transform(
        &(jig_transform_args){.in = in,
                              .num_inputs = 2,
                              .out = jig_zip(three, 3, mixed),
                              .num_items = count,
                              .op = jig_op_source("return mixed{a * b, (unsigned char)a, b * 0.5};")});
    check_words(first, products, count, "products, of three");
    gpu_read(lows, third, count);
    gpu_read(halves, fourth, count * 8);
    for (size_t i = 0; i < count; ++i) {
      ck_assert_uint_eq(lows[i], (uint8_t)words[i]);
      ck_assert_double_eq(halves[i], words[MOST + i] * 0.5);
    }
    gpu_free(first);
    gpu_free(second);
    gpu_free(third);
    gpu_free(fourth);
  }
  gpu_free(memory);
  free(words);
  free(sums);
  free(products);
  free(lows);
  free(halves);
}
END_TEST

/* ---- some of the items */

typedef struct selection {
  const char *what;
  jig_op predicate;
  int by; /* 0: the inputs; 1: a stencil of words; 2: a stencil of flags, and no predicate */
} selection;

/* Counts its calls: an operator is called where the predicate holds, and nowhere else. */
START_TEST(some_of_the_items) {
  static const selection selections[] = {
      {"by the inputs", {0}, 0}, {"by a stencil", {0}, 1}, {"by flags", {0}, 2}};
  const jig_type counter = jig_struct("counter", "struct counter { unsigned *calls; };", 8, 8);
  uint32_t *words = random_words(3 * MOST, 7), *wanted = malloc(MOST * 4);
  uint8_t *flags = malloc(MOST);
  for (size_t i = 0; i < MOST; ++i) flags[i] = words[2 * MOST + i] % 4 == 0 ? (uint8_t)(i % 255 + 1) : 0;
  uint32_t *memory = gpu_copy(words, 3 * MOST * 4, 0);
  uint32_t *calls = gpu_alloc(4, 0);
  void *d_flags = gpu_copy(flags, MOST, 1);
  const jig_iter in[] = {jig_pointer(memory, JIG_U32), jig_pointer(memory + MOST, JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(selections) * COUNT_OF(sizes); ++k) {
    const selection *of = &selections[k % COUNT_OF(selections)];
    const size_t count = sizes[k / COUNT_OF(selections)];
    uint32_t some = 0;
    uint32_t *out = gpu_alloc(count * 4, k % 2 * 4);
    gpu_fill(out, 0xa5, count * 4);
    gpu_fill(calls, 0, 4);
    for (size_t i = 0; i < count; ++i) {
      const bool chosen = of->by == 0   ? (words[i] ^ words[MOST + i]) % 3 == 0
                          : of->by == 1 ? words[2 * MOST + i] % 5 == 0
                                        : flags[i] != 0;
      wanted[i] = chosen ? words[i] - words[MOST + i] : 0xa5a5a5a5;
      some += chosen;
    }
    jig_transform_args args = {
        .in = in,
        .num_inputs = 2,
        .out = jig_pointer(out, JIG_U32),
        .num_items = count,
        .op = jig_op_with_state(jig_op_source("atomicAdd(state.calls, 1u); return a - b;"),
                                (const void *)&calls, counter)};
    if (of->by == 0) args.predicate = jig_op_source("return (a ^ b) % 3 == 0;");
    if (of->by == 1) args.predicate = jig_op_source("return x % 5 == 0;");
    if (of->by == 1) args.stencil = jig_pointer(memory + 2 * MOST, JIG_U32);
    if (of->by == 2) args.stencil = jig_pointer(d_flags, JIG_U8);
    run_transform(&args);
    check_words(out, wanted, count, of->what);
    check_words(calls, &some, 1, "calls of the operator");
    gpu_free(out);
  }
  gpu_free(memory);
  gpu_free(d_flags);
  gpu_free(calls);
  free(words);
  free(wanted);
  free(flags);
}
END_TEST

/* ---- places */

START_TEST(the_output_may_be_any_input) {
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const size_t count = sizes[s];
    uint32_t *words = random_words(2 * count, 7), *wanted = malloc(count * 4);
    uint32_t *first = gpu_copy(words, count * 4, 4), *second = gpu_copy(words + count, count * 4, 0);
    const jig_iter in[] = {jig_pointer(first, JIG_U32), jig_pointer(second, JIG_U32)};
    const jig_op less = jig_op_source("return a - b;");
    for (size_t i = 0; i < count; ++i) wanted[i] = words[i] - words[count + i];
    OK(jig_transform_binary(NULL, NULL, NULL, in[0], in[1], in[0], count, less, NULL));
    check_words(first, wanted, count, "in the first one's place");
    for (size_t i = 0; i < count; ++i) wanted[i] = wanted[i] - words[count + i];
    OK(jig_transform_binary(NULL, NULL, NULL, in[0], in[1], in[1], count, less, NULL));
    check_words(second, wanted, count, "in the second one's place");
    for (size_t i = 0; i < count; ++i)
      if (wanted[i] % 2 == 1) wanted[i] /= 2;
    OK(jig_transform_if(NULL, NULL, NULL, in[1], in[1], count, jig_op_source("return x % 2 == 1;"),
                        jig_op_source("return x / 2;"), NULL));
    check_words(second, wanted, count, "some of them in place");
    gpu_free(first);
    gpu_free(second);
    free(words);
    free(wanted);
  }
}
END_TEST

#define REFUSED(args, part) \
  FAILS(jig_transform(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(800, 0);
  const jig_iter in[] = {jig_pointer(memory, JIG_U32), jig_pointer(memory + 50, JIG_U32)};
  const jig_iter missing[] = {in[0], jig_pointer(NULL, JIG_U32)};
  const jig_iter mixed[] = {in[0], jig_pointer(memory, JIG_F32)};
  const jig_iter out = jig_pointer(memory + 100, JIG_U32);
  jig_iter future = in[0];
  const jig_transform_args good = {
      .in = in, .num_inputs = 2, .out = out, .num_items = 50, .op = JIG_PLUS};
  jig_transform_args args;
#define WITH(part, ...) \
  args = good;          \
  __VA_ARGS__;          \
  REFUSED(&args, "jig_transform: " part)
  WITH("in: the pointer is NULL", args.in = NULL);
  WITH("num_inputs: 0; 1 to 8", args.num_inputs = 0);
  WITH("num_inputs: 9; 1 to 8", args.num_inputs = 9);
  WITH("op: missing", args.op.kind = JIG_OP_NONE);
  WITH("in: base 2 of 'zip_transform': the pointer is NULL", args.in = missing);
  WITH("in: 'plus' has two operands of one type, not u32 and f32", args.in = mixed);
  WITH("in: 'plus' makes u32 of two", args.out.type = JIG_F32);
  WITH("in: 'plus' has two operands; a unary operator is needed here", args.num_inputs = 1);
  WITH("in: 'less' tells an order", args.op = JIG_LESS);
  WITH("out overlaps in", args.out = jig_pointer(memory + 1, JIG_U32));
  WITH("out overlaps in", args.out = jig_pointer(memory + 99, JIG_U32));
  WITH("out overlaps stencil", args.stencil = jig_pointer(memory + 101, JIG_U32));
  WITH("out", args.out.kind = JIG_ITER_NONE);
  WITH("num_items", args.num_items = UINT64_MAX);
  WITH("stencil: the pointer is NULL", args.stencil = jig_pointer(NULL, JIG_U8));
  WITH("stencil: without a predicate, its item type",
       args.stencil = jig_pointer(memory, jig_opaque(4, 4)));
  WITH("stencil: 'min' has two operands; a unary operator", args.predicate = JIG_MIN;
       args.stencil = in[0]);
  WITH("args: reserved is not zero", args.reserved[5] = 1);
  future.reserved[0] = 1;
  WITH("in: reserved is not zero", args.in = &future; args.num_inputs = 1; args.op.kind = JIG_OP_NONE);
  WITH("in", args.in = &future; args.num_inputs = 1; args.op = jig_op_source("return x;"));
  REFUSED(NULL, "args");
  args = good;
  args.num_items = 0;
  run_transform(&args); /* nothing */
  ck_assert(gpu_is_untouched(memory, 800));
  gpu_free(memory);
}
END_TEST

/* ---- graphs, strict mode */

START_TEST(a_captured_transform_is_replayed) {
  enum { COUNT = 9000 };
  uint32_t *words = random_words(COUNT, 7), *in = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  uint32_t *wanted = malloc(COUNT * 4);
  const jig_iter sides[] = {jig_pointer(in, JIG_U32), jig_pointer(in, JIG_U32)};
  const jig_transform_args args = {.in = sides,
                                   .num_inputs = 2,
                                   .out = jig_pointer(out, JIG_U32),
                                   .num_items = COUNT,
                                   .op = jig_op_source("return a * b + 1;")};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_transform(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_transform(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int replay = 0; replay < 3; ++replay) {
    for (size_t i = 0; i < COUNT; ++i) words[i] += (uint32_t)i;
    for (size_t i = 0; i < COUNT; ++i) wanted[i] = words[i] * words[i] + 1;
    gpu_write(in, words, COUNT * 4);
    gpu_replay(exec, stream);
    check_words(out, wanted, COUNT, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(words);
  free(wanted);
}
END_TEST

static void strict_sum(strict_call *t) {
  const jig_iter in[] = {jig_pointer(t->d_keys, JIG_U32), jig_pointer(t->d_flags, JIG_U8)};
  const jig_transform_args args = {.in = in,
                                   .num_inputs = 2,
                                   .out = jig_pointer(t->out[0], JIG_U32),
                                   .num_items = t->n,
                                   .op = jig_op_source("return a + b;")};
  STRICT(t, jig_transform, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i) ck_assert_uint_eq(got[i], t->keys[i] + t->flags[i]);
}

static void strict_some(strict_call *t) {
  const jig_iter in = jig_pointer(t->d_keys, JIG_U32);
  const jig_transform_args args = {.in = &in,
                                   .num_inputs = 1,
                                   .out = jig_pointer(t->out[0], JIG_U32),
                                   .num_items = t->n,
                                   .stencil = jig_pointer(t->d_flags, JIG_U8)};
  STRICT(t, jig_transform, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n * 4);
  for (uint64_t i = 0; i < t->n; ++i)
    if (t->flags[i] != 0) ck_assert_uint_eq(got[i], t->keys[i]);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_sum), STRICT_CASE(strict_some)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(one_to_eight_inputs_of_any_types),
                                     SUITE_TEST(items_of_every_size),
                                     SUITE_TEST(structs_of_any_size),
                                     SUITE_TEST(sizes_of_no_power_of_two),
                                     SUITE_TEST(inputs_of_every_kind),
                                     SUITE_TEST(other_algorithms_take_it_as_an_input),
                                     SUITE_TEST(operators_of_every_form),
                                     SUITE_TEST(ptx_reads_and_writes_parts_of_structs),
                                     SUITE_TEST(ptx_branches_and_returns),
                                     SUITE_TEST(no_operator_converts),
                                     SUITE_TEST(no_operator_moves),
                                     SUITE_TEST(several_outputs),
                                     SUITE_TEST(some_of_the_items),
                                     SUITE_TEST(the_output_may_be_any_input),
                                     SUITE_TEST(what_cannot_be_is_refused),
                                     SUITE_TEST(a_captured_transform_is_replayed),
                                     SUITE_TEST(a_spec_prewarms_its_calls)};
  return SUITE_RUN("device/transform", tests, true);
}
