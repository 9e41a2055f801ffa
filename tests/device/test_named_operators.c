/* Operators by name: what each makes of numbers of several types, next to 0 and at the ends of what there
 * is. */
#include <jig/jig.h>
#include <math.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { COUNT = 36 };

static void run_unary(jig_op op, const void *x, jig_type type, void *result, jig_type result_type) {
  void *in = gpu_copy(x, COUNT * type.size, 0), *out = gpu_alloc(COUNT * result_type.size, 0);
  OK(jig_transform_unary(NULL, NULL, NULL, jig_pointer(in, type), jig_pointer(out, result_type), COUNT,
                         op, NULL));
  gpu_read(result, out, COUNT * result_type.size);
  gpu_free(in);
  gpu_free(out);
}

static void run_binary(jig_op op, const void *a, const void *b, jig_type type, void *result,
                       jig_type result_type) {
  void *left = gpu_copy(a, COUNT * type.size, 0), *right = gpu_copy(b, COUNT * type.size, 0);
  void *out = gpu_alloc(COUNT * result_type.size, 0);
  OK(jig_transform_binary(NULL, NULL, NULL, jig_pointer(left, type), jig_pointer(right, type),
                          jig_pointer(out, result_type), COUNT, op, NULL));
  gpu_read(result, out, COUNT * result_type.size);
  gpu_free(left);
  gpu_free(right);
  gpu_free(out);
}

/* Each of six values with each; x is the first. */
#define PAIRS_OF(type, ...)                   \
  const type values[6] = {__VA_ARGS__};       \
  type left[COUNT], right[COUNT], got[COUNT]; \
  bool tested[COUNT] = {false};               \
  (void)tested;                               \
  for (int i = 0; i < COUNT; ++i) {           \
    left[i] = values[i / 6];                  \
    right[i] = values[i % 6];                 \
  }
