/* Merge sort of keys with values beside them, of structs, and in orders that an operator tells. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

static merge_sort_marks marks_of(jig_type key, jig_type value, jig_op op) {
  jig_merge_sort_args args = {
      .keys_in = jig_pointer(NULL, key), .keys_out = jig_pointer(NULL, key), .compare = op};
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = jig_pointer(NULL, value);
  return merge_sort_marks_of(&args);
}

/* ---- pairs: of equal keys, the order of their values tells whether a sort is stable */

static void check_pairs(merge_sort_case c, order_pattern pattern) {
  uint32_t *ranks = ranks_of(pattern, c.count, 5 + c.count);
  void *keys = items_of_ranks(c.key, ranks, c.count);
  c.keys = keys;
  c.what = "pairs";
  c.order = order_of_kind(c.key.kind);
  check_merge_sort(&c);
  free(keys);
  free(ranks);
}

START_TEST(every_value) {
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_I16, JIG_KIND_U32, JIG_KIND_F64,
                                       JIG_KIND_I128};
  const jig_type values[] = {JIG_U8,
                             JIG_I16,
                             JIG_U32,
                             JIG_U64,
                             JIG_U128,
                             jig_opaque(3, 1),
                             jig_opaque(9, 1),
                             jig_opaque(12, 4),
                             jig_opaque(48, 16),
                             jig_opaque(100, 4)};
  for (size_t i = 0; i < COUNT_OF(values); ++i) {
    if (!test_turn(i)) continue;
    const jig_type key = type_of(keys[i % COUNT_OF(keys)]), value = values[i];
    const merge_sort_marks marks = marks_of(key, value, (jig_op){0});
    const merge_sort_case c = {.key = key, .value = value, .offset = i % 3};
    const size_t counts[] = {marks.small_tile - 9, 3 * marks.small_tile + 9, marks.large_from + 99};
    for (size_t k = 0; k < 6; ++k) {
      merge_sort_case more = c;
      more.count = counts[k % 3];
      more.in_place = (i + k) % 2 == 1;
      check_pairs(more, k < 3 ? ORDER_FEW : ORDER_RANDOM);
    }
  }
}
END_TEST

START_TEST(every_pattern) {
  const merge_sort_marks marks = marks_of(JIG_U32, JIG_U32, (jig_op){0});
  for (int p = 0; p < ORDER_PATTERNS; ++p) {
    const merge_sort_case c = {.key = JIG_U32, .value = JIG_U32, .count = marks.small_tile / 2};
    merge_sort_case larger = c;
    check_pairs(c, (order_pattern)p);
    larger.count = marks.large_from + 4001;
    check_pairs(larger, (order_pattern)p);
  }
}
END_TEST

/* By four: records that are copied in bulk, and some that cannot be; records with padding, whole ones of
 * which do not fill vectors, so that parts of a tile are not where others' items would go on. */
static void check_passes_by_four(void) {
  const jig_type keys[] = {JIG_U32, JIG_F64, JIG_U8, JIG_U32, JIG_I16, JIG_I16, JIG_U64, JIG_F16, JIG_U8};
  const jig_type values[] = {JIG_U32,          JIG_U128,         jig_opaque(2, 1),
                             JIG_U64,          jig_opaque(3, 1), jig_opaque(7, 1),
                             jig_opaque(3, 1), jig_opaque(5, 1), JIG_U32};
  for (size_t i = 0; i < COUNT_OF(keys); ++i) {
    if (!test_turn(i)) continue;
    const merge_sort_marks marks = marks_of(keys[i], values[i], (jig_op){0});
    const merge_sort_case c = {.key = keys[i],
                               .value = values[i],
                               .count = marks.four_from + marks.large_tile + 55,
                               .in_place = i % 4 == 1};
    check_pairs(c, ORDER_RANDOM);
    check_pairs(c, ORDER_FEW);
  }
}
START_TEST(passes_by_four) {
  check_passes_by_four();
}
END_TEST

