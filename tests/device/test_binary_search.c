/* lower_bound, upper_bound and equal_range: every type and structs by an order, ranges and numbers of
 * needles around every boundary, needles in order, nearly so and in none, outside, between and equal to
 * items; inputs of every kind; a range in no order; what an order is called with. */
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
#include "suite.h"
#include "words.h"

typedef struct shape {
  size_t items, needles;
} shape;

/* Ranges that are kept whole, by samples, and searched by warps; one tile and many. Of 2^n items a sample
 * has all that it has room for, of one more half as many. */
static const shape shapes[] = {{0, 5},          {1, 1},          {2, 700},       {33, 33},
                               {1000, 1024},    {1023, 513},     {4095, 1},      {4096, 2049},
                               {5000, 60001},   {65536, 3},      {70001, 4097},  {200003, 200},
                               {131071, 70001}, {300007, 90001}, {3, 40000},     {4096, 9001},
                               {4097, 9002},    {65536, 70003},  {65537, 20001}, {9001, 6001}};

/* ---- numbers: items and needles as doubles on the host, so that one reference serves all types */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y); /* NaNs are last */
  return (x > y) - (x < y);
}

static int by_value_falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
  return (x < y) - (x > y);
}

typedef int order(const void *a, const void *b);

static size_t place_of(const double *items, size_t count, double needle, bool upper, order *compare) {
  size_t first = 0;
  while (count > 0) {
    const size_t half = count / 2;
    const int before = compare(&items[first + half], &needle);
    if (upper ? before <= 0 : before < 0)
      first += half + 1, count -= half + 1;
    else
      count = half;
  }
  return first;
}

typedef enum needle_order { IN_ORDER, NEARLY, IN_NONE, ALL_ALIKE } needle_order;

/* Whole numbers in [-range, range], which all types but bool have; some NaNs where there are any. */
static void make_numbers(double *out, size_t count, jig_type_kind kind, double range, uint64_t seed) {
  for (size_t i = 0; i < count; ++i) {
    const double x = (double)(next_random(&seed) % 65536) / 65536;
    out[i] = kind == JIG_KIND_BOOL                  ? (double)(x < 0.5)
             : is_floating(kind) || is_signed(kind) ? floor((2 * x - 1) * range)
                                                    : floor(x * range);
    if (is_floating(kind) && i % 97 == 5) out[i] = (double)NAN;
  }
}

static void order_needles(double *needles, size_t count, needle_order how, order *compare,
                          uint64_t seed) {
  if (how == IN_NONE) return;
  if (how == ALL_ALIKE)
    for (size_t i = 1; i < count; ++i) needles[i] = needles[0];
  qsort(needles, count, sizeof *needles, compare);
  for (size_t i = 0; how == NEARLY && i < count / 100; ++i) {
    const size_t a = next_random(&seed) % count, b = next_random(&seed) % count;
    const double kept = needles[a];
    needles[a] = needles[b];
    needles[b] = kept;
  }
}

static void *to_device(const double *values, size_t count, jig_type_kind kind, size_t offset_items) {
  const jig_type type = type_of(kind);
  char *items = calloc(count + 1, type.size);
  for (size_t i = 0; i < count; ++i) {
    if (is_floating(kind))
      put_float(kind, items, i, values[i]);
    else
      put_integer(kind, items, i, (int128)values[i]);
  }
  void *device = gpu_copy(items, count * type.size, offset_items * type.size);
  free(items);
  return device;
}

