/* Reduce over every built-in type: sums at sizes around every boundary and at every alignment, and all
 * well-known operators, against a reference on the host. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* Around warps, runs, blocks' rows, the one-block limit and several blocks, for every item size. */
static const size_t sizes[] = {0,     1,     2,      3,      7,      8,      15,      16,      17,
                               31,    32,    33,     63,     64,     65,     127,     128,     129,
                               255,   256,   257,    511,    512,    513,    1000,    1023,    1024,
                               1025,  2047,  2048,   2049,   4095,   4096,   4097,    5000,    8191,
                               8192,  8193,  16383,  16384,  16385,  32767,  32768,   32769,   65535,
                               65537, 99999, 131072, 131073, 262145, 524289, 1048576, 1048577, 3000017};
enum { MAX_ITEMS = 3000017 };

/* What the host makes of the same items. For floating-point sums `scale` is the sum of magnitudes, which
 * bounds the error. */
typedef struct expectation {
  uint128 integer;
  double real, scale;
  size_t count;
} expectation;

/* Goes on to `count` items. */
static void extend_sum(expectation *e, jig_type_kind kind, const void *items, size_t count) {
  for (; e->count < count; ++e->count) {
    if (is_floating(kind)) {
      e->real += get_float(kind, items, e->count);
      e->scale += fabs(get_float(kind, items, e->count));
    } else {
      e->integer += (uint128)get_integer(kind, items, e->count);
    }
  }
}

static double epsilon(jig_type_kind kind) {
  return kind == JIG_KIND_F16    ? 0x1p-10
         : kind == JIG_KIND_BF16 ? 0x1p-7
         : kind == JIG_KIND_F32  ? 0x1p-23
                                 : 0x1p-52;
}

static void check_sum(jig_type_kind kind, const void *result, const expectation *e, size_t count,
                      size_t offset) {
  char wanted[16] = {0};
  if (!is_floating(kind)) {
    put_integer(kind, wanted, 0, (int128)e->integer);
    ck_assert_msg(memcmp(result, wanted, type_of(kind).size) == 0, "sum of %zu %s at offset %zu is wrong",
                  count, jig_type_name(&(jig_type){.kind = kind}), offset);
    return;
  }
  double got = get_float(kind, result, 0);
  ck_assert_msg(fabs(got - e->real) <= epsilon(kind) * e->scale,
                "sum of %zu %s at offset %zu is %g, not %g", count,
                jig_type_name(&(jig_type){.kind = kind}), offset, got, e->real);
}

static void sum_at_all_sizes(jig_type_kind kind, size_t offset_items) {
  const jig_type type = type_of(kind);
  void *host = malloc(MAX_ITEMS * type.size);
  fill_random(kind, host, MAX_ITEMS, 77 + (uint64_t)kind);
  void *device = gpu_copy(host, MAX_ITEMS * type.size, offset_items * type.size);
  expectation e = {0, 0, 0, 0};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    extend_sum(&e, kind, host, sizes[i]);
    char result[16];
    reduce_to_host((jig_reduce_args){.in = jig_pointer(device, type), .num_items = sizes[i]}, type,
                   result);
    check_sum(kind, result, &e, sizes[i], offset_items);
  }
  gpu_free(device);
  free(host);
}

START_TEST(sums_are_right_at_every_size) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) sum_at_all_sizes(*kind, 0);
}
END_TEST

START_TEST(sums_are_right_at_every_alignment) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    sum_at_all_sizes(*kind, 1);
    sum_at_all_sizes(*kind, 3);
  }
}
END_TEST

/* ---- all operators */

static uint128 all_ones(jig_type_kind kind) {
  return kind == JIG_KIND_BOOL ? 1 : ~(uint128)0 >> (128 - 8 * type_of(kind).size);
}

/* Whether a < b in the type. */
static bool less(jig_type_kind kind, int128 a, int128 b) {
  return is_signed(kind) ? a < b : ((uint128)a & all_ones(kind)) < ((uint128)b & all_ones(kind));
}

