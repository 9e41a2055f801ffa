/* Merge sort by operators that are no strict weak orders: what comes out are the input's items all the
 * same, values with their keys, nothing beside them is written, and operators are shown nothing but
 * items. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "suite.h"

typedef struct sort_case {
  jig_type key, value; /* value of kind NONE: there are none */
  jig_op op;
  const char *name; /* the operator's */
  size_t count;
  bool in_place;
  size_t offset; /* of all arrays off their alignment, in items */
} sort_case;

static jig_merge_sort_args args_of(const sort_case *c, void *in, void *out, void *values_in,
                                   void *values_out) {
  jig_merge_sort_args args = {.keys_in = jig_pointer(in, c->key),
                              .keys_out = jig_pointer(out, c->key),
                              .num_items = c->count,
                              .compare = c->op};
  if (c->value.kind == JIG_KIND_NONE) return args;
  args.values_in = jig_pointer(values_in, c->value);
  args.values_out = jig_pointer(values_out, c->value);
  return args;
}

static merge_sort_marks marks_of(sort_case c) {
  const jig_merge_sort_args args = args_of(&c, NULL, NULL, NULL, NULL);
  return merge_sort_marks_of(&args);
}

/* Of these keys; every value is another one, as far as there are so many. */
static void check_keys(const sort_case *c, const void *keys) {
  const size_t size = c->key.size, value_size = c->value.size, n = c->count;
  unsigned char *values = random_bytes(n * value_size, 3);
  for (size_t i = 0; i < n && value_size > 0; ++i)
    memcpy(values + i * value_size, &i, value_size < sizeof i ? value_size : sizeof i);
  void *in = gpu_copy(keys, n * size, c->offset * size);
  void *values_in = gpu_copy(values, n * value_size, c->offset * value_size);
  void *out = c->in_place ? in : gpu_alloc(n * size, c->offset * size);
  void *values_out = c->in_place ? values_in : gpu_alloc(n * value_size, c->offset * value_size);
  const jig_merge_sort_args args = args_of(c, in, out, values_in, values_out);
  run_merge_sort(&args);
  char what[160];
  (void)snprintf(what, sizeof what, "%s: %zu keys of %u bytes%s, values of %u", c->name, n, c->key.size,
                 c->in_place ? " in place" : "", c->value.size);
  check_same_items(out, keys, size, values_out, values, value_size, n, what);
  if (!c->in_place) {
    check_kept(in, keys, n * size, what);
    check_kept(values_in, values, n * value_size, what);
    gpu_free(out);
    gpu_free(values_out);
  }
  gpu_free(in);
  gpu_free(values_in);
  free(values);
}

static void check_case(sort_case c) {
  void *keys = c.key.kind == JIG_KIND_STRUCT ? hostile_items(c.key, c.count, 5 + c.count)
                                             : random_bytes(c.count * c.key.size, 5 + c.count);
  check_keys(&c, keys);
  free(keys);
}

/* ---- operators and sizes */

START_TEST(every_operator) {
  for (size_t o = 0; o < HOSTILE_OPS; ++o) {
    sort_case c = {.key = JIG_U32, .op = hostile_op(o, JIG_U32), .name = hostile_name(o)};
    const merge_sort_marks marks = marks_of(c);
    const size_t tile = marks.small_tile,
                 sizes[] = {
                     0, 1, 2, 3, 5, 33, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 9, 13 * tile - 5};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
      c.count = sizes[i];
      c.in_place = (i + o) % 2;
      check_case(c);
    }
  }
}
END_TEST

/* Large tiles; so many of them that passes by two search before they merge; and passes by four. */
START_TEST(many_items) {
  for (size_t o = 0; o < HOSTILE_OPS; ++o) {
    sort_case c = {
        .key = JIG_I32, .op = hostile_op(o, JIG_I32), .name = hostile_name(o), .in_place = o % 2};
    const merge_sort_marks marks = marks_of(c);
    const size_t sizes[] = {marks.large_from + 1, marks.four_from - 100, marks.four_from + 12345};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
      c.count = sizes[i];
      c.offset = i == 2 && o % 3 == 0;
      check_case(c);
    }
  }
}
END_TEST

/* So many tiles that where they begin is found in two steps, between places that do not go together. */
START_TEST(searches_in_brackets) {
  for (size_t o = HOSTILE_RANDOM; o <= HOSTILE_NEARLY; ++o) {
    sort_case c = {.key = JIG_U8, .op = hostile_op(o, JIG_U8), .name = hostile_name(o)};
    c.count = 2 * marks_of(c).brackets_from + 77;
    check_case(c);
  }
}
END_TEST

/* ---- what an operator goes by beside its operands */

START_TEST(states) {
  static const uint64_t bits = 0x9d3a5c17e2b4860f;
  uint64_t *there = gpu_copy(&bits, sizeof bits, 0);
  const jig_op op = jig_op_source("return state >> (a * 31 + b) % 64 & 1;");
  const jig_op ops[] = {jig_op_with_state(op, &bits, JIG_U64),
                        jig_op_with_device_state(op, there, JIG_U64)};
  for (size_t o = 0; o < COUNT_OF(ops); ++o) {
    sort_case c = {.key = JIG_U32,
                   .value = o > 0 ? (jig_type)JIG_U16 : (jig_type)JIG_ZERO,
                   .op = ops[o],
                   .name = "by a state"};
    const merge_sort_marks marks = marks_of(c);
    const size_t sizes[] = {marks.small_tile - 1, 7 * marks.small_tile, marks.four_from + 1};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
      c.count = sizes[i];
      check_case(c);
    }
  }
  gpu_free(there);
}
END_TEST

