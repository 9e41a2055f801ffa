/* Adjacent difference: every type at sizes around every boundary and at any alignment, both directions,
 * to another array and in place; operators and what they are called with; results of other types. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"

/* Around vectors, warps, and tiles of 256 threads with 1 to 16 items each. */
static const size_t sizes[] = {1,    2,    3,    4,    5,    15,   16,   17,   31,   32,   33,    63,
                               65,   127,  128,  129,  255,  256,  257,  511,  512,  513,  767,   769,
                               1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8193,  12288,
                               5000, 9001, 3073, 1537, 1280, 1279, 6144, 1281, 640,  641,  16385, 30001};
enum { OFFSETS = 16 };

typedef struct shape {
  size_t count, in_offset, out_offset; /* offsets in items' alignments */
  bool right, in_place;
} shape;

/* Of size number i, in turns. */
static shape shape_of(size_t i, bool right, bool in_place) {
  return (shape){.count = sizes[i],
                 .in_offset = i % 3 == 0 ? 0 : i * 3 % OFFSETS,
                 .out_offset = i % 4 == 0 ? 0 : i * 5 % OFFSETS,
                 .right = right,
                 .in_place = in_place};
}

static void run_difference(const jig_adjacent_difference_args *args) {
  RUN_PHASES(jig_adjacent_difference, args, 0);
}

/* Of `items` of one type, to `wanted` ones of another: in device memory of their own, or in place. */
static void check(const void *items, jig_type type, const void *wanted, jig_type result, jig_op op,
                  shape s, const char *what) {
  const size_t bytes = s.count * result.size;
  unsigned char *got = malloc(bytes);
  void *in = gpu_copy(items, s.count * type.size, s.in_offset * type.align);
  void *out = s.in_place ? in : gpu_alloc(bytes, s.out_offset * result.align);
  run_difference(
      &(jig_adjacent_difference_args){.in = jig_pointer(in, type),
                                      .out = jig_pointer(out, result),
                                      .num_items = s.count,
                                      .op = op,
                                      .direction = s.right ? JIG_DIFFERENCE_RIGHT : JIG_DIFFERENCE_LEFT});
  gpu_read(got, out, bytes);
  for (size_t i = 0; i < s.count; ++i)
    ck_assert_msg(
        memcmp(got + i * result.size, (const unsigned char *)wanted + i * result.size, result.size) == 0,
        "%s%s%s, %zu items, off by %zu and %zu: item %zu", what, s.right ? ", right" : "",
        s.in_place ? ", in place" : "", s.count, s.in_offset, s.out_offset, i);
  if (!s.in_place) gpu_free(out);
  gpu_free(in);
  free(got);
}

/* The neighbour of item i; i itself if there is none. */
static size_t neighbour_of(size_t i, shape s) {
  if (s.right) return i + 1 < s.count ? i + 1 : i;
  return i > 0 ? i - 1 : i;
}

/* ---- types */

static void differ(jig_type_kind kind, const void *items, void *wanted, shape s) {
  for (size_t i = 0; i < s.count; ++i) {
    const size_t n = neighbour_of(i, s);
    if (is_floating(kind)) {
      put_float(kind, wanted, i, get_float(kind, items, i) - (n != i ? get_float(kind, items, n) : 0));
    } else {
      const uint128 a = (uint128)get_integer(kind, items, i);
      const uint128 b = n != i ? (uint128)get_integer(kind, items, n) : 0;
      put_integer(kind, wanted, i, kind == JIG_KIND_BOOL ? a != b : (int128)(a - b));
    }
  }
}

static void check_kind(jig_type_kind kind, shape s) {
  const jig_type type = type_of(kind);
  void *items = malloc(s.count * type.size), *wanted = malloc(s.count * type.size);
  fill_random(kind, items, s.count, s.count + 3);
  differ(kind, items, wanted, s);
  check(items, type, wanted, type, (jig_op)JIG_ZERO, s, jig_type_name(&type));
  free(items);
  free(wanted);
}

START_TEST(every_type_of_every_size) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind)
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
      for (int way = 0; way < 4; ++way) check_kind(*kind, shape_of(i, way % 2 == 1, way / 2 == 1));
}
END_TEST

START_TEST(bytes_at_every_alignment) {
  for (size_t in = 0; in < OFFSETS; ++in)
    for (size_t out = 0; out < OFFSETS; out += 5)
      for (int way = 0; way < 4; ++way)
        check_kind(JIG_KIND_U8, (shape){9001 + in, in, (out + in) % OFFSETS, way % 2 == 1, way / 2 == 1});
}
END_TEST