static int128 apply_integer(jig_op_kind op, jig_type_kind kind, int128 a, int128 b) {
  switch (op) {
    case JIG_OP_PLUS:
      return (int128)((uint128)a + (uint128)b);
    case JIG_OP_MULTIPLIES:
      return (int128)((uint128)a * (uint128)b);
    case JIG_OP_MIN:
      return less(kind, b, a) ? b : a;
    case JIG_OP_MAX:
      return less(kind, a, b) ? b : a;
    case JIG_OP_BIT_AND:
      return a & b;
    case JIG_OP_BIT_OR:
      return a | b;
    case JIG_OP_BIT_XOR:
      return a ^ b;
    case JIG_OP_LOGICAL_AND:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

static double apply_float(jig_op_kind op, double a, double b) {
  switch (op) {
    case JIG_OP_PLUS:
      return a + b;
    case JIG_OP_MULTIPLIES:
      return a * b;
    case JIG_OP_MIN:
      return fmin(a, b);
    case JIG_OP_MAX:
      return fmax(a, b);
    case JIG_OP_LOGICAL_AND:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

/* Items for which the result is exact and not trivial. */
static void fill_for(jig_op_kind op, jig_type_kind kind, void *items, size_t count) {
  fill_random(kind, items, count, 1000 + (uint64_t)kind);
  for (size_t i = 0; i < count; ++i) {
    bool rare = i % 1499 == 7;
    if (op == JIG_OP_MULTIPLIES && is_floating(kind))
      put_float(kind, items, i, rare ? (i % 2 == 0 ? 2 : -0.5) : 1);
    else if (op == JIG_OP_MULTIPLIES && kind != JIG_KIND_BOOL)
      put_integer(kind, items, i, (int128)(2 * i + 1));
    else if (op == JIG_OP_LOGICAL_AND && !is_floating(kind))
      put_integer(kind, items, i, 1 + (int128)(i % 3));
    else if (op == JIG_OP_LOGICAL_AND)
      put_float(kind, items, i, 1.5);
    else if (op == JIG_OP_LOGICAL_OR && !is_floating(kind))
      put_integer(kind, items, i, rare);
    else if (op == JIG_OP_BIT_AND && kind != JIG_KIND_BOOL && !rare)
      put_integer(kind, items, i, -1);
  }
}

static void check_op(jig_op op, jig_type_kind kind, size_t count, bool with_init) {
  const jig_type type = type_of(kind);
  void *host = malloc((count + 1) * type.size);
  fill_for(op.kind, kind, host, count + 1);
  void *device = gpu_copy((char *)host + type.size, count * type.size, 0);
  jig_reduce_args args = {.in = jig_pointer(device, type), .num_items = count, .op = op};
  if (with_init) args.init = host; /* the item before the others */
  char result[16], wanted[16] = {0};
  reduce_to_host(args, type, result);
  size_t first = with_init ? 0 : 1;
  int128 integer = is_floating(kind) ? 0 : get_integer(kind, host, first);
  double real = is_floating(kind) ? get_float(kind, host, first) : 0;
  for (size_t i = first + 1; i <= count; ++i) {
    if (is_floating(kind))
      real = apply_float(op.kind, real, get_float(kind, host, i));
    else
      integer = apply_integer(op.kind, kind, integer, get_integer(kind, host, i));
  }
  /* Sums of halves are exact only while they are small: the other tests bound their error. */
  bool bounded = op.kind == JIG_OP_PLUS && is_floating(kind);
  if (is_floating(kind))
    put_float(kind, wanted, 0, real);
  else
    put_integer(kind, wanted, 0, integer);
  if (bounded)
    ck_assert_double_le(fabs(get_float(kind, result, 0) - real), epsilon(kind) * 2 * (double)count);
  else
    ck_assert_msg(memcmp(result, wanted, type.size) == 0, "operator %d over %zu %s%s", (int)op.kind,
                  count, jig_type_name(&type), with_init ? " with init" : "");
  gpu_free(device);
  free(host);
}

START_TEST(every_operator_is_right_for_every_type) {
  for (jig_op_kind op = JIG_OP_PLUS; op <= JIG_OP_LOGICAL_OR; ++op) {
    for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
      bool bitwise = op == JIG_OP_BIT_AND || op == JIG_OP_BIT_OR || op == JIG_OP_BIT_XOR;
      if (bitwise && is_floating(*kind)) continue;
      const jig_op well_known = {.kind = op};
      check_op(well_known, *kind, 333, false);
      check_op(well_known, *kind, 100003, true);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_are_right_at_every_size),
      SUITE_TEST(sums_are_right_at_every_alignment),
      SUITE_TEST(every_operator_is_right_for_every_type),
  };
  return SUITE_RUN("device/reduce_types", tests, true);
}
