/* Set operations: all modes of all types, sizes, values, orders, how often keys are equal, inputs that
 * are in no order.
 */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "seed.h"
#include "sort_support.h"
#include "suite.h"

enum { MODES = JIG_SET_SYMMETRIC_DIFFERENCE + 1 };

/* From so many items on, two launches. */
static size_t large_from(void) {
  int count;
  return (size_t)driver_devices(&count)->multiprocessors * 16384 + 1;
}

typedef struct set_case {
  jig_type key, value; /* value of kind NONE: there are none */
  size_t counts[2];
  order_pattern pattern;
  jig_op op;
  key_order order;
  size_t offset; /* in items */
  bool only_count;
} set_case;

/* ---- what the host makes of it */

/* Which items of both inputs, laid one behind the other, are kept. */
static size_t *kept_items(const char *keys, size_t size, const size_t counts[2], key_order order,
                          jig_set_mode mode, size_t *kept) {
  const size_t end_a = counts[0], end_b = counts[0] + counts[1];
  size_t *places = malloc((end_b + 1) * sizeof *places), n = 0;
  for (size_t a = 0, b = end_a; a < end_a || b < end_b;) {
    const int compared = a == end_a ? 1 : b == end_b ? -1 : order(keys + a * size, keys + b * size);
    const bool keeps = compared == 0  ? mode == JIG_SET_UNION || mode == JIG_SET_INTERSECTION
                       : compared < 0 ? mode != JIG_SET_INTERSECTION
                                      : mode == JIG_SET_UNION || mode == JIG_SET_SYMMETRIC_DIFFERENCE;
    if (keeps) places[n++] = compared <= 0 ? a : b;
    if (compared <= 0) ++a;
    if (compared >= 0) ++b;
  }
  *kept = n;
  return places;
}

static size_t room(const size_t counts[2], jig_set_mode mode) {
  const size_t first = counts[0], second = counts[1];
  if (mode == JIG_SET_INTERSECTION) return first < second ? first : second;
  return mode == JIG_SET_DIFFERENCE ? first : first + second;
}

/* Both inputs one behind the other, each sorted by itself. */
static char *sorted_inputs(const set_case *c, key_order order) {
  uint32_t *ranks = ranks_of(c->pattern, c->counts[0] + c->counts[1], 77);
  char *items = items_of_ranks(c->key, ranks, c->counts[0] + c->counts[1]);
  sort_each(items, c->key.size, c->counts, order);
  free(ranks);
  return items;
}

static void check_mode(const set_case *c, const char *keys, key_order order, jig_set_mode mode) {
  const size_t first = c->counts[0], second = c->counts[1], most = room(c->counts, mode);
  const size_t size = c->key.size, value_size = c->value.size;
  const bool keeps_second = mode == JIG_SET_UNION || mode == JIG_SET_SYMMETRIC_DIFFERENCE;
  size_t kept;
  size_t *places = kept_items(keys, size, c->counts, order, mode, &kept);
  unsigned char *values = random_bytes((first + second) * value_size, 8);
  void *wanted = permuted(keys, size, places, kept),
       *wanted_values = permuted(values, value_size, places, kept);
  void *a = gpu_copy(keys, first * size, c->offset * size),
       *b = gpu_copy(keys + first * size, second * size, 0);
  void *a_values = gpu_copy(values, first * value_size, 0),
       *b_values = gpu_copy(values + first * value_size, second * value_size, c->offset * value_size);
  void *out = gpu_alloc(most * size, c->offset * size), *values_out = gpu_alloc(most * value_size, 0);
  void *num_items_out = gpu_alloc(8, 0);
  jig_set_operation_args args = {.first_keys_in = jig_pointer(a, c->key),
                                 .second_keys_in = jig_pointer(b, c->key),
                                 .num_items_out = jig_pointer(num_items_out, JIG_U64),
                                 .first_num_items = first,
                                 .second_num_items = second,
                                 .compare = c->op,
                                 .mode = mode};
  if (!c->only_count) args.keys_out = jig_pointer(out, c->key);
  if (value_size > 0) {
    args.first_values_in = jig_pointer(a_values, c->value);
    if (keeps_second) args.second_values_in = jig_pointer(b_values, c->value);
    args.values_out = jig_pointer(values_out, c->value);
  }
  RUN_PHASES(jig_set_operation, &args, 0);
  uint64_t counted;
  char what[128];
  gpu_read(&counted, num_items_out, 8);
  (void)snprintf(what, sizeof what, "mode %d of %zu and %zu %s", (int)mode, first, second,
                 jig_type_name(&c->key));
  ck_assert_msg(counted == kept, "%s: %zu are kept, not %zu", what, (size_t)counted, kept);
  if (!c->only_count) check_sorted(out, wanted, size, kept, what);
  if (value_size > 0) check_sorted(values_out, wanted_values, value_size, kept, what);
  ck_assert(gpu_is_untouched((char *)out + kept * size, (most - kept) * size));
  void *device[] = {a, b, a_values, b_values, out, values_out, num_items_out};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  void *host[] = {places, values, wanted, wanted_values};
  for (size_t i = 0; i < COUNT_OF(host); ++i) free(host[i]);
}

