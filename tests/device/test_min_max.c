/* Minimum and maximum in one pass: every type at sizes around every boundary, with and without indices,
 * by an order, NaNs and zeros, no items; what is refused, capture, strict mode. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "seed.h"
#include "strict_support.h"
#include "suite.h"

static const size_t sizes[] = {1, 2, 15, 16, 17, 33, 511, 513, 4097, 8193, 65537, 131073, 262147};
enum { MOST = 262147, ITEM = 16 };

typedef struct found {
  unsigned char min[ITEM], max[ITEM];
  int64_t min_index, max_index;
} found;

/* Of the four outputs those that are asked for; the others stay as they are. */
enum { WANTS_MIN = 1, WANTS_MAX = 2, WANTS_MIN_INDEX = 4, WANTS_MAX_INDEX = 8, WANTS_ALL = 15 };

static found find(const jig_min_max_args *given, int wanted) {
  jig_min_max_args args = *given;
  found f, *out = gpu_alloc(sizeof f, 0);
  memset(&f, 0x5a, sizeof f);
  gpu_write(out, &f, sizeof f);
  if (wanted & WANTS_MIN) args.min_out = jig_pointer(out->min, args.in.type);
  if (wanted & WANTS_MAX) args.max_out = jig_pointer(out->max, args.in.type);
  if (wanted & WANTS_MIN_INDEX) args.min_index_out = jig_pointer(&out->min_index, JIG_I64);
  if (wanted & WANTS_MAX_INDEX) args.max_index_out = jig_pointer(&out->max_index, JIG_I64);
  RUN_PHASES(jig_min_max, &args, 8);
  gpu_read(&f, out, sizeof f);
  gpu_free(out);
  return f;
}

static bool less(jig_type_kind kind, const void *items, size_t a, size_t b) {
  if (is_floating(kind)) return get_float(kind, items, a) < get_float(kind, items, b);
  const int128 x = get_integer(kind, items, a), y = get_integer(kind, items, b);
  return is_signed(kind) ? x < y : (uint128)x < (uint128)y;
}

static void check_type(jig_type_kind kind, bool few_values, jig_op compare) {
  const jig_type type = type_of(kind);
  char *items = malloc(MOST * type.size);
  fill_random(kind, items, MOST, 5 + (uint64_t)kind);
  for (size_t i = 0; few_values && !is_floating(kind) && i < MOST; ++i)
    put_integer(kind, items, i, get_integer(kind, items, i) & 3);
  void *device = gpu_copy(items, MOST * type.size, few_values * type.size);
  for (size_t s = 0, done = 1, min = 0, max = 0; s < COUNT_OF(sizes); ++s) {
    for (; done < sizes[s]; ++done) {
      if (less(kind, items, done, min)) min = done;
      if (less(kind, items, max, done)) max = done;
    }
    const jig_min_max_args args = {
        .in = jig_pointer(device, type), .num_items = sizes[s], .compare = compare};
    for (int way = 0; way < 3; ++way) {
      const int wanted = way == 0 ? WANTS_ALL : way == 1 ? WANTS_MIN | WANTS_MAX : 1 << (s % 4);
      const found f = find(&args, wanted);
      const char *name = jig_type_name(&type);
      /* Of equal numbers with different bits, the zeros, there are none here. */
      if (wanted & WANTS_MIN)
        ck_assert_msg(memcmp(f.min, items + min * type.size, type.size) == 0, "min of %zu %s", sizes[s],
                      name);
      if (wanted & WANTS_MAX)
        ck_assert_msg(memcmp(f.max, items + max * type.size, type.size) == 0, "max of %zu %s", sizes[s],
                      name);
      if (wanted & WANTS_MIN_INDEX) ck_assert_int_eq(f.min_index, (int64_t)min);
      if (wanted & WANTS_MAX_INDEX) ck_assert_int_eq(f.max_index, (int64_t)max);
    }
  }
  gpu_free(device);
  free(items);
}

START_TEST(every_type_at_every_size) {
  unsigned long number = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (!test_turn(number++)) continue;
    check_type(*kind, false, (jig_op)JIG_ZERO);
    check_type(*kind, true, (jig_op)JIG_ZERO);
  }
}
END_TEST

START_TEST(by_an_order) {
  check_type(JIG_KIND_I32, true, jig_op_source("return a < b;"));
  check_type(JIG_KIND_U8, false, (jig_op)JIG_LESS);
  check_type(JIG_KIND_F64, false, (jig_op)JIG_LESS);
}
END_TEST

