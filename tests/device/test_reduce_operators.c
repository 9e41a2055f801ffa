/* Reduce with the caller's own operators, types and iterators; accumulators, NaN and zeros. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

static const size_t sizes[] = {1,     2,     31,    32,    33,    95,     96,      97,     511,
                               512,   513,   1535,  1536,  1537,  4095,   4097,    6143,   12287,
                               12288, 12289, 24577, 65536, 99991, 300007, 1048576, 1200001};
enum { MAX_ITEMS = 1200001 };

/* ---- order: operators that are associative and nothing more */

/* 2 x 2 matrices over the integers modulo 2^32, multiplied. */
typedef struct matrix {
  uint32_t a, b, c, d;
} matrix;
static const char matrix_definition[] = "struct matrix { uint32_t a, b, c, d; };";
static matrix multiply(matrix x, matrix y) {
  return (matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                  x.c * y.b + x.d * y.d};
}

START_TEST(operands_keep_their_order) {
  const jig_type type = jig_struct("matrix", matrix_definition, sizeof(matrix), _Alignof(matrix));
  matrix *host = malloc(MAX_ITEMS * sizeof *host);
  uint64_t seed = 5;
  for (size_t i = 0; i < MAX_ITEMS; ++i) {
    uint64_t r = next_random(&seed), s = next_random(&seed);
    host[i] = (matrix){(uint32_t)r, (uint32_t)(r >> 32), (uint32_t)s, (uint32_t)(s >> 32) | 1};
  }
  for (size_t offset = 0; offset < 2; ++offset) {
    /* Aligned to 4 bytes only: 16-byte loads are possible at the first offset and not at the second. */
    matrix *device = gpu_copy(host, MAX_ITEMS * sizeof *host, offset * 4);
    matrix wanted = host[0], first = {3, 1, 4, 1};
    for (size_t i = 0, done = 1; i < COUNT_OF(sizes); ++i) {
      for (; done < sizes[i]; ++done) wanted = multiply(wanted, host[done]);
      jig_reduce_args args = {
          .in = jig_pointer(device, type),
          .num_items = sizes[i],
          .op = jig_op_source("return {a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,\n"
                              "        a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d};")};
      matrix result;
      reduce_to_host(args, type, &result);
      ck_assert_msg(memcmp(&result, &wanted, sizeof wanted) == 0, "%zu matrices at offset %zu", sizes[i],
                    offset);
      args.init = &first;
      reduce_to_host(args, type, &result);
      const matrix with_init = multiply(first, wanted);
      ck_assert_msg(memcmp(&result, &with_init, sizeof wanted) == 0, "%zu matrices and an init",
                    sizes[i]);
    }
    gpu_free(device);
  }
  free(host);
}
END_TEST

START_TEST(order_is_kept_for_small_items) {
  /* x -> multiplier * x + increment, composed: 2 bytes an item, 8 items a vector. */
  typedef struct map {
    uint8_t multiplier, increment;
  } map;
  const jig_type type =
      jig_struct("map", "struct map { uint8_t multiplier, increment; };", sizeof(map), 1);
  map *host = malloc(MAX_ITEMS * sizeof *host);
  uint64_t seed = 6;
  for (size_t i = 0; i < MAX_ITEMS; ++i) {
    host[i] = (map){(uint8_t)(next_random(&seed) | 1), (uint8_t)(next_random(&seed) >> 17)};
  }
  for (size_t offset = 0; offset < 4; ++offset) {
    map *device = gpu_copy(host, MAX_ITEMS * sizeof *host, offset);
    map wanted = host[0];
    for (size_t i = 0, done = 1; i < COUNT_OF(sizes); ++i) {
      for (; done < sizes[i]; ++done) {
        wanted.increment = (uint8_t)(host[done].multiplier * wanted.increment + host[done].increment);
        wanted.multiplier = (uint8_t)(host[done].multiplier * wanted.multiplier);
      }
      map result;
      reduce_to_host(
          (jig_reduce_args){
              .in = jig_pointer(device, type),
              .num_items = sizes[i],
              .op = jig_op_function("uint8_t times(uint8_t a, uint8_t b) { return a * b; }\n"
                                    "map then(map a, map b) {\n"
                                    "  map c;\n"
                                    "  c.multiplier = times(b.multiplier, a.multiplier);\n"
                                    "  c.increment = times(b.multiplier, a.increment) + b.increment;\n"
                                    "  return c;\n"
                                    "}\n",
                                    "then")},
          type, &result);
      ck_assert_msg(memcmp(&result, &wanted, sizeof wanted) == 0, "%zu maps at offset %zu", sizes[i],
                    offset);
    }
    gpu_free(device);
  }
  free(host);
}
END_TEST