/* Needles are shifted against items by `shift` of these' greatest value. */
static void check_shifted(jig_type_kind kind, shape s, needle_order how, bool falls, double shift,
                          uint64_t seed) {
  const jig_type type = type_of(kind);
  order *compare = falls ? by_value_falling : by_value;
  double *items = malloc((s.items + 1) * 8), *needles = malloc(s.needles * 8);
  make_numbers(items, s.items, kind, 100, seed);
  make_numbers(needles, s.needles, kind, 120, seed + 1); /* some are outside */
  for (size_t i = 0; i < s.items && type.size > 2; ++i) items[i] *= 1 + (double)(i % 800);
  for (size_t i = 0; i < s.needles && type.size > 2; ++i) needles[i] *= 1 + (double)(i % 801);
  const double greatest = 100.0 * (type.size > 2 ? 800 : 1);
  for (size_t i = 0; i < s.needles && shift != 0; ++i) needles[i] = floor(needles[i] + shift * greatest);
  qsort(items, s.items, 8, compare);
  order_needles(needles, s.needles, how, compare, seed);
  void *in = to_device(items, s.items, kind, seed % 3),
       *looked_for = to_device(needles, s.needles, kind, seed % 2);
  uint32_t *got[2] = {malloc(s.needles * 4), malloc(s.needles * 4)};
  void *out[2] = {gpu_alloc(s.needles * 4, 0), gpu_alloc(s.needles * 4, 4)};
  for (int bound = JIG_BOUND_LOWER; bound <= JIG_BOUND_EQUAL_RANGE; ++bound) {
    const bool both = bound == JIG_BOUND_EQUAL_RANGE;
    jig_binary_search_args args = {.in = jig_pointer(in, type),
                                   .needles_in = jig_pointer(looked_for, type),
                                   .out = jig_pointer(out[0], JIG_U32),
                                   .num_items = s.items,
                                   .num_needles = s.needles,
                                   .bound = (jig_bound)bound};
    if (falls) args.compare = JIG_GREATER;
    if (both) args.upper_out = jig_pointer(out[1], JIG_U32);
    RUN_WITHOUT_STORAGE(jig_binary_search, &args);
    for (int k = 0; k <= both; ++k) {
      gpu_read(got[k], out[k], s.needles * 4);
      for (size_t i = 0; i < s.needles; ++i) {
        const size_t right =
            place_of(items, s.items, needles[i], k == 1 || bound == JIG_BOUND_UPPER, compare);
        ck_assert_msg(
            got[k][i] == right, "%s, bound %d, %zu needles of %zu, order %d: %zu (%g): %u, not %zu",
            jig_type_name(&type), bound, s.needles, s.items, how, i, needles[i], got[k][i], right);
      }
    }
  }
  for (int k = 0; k < 2; ++k) free(got[k]), gpu_free(out[k]);
  gpu_free(in);
  gpu_free(looked_for);
  free(items);
  free(needles);
}

static void check_numbers(jig_type_kind kind, shape s, needle_order how, bool falls, uint64_t seed) {
  check_shifted(kind, s, how, falls, 0, seed);
}

START_TEST(every_type) {
  static const shape few[] = {{5000, 3001}, {20000, 9001}};
  uint64_t seed = 11;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind)
    for (size_t s = 0; s < COUNT_OF(few) && test_turn((unsigned)*kind); ++s, ++seed)
      check_numbers(*kind, few[s], (needle_order)(seed % 3), seed % 4 == 1, seed);
}
END_TEST

START_TEST(every_shape_and_order) {
  uint64_t seed = 5;
  for (size_t s = 0; s < COUNT_OF(shapes); ++s)
    for (int how = IN_ORDER; how <= ALL_ALIKE; ++how, ++seed)
      check_numbers(seed % 2 == 0 ? JIG_KIND_I32 : JIG_KIND_F64, shapes[s], (needle_order)how,
                    seed % 5 == 0, seed);
}
END_TEST

/* Of many equal items needles may belong anywhere in the range. */
START_TEST(many_equal_items) {
  for (int how = IN_ORDER; how <= ALL_ALIKE; ++how) {
    check_numbers(JIG_KIND_U8, (shape){100000, 20000}, (needle_order)how, false, 3);
    check_numbers(JIG_KIND_BOOL, (shape){50000, 9000}, (needle_order)how, how % 2 == 1, 4);
    check_numbers(JIG_KIND_BOOL, (shape){100000, 30000}, (needle_order)how, how % 2 == 1, 5);
    check_numbers(JIG_KIND_I16, (shape){150000, 40000}, (needle_order)how, how % 2 == 0, 6);
  }
}
END_TEST

/* Few or many needles, or all of them, are before or behind all items. */
START_TEST(needles_outside) {
  static const jig_type_kind kinds[] = {JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_F32, JIG_KIND_I64,
                                        JIG_KIND_I16};
  static const double shifts[] = {-3, -1, -0.5, -0.1, 0.1, 0.5, 1, 3};
  uint64_t seed = 21;
  for (size_t s = 0; s < COUNT_OF(shifts); ++s)
    for (int falls = 0; falls < 2; ++falls, ++seed) {
      check_shifted(kinds[seed % 5], (shape){65536, 70003}, IN_NONE, falls, shifts[s], seed);
      check_shifted(kinds[(seed + 1) % 5], (shape){70001, 30001}, IN_NONE, falls, shifts[s], seed);
      check_shifted(kinds[(seed + 2) % 5], (shape){300007, 20001}, NEARLY, falls, shifts[s], seed);
    }
}
END_TEST

/* ---- structs */