/* Structs of bytes or words, member less member, by an operator or by the definition's own. */
static void check_struct(uint32_t size, uint32_t align, bool has_minus, shape s) {
  char name[16], definition[256], what[64];
  const uint32_t part = align == 1 ? 1 : 4, parts = size / part;
  (void)snprintf(name, sizeof name, "s%u", size);
  (void)snprintf(definition, sizeof definition, "struct alignas(%u) s%u { unsigned %s m[%u]; };", align,
                 size, part == 1 ? "char" : "int", parts);
  const size_t length = strlen(definition);
  if (has_minus)
    (void)snprintf(definition + length, sizeof definition - length,
                   "\n__device__ inline s%u operator-(s%u a, s%u b) "
                   "{ for (int k = 0; k < %u; ++k) a.m[k] -= b.m[k]; return a; }",
                   size, size, size, parts);
  (void)snprintf(what, sizeof what, "%u bytes%s", size, has_minus ? " with a minus" : "");
  char body[96];
  (void)snprintf(body, sizeof body, "for (int k = 0; k < %u; ++k) a.m[k] -= b.m[k]; return a;", parts);
  unsigned char *items = malloc(s.count * size), *wanted = malloc(s.count * size);
  fill_random(JIG_KIND_U8, items, s.count * size, 5);
  for (size_t i = 0; i < s.count; ++i) {
    const size_t n = neighbour_of(i, s);
    for (size_t k = 0; k < parts; ++k) {
      uint32_t a = 0, b = 0;
      memcpy(&a, items + i * size + k * part, part);
      if (n != i) memcpy(&b, items + n * size + k * part, part);
      a -= b;
      memcpy(wanted + i * size + k * part, &a, part);
    }
  }
  const jig_type type = jig_struct(name, definition, size, align);
  check(items, type, wanted, type, has_minus ? (jig_op)JIG_ZERO : jig_op_source(body), s, what);
  free(items);
  free(wanted);
}

/* Through shared memory, however few they are: to another array, and in place, which takes the other
 * kernel. */
START_TEST(structs_of_odd_sizes) {
  static const uint32_t shapes[][2] = {{6, 1}, {12, 4}, {24, 8}, {36, 4}, {48, 16}, {72, 8}};
  limits_of(NULL)->transform_most_few = 0;
  for (size_t k = 0; k < COUNT_OF(shapes); ++k)
    for (size_t i = k % 3; i < COUNT_OF(sizes); i += 3)
      for (int way = 0; way < 4; ++way)
        check_struct(shapes[k][0], shapes[k][1], false, shape_of(i, way % 2 == 1, way / 2 == 1));
  for (int way = 0; way < 4; ++way) check_struct(12, 4, true, shape_of(33, way % 2 == 1, way / 2 == 1));
  limits_of(NULL)->transform_most_few = UINT64_MAX;
}
END_TEST

START_TEST(structs) {
  static const uint32_t shapes[][2] = {{3, 1},  {6, 1},  {12, 4},  {16, 16},
                                       {24, 4}, {64, 4}, {255, 1}, {256, 16}};
  for (size_t k = 0; k < COUNT_OF(shapes); ++k)
    for (size_t i = k % 3; i<COUNT_OF(sizes); i += shapes[k][0]> 64 ? 7 : 3)
      for (int way = 0; way < 4; ++way)
        check_struct(shapes[k][0], shapes[k][1], false, shape_of(i, way % 2 == 1, way / 2 == 1));
  for (int way = 0; way < 4; ++way) check_struct(12, 4, true, shape_of(33, way % 2 == 1, way / 2 == 1));
}
END_TEST

/* ---- operators */

typedef struct counters {
  uint32_t foreign, calls;
} counters;

/* Items are 7 i + 3, so that an operator knows whether it is shown neighbours. */
static void check_operands(shape s) {
  const jig_type place = jig_struct("place", "struct place { unsigned *at; };", 8, 8);
  uint32_t *items = malloc(s.count * 4), *wanted = malloc(s.count * 4);
  counters seen = {0, 0}, *d_seen = gpu_copy(&seen, sizeof seen, 0);
  for (size_t i = 0; i < s.count; ++i) items[i] = (uint32_t)(7 * i + 3);
  for (size_t i = 0; i < s.count; ++i) {
    const size_t n = neighbour_of(i, s);
    wanted[i] = n == i ? items[i] : items[i] * 5 + items[n];
  }
  const char *body =
      s.right ? "atomicAdd(state.at + (a + 7 == b && a % 7 == 3 ? 1 : 0), 1u); return a * 5 + b;"
              : "atomicAdd(state.at + (a == b + 7 && b % 7 == 3 ? 1 : 0), 1u); return a * 5 + b;";
  check(items, JIG_U32, wanted, JIG_U32, jig_op_with_state(jig_op_source(body), &d_seen, place), s,
        "watched");
  gpu_read(&seen, d_seen, sizeof seen);
  ck_assert_uint_eq(seen.foreign, 0);
  ck_assert_uint_eq(seen.calls, s.count - 1);
  gpu_free(d_seen);
  free(items);
  free(wanted);
}