/* ---- structs of many sizes, both as they come and promised to be commutative */

static void check_struct_of(size_t words, const char *definition) {
  const jig_type type = jig_struct("words", definition, words * 4, 4);
  const size_t counts[] = {1, 33, 500, 4097, 40001};
  uint32_t *host = malloc(40001 * words * 4), *wanted = malloc(words * 4), *result = malloc(words * 4);
  uint64_t seed = words;
  for (size_t i = 0; i < 40001 * words; ++i) host[i] = (uint32_t)next_random(&seed);
  void *device = gpu_copy(host, 40001 * words * 4, 0);
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    memset(wanted, 0, words * 4);
    for (size_t i = 0; i < counts[c] * words; ++i) wanted[i % words] += host[i];
    jig_reduce_args args = {
        .in = jig_pointer(device, type),
        .num_items = counts[c],
        .op =
            jig_op_source("for (unsigned i = 0; i < sizeof a.w / 4; ++i) a.w[i] += b.w[i];\nreturn a;")};
    reduce_to_host(args, type, result);
    ck_assert_msg(memcmp(result, wanted, words * 4) == 0, "%zu structs of %zu words", counts[c], words);
    args.op = jig_op_commutative(args.op);
    reduce_to_host(args, type, result);
    ck_assert_msg(memcmp(result, wanted, words * 4) == 0, "%zu structs of %zu words, commutative",
                  counts[c], words);
  }
  gpu_free(device);
  free(host);
  free(wanted);
  free(result);
}

START_TEST(structs_of_many_sizes) {
  check_struct_of(1, "struct words { uint32_t w[1]; };");
  check_struct_of(2, "struct words { uint32_t w[2]; };");
  check_struct_of(3, "struct words { uint32_t w[3]; };");
  check_struct_of(5, "struct words { uint32_t w[5]; };");
  check_struct_of(6, "struct words { uint32_t w[6]; };");
  check_struct_of(8, "struct words { uint32_t w[8]; };");
  check_struct_of(16, "struct words { uint32_t w[16]; };");
  check_struct_of(64, "struct words { uint32_t w[64]; };");
}
END_TEST

START_TEST(structs_of_odd_sizes) {
  /* 3 and 7 bytes: items that straddle words. */
  typedef struct rgb {
    uint8_t r, g, b;
  } rgb;
  typedef struct seven {
    uint8_t w[7];
  } seven;
  enum { COUNT = 50021 };
  unsigned char *host = malloc(COUNT * sizeof(seven));
  fill_random(JIG_KIND_U8, host, COUNT * sizeof(seven), 9);
  for (size_t offset = 0; offset < 2; ++offset) {
    void *device = gpu_copy(host, COUNT * sizeof(seven), offset);
    const jig_type three = jig_struct("rgb", "struct rgb { uint8_t r, g, b; };", 3, 1);
    const jig_type type7 = jig_struct("seven", "struct seven { uint8_t w[7]; };", 7, 1);
    rgb wanted = {0, 0, 0}, result;
    for (size_t i = 0; i < COUNT; ++i) {
      wanted.r = (uint8_t)(wanted.r + host[3 * i]);
      wanted.g = (uint8_t)(wanted.g ^ host[3 * i + 1]);
      wanted.b = wanted.b > host[3 * i + 2] ? wanted.b : host[3 * i + 2];
    }
    reduce_to_host(
        (jig_reduce_args){.in = jig_pointer(device, three),
                          .num_items = COUNT,
                          .op = jig_op_source(
                              "rgb c = {uint8_t(a.r + b.r), uint8_t(a.g ^ b.g), a.b > b.b ? a.b : b.b};\n"
                              "return c;")},
        three, &result);
    ck_assert_mem_eq(&result, &wanted, sizeof wanted);
    seven wanted7 = {{0}}, result7;
    for (size_t i = 0; i < COUNT * 7; ++i) wanted7.w[i % 7] = (uint8_t)(wanted7.w[i % 7] + host[i]);
    reduce_to_host((jig_reduce_args){.in = jig_pointer(device, type7),
                                     .num_items = COUNT,
                                     .op = jig_op_source(
                                         "for (int i = 0; i < 7; ++i) a.w[i] += b.w[i];\nreturn a;")},
                   type7, &result7);
    ck_assert_mem_eq(&result7, &wanted7, sizeof wanted7);
    gpu_free(device);
  }
  free(host);
}
END_TEST