/* Which may lose items, but makes none up. */
START_TEST(undecided) {
  sort_case c = {.key = JIG_U32, .value = JIG_U32, .op = undecided_op, .name = "undecided"};
  const merge_sort_marks marks = marks_of(c);
  const size_t tile = marks.small_tile,
               sizes[] = {tile - 1, 2 * tile, 31 * tile + 2, marks.four_from - 1, marks.four_from + tile};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    const size_t n = sizes[i];
    uint32_t *keys = (uint32_t *)random_bytes(n * sizeof *keys, n), *places = malloc(n * sizeof *places);
    for (size_t k = 0; k < n; ++k) places[k] = (uint32_t)k;
    void *in = gpu_copy(keys, n * sizeof *keys, 0), *values_in = gpu_copy(places, n * sizeof *places, 0);
    void *out = gpu_alloc(n * sizeof *keys, 0), *values_out = gpu_alloc(n * sizeof *places, 0);
    c.count = n;
    const jig_merge_sort_args args = args_of(&c, in, out, values_in, values_out);
    run_merge_sort(&args);
    check_only_items(out, keys, 4, values_out, places, 4, n, c.name);
    void *device[] = {in, values_in, out, values_out};
    for (size_t k = 0; k < COUNT_OF(device); ++k) gpu_free(device[k]);
    free(keys);
    free(places);
  }
}
END_TEST

/* ---- what is moved about */

static void check_records(jig_type key, jig_type value, bool many) {
  static const size_t ops[] = {HOSTILE_RANDOM, HOSTILE_NEARLY};
  for (size_t i = 0; i < COUNT_OF(ops); ++i) {
    sort_case c = {.key = key,
                   .value = value,
                   .op = hostile_op(ops[i], key),
                   .name = hostile_name(ops[i]),
                   .in_place = i % 2};
    const merge_sort_marks marks = marks_of(c);
    c.count = marks.small_tile - 3;
    check_case(c);
    c.count = 5 * marks.small_tile + 7;
    c.offset = i;
    check_case(c);
    if (!many) continue;
    c.offset = 0;
    c.count = marks.large_from + marks.large_tile / 2;
    check_case(c);
    c.count = marks.four_from + marks.large_tile + 1;
    check_case(c);
  }
}

START_TEST(keys_of_every_size) {
  const jig_type none = JIG_ZERO;
  check_records(JIG_U8, none, false);
  check_records(JIG_I16, none, true);
  check_records(JIG_U64, none, true);
  check_records(JIG_I128, none, false);
  check_records(hostile_type(8), none, true);
  check_records(hostile_type(12), none, true);
  check_records(hostile_type(36), none, false);
  check_records(hostile_type(64), none, false);
  check_records(hostile_type(256), none, false);
}
END_TEST

START_TEST(pairs) {
  check_records(JIG_U32, JIG_U32, true);
  check_records(JIG_U8, JIG_U64, false);
  check_records(JIG_I16, jig_opaque(3, 1), true);
  check_records(JIG_U64, jig_opaque(24, 8), true); /* which are fetched at the end */
  check_records(hostile_type(8), JIG_U64, true);
  check_records(hostile_type(64), JIG_U128, false);
}
END_TEST

/* ---- floats that are compared by an operator of the caller's, which does not know of NaNs */

START_TEST(floats_by_less) {
  static const char *const ops[] = {"return !(a >= b);", "return a < b;"};
  const jig_type none = JIG_ZERO;
  for (int i = 0; i < 12; ++i) {
    sort_case c = {.key = JIG_F32,
                   .value = i % 3 == 2 ? JIG_U32 : none,
                   .op = jig_op_source(ops[i % 2]),
                   .name = ops[i % 2]};
    const merge_sort_marks marks = marks_of(c);
    const size_t sizes[] = {5, 1000, marks.small_tile + 1, 20000, marks.four_from + 99};
    for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
      c.count = sizes[k];
      c.in_place = k % 2;
      uint64_t seed = 17 + (uint64_t)i;
      float *keys = malloc(c.count * sizeof *keys);
      for (size_t n = 0; n < c.count; ++n) {
        const uint64_t r = next_random(&seed) >> 20;
        keys[n] = r % 100 < (i < 6 ? 10 : 1) ? NAN : (float)(r % 1000);
      }
      check_keys(&c, keys);
      free(keys);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_operator), SUITE_TEST(many_items),     SUITE_TEST(searches_in_brackets),
      SUITE_TEST(states),         SUITE_TEST(undecided),      SUITE_TEST(keys_of_every_size),
      SUITE_TEST(pairs),          SUITE_TEST(floats_by_less),
  };
  return SUITE_RUN("device/merge_sort_orders", tests, true);
}