START_TEST(structs) {
  enum { COUNT = 30011 };
  typedef struct hit {
    float distance;
    int32_t id;
  } hit;
  hit *hits = malloc(COUNT * sizeof(hit)), got[2];
  for (int32_t i = 0; i < COUNT; ++i) hits[i] = (hit){(float)((i * 7919 + 5) % 101), i};
  size_t min = 0, max = 0;
  for (size_t i = 1; i < COUNT; ++i) {
    if (hits[i].distance < hits[min].distance) min = i;
    if (hits[i].distance > hits[max].distance) max = i;
  }
  const jig_type type = jig_struct("hit", "struct hit { float distance; int id; };", 8, 4);
  void *device = gpu_copy(hits, COUNT * sizeof(hit), 4);
  jig_min_max_args args = {.in = jig_pointer(device, type),
                           .num_items = COUNT,
                           .compare = jig_op_source("return a.distance < b.distance;")};
  for (int way = 0; way < 2; ++way) { /* without indices, too, it is the first of equal ones */
    const found f = find(&args, way == 0 ? WANTS_ALL : WANTS_MIN | WANTS_MAX);
    memcpy(&got[0], f.min, sizeof(hit));
    memcpy(&got[1], f.max, sizeof(hit));
    ck_assert_int_eq(got[0].id, (int)min);
    ck_assert_int_eq(got[1].id, (int)max);
  }
  args.num_items = 0;
  const found none = find(&args, WANTS_ALL);
  ck_assert_int_eq(none.min_index, -1);
  ck_assert_int_eq(none.max_index, -1);
  ck_assert_uint_eq(none.min[0], 0x5a);
  ck_assert_uint_eq(none.max[7], 0x5a);
  gpu_free(device);
  free(hits);
}
END_TEST

/* What an output's operator is given of items that do not fit registers; a compiler lost the first word.
 */
START_TEST(large_items_through_an_operator) {
  enum { WORDS = 33, COUNT = 6007, AT = 4321 };
  typedef struct wide {
    uint64_t m[WORDS];
  } wide;
  char definition[1024] = "struct wide { uint64_t m0";
  for (int w = 1; w < WORDS; ++w) {
    char member[16];
    (void)snprintf(member, sizeof member, ", m%d", w);
    strcat(definition, member);
  }
  strcat(definition,
         "; };\ninline bool operator<(const wide &a, const wide &b) { return a.m0 < b.m0; }\n");
  const jig_type type = jig_struct("wide", definition, sizeof(wide), 8);
  wide *items = malloc(COUNT * sizeof(wide)), got;
  for (size_t i = 0; i < COUNT; ++i)
    for (size_t w = 0; w < WORDS; ++w) items[i].m[w] = i == AT ? ~(uint64_t)w : i * WORDS + w;
  void *device = gpu_copy(items, COUNT * sizeof(wide), 0);
  wide *largest = gpu_alloc(sizeof(wide), 0);
  int64_t *smallest_index = gpu_alloc(8, 0);
  const jig_iter out = jig_pointer(largest, type);
  const jig_min_max_args args = {
      .in = jig_pointer_hinted(device, type, JIG_CACHE_READ_ONLY),
      .max_out = jig_transform_output(&out, jig_op_source("x.m0 ^= 1; return x;"), type),
      .min_index_out = jig_pointer(smallest_index, JIG_I64),
      .num_items = COUNT};
  RUN_PHASES(jig_min_max, &args, 8);
  gpu_read(&got, largest, sizeof got);
  ck_assert_uint_eq(got.m[0], ~(uint64_t)1);
  for (size_t w = 1; w < WORDS; ++w) ck_assert_uint_eq(got.m[w], ~(uint64_t)w);
  gpu_free(device);
  gpu_free(largest);
  gpu_free(smallest_index);
  free(items);
}
END_TEST

START_TEST(nans_and_zeros) {
  enum { COUNT = 50000 };
  double *items = malloc(COUNT * 8), got[2];
  for (size_t i = 0; i < COUNT; ++i) items[i] = (double)(i % 9) + 1;
  items[300] = items[40000] = (double)NAN;
  items[11] = 0.0;
  items[12] = -0.0;
  void *device = gpu_copy(items, COUNT * 8, 0);
  jig_min_max_args args = {.in = jig_pointer(device, JIG_F64), .num_items = COUNT};
  found f = find(&args, WANTS_ALL);
  ck_assert_int_eq(f.min_index, 300);
  ck_assert_int_eq(f.max_index, 300);
  f = find(&args, WANTS_MIN | WANTS_MAX);
  memcpy(got, f.min, 8);
  memcpy(got + 1, f.max, 8);
  ck_assert(isnan(got[0]) && isnan(got[1]));
  args.nan = JIG_NAN_IGNORE;
  f = find(&args, WANTS_ALL);
  ck_assert_int_eq(f.min_index, 11); /* the first of the zeros */
  ck_assert_int_eq(f.max_index, 8);
  f = find(&args, WANTS_MIN | WANTS_MAX);
  memcpy(got, f.min, 8);
  memcpy(got + 1, f.max, 8);
  ck_assert(got[0] == 0 && signbit(got[0])); /* as a minimum has it */
  ck_assert_double_eq(got[1], 9);
  args.num_items = 0;
  f = find(&args, WANTS_ALL);
  memcpy(got, f.min, 8);
  memcpy(got + 1, f.max, 8);
  ck_assert_int_eq(f.min_index, -1);
  ck_assert_int_eq(f.max_index, -1);
  ck_assert_double_eq(got[0], INFINITY);
  ck_assert_double_eq(got[1], -INFINITY);
  f = find(&args, WANTS_MIN | WANTS_MAX);
  memcpy(got, f.min, 8);
  memcpy(got + 1, f.max, 8);
  ck_assert(got[0] >= (double)INFINITY && got[1] <= -(double)INFINITY);
  gpu_free(device);
  free(items);
}
END_TEST

