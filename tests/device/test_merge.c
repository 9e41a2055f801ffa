/* Merge: types, sizes, values, orders, empty inputs, iterators, and what is refused. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "suite.h"

static void run_merge(const jig_merge_args *args) {
  RUN_PHASES(jig_merge, args, 0);
}

/* From so many items on, two launches. */
static size_t large_from(void) {
  int count;
  return (size_t)driver_devices(&count)->multiprocessors * 16384 + 1;
}

typedef struct merge_case {
  jig_type key, value; /* value of kind NONE: there are none */
  size_t counts[2];
  order_pattern pattern;
  jig_op op;
  key_order order;
  size_t offset; /* in items */
} merge_case;

static void settle(const merge_case *c, const void *device, const void *wanted, size_t size,
                   const char *of) {
  const size_t count = c->counts[0] + c->counts[1];
  char what[128];
  (void)snprintf(what, sizeof what, "%s of %zu and %zu by %s", of, c->counts[0], c->counts[1],
                 jig_type_name(&c->key));
  check_sorted(device, wanted, size, count, what);
}

/* Each half is sorted by itself; a stable sort of both together is what a merge has to come to. */
static void *sorted_halves(const merge_case *c, key_order order) {
  uint32_t *ranks = ranks_of(c->pattern, c->counts[0] + c->counts[1], 77);
  void *items = items_of_ranks(c->key, ranks, c->counts[0] + c->counts[1]);
  sort_each(items, c->key.size, c->counts, order);
  free(ranks);
  return items;
}

static void *at(void *items, size_t i, size_t size) {
  return (char *)items + i * size;
}

static void check_merge(merge_case c) {
  const key_order order = c.order != NULL ? c.order : order_of_kind(c.key.kind);
  const size_t first = c.counts[0], second = c.counts[1], count = first + second;
  const size_t size = c.key.size, value_size = c.value.size;
  char *keys = sorted_halves(&c, order);
  unsigned char *values = random_bytes(count * value_size, 8);
  size_t *places = stable_order(keys, size, count, order);
  void *wanted = permuted(keys, size, places, count),
       *wanted_values = permuted(values, value_size, places, count);
  void *in[] = {gpu_copy(keys, first * size, c.offset * size),
                gpu_copy(at(keys, first, size), second * size, 0)};
  void *values_in[] = {gpu_copy(values, first * value_size, c.offset * value_size),
                       gpu_copy(at(values, first, value_size), second * value_size, 0)};
  void *out = gpu_alloc(count * size, c.offset * size), *values_out = gpu_alloc(count * value_size, 0);
  jig_merge_args args = {.first_keys_in = jig_pointer(in[0], c.key),
                         .second_keys_in = jig_pointer(in[1], c.key),
                         .keys_out = jig_pointer(out, c.key),
                         .first_num_items = first,
                         .second_num_items = second,
                         .compare = c.op};
  if (c.value.kind != JIG_KIND_NONE) {
    args.first_values_in = jig_pointer(values_in[0], c.value);
    args.second_values_in = jig_pointer(values_in[1], c.value);
    args.values_out = jig_pointer(values_out, c.value);
  }
  run_merge(&args);
  settle(&c, out, wanted, size, "keys");
  if (c.value.kind != JIG_KIND_NONE) settle(&c, values_out, wanted_values, value_size, "values");
  void *device[] = {in[0], in[1], values_in[0], values_in[1], out, values_out};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  void *host[] = {keys, values, places, wanted, wanted_values};
  for (size_t i = 0; i < COUNT_OF(host); ++i) free(host[i]);
}

/* ---- results */

START_TEST(every_type) {
  const size_t large = large_from();
  int i = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind, ++i) {
    const jig_type key = type_of(*kind);
    check_merge((merge_case){.key = key, .counts = {3000, 1500}, .offset = 1});
    /* What is wanted is sorted here, one key at a time: not of every type that many. */
    if (i % 4 == 0) check_merge((merge_case){.key = key, .counts = {1 + large / 3, large - large / 3}});
  }
}
END_TEST