/* What many items are sorted by: keys and values of every other pass are in the outputs, apart. */
START_TEST(passes_between_outputs) {
  const uint64_t kept = limits_of(NULL)->merge_sort_least_apart;
  limits_of(NULL)->merge_sort_least_apart = 1;
  check_passes_by_four();
  const merge_sort_marks marks = marks_of(JIG_U32, JIG_U32, (jig_op){0});
  for (int i = 1; i < 4; ++i)
    check_pairs((merge_sort_case){.key = JIG_U32,
                                  .value = JIG_U32,
                                  .count = marks.four_from + (marks.large_tile << 2 * i) + 3,
                                  .op = i == 2 ? jig_op_source("return a < b;") : (jig_op){0},
                                  .in_place = i == 2},
                ORDER_RANDOM);
  limits_of(NULL)->merge_sort_least_apart = kept;
}
END_TEST

/* Of fewer pairs than the passes are planned for: what they move all the same ends in the outputs. */
START_TEST(a_counted_part_between_outputs) {
  const uint64_t kept = limits_of(NULL)->merge_sort_least_apart;
  limits_of(NULL)->merge_sort_least_apart = 1;
  const merge_sort_marks marks = marks_of(JIG_U32, JIG_U32, (jig_op){0});
  const size_t most = marks.four_from + (marks.large_tile << 2) + 3, bytes = most * sizeof(uint32_t);
  const uint64_t counts[] = {0, 1, marks.large_tile + 7, most - 1};
  uint32_t *keys = malloc(bytes), *places = malloc(bytes);
  uint32_t *sorted = malloc(bytes), *moved = malloc(bytes);
  for (size_t i = 0; i < most; ++i) {
    keys[i] = (uint32_t)(i * 2654435761u) >> 20;
    places[i] = (uint32_t)i;
  }
  void *keys_in = gpu_copy(keys, bytes, 0), *values_in = gpu_copy(places, bytes, 0);
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    const size_t count = counts[c];
    void *keys_out = gpu_alloc(bytes, 0), *values_out = gpu_alloc(bytes, 0);
    void *num_items_in = gpu_copy(&counts[c], sizeof counts[c], 0);
    const jig_merge_sort_args args = {.keys_in = jig_pointer(keys_in, JIG_U32),
                                      .keys_out = jig_pointer(keys_out, JIG_U32),
                                      .values_in = jig_pointer(values_in, JIG_U32),
                                      .values_out = jig_pointer(values_out, JIG_U32),
                                      .num_items = most,
                                      .num_items_in = num_items_in};
    RUN_PHASES(jig_merge_sort, &args, 0);
    gpu_read(sorted, keys_out, bytes);
    gpu_read(moved, values_out, bytes);
    for (size_t i = 0; i < count; ++i) {
      ck_assert_uint_lt(moved[i], count);
      ck_assert_uint_eq(sorted[i], keys[moved[i]]);
      ck_assert(i == 0 || sorted[i - 1] < sorted[i] ||
                (sorted[i - 1] == sorted[i] && moved[i - 1] < moved[i]));
    }
    ck_assert(gpu_is_untouched((uint32_t *)keys_out + count, bytes - count * sizeof(uint32_t)));
    ck_assert(gpu_is_untouched((uint32_t *)values_out + count, bytes - count * sizeof(uint32_t)));
    gpu_free(keys_out);
    gpu_free(values_out);
    gpu_free(num_items_in);
  }
  gpu_free(keys_in);
  gpu_free(values_in);
  free(keys);
  free(places);
  free(sorted);
  free(moved);
  limits_of(NULL)->merge_sort_least_apart = kept;
}
END_TEST

/* ---- orders */

static int falling(const void *a, const void *b) {
  return order_of_kind(JIG_KIND_I32)(b, a);
}
static int by_last_digit(const void *a, const void *b) {
  uint32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (int)(x % 10) - (int)(y % 10);
}

static void check_order(jig_type key, jig_type value, jig_op op, key_order order, const char *what) {
  const merge_sort_marks marks = marks_of(key, value, op);
  const size_t counts[] = {300, 2 * marks.small_tile + 55, marks.large_from + 1055};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    uint32_t *ranks = ranks_of(ORDER_RANDOM, counts[i], 9);
    void *keys = items_of_ranks(key, ranks, counts[i]);
    const merge_sort_case c = {.key = key,
                               .value = value,
                               .keys = keys,
                               .count = counts[i],
                               .op = op,
                               .order = order,
                               .in_place = i % 2,
                               .what = what};
    check_merge_sort(&c);
    free(keys);
    free(ranks);
  }
}