static void check_structs(uint32_t size) {
  enum { ITEMS = 20011, NEEDLES = 3000 };
  char name[16], definition[96];
  (void)snprintf(name, sizeof name, "wide%u", size);
  (void)snprintf(definition, sizeof definition, "struct wide%u { unsigned char m[%u]; };", size, size);
  const jig_type type = jig_struct(name, definition, size, 1);
  const jig_op compare = jig_op_source(
      "return (a.m[0] << 8 | a.m[1]) < (b.m[0] << 8 | b.m[1]);"); /* the last byte counts for nothing */
  unsigned char *items = calloc(ITEMS, size), *needles = calloc(NEEDLES, size);
  uint32_t *values = random_words(ITEMS, size), *wanted = random_words(NEEDLES, size + 1);
  uint32_t *got = malloc(NEEDLES * 4);
  double *sorted = malloc(ITEMS * 8);
  for (size_t i = 0; i < ITEMS; ++i) sorted[i] = values[i] % 30000;
  qsort(sorted, ITEMS, 8, by_value);
  for (size_t i = 0; i < ITEMS; ++i) {
    items[i * size] = (unsigned char)((uint32_t)sorted[i] >> 8);
    items[i * size + 1] = (unsigned char)(uint32_t)sorted[i];
    if (size > 2) items[i * size + size - 1] = (unsigned char)i;
  }
  for (size_t i = 0; i < NEEDLES; ++i) {
    wanted[i] %= 30010;
    needles[i * size] = (unsigned char)(wanted[i] >> 8);
    needles[i * size + 1] = (unsigned char)wanted[i];
  }
  void *in = gpu_copy(items, (size_t)ITEMS * size, 1),
       *looked_for = gpu_copy(needles, (size_t)NEEDLES * size, 0);
  void *out = gpu_alloc(NEEDLES * 4, 0);
  OK(jig_upper_bound(NULL, NULL, NULL, jig_pointer(in, type), ITEMS, jig_pointer(looked_for, type),
                     NEEDLES, jig_pointer(out, JIG_I32), compare, NULL));
  gpu_read(got, out, NEEDLES * 4);
  for (size_t i = 0; i < NEEDLES; ++i)
    ck_assert_uint_eq(got[i], place_of(sorted, ITEMS, wanted[i], true, by_value));
  gpu_free(in);
  gpu_free(looked_for);
  gpu_free(out);
  free(items);
  free(needles);
  free(values);
  free(wanted);
  free(got);
  free(sorted);
}

START_TEST(structs_by_an_order) {
  static const uint32_t widths[] = {2, 3, 12, 24, 100, 256};
  for (size_t w = 0; w < COUNT_OF(widths); ++w)
    if (test_turn(w)) check_structs(widths[w]);
}
END_TEST

/* ---- inputs and outputs of every kind */