/* In every `step`-th mode. */
static void check_modes(set_case c, int first, int step) {
  const key_order order = c.order != NULL ? c.order : order_of_kind(c.key.kind);
  char *keys = sorted_inputs(&c, order);
  for (int mode = first; mode < MODES; mode += step) check_mode(&c, keys, order, (jig_set_mode)mode);
  free(keys);
}

static void check_set(set_case c) {
  check_modes(c, 0, 1);
}

/* ---- results */

START_TEST(every_type) {
  int i = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind, ++i)
    check_modes((set_case){.key = type_of(*kind), .counts = {6000, 4500}, .offset = 1}, i % 3, 3);
}
END_TEST

START_TEST(sizes) {
  static const size_t counts[] = {0, 1, 31, 33, 1023, 1024, 1025, 5000};
  for (size_t i = 0; i < COUNT_OF(counts); ++i)
    for (size_t k = 0; k < COUNT_OF(counts); ++k)
      check_set((set_case){.key = JIG_U32,
                           .value = (i + k) % 2 ? JIG_U32 : (jig_type){0},
                           .counts = {counts[i], counts[k]},
                           .pattern = i % 2 ? ORDER_FEW : ORDER_RANDOM});
}
END_TEST

START_TEST(large_sizes) {
  const size_t large = large_from();
  check_set((set_case){.key = JIG_U64, .counts = {0, large}});
  check_set((set_case){.key = JIG_U64, .counts = {large, 3}, .pattern = ORDER_SORTED});
  check_set((set_case){.key = JIG_U8, .counts = {large, large / 2}});
  check_set(
      (set_case){.key = JIG_U32, .value = JIG_U16, .counts = {large + 99, 4000}, .pattern = ORDER_EQUAL});
  check_set(
      (set_case){.key = JIG_U16, .counts = {4000, large}, .pattern = ORDER_FEW, .only_count = true});
}
END_TEST

START_TEST(patterns) {
  for (int p = 0; p < ORDER_PATTERNS; ++p)
    check_set((set_case){
        .key = JIG_I32, .value = JIG_U16, .counts = {40000, 30001}, .pattern = (order_pattern)p});
}
END_TEST

START_TEST(values) {
  const jig_type types[] = {JIG_U8, JIG_U64, JIG_U128, jig_opaque(24, 8), jig_opaque(7, 1)};
  for (size_t i = 0; i < COUNT_OF(types); ++i)
    check_modes(
        (set_case){
            .key = JIG_U8, .value = types[i], .counts = {2000, 3111}, .pattern = ORDER_FEW, .offset = 1},
        test_turn(i), 2);
}
END_TEST

static int falling(const void *a, const void *b) {
  return order_of_kind(JIG_KIND_I32)(b, a);
}
static int by_first_byte(const void *a, const void *b) {
  return (int)*(const unsigned char *)a - (int)*(const unsigned char *)b;
}

START_TEST(orders) {
  check_set((set_case){.key = JIG_I32,
                       .value = JIG_I32,
                       .counts = {9000, 5000},
                       .op = jig_op_source("return a > b;"),
                       .order = falling});
  /* Keys that are equal are not the same: of which input they come, and in which order, shows. */
  static const uint32_t bytes[] = {3, 24, 256};
  for (size_t i = 0; i < COUNT_OF(bytes); ++i) {
    char name[8], definition[64];
    (void)snprintf(name, sizeof name, "s%u", bytes[i]);
    (void)snprintf(definition, sizeof definition, "struct s%u { unsigned char m[%u]; };", bytes[i],
                   bytes[i]);
    const size_t counts[2] = {3000, 4001};
    const set_case c = {.key = jig_struct(name, definition, bytes[i], 1),
                        .counts = {3000, 4001},
                        .op = jig_op_source("return a.m[0] < b.m[0];")};
    unsigned char *items = random_bytes((counts[0] + counts[1]) * bytes[i], 5);
    sort_each(items, bytes[i], counts, by_first_byte);
    for (int mode = test_turn(i); mode < MODES; mode += 2)
      check_mode(&c, (char *)items, by_first_byte, (jig_set_mode)mode);
    free(items);
  }
}
END_TEST

/* Each key some times in one input, some times in the other: neighbours make pairs across what threads
 * and blocks have. */