#define UNARY(type, op, jig_type_, expression)                                                       \
  run_unary(op, left, jig_type_, got, jig_type_);                                                    \
  for (int i = 0; i < COUNT; ++i) {                                                                  \
    const type x = left[i], wanted = (type)(expression);                                             \
    ck_assert_msg(memcmp(&got[i], &wanted, sizeof wanted) == 0, "%s of %s: item %d", #op, #type, i); \
  }
#define BINARY(type, op, jig_type_, expression)                                                      \
  run_binary(op, left, right, jig_type_, got, jig_type_);                                            \
  for (int i = 0; i < COUNT; ++i) {                                                                  \
    const type a = left[i], b = right[i], wanted = (type)(expression);                               \
    ck_assert_msg(memcmp(&got[i], &wanted, sizeof wanted) == 0, "%s of %s: item %d", #op, #type, i); \
  }
#define TEST(type, op, jig_type_, expression)                                     \
  run_binary(op, left, right, jig_type_, tested, JIG_BOOL);                       \
  for (int i = 0; i < COUNT; ++i) {                                               \
    const type a = left[i], b = right[i];                                         \
    ck_assert_msg(tested[i] == (expression), "%s of %s: item %d", #op, #type, i); \
  }

/* What all numbers have. */
#define EVERY(type, jig_type_, distance)               \
  UNARY(type, JIG_IDENTITY, jig_type_, x)              \
  UNARY(type, JIG_NEGATE, jig_type_, -x)               \
  UNARY(type, JIG_LOGICAL_NOT, jig_type_, !x)          \
  BINARY(type, JIG_MINUS, jig_type_, a - b)            \
  TEST(type, JIG_EQUAL_TO, jig_type_, a == b)          \
  TEST(type, JIG_NOT_EQUAL_TO, jig_type_, a != b)      \
  TEST(type, JIG_LESS_EQUAL, jig_type_, a <= b)        \
  TEST(type, JIG_GREATER_EQUAL, jig_type_, a >= b)     \
  BINARY(type, JIG_MIN_MAGNITUDE, jig_type_,           \
         distance(a) == distance(b)  ? (a < b ? a : b) \
         : distance(a) < distance(b) ? a               \
                                     : b)              \
  BINARY(type, JIG_MAX_MAGNITUDE, jig_type_,           \
         distance(a) == distance(b)  ? (a > b ? a : b) \
         : distance(a) > distance(b) ? a               \
                                     : b)
#define INTEGERS(type, jig_type_)             \
  UNARY(type, JIG_BIT_NOT, jig_type_, ~x)     \
  BINARY(type, JIG_DIVIDES, jig_type_, a / b) \
  BINARY(type, JIG_MODULUS, jig_type_, a % b)

static uint64_t distance_of(int64_t x) {
  return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}
static uint64_t plain(uint64_t x) {
  return x;
}

START_TEST(of_integers) {
  {PAIRS_OF(int8_t, INT8_MIN, INT8_MAX, -3, 3, 1, 100) EVERY(int8_t, JIG_I8, distance_of)
       INTEGERS(int8_t, JIG_I8)} {PAIRS_OF(uint8_t, UINT8_MAX, 1, 2, 128, 127, 3)
                                      EVERY(uint8_t, JIG_U8, plain) INTEGERS(uint8_t, JIG_U8)} {
      /* INT_MIN / 3 and the like; by -1 it could not be divided. */
      PAIRS_OF(int32_t, INT32_MIN, INT32_MAX, -3, 3, 17, 100000) INTEGERS(int32_t, JIG_I32)
          BINARY(int32_t, JIG_MIN_MAGNITUDE, JIG_I32,
                 distance_of(a) == distance_of(b)  ? (a < b ? a : b)
                 : distance_of(a) < distance_of(b) ? a
                                                   : b)} {
      PAIRS_OF(uint32_t, UINT32_MAX, 1, 2, (uint32_t)1 << 31, 3, 4) EVERY(uint32_t, JIG_U32, plain)
          INTEGERS(uint32_t, JIG_U32)} {
    PAIRS_OF(uint64_t, UINT64_MAX, 1, 2, (uint64_t)1 << 63, 3, 4)
    EVERY(uint64_t, JIG_U64, plain)
    INTEGERS(uint64_t, JIG_U64)
  }
}
END_TEST

START_TEST(of_zeros) {
  {PAIRS_OF(uint32_t, 0, 1, UINT32_MAX, 7, 0, 3) EVERY(uint32_t, JIG_U32, plain)} {
    PAIRS_OF(int64_t, 0, 1, -1, -7, INT32_MIN, 3)
    EVERY(int64_t, JIG_I64, distance_of)
  }
}
END_TEST

START_TEST(of_floats) {
  {PAIRS_OF(float, 0, -1, 1, INFINITY, -2.5f, 1e-30f) BINARY(float, JIG_MIN_MAGNITUDE, JIG_F32,
                                                             fabsf(a) == fabsf(b)  ? (a < b ? a : b)
                                                             : fabsf(a) < fabsf(b) ? a
                                                                                   : b)
       BINARY(float, JIG_DIVIDES, JIG_F32, isnan(a / b) ? got[i] : a / b)
           TEST(float, JIG_LESS_EQUAL, JIG_F32, a <= b) UNARY(float, JIG_NEGATE, JIG_F32, -x)} {
    PAIRS_OF(double, 0.5, -1, 1, -7, -2.5, 1e300)
    EVERY(double, JIG_F64, fabs)
    BINARY(double, JIG_DIVIDES, JIG_F64, a / b)
  }
}
END_TEST

START_TEST(nans_stay) {
  const float left[COUNT] = {NAN, 1, NAN, -1}, right[COUNT] = {1, NAN, NAN, 1};
  const jig_op ops[] = {JIG_MIN_MAGNITUDE, JIG_MAX_MAGNITUDE};
  for (size_t k = 0; k < COUNT_OF(ops); ++k) {
    float got[COUNT];
    run_binary(ops[k], left, right, JIG_F32, got, JIG_F32);
    for (int i = 0; i < 3; ++i) ck_assert(isnan(got[i]));
    ck_assert_float_eq(got[3], k == 0 ? -1 : 1);
  }
}
END_TEST

START_TEST(of_halves) {
  const jig_type_kind kinds[] = {JIG_KIND_F16, JIG_KIND_BF16};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    uint16_t left[COUNT], right[COUNT], got[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
      put_float(kinds[k], left, i, (double)i - 20);
      put_float(kinds[k], right, i, 5);
    }
    run_binary(JIG_MINUS, left, right, type, got, type);
    for (size_t i = 0; i < COUNT; ++i) ck_assert_double_eq(get_float(kinds[k], got, i), (double)i - 25);
    run_binary(JIG_MAX_MAGNITUDE, left, right, type, got, type);
    for (size_t i = 0; i < COUNT; ++i)
      ck_assert_double_eq(get_float(kinds[k], got, i), i < 15 || i > 25 ? (double)i - 20 : 5);
    run_unary(JIG_NEGATE, left, type, got, type);
    for (size_t i = 0; i < COUNT; ++i) ck_assert_double_eq(get_float(kinds[k], got, i), 20 - (double)i);
  }
}
END_TEST

/* By a struct's own operators; as an equality, and as a fold. */
START_TEST(where_operators_go) {
  const jig_type point = jig_struct("point",
                                    "struct point { int x, y; __device__ point operator-(point o) const "
                                    "{ return {x - o.x, y - o.y}; } };",
                                    8, 4);
  const int left[2 * COUNT] = {5, 6, 7, 8}, right[2 * COUNT] = {1, 3, 9, 9};
  int got[2 * COUNT];
  run_binary(JIG_MINUS, left, right, point, got, point);
  ck_assert(got[0] == 4 && got[1] == 3 && got[2] == -2 && got[3] == -1);
  const int items[] = {3, -7, 7, 2};
  void *in = gpu_copy(items, sizeof items, 0), *out = gpu_alloc(4, 0);
  int furthest;
  OK(jig_reduce(NULL, NULL, NULL,
                &(jig_reduce_args){.in = jig_pointer(in, JIG_I32),
                                   .out = jig_pointer(out, JIG_I32),
                                   .num_items = 4,
                                   .op = jig_op_commutative(JIG_MAX_MAGNITUDE)},
                NULL));
  gpu_read(&furthest, out, 4);
  ck_assert_int_eq(furthest, 7);
  gpu_free(in);
  gpu_free(out);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(of_integers), SUITE_TEST(of_zeros),
                                     SUITE_TEST(of_floats),   SUITE_TEST(nans_stay),
                                     SUITE_TEST(of_halves),   SUITE_TEST(where_operators_go)};
  return SUITE_RUN("device/named_operators", tests, true);
}