START_TEST(inputs_and_outputs_of_every_kind) {
  enum { COUNT = 30000 };
  const uint32_t start = 7, step = 3;
  uint32_t *words = malloc(COUNT * 4), *got = malloc(COUNT * 8), *indices = malloc(COUNT * 4);
  double *items = malloc(COUNT * 8);
  for (size_t i = 0; i < COUNT; ++i) words[i] = (uint32_t)(i * 2), indices[i] = (uint32_t)(i / 2);
  const jig_iter in = jig_pointer(gpu_copy(words, COUNT * 4, 4), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(indices, COUNT * 4, 0), JIG_U32);
  const jig_iter falling = jig_iter_reverse(&in, COUNT);
  uint32_t *memory = gpu_alloc(COUNT * 8, 0);
  const jig_iter inputs[] = {jig_counting_by(&start, &step, JIG_U32),
                             jig_constant(&start, JIG_U32),
                             jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                             falling,
                             jig_permutation(&in, &map),
                             jig_iter_source(jig_op_source("return i * 5;"), JIG_U32)};
  const jig_iter out = jig_pointer(memory, JIG_U32);
  const jig_iter outputs[] = {out, jig_strided(memory, 8, JIG_U32), jig_iter_reverse(&out, COUNT),
                              jig_transform_output(&out, jig_op_source("return x + 9;"), JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(inputs); ++k) {
    const size_t to = k % COUNT_OF(outputs);
    for (uint32_t i = 0; i < COUNT; ++i) {
      const uint32_t values[] = {start + step * i,     start,        words[i] * 3 + 1,
                                 words[COUNT - 1 - i], words[i / 2], i * 5};
      items[i] = values[k];
    }
    jig_binary_search_args args = {.in = inputs[k],
                                   .needles_in = k % 2 == 0 ? in : falling,
                                   .out = outputs[to],
                                   .num_items = COUNT,
                                   .num_needles = COUNT};
    if (k == 3) args.compare = JIG_GREATER;
    RUN_WITHOUT_STORAGE(jig_binary_search, &args);
    gpu_read(got, memory, COUNT * 8);
    for (size_t i = 0; i < COUNT; ++i) {
      const double needle = words[k % 2 == 0 ? i : COUNT - 1 - i];
      const size_t right = place_of(items, COUNT, needle, false, k == 3 ? by_value_falling : by_value);
      const size_t at = to == 1 ? 2 * i : to == 2 ? COUNT - 1 - i : i;
      ck_assert_uint_eq(got[at] - (to == 3 ? 9 : 0), right);
    }
  }
  gpu_free(in.pointer);
  gpu_free(map.pointer);
  gpu_free(memory);
  free(words);
  free(got);
  free(indices);
  free(items);
}
END_TEST

/* Of a range of which nobody knows the order there is a place, and nothing outside is read. */
START_TEST(a_range_in_no_order) {
  enum { ITEMS = 50000, NEEDLES = 30000 };
  uint32_t *words = random_words(ITEMS, 9), *got = malloc(NEEDLES * 8);
  void *in = gpu_copy(words, ITEMS * 4, 4), *out = gpu_alloc(NEEDLES * 8, 0);
  static const char *const orders[] = {"return a < b;",  "return true;",  "return (a ^ b) & 1;",
                                       "return a != b;", "return false;", "return b - a < 0x7fffff00u;"};
  for (size_t k = 0; k < COUNT_OF(orders); ++k) {
    OK(jig_equal_range(NULL, NULL, NULL, jig_pointer(in, JIG_U32), ITEMS, jig_pointer(in, JIG_U32),
                       NEEDLES, jig_pointer(out, JIG_U32),
                       jig_pointer((uint32_t *)out + NEEDLES, JIG_U32), jig_op_source(orders[k]), NULL));
    gpu_read(got, out, NEEDLES * 8);
    for (size_t i = 0; i < 2 * NEEDLES; ++i) ck_assert_uint_le(got[i], ITEMS);
    OK(jig_lower_bound(NULL, NULL, NULL, jig_pointer(in, JIG_U32), ITEMS, jig_pointer(in, JIG_U32),
                       NEEDLES, jig_pointer(out, JIG_U32), jig_op_source(orders[k]), NULL));
    gpu_read(got, out, NEEDLES * 4);
    for (size_t i = 0; i < NEEDLES; ++i) ck_assert_uint_le(got[i], ITEMS);
  }
  gpu_free(in);
  gpu_free(out);
  free(words);
  free(got);
}
END_TEST

/* Items and needles that are all tagged; an order that counts what is neither. */
START_TEST(an_order_is_called_with_items) {
  enum { ITEMS = 30000 };
  static const size_t needles[] = {1, 31, 500, 513, 5000, 20001, 30000};
  uint32_t *words = malloc(ITEMS * 4), count;
  void *foreign = gpu_alloc(4, 0), *out = gpu_alloc(ITEMS * 4, 0);
  for (size_t i = 0; i < ITEMS; ++i) words[i] = 0xab000000 | (uint32_t)i;
  void *in = gpu_copy(words, ITEMS * 4, 0);
  const jig_type counter = jig_struct("counter", "struct counter { unsigned *count; };", 8, 8);
  const jig_op compare = jig_op_with_state(
      jig_op_source("if (a >> 24 != 0xab || b >> 24 != 0xab) atomicAdd(state.count, 1u); return a < b;"),
      &foreign, counter);
  gpu_fill(foreign, 0, 4);
  for (size_t k = 0; k < COUNT_OF(needles); ++k)
    for (size_t items = 100; items <= ITEMS; items += ITEMS - 100)
      OK(jig_lower_bound(NULL, NULL, NULL, jig_pointer(in, JIG_U32), items, jig_pointer(in, JIG_U32),
                         needles[k], jig_pointer(out, JIG_U32), compare, NULL));
  gpu_read(&count, foreign, 4);
  ck_assert_uint_eq(count, 0);
  gpu_free(foreign);
  gpu_free(out);
  gpu_free(in);
  free(words);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),          SUITE_TEST(every_shape_and_order),
      SUITE_TEST(many_equal_items),    SUITE_TEST(needles_outside),
      SUITE_TEST(structs_by_an_order), SUITE_TEST(inputs_and_outputs_of_every_kind),
      SUITE_TEST(a_range_in_no_order), SUITE_TEST(an_order_is_called_with_items)};
  return SUITE_RUN("device/binary_search", tests, true);
}