static size_t put_runs(uint32_t *keys, size_t most, uint64_t seed, unsigned longest) {
  size_t count = 0;
  for (uint32_t key = 0; count < most; ++key) {
    const uint64_t random = next_random(&seed);
    /* Mostly few, seldom many. */
    const size_t times = (random >> 8) % ((random & 15) == 0 ? longest : 4);
    for (size_t i = 0; i < times && count < most; ++i) keys[count++] = key;
  }
  return count;
}

START_TEST(runs) {
  static const unsigned longest[] = {5, 40, 3000, 60000};
  enum { MOST = 200000 };
  uint32_t *keys = malloc(MOST * 4);
  for (size_t i = 0; i < COUNT_OF(longest); ++i) {
    set_case c = {.key = JIG_U32, .value = JIG_U32};
    c.counts[0] = put_runs(keys, MOST / 2, 11 + i, longest[i]);
    c.counts[1] = put_runs(keys + c.counts[0], MOST / 2 - i, 911 + i, longest[i]);
    for (int mode = 0; mode < MODES; ++mode)
      check_mode(&c, (char *)keys, order_of_kind(JIG_KIND_U32), (jig_set_mode)mode);
  }
  free(keys);
}
END_TEST

/* ---- inputs that are in no order, and operators that are none */

/* Values are places. */
static void check_are_items(const void *out, const void *values_out, size_t kept, const uint32_t *keys,
                            size_t all, const char *what) {
  uint32_t *got = malloc((kept + 1) * 4), *places = malloc((kept + 1) * 4);
  gpu_read(got, out, kept * 4);
  gpu_read(places, values_out, kept * 4);
  for (size_t i = 0; i < kept; ++i)
    ck_assert_msg(places[i] < all && keys[places[i]] == got[i], "%s: %zu of %zu is no item of the inputs",
                  what, i, kept);
  free(got);
  free(places);
}

static void check_disorder(const uint32_t *keys, const size_t counts[2], jig_op op, const char *what) {
  const size_t all = counts[0] + counts[1];
  uint32_t *numbers = malloc(all * 4);
  for (size_t i = 0; i < all; ++i) numbers[i] = (uint32_t)i;
  for (int mode = 0; mode < MODES; ++mode) {
    const size_t most = room(counts, (jig_set_mode)mode);
    void *in = gpu_copy(keys, all * 4, 0), *values_in = gpu_copy(numbers, all * 4, 0);
    void *out = gpu_alloc(most * 4, 0), *values_out = gpu_alloc(most * 4, 0),
         *num_items_out = gpu_alloc(8, 0);
    const jig_set_operation_args args = {
        .first_keys_in = jig_pointer(in, JIG_U32),
        .second_keys_in = jig_pointer((uint32_t *)in + counts[0], JIG_U32),
        .keys_out = jig_pointer(out, JIG_U32),
        .first_values_in = jig_pointer(values_in, JIG_U32),
        .second_values_in = jig_pointer((uint32_t *)values_in + counts[0], JIG_U32),
        .values_out = jig_pointer(values_out, JIG_U32),
        .num_items_out = jig_pointer(num_items_out, JIG_U64),
        .first_num_items = counts[0],
        .second_num_items = counts[1],
        .compare = op,
        .mode = (jig_set_mode)mode};
    uint64_t kept;
    RUN_PHASES(jig_set_operation, &args, 0);
    gpu_read(&kept, num_items_out, 8);
    ck_assert_msg(kept <= most, "%s: %zu of %zu are kept", what, (size_t)kept, most);
    check_are_items(out, values_out, kept, keys, all, what);
    void *device[] = {in, values_in, out, values_out, num_items_out};
    for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  }
  free(numbers);
}

START_TEST(disorder) {
  const size_t large = large_from(),
               counts[][2] = {{3000, 2000}, {40000, 70001}, {large / 2, large / 2 + 7}};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    uint32_t *keys = (uint32_t *)(void *)random_bytes((counts[i][0] + counts[i][1]) * 4, 3 + i);
    check_disorder(keys, counts[i], (jig_op)JIG_ZERO, "no order");
    if (i < 2) {
      for (size_t k = 0; k < HOSTILE_OPS; ++k)
        if (test_turn(i + k)) check_disorder(keys, counts[i], hostile_op(k, JIG_U32), hostile_name(k));
      check_disorder(keys, counts[i], undecided_op, "undecided");
    }
    free(keys);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type), SUITE_TEST(sizes),  SUITE_TEST(large_sizes), SUITE_TEST(patterns),
      SUITE_TEST(values),     SUITE_TEST(orders), SUITE_TEST(runs),        SUITE_TEST(disorder),
  };
  return SUITE_RUN("device/set_operation", tests, true);
}