START_TEST(operators_see_neighbours_only) {
  for (size_t i = 0; i < COUNT_OF(sizes); ++i)
    for (int way = 0; way < 4; ++way) check_operands(shape_of(i, way % 2 == 1, way / 2 == 1));
}
END_TEST

START_TEST(operators_of_other_kinds) {
  enum { COUNT = 5000 };
  uint32_t *items = malloc(COUNT * 4), *sums = malloc(COUNT * 4), *scaled = malloc(COUNT * 4);
  const uint32_t factor = 11;
  const shape s = {.count = COUNT, .in_offset = 1};
  fill_random(JIG_KIND_U32, items, COUNT, 9);
  for (size_t i = 0; i < COUNT; ++i) {
    sums[i] = items[i] + (i > 0 ? items[i - 1] : 0);
    scaled[i] = i > 0 ? factor * items[i] - items[i - 1] : items[i];
  }
  check(items, JIG_U32, sums, JIG_U32, JIG_PLUS, s, "plus");
  check(items, JIG_U32, scaled, JIG_U32,
        jig_op_with_state(jig_op_source("return state * a - b;"), &factor, JIG_U32), s, "with a state");
  uint32_t *d_factor = gpu_copy(&factor, 4, 0);
  check(items, JIG_U32, scaled, JIG_U32,
        jig_op_with_device_state(jig_op_source("return state * a - b;"), d_factor, JIG_U32), s,
        "with a state on the device");
  gpu_free(d_factor);
  free(items);
  free(sums);
  free(scaled);
}
END_TEST

/* ---- results of other types */

/* As C++ has it: of narrow integers an int, of wide ones their own type. */
START_TEST(results_are_converted) {
  enum { COUNT = 4100 };
  uint8_t bytes[COUNT];
  uint32_t words[COUNT];
  int64_t of_bytes[COUNT], of_words[COUNT], with_sign[COUNT];
  float floats[COUNT];
  fill_random(JIG_KIND_U8, bytes, COUNT, 3);
  fill_random(JIG_KIND_U32, words, COUNT, 4);
  for (size_t i = 0; i < COUNT; ++i) {
    const bool first = i == 0;
    of_bytes[i] = first ? bytes[i] : bytes[i] - bytes[i - 1];
    of_words[i] = first ? words[i] : words[i] - words[i - 1];
    with_sign[i] = first ? words[i] : (int64_t)words[i] - (int64_t)words[i - 1];
    floats[i] = (float)of_bytes[i];
  }
  const jig_op none = JIG_ZERO;
  for (size_t offset = 0; offset < 3; ++offset) {
    const shape s = {.count = COUNT - offset, .in_offset = offset, .out_offset = offset / 2};
    check(bytes, JIG_U8, of_bytes, JIG_I64, none, s, "bytes");
    check(bytes, JIG_U8, floats, JIG_F32, none, s, "bytes to floats");
    check(words, JIG_U32, of_words, JIG_I64, none, s, "words");
    check(words, JIG_U32, with_sign, JIG_I64, jig_op_source("return (int64_t)a - (int64_t)b;"), s,
          "words with a sign");
  }
}
END_TEST

/* What an operator returns is not cut to the type of the items. */
START_TEST(an_operator_returns_the_results_type) {
  enum { COUNT = 5000 };
  uint8_t items[COUNT];
  double wanted[COUNT];
  fill_random(JIG_KIND_U8, items, COUNT, 6);
  for (int right = 0; right < 2; ++right) {
    const shape s = {.count = COUNT, .in_offset = 1, .right = right == 1};
    for (size_t i = 0; i < COUNT; ++i) {
      const size_t n = neighbour_of(i, s);
      wanted[i] = n != i ? items[i] * 1000.0 + items[n] / 4.0 : items[i];
    }
    check(items, JIG_U8, wanted, JIG_F64, jig_op_source("return a * 1000.0 + b / 4.0;"), s, "fractions");
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type_of_every_size),
      SUITE_TEST(bytes_at_every_alignment),
      SUITE_TEST(structs),
      SUITE_TEST(structs_of_odd_sizes),
      SUITE_TEST(operators_see_neighbours_only),
      SUITE_TEST(operators_of_other_kinds),
      SUITE_TEST(results_are_converted),
      SUITE_TEST(an_operator_returns_the_results_type),
  };
  return SUITE_RUN("device/adjacent_difference", tests, true);
}