/* Doubles of any sign, without indices: infinities, NaNs of either sign, and nothing else. */
START_TEST(extremes_of_doubles) {
  enum { COUNT = 5000 };
  const double inf = (double)INFINITY, nan = (double)NAN;
  const struct {
    double at_17, at_900, others, least, greatest, ignoring_least, ignoring_greatest;
  } rows[] = {{-3.5, 7, 1, -3.5, 7, -3.5, 7},
              {-inf, inf, -2, -inf, inf, -inf, inf},
              {-1e-310, -5, -9e300, -9e300, -1e-310, -9e300, -1e-310},
              {-0.0, 0.0, 0.0, -0.0, 0.0, -0.0, 0.0},
              {nan, 4, -4, nan, nan, -4, 4},
              {-nan, inf, 2, nan, nan, 2, inf},
              {nan, nan, nan, nan, nan, inf, -inf}};
  double *items = malloc(COUNT * 8), got[2];
  for (size_t k = 0; k < COUNT_OF(rows); ++k) {
    for (size_t i = 0; i < COUNT; ++i) items[i] = rows[k].others;
    items[17] = rows[k].at_17;
    items[900] = rows[k].at_900;
    void *device = gpu_copy(items, COUNT * 8, 8);
    for (int ignores = 0; ignores < 2; ++ignores) {
      const jig_min_max_args args = {.in = jig_pointer(device, JIG_F64),
                                     .num_items = COUNT,
                                     .nan = ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
      const found f = find(&args, WANTS_MIN | WANTS_MAX);
      const double wanted[] = {ignores ? rows[k].ignoring_least : rows[k].least,
                               ignores ? rows[k].ignoring_greatest : rows[k].greatest};
      memcpy(got, f.min, 8);
      memcpy(got + 1, f.max, 8);
      for (int i = 0; i < 2; ++i)
        ck_assert_msg(isnan(wanted[i]) ? isnan(got[i]) != 0 : memcmp(&got[i], &wanted[i], 8) == 0,
                      "row %zu, %s: %g instead of %g", k, i == 0 ? "least" : "greatest", got[i],
                      wanted[i]);
    }
    gpu_free(device);
  }
  free(items);
}
END_TEST

#define REFUSED(args, part) \
  FAILS(jig_min_max(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(4096, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), out = jig_pointer(memory + 1, JIG_U32);
  jig_min_max_args args = {.in = in, .num_items = 9};
  REFUSED(&args, "min_out: it is missing, and so are the other outputs");
  args.max_out = jig_pointer(memory, JIG_I32);
  REFUSED(&args, "max_out");
  args.max_out = out;
  args.min_index_out = jig_pointer(memory + 1, JIG_F32);
  REFUSED(&args, "min_index_out");
  args.min_index_out = jig_pointer(memory + 1, JIG_I8);
  args.num_items = 129;
  REFUSED(&args, "min_index_out: i8 has indices for 128 items, not for 129");
  args = (jig_min_max_args){.in = in, .min_out = out, .nan = (jig_nan)2};
  REFUSED(&args, "nan: no such choice (2)");
  args = (jig_min_max_args){.in = jig_pointer(NULL, JIG_U32), .min_out = out, .num_items = 1};
  REFUSED(&args, "in");
  args = (jig_min_max_args){.in = in, .min_out = jig_pointer(NULL, JIG_U32), .num_items = 1};
  REFUSED(&args, "min_out");
  args = (jig_min_max_args){.in = in, .min_out = out, .num_items = UINT64_MAX};
  REFUSED(&args, "num_items");
  args = (jig_min_max_args){.in = in, .min_out = out, .reserved32 = 1};
  REFUSED(&args, "reserved is not zero");
  args = (jig_min_max_args){.in = in, .min_out = out, .max_index_out = out, .num_items = 9};
  REFUSED(&args, "max_index_out overlaps min_out");
  REFUSED(NULL, "args");
  const jig_arg_reduce_args both = {.in = in, .value_out = out, .index_out = out, .num_items = 9};
  FAILS(jig_arg_reduce(NULL, NULL, NULL, &both, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_arg_reduce: index_out overlaps value_out");
  ck_assert(gpu_is_untouched(memory, 4096));
  gpu_free(memory);
}
END_TEST

/* Outputs, also those of jig_arg_reduce(), that lie within the input of many blocks. */
START_TEST(outputs_may_lie_within_the_input) {
  enum { COUNT = 200003, STEP = 77777 };
  uint32_t *items = malloc(COUNT * sizeof *items);
  for (uint32_t i = 0; i < COUNT; ++i) items[i] = (uint32_t)((uint64_t)i * STEP % COUNT) + 1;
  const uint32_t first = 0, last = COUNT - 1;
  uint32_t min = 0, max = 0;
  for (uint32_t i = 0; i < COUNT; ++i) {
    if (items[i] < items[min]) min = i;
    if (items[i] > items[max]) max = i;
  }
  uint32_t *in = gpu_copy(items, COUNT * sizeof *items, 0), got[2];
  const jig_min_max_args both = {.in = jig_pointer(in, JIG_U32),
                                 .min_out = jig_pointer(in + first, JIG_U32),
                                 .max_out = jig_pointer(in + last, JIG_U32),
                                 .min_index_out = jig_pointer(in + first + 1, JIG_U32),
                                 .max_index_out = jig_pointer(in + last - 1, JIG_U32),
                                 .num_items = COUNT};
  RUN_PHASES(jig_min_max, &both, 0);
  gpu_read(got, in + first, sizeof got);
  ck_assert_uint_eq(got[0], items[min]);
  ck_assert_uint_eq(got[1], min);
  gpu_read(got, in + last - 1, sizeof got);
  ck_assert_uint_eq(got[0], max);
  ck_assert_uint_eq(got[1], items[max]);
  gpu_write(in, items, COUNT * sizeof *items);
  const jig_arg_reduce_args one = {.in = jig_pointer(in, JIG_U32),
                                   .value_out = jig_pointer(in + first, JIG_U32),
                                   .index_out = jig_pointer(in + first + 1, JIG_U32),
                                   .num_items = COUNT};
  RUN_PHASES(jig_arg_reduce, &one, 0);
  gpu_read(got, in + first, sizeof got);
  ck_assert_uint_eq(got[0], items[min]);
  ck_assert_uint_eq(got[1], min);
  gpu_free(in);
  free(items);
}
END_TEST

START_TEST(a_captured_call_is_replayed) {
  int32_t *items = calloc(MOST, 4), got[2];
  void *in = gpu_alloc(MOST * 4, 0), *out = gpu_alloc(8, 0);
  const jig_min_max_args args = {.in = jig_pointer(in, JIG_I32),
                                 .min_out = jig_pointer(out, JIG_I32),
                                 .max_out = jig_pointer((int32_t *)out + 1, JIG_I32),
                                 .num_items = MOST};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_min_max(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_min_max(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int32_t round = 3; round > 0; --round) {
    for (size_t i = 0; i < MOST; ++i) items[i] = (int32_t)(i * 7919 % 1000) * round;
    gpu_write(in, items, MOST * 4);
    gpu_replay(exec, stream);
    gpu_read(got, out, 8);
    ck_assert_int_eq(got[0], 0);
    ck_assert_int_eq(got[1], 999 * round);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(items);
}
END_TEST

static void strict_indices(strict_call *t) {
  const jig_min_max_args args = {.in = jig_pointer(t->d_values, JIG_U32),
                                 .min_index_out = jig_pointer(t->d_count, JIG_I64),
                                 .max_index_out = jig_pointer((int64_t *)t->d_count + 1, JIG_I64),
                                 .num_items = t->n};
  STRICT(t, jig_min_max, args);
  ck_assert_int_eq((int64_t)strict_count(t, 0), t->n > 0 ? 0 : -1);
  ck_assert_int_eq((int64_t)strict_count(t, 1), (int64_t)t->n - 1);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_indices)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(every_type_at_every_size),
                                     SUITE_TEST(by_an_order),
                                     SUITE_TEST(structs),
                                     SUITE_TEST(large_items_through_an_operator),
                                     SUITE_TEST(nans_and_zeros),
                                     SUITE_TEST(extremes_of_doubles),
                                     SUITE_TEST(what_cannot_be_is_refused),
                                     SUITE_TEST(outputs_may_lie_within_the_input),
                                     SUITE_TEST(a_captured_call_is_replayed),
                                     SUITE_TEST(a_spec_prewarms_its_calls)};
  return SUITE_RUN("device/min_max", tests, true);
}