/* ---- accumulators and conversions */

START_TEST(accumulator_follows_the_documented_rule) {
  enum { COUNT = 1 << 20 };
  int8_t *host = malloc(COUNT);
  memset(host, 100, COUNT);
  void *device = gpu_copy(host, COUNT, 0);
  jig_reduce_args args = {.in = jig_pointer(device, JIG_I8), .num_items = COUNT};
  int32_t sum32;
  reduce_to_host(args, JIG_I32, &sum32); /* op(i32, i8) is i32 */
  ck_assert_int_eq(sum32, 100 * COUNT);
  int64_t sum64, start = (int64_t)1 << 40;
  args.init = &start;
  reduce_to_host(args, JIG_I64, &sum64); /* the init has the output's type */
  ck_assert_int_eq(sum64, start + 100 * COUNT);
  float init = 0.5f;
  double sum;
  args.init = &init;
  args.init_type = JIG_F32;
  args.accum_type = JIG_F64;
  reduce_to_host(args, JIG_F64, &sum);
  ck_assert_double_eq(sum, 0.5 + 100.0 * COUNT);
  int16_t narrow;
  args.init = NULL;
  args.accum_type = JIG_I16; /* wraps around, as asked */
  reduce_to_host(args, JIG_I16, &narrow);
  ck_assert_int_eq(narrow, (int16_t)(100 * COUNT));
  gpu_free(device);
  free(host);
}
END_TEST

START_TEST(halves_can_be_summed_in_float) {
  enum { COUNT = 100000 };
  uint16_t *host = malloc(COUNT * 2);
  for (jig_type_kind kind = JIG_KIND_F16; kind <= JIG_KIND_BF16; ++kind) {
    for (size_t i = 0; i < COUNT; ++i) put_float(kind, host, i, 1 + (double)(i % 2));
    void *device = gpu_copy(host, COUNT * 2, 0);
    float sum;
    reduce_to_host((jig_reduce_args){.in = jig_pointer(device, type_of(kind)), .num_items = COUNT},
                   JIG_F32, &sum);
    ck_assert_float_eq(sum, 150000.0f);
    gpu_free(device);
  }
  free(host);
}
END_TEST

/* ---- NaN and zeros */

static double extreme_of(jig_type_kind kind, const double *values, size_t count, jig_op op, jig_nan nan) {
  const jig_type type = type_of(kind);
  char *host = malloc(count * type.size), result[8];
  for (size_t i = 0; i < count; ++i) put_float(kind, host, i, values[i]);
  void *device = gpu_copy(host, count * type.size, 0);
  reduce_to_host(
      (jig_reduce_args){.in = jig_pointer(device, type), .num_items = count, .op = op, .nan = nan}, type,
      result);
  gpu_free(device);
  free(host);
  return get_float(kind, result, 0);
}