START_TEST(orders) {
  static const uint32_t base = 10;
  uint32_t *device = gpu_copy(&base, sizeof base, 0);
  check_order(JIG_I32, JIG_U16, jig_op_source("return a > b;"), falling, "falling");
  check_order(JIG_U32, JIG_U32,
              jig_op_with_state(jig_op_source("return a % state < b % state;"), &base, JIG_U32),
              by_last_digit, "by the last digit");
  check_order(JIG_U32, JIG_U64,
              jig_op_with_device_state(jig_op_source("return a % state < b % state;"), device, JIG_U32),
              by_last_digit, "by the last digit, a state in device memory");
  check_order(
      JIG_U32, (jig_type){0},
      jig_op_function("bool before(unsigned a, unsigned b) { return a % 10 < b % 10; }", "before"),
      by_last_digit, "by a function");
  gpu_free(device);
}
END_TEST

/* ---- structs */

typedef struct person {
  uint16_t group;
  uint8_t rank;
  char name[4];
} person;
_Static_assert(sizeof(person) == 8, "");
static const char person_source[] = "struct person { uint16_t group; uint8_t rank; char name[4]; };";
static const char ordered_person_source[] =
    "struct person { uint16_t group; uint8_t rank; char name[4];\n"
    "  __device__ bool operator<(const person &b) const {\n"
    "    return group != b.group ? group < b.group : rank < b.rank; } };";
static int person_order(const void *a, const void *b) {
  const person *x = a, *y = b;
  return x->group != y->group ? x->group - y->group : x->rank - y->rank;
}

typedef struct wide {
  double place[3];
  uint32_t id;
} wide;
static const char wide_source[] = "struct wide { double place[3]; uint32_t id; };";
static int wide_order(const void *a, const void *b) {
  const wide *x = a, *y = b;
  const double p = x->place[0] + x->place[2], q = y->place[0] + y->place[2];
  return p == q ? 0 : p < q ? -1 : 1;
}

static void *random_bytes(size_t bytes) {
  uint64_t seed = 3;
  unsigned char *items = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; ++i) items[i] = (unsigned char)((next_random(&seed) >> 30) % 7);
  return items;
}

static void check_structs(jig_type key, jig_type value, jig_op op, key_order order, const char *what) {
  const merge_sort_marks marks = marks_of(key, value, op);
  const size_t counts[] = {77, 5 * marks.small_tile - 5, marks.large_from + 60};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    void *keys = random_bytes(counts[i] * key.size);
    const merge_sort_case c = {.key = key,
                               .value = value,
                               .keys = keys,
                               .count = counts[i],
                               .op = op,
                               .order = order,
                               .in_place = i % 2,
                               .what = what};
    check_merge_sort(&c);
    free(keys);
  }
}

static int first_byte(const void *a, const void *b) {
  return (int)*(const unsigned char *)a - (int)*(const unsigned char *)b;
}

START_TEST(structs) {
  const jig_type named = jig_struct("person", person_source, sizeof(person), _Alignof(person));
  const jig_type ordered = jig_struct("person", ordered_person_source, sizeof(person), _Alignof(person));
  const jig_type large = jig_struct("wide", wide_source, sizeof(wide), _Alignof(wide));
  const jig_type largest = jig_struct("block", "struct block { unsigned char bytes[200]; };", 200, 1);
  check_structs(named, (jig_type){0},
                jig_op_source("return a.group != b.group ? a.group < b.group : a.rank < b.rank;"),
                person_order, "a struct");
  check_structs(ordered, JIG_U32, (jig_op){0}, person_order, "a struct with an order of its own");
  check_structs(large, JIG_U8, jig_op_source("return a.place[0] + a.place[2] < b.place[0] + b.place[2];"),
                wide_order, "a wide struct");
  check_structs(JIG_U8, large, (jig_op){0}, order_of_kind(JIG_KIND_U8), "wide values");
  check_structs(largest, JIG_U32, jig_op_source("return a.bytes[0] < b.bytes[0];"), first_byte,
                "a very wide struct");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_value),
      SUITE_TEST(every_pattern),
      SUITE_TEST(passes_by_four),
      SUITE_TEST(passes_between_outputs),
      SUITE_TEST(a_counted_part_between_outputs),
      SUITE_TEST(orders),
      SUITE_TEST(structs),
  };
  return SUITE_RUN("device/merge_sort_pairs", tests, true);
}