START_TEST(sizes) {
  static const size_t counts[] = {0, 1, 31, 32, 33, 1279, 1280, 1281, 2560, 5000};
  for (size_t i = 0; i < COUNT_OF(counts); ++i)
    for (size_t k = 0; k < COUNT_OF(counts); ++k)
      check_merge((merge_case){.key = JIG_U32,
                               .value = (i + k) % 2 ? JIG_U32 : (jig_type){0},
                               .counts = {counts[i], counts[k]},
                               .pattern = i % 2 ? ORDER_FEW : ORDER_RANDOM});
  const size_t large = large_from();
  check_merge((merge_case){.key = JIG_U64, .counts = {0, large}});
  check_merge((merge_case){.key = JIG_U64, .counts = {large, 0}});
  check_merge((merge_case){.key = JIG_U64, .counts = {3, large}});
  check_merge((merge_case){.key = JIG_U64, .counts = {large + 99, 4000}, .pattern = ORDER_EQUAL});
}
END_TEST

START_TEST(patterns) {
  const size_t large = large_from();
  for (int p = 0; p < ORDER_PATTERNS; ++p) {
    const merge_case c = {.key = JIG_I32, .value = JIG_U16, .pattern = (order_pattern)p};
    merge_case small = c, many = c;
    small.counts[0] = small.counts[1] = 7000;
    many.counts[0] = many.counts[1] = large / 2 + 5;
    check_merge(small);
    check_merge(many);
  }
}
END_TEST

START_TEST(values) {
  const jig_type types[] = {JIG_U8, JIG_U64, JIG_U128, jig_opaque(24, 8), jig_opaque(7, 1)};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    check_merge((merge_case){
        .key = JIG_U8, .value = types[i], .counts = {2000, 3111}, .pattern = ORDER_FEW, .offset = 1});
    check_merge((merge_case){.key = JIG_F64, .value = types[i], .counts = {40000, large_from()}});
  }
}
END_TEST

/* Tiles that only very many items have. */
START_TEST(largest_tiles) {
  static const struct {
    jig_type key, value;
  } types[] = {{JIG_U32, {0}}, {JIG_U64, {0}}, {JIG_U32, JIG_U32}, {JIG_U8, {0}}};
  limits_of(NULL)->merge_least_largest = 0;
  const size_t large = large_from();
  for (size_t i = 0; i < COUNT_OF(types); ++i)
    check_merge((merge_case){.key = types[i].key,
                             .value = types[i].value,
                             .counts = {large / 2 + 77 * i, large},
                             .pattern = i % 2 ? ORDER_FEW : ORDER_RANDOM,
                             .offset = i % 2});
  limits_of(NULL)->merge_least_largest = UINT64_MAX;
}
END_TEST

/* Those are moved by words, wherever in a word they begin and end. */
START_TEST(narrow_keys) {
  const jig_type types[] = {JIG_U8, JIG_I16, JIG_F16};
  const size_t large = large_from();
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const size_t counts[][2] = {
        {large, 0}, {0, large + 1}, {large + 2, 1}, {5, large + 3}, {large / 2, large / 2 + 9}};
    for (size_t k = 0; k < COUNT_OF(counts); ++k)
      check_merge((merge_case){.key = types[i],
                               .counts = {counts[k][0], counts[k][1]},
                               .pattern = (i + k) % 2 ? ORDER_FEW : ORDER_RANDOM,
                               .offset = 3 * k});
  }
}
END_TEST

/* Shared memory is what such a tile takes: of three bytes nothing is left over by rounding. */
START_TEST(three_bytes_compile) {
  const jig_type three = {.kind = JIG_KIND_STRUCT,
                          .size = 3,
                          .align = 1,
                          .name = "three",
                          .definition = "struct three { uint8_t m[3]; };"};
  const jig_iter any = jig_pointer(NULL, three);
  const jig_merge_args args = {.first_keys_in = any,
                               .second_keys_in = any,
                               .keys_out = any,
                               .compare = jig_op_source("return a.m[0] < b.m[0];")};
  char *text;
  jig_prewarm_result result;
  OK(jig_merge_spec(&args, &text));
  OK(jig_prewarm(NULL, text, "sm_90", &result));
  jig_free(text);
}
END_TEST

static int falling(const void *a, const void *b) {
  return order_of_kind(JIG_KIND_I32)(b, a);
}