START_TEST(nan_and_zeros_are_as_documented) {
  static const jig_type_kind kinds[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};
  enum { COUNT = 5000 };
  double *values = malloc(COUNT * sizeof *values);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const size_t places[] = {0, 1, 31, 600, COUNT - 1};
    for (size_t p = 0; p < COUNT_OF(places); ++p) {
      for (size_t i = 0; i < COUNT; ++i) values[i] = (double)(i % 50) - 20;
      values[places[p]] = NAN;
      ck_assert(isnan(extreme_of(kinds[k], values, COUNT, JIG_MIN, JIG_NAN_PROPAGATE)));
      ck_assert(isnan(extreme_of(kinds[k], values, COUNT, JIG_MAX, JIG_NAN_PROPAGATE)));
      ck_assert_double_eq(extreme_of(kinds[k], values, COUNT, JIG_MIN, JIG_NAN_IGNORE), -20);
      ck_assert_double_eq(extreme_of(kinds[k], values, COUNT, JIG_MAX, JIG_NAN_IGNORE), 29);
      for (size_t i = 0; i < COUNT; ++i) values[i] = 0;
      values[places[p]] = -0.0;
      ck_assert(signbit(extreme_of(kinds[k], values, COUNT, JIG_MIN, JIG_NAN_PROPAGATE)));
      ck_assert(signbit(extreme_of(kinds[k], values, COUNT, JIG_MIN, JIG_NAN_IGNORE)));
      ck_assert(!signbit(extreme_of(kinds[k], values, COUNT, JIG_MAX, JIG_NAN_IGNORE)));
    }
    for (size_t i = 0; i < COUNT; ++i) values[i] = NAN;
    ck_assert(isnan(extreme_of(kinds[k], values, COUNT, JIG_MIN, JIG_NAN_PROPAGATE)));
    for (size_t i = 0; i < COUNT; ++i) values[i] = INFINITY;
    values[77] = -INFINITY;
    ck_assert_double_eq(extreme_of(kinds[k], values, COUNT, JIG_MIN, JIG_NAN_PROPAGATE), -INFINITY);
    ck_assert_double_eq(extreme_of(kinds[k], values, COUNT, JIG_MAX, JIG_NAN_PROPAGATE), INFINITY);
    ck_assert(isnan(extreme_of(kinds[k], values, COUNT, JIG_PLUS, JIG_NAN_PROPAGATE)));
    for (size_t i = 0; i < COUNT; ++i) values[i] = -0.0;
    ck_assert(signbit(extreme_of(kinds[k], values, COUNT, JIG_PLUS, JIG_NAN_PROPAGATE)));
  }
  free(values);
}
END_TEST

/* ---- iterators and state */

START_TEST(generated_items_need_no_memory) {
  const uint64_t count = ((uint64_t)1 << 33) + 5;
  uint64_t sum, start = 7;
  reduce_to_host((jig_reduce_args){.in = jig_counting(&start, JIG_U64), .num_items = count}, JIG_U64,
                 &sum);
  ck_assert_uint_eq(sum, count * start + (uint64_t)((uint128)count * (count - 1) / 2));
  int32_t five = 5, small;
  reduce_to_host((jig_reduce_args){.in = jig_constant(&five, JIG_I32), .num_items = 12345}, JIG_I32,
                 &small);
  ck_assert_int_eq(small, 5 * 12345);
  double half = 0.5, total;
  reduce_to_host((jig_reduce_args){.in = jig_counting(&half, JIG_F64), .num_items = 1000}, JIG_F64,
                 &total);
  ck_assert_double_eq(total, 500 + 499500);
}
END_TEST

START_TEST(transforms_compose) {
  enum { COUNT = 77777 };
  float *host = malloc(COUNT * sizeof *host);
  fill_random(JIG_KIND_F32, host, COUNT, 3);
  for (size_t offset = 0; offset < 2; ++offset) {
    float *device = gpu_copy(host, COUNT * sizeof *host, 4 * offset);
    double wanted = 0, sum;
    for (size_t i = 0; i < COUNT; ++i) wanted += (double)(host[i] * host[i]) + 0.25;
    const jig_iter in = jig_pointer(device, JIG_F32);
    const jig_iter squares = jig_iter_transform(&in, jig_op_source("return x * x;"), JIG_F64);
    const double shift = 0.25;
    const jig_iter shifted = jig_iter_transform(
        &squares, jig_op_with_state(jig_op_source("return x + state;"), &shift, JIG_F64), JIG_F64);
    reduce_to_host((jig_reduce_args){.in = shifted, .num_items = COUNT}, JIG_F64, &sum);
    ck_assert_double_eq(sum, wanted);
    size_t bytes = 0;
    double *out = gpu_alloc(sizeof *out, 0);
    jig_reduce_args args = {.in = in, .out = jig_pointer(out, JIG_F64), .num_items = COUNT};
    OK(jig_transform_reduce(NULL, NULL, &bytes, &args, jig_op_source("return x * x + 0.25;"), JIG_F64,
                            NULL));
    void *storage = gpu_alloc(bytes, 0);
    OK(jig_transform_reduce(NULL, storage, &bytes, &args, jig_op_source("return x * x + 0.25;"), JIG_F64,
                            NULL));
    gpu_read(&sum, out, sizeof sum);
    ck_assert_double_eq(sum, wanted);
    gpu_free(storage);
    gpu_free(out);
    gpu_free(device);
  }
  free(host);
}
END_TEST

START_TEST(state_moves_without_a_rebuild) {
  enum { COUNT = 20000 };
  int32_t *host = malloc(COUNT * sizeof *host);
  fill_random(JIG_KIND_I32, host, COUNT, 4);
  int32_t *device = gpu_copy(host, COUNT * sizeof *host, 0);
  typedef struct limits {
    int32_t low, high;
  } limits;
  const jig_type limits_type =
      jig_struct("limits", "struct limits { int32_t low, high; };", sizeof(limits), 4);
  jig_engine_stats before, after;
  OK(jig_engine_get_stats(NULL, &before));
  for (int32_t round = 0; round < 10; ++round) {
    const limits within = {round * 1000000, 1000000000 + round};
    int64_t wanted = 0, count;
    for (size_t i = 0; i < COUNT; ++i) wanted += host[i] >= within.low && host[i] < within.high;
    const jig_iter in = jig_pointer(device, JIG_I32);
    const jig_iter inside = jig_iter_transform(
        &in,
        jig_op_with_state(
            jig_op_function("bool inside(limits l, int32_t x) { return x >= l.low && x < l.high; }",
                            "inside"),
            &within, limits_type),
        JIG_BOOL);
    reduce_to_host((jig_reduce_args){.in = inside, .num_items = COUNT}, JIG_I64, &count);
    ck_assert_int_eq(count, wanted);
    int32_t modulus = 97 + round, sum, wanted_sum = 0;
    for (size_t i = 0; i < COUNT; ++i) wanted_sum = (wanted_sum + (host[i] & 63)) % modulus;
    const jig_iter low_bits = jig_iter_transform(&in, jig_op_source("return x & 63;"), JIG_I32);
    reduce_to_host((jig_reduce_args){.in = low_bits,
                                     .num_items = COUNT,
                                     .op = jig_op_with_state(jig_op_source("return (a + b) % state;"),
                                                             &modulus, JIG_I32)},
                   JIG_I32, &sum);
    ck_assert_int_eq(sum % modulus, wanted_sum);
  }
  OK(jig_engine_get_stats(NULL, &after));
  ck_assert_uint_le(after.misses + after.disk_hits - before.misses - before.disk_hits, 2);
  gpu_free(device);
  free(host);
}
END_TEST

START_TEST(halves_work_in_operators) {
  enum { COUNT = 4096 };
  uint16_t *host = malloc(COUNT * 2), result;
  for (size_t i = 0; i < COUNT; ++i)
    put_float(JIG_KIND_F16, host, i, i == 1234 ? 3.5 : 0.25 * (double)(i % 8));
  void *device = gpu_copy(host, COUNT * 2, 0);
  reduce_to_host(
      (jig_reduce_args){.in = jig_pointer(device, JIG_F16),
                        .num_items = COUNT,
                        .op = jig_op_source("jig::f16 d = a * 2.0f - b * 2; return d > 0 ? a : b;")},
      JIG_F16, &result);
  ck_assert_double_eq(get_float(JIG_KIND_F16, &result, 0), 3.5);
  gpu_free(device);
  free(host);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(operands_keep_their_order),
      SUITE_TEST(order_is_kept_for_small_items),
      SUITE_TEST(structs_of_many_sizes),
      SUITE_TEST(structs_of_odd_sizes),
      SUITE_TEST(accumulator_follows_the_documented_rule),
      SUITE_TEST(halves_can_be_summed_in_float),
      SUITE_TEST(nan_and_zeros_are_as_documented),
      SUITE_TEST(generated_items_need_no_memory),
      SUITE_TEST(transforms_compose),
      SUITE_TEST(state_moves_without_a_rebuild),
      SUITE_TEST(halves_work_in_operators),
  };
  return SUITE_RUN("device/reduce_operators", tests, true);
}