START_TEST(orders) {
  const jig_op op = jig_op_source("return a > b;");
  check_merge(
      (merge_case){.key = JIG_I32, .value = JIG_I32, .counts = {900, 5000}, .op = op, .order = falling});
  check_merge((merge_case){.key = JIG_I32,
                           .value = JIG_I32,
                           .counts = {50000, large_from() - 700},
                           .op = op,
                           .order = falling});
}
END_TEST

/* Inputs that are computed, of two kinds, and an output that converts. */
START_TEST(iterators) {
  enum { COUNT = 4000 };
  const int64_t from = 100, step = 3;
  int64_t keys[COUNT];
  for (int i = 0; i < COUNT; ++i) keys[i] = 2 * i;
  void *in = gpu_copy(keys, sizeof keys, 0), *out = gpu_alloc(2 * sizeof keys, 0);
  jig_iter target = jig_pointer(out, JIG_I64);
  const jig_merge_args args = {
      .first_keys_in = jig_counting_by(&from, &step, JIG_I64),
      .second_keys_in = jig_pointer(in, JIG_I64),
      .keys_out = jig_transform_output(&target, jig_op_source("return -x;"), JIG_I64),
      .first_num_items = COUNT,
      .second_num_items = COUNT};
  run_merge(&args);
  int64_t got[2 * COUNT];
  gpu_read(got, out, sizeof got);
  for (int i = 0, a = 0, b = 0; i < 2 * COUNT; ++i) {
    const int64_t x = from + step * a;
    const bool takes_b = b < COUNT && (a == COUNT || keys[b] < x);
    ck_assert_int_eq(got[i], -(takes_b ? keys[b] : x));
    takes_b ? ++b : ++a;
  }
  gpu_free(in);
  gpu_free(out);
}
END_TEST

/* ---- errors */

START_TEST(refusals) {
  void *memory = gpu_alloc(4096, 0);
  const jig_iter keys = jig_pointer(memory, JIG_U32), out = jig_pointer((char *)memory + 2048, JIG_U32);
  const jig_merge_args good = {.first_keys_in = keys,
                               .second_keys_in = keys,
                               .keys_out = out,
                               .first_num_items = 10,
                               .second_num_items = 10};
  size_t bytes = 0;
  jig_merge_args bad = good;
  OK(jig_merge(NULL, NULL, &bytes, &bad, NULL));
  FAILS(jig_merge(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_merge: args");
  bad.second_keys_in.type = JIG_F32;
  FAILS(jig_merge(NULL, NULL, &bytes, &bad, NULL), JIG_ERROR_INVALID_ARGUMENT, "second_keys_in");
  bad = good;
  bad.first_values_in = keys;
  FAILS(jig_merge(NULL, NULL, &bytes, &bad, NULL), JIG_ERROR_INVALID_ARGUMENT, "missing");
  bad = good;
  bad.second_num_items = UINT64_MAX;
  FAILS(jig_merge(NULL, NULL, &bytes, &bad, NULL), JIG_ERROR_INVALID_ARGUMENT, "second_num_items");
  bad = good;
  bad.keys_out = jig_pointer((char *)memory + 36, JIG_U32);
  FAILS(jig_merge(NULL, NULL, NULL, &bad, NULL), JIG_ERROR_INVALID_ARGUMENT, "overlaps");
  bad = good;
  bad.second_keys_in.pointer = NULL;
  FAILS(jig_merge(NULL, NULL, NULL, &bad, NULL), JIG_ERROR_INVALID_ARGUMENT, "second_keys_in");
  bad = good;
  bad.compare = jig_op_source("return a <;");
  FAILS(jig_merge(NULL, NULL, &bytes, &bad, NULL), JIG_ERROR_COMPILE, "compare:1:11: error:");
  gpu_free(memory);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),
      SUITE_TEST(sizes),
      SUITE_TEST(patterns),
      SUITE_TEST(values),
      SUITE_TEST(largest_tiles),
      SUITE_TEST(narrow_keys),
      SUITE_TEST(three_bytes_compile),
      SUITE_TEST(orders),
      SUITE_TEST(iterators),
      SUITE_TEST(refusals),
  };
  return SUITE_RUN("device/merge", tests, true);
}
