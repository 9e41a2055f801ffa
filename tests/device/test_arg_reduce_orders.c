/* Smallest and largest item by an order, of any type: structs of many sizes and opaque items, by
 * operators of every form, with many equal items, at sizes around every boundary; indices of every
 * integer type; inputs and outputs of other kinds than pointers; no items; orders that are none. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

static const size_t sizes[] = {1, 2, 31, 33, 513, 4099, 70003, 262147};
enum { MOST = 262147, MAX_SIZE = 256 };

/* ---- a call, and what it finds */

typedef struct found {
  unsigned char value[MAX_SIZE];
  int64_t index;
} found;

/* With both outputs its own. */
static found find(jig_arg_reduce_args args) {
  found f;
  const size_t size = args.in.type.size;
  void *value = gpu_alloc(size, args.in.type.align), *index = gpu_alloc(sizeof f.index, 8);
  args.value_out = jig_pointer(value, args.in.type);
  args.index_out = jig_pointer(index, JIG_I64);
  run_arg_reduce(&args, 3);
  gpu_read(f.value, value, size);
  gpu_read(&f.index, index, sizeof f.index);
  gpu_free(value);
  gpu_free(index);
  return f;
}

static void check_found(const found *f, const void *items, size_t size, size_t wanted, const char *what) {
  ck_assert_msg(f->index == (int64_t)wanted, "%s: at %lld, not at %zu", what, (long long)f->index,
                wanted);
  ck_assert_msg(memcmp(f->value, (const char *)items + wanted * size, size) == 0,
                "%s: the value is not item %zu", what, wanted);
}

/* ---- items of any size, ordered by their first byte, of which there are few values */

static void *new_items(size_t count, size_t size) {
  unsigned char *items = malloc(count * size);
  uint64_t seed = 9 + size;
  for (size_t i = 0; i < count * size; ++i) items[i] = (unsigned char)(next_random(&seed) >> 30);
  for (size_t i = 0; i < count; ++i) items[i * size] = (unsigned char)(20 + items[i * size] % 5);
  return items;
}

static size_t first_by_byte(const unsigned char *items, size_t count, size_t size, bool largest) {
  size_t best = 0;
  for (size_t i = 1; i < count; ++i) {
    const unsigned char a = items[i * size], b = items[best * size];
    if (largest ? a > b : a < b) best = i;
  }
  return best;
}

static void check_items(jig_type type, jig_op order, const char *form) {
  unsigned char *items = new_items(MOST, type.size);
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    void *device = gpu_copy(items, sizes[i] * type.size, i % 3 * type.align);
    for (int largest = 0; largest < 2; ++largest) {
      char what[128];
      (void)snprintf(what, sizeof what, "%s of %zu items of %u bytes, by %s", largest ? "max" : "min",
                     sizes[i], type.size, form);
      const found f = find((jig_arg_reduce_args){.in = jig_pointer(device, type),
                                                 .num_items = sizes[i],
                                                 .op = largest ? JIG_MAX : JIG_MIN,
                                                 .compare = order});
      check_found(&f, items, type.size, first_by_byte(items, sizes[i], type.size, largest), what);
    }
    gpu_free(device);
  }
  free(items);
}

START_TEST(structs_of_every_size) {
  static const struct {
    size_t size, align;
    const char *definition;
  } rows[] = {
      {1, 1, "struct s { uint8_t k; };"},
      {2, 2, "struct alignas(2) s { uint8_t k, m; };"},
      {3, 1, "struct s { uint8_t k, m[2]; };"},
      {8, 8, "struct alignas(8) s { uint8_t k, m[7]; };"},
      {12, 4, "struct alignas(4) s { uint8_t k, m[11]; };"},
      {16, 16, "struct alignas(16) s { uint8_t k, m[15]; };"},
      {24, 8, "struct alignas(8) s { uint8_t k, m[23]; };"},
      {64, 4, "struct alignas(4) s { uint8_t k, m[63]; };"},
      {256, 1, "struct s { uint8_t k, m[255]; };"},
  };
  for (size_t r = 0; r < COUNT_OF(rows); ++r) {
    if (!test_turn(r)) continue;
    check_items(jig_struct("s", rows[r].definition, rows[r].size, rows[r].align),
                jig_op_source("return a.k < b.k;"), "source");
  }
}
END_TEST

START_TEST(the_operator_of_a_struct) {
  check_items(jig_struct("s",
                         "struct s { uint8_t k, m[3];\n"
                         "  bool operator<(const s &o) const { return k < o.k; } };",
                         4, 1),
              (jig_op)JIG_ZERO, "its operator<");
}
END_TEST

START_TEST(functions_and_compiled_ones) {
  static const char source[] =
      "extern \"C\" __device__ void comes_first(const void *a, const void *b, void *result) {\n"
      "  *(bool *)result = *(const unsigned char *)a < *(const unsigned char *)b;\n"
      "}\n";
  const jig_type s = jig_struct("s", "struct s { uint8_t k, m[6]; };", 7, 1);
  check_items(
      s,
      jig_op_function("int key(s x) { return x.k; }\nbool less(s a, s b) { return key(a) < key(b); }",
                      "less"),
      "a function");
  const binary_maker maker = maker_of(BINARY_PTX, "functions_and_compiled_ones");
  if (maker == BINARY_MAKERS) return;
  const jig_op compiled =
      jig_op_by_pointer(binary_op(binary_make(maker, BINARY_PTX, source, 0), "comes_first"));
  check_items(jig_opaque(24, 8), compiled, "a compiled one");
  check_items(jig_opaque(5, 1), compiled, "a compiled one");
  check_items(s, compiled, "a compiled one");
}
END_TEST

/* ---- states: what is nearest to a place that is told by a state */

START_TEST(states) {
  enum { COUNT = 20011 };
  int32_t items[COUNT], place = 4321;
  uint64_t seed = 3;
  size_t best = 0;
  for (size_t i = 0; i < COUNT; ++i) {
    items[i] = (int32_t)(next_random(&seed) >> 48) - 30000;
    if (abs(items[i] - place) < abs(items[best] - place)) best = i;
  }
  void *device = gpu_copy(items, sizeof items, 0), *state = gpu_copy(&place, sizeof place, 0);
  const jig_op op = jig_op_source("return abs(a - state) < abs(b - state);");
  jig_arg_reduce_args args = {.in = jig_pointer(device, JIG_I32), .num_items = COUNT};
  args.compare = jig_op_with_state(op, &place, JIG_I32);
  found f = find(args);
  check_found(&f, items, 4, best, "a state by value");
  args.compare = jig_op_with_device_state(op, state, JIG_I32);
  f = find(args);
  check_found(&f, items, 4, best, "a state in device memory");
  gpu_free(device);
  gpu_free(state);
}
END_TEST

/* An operator that looks something up by its operands: any that is no item would be out of its table's
 * bounds. */
START_TEST(operators_see_items_only) {
  enum { RANKS = 16, COUNT = 9001 };
  uint32_t items[COUNT];
  uint8_t ranks[RANKS] = {7, 9, 3, 3, 12, 15, 1, 8, 1, 15, 6, 5, 4, 14, 13, 2};
  const jig_type table = jig_struct("ranks", "struct ranks { uint8_t of[16]; };", RANKS, 1);
  uint64_t seed = 8;
  for (size_t i = 0; i < COUNT; ++i) items[i] = (uint32_t)(next_random(&seed) >> 40) % RANKS;
  void *state = gpu_copy(ranks, sizeof ranks, 0);
  static const size_t counts[] = {1, 2, 3, 5, 31, 65, 515, 4097, COUNT};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    void *device = gpu_copy(items, counts[c] * 4, 0);
    for (int largest = 0; largest < 2; ++largest) {
      size_t best = 0;
      for (size_t i = 1; i < counts[c]; ++i) {
        const int a = ranks[items[i]], b = ranks[items[best]];
        if (largest ? a > b : a < b) best = i;
      }
      const found f = find(
          (jig_arg_reduce_args){.in = jig_pointer(device, JIG_U32),
                                .num_items = counts[c],
                                .op = largest ? JIG_MAX : JIG_MIN,
                                .compare = jig_op_with_device_state(
                                    jig_op_source("return state.of[a] < state.of[b];"), state, table)});
      check_found(&f, items, 4, best, "by rank");
    }
    gpu_free(device);
  }
  gpu_free(state);
}
END_TEST

/* ---- numbers by another order than their own, NaNs among them */

START_TEST(an_order_decides_about_nan) {
  enum { COUNT = 70001 };
  float *items = malloc(COUNT * sizeof *items);
  for (size_t i = 0; i < COUNT; ++i) items[i] = (float)(i % 1000) - 500;
  items[3] = items[60000] = NAN;
  items[40] = items[41] = -800;
  void *device = gpu_copy(items, COUNT * sizeof *items, 4);
  jig_arg_reduce_args args = {.in = jig_pointer(device, JIG_F32), .num_items = COUNT};
  args.compare = jig_op_source("return a < b || (a == a && b != b);"); /* NaNs last */
  ck_assert_int_eq(find(args).index, 40);
  args.op = JIG_MAX;
  ck_assert_int_eq(find(args).index, 3);
  args.compare = jig_op_source("return fabsf(a) < fabsf(b) || (a != a && b == b);"); /* NaNs first */
  ck_assert_int_eq(find(args).index, 40);
  args.op = JIG_MIN;
  args.nan = JIG_NAN_IGNORE; /* not asked for */
  ck_assert_int_eq(find(args).index, 3);
  gpu_free(device);
  free(items);
}
END_TEST

/* By both of them NaNs are last. Over integers, and structs, they are the default, and that backwards. */
START_TEST(less_and_greater) {
  enum { COUNT = 70001 };
  static const jig_type_kind kinds[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64,
                                        JIG_KIND_I16};
  char *items = malloc(COUNT * 8);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    const bool floats = is_floating(kinds[k]);
    for (int only_nan = 0; only_nan <= floats; ++only_nan) {
      for (size_t i = 0; i < COUNT; ++i) {
        const int value = i % 5000 == 77 ? -200 : i % 5000 == 99 ? 200 : (int)(i % 100);
        if (floats)
          put_float(kinds[k], items, i, only_nan || i % 9000 == 20 ? (double)NAN : value);
        else
          put_integer(kinds[k], items, i, value);
      }
      void *device = gpu_copy(items, COUNT * type.size, type.size);
      jig_arg_reduce_args args = {.in = jig_pointer(device, type), .num_items = COUNT};
      const struct {
        jig_op order, op;
        size_t index;
      } rows[] = {{JIG_LESS, JIG_MIN, 77},
                  {JIG_LESS, JIG_MAX, floats ? 20 : 99},
                  {JIG_GREATER, JIG_MIN, 99},
                  {JIG_GREATER, JIG_MAX, floats ? 20 : 77}};
      for (size_t r = 0; r < COUNT_OF(rows); ++r) {
        args.compare = rows[r].order;
        args.op = rows[r].op;
        const found f = find(args);
        check_found(&f, items, type.size, only_nan ? 0 : rows[r].index, jig_type_name(&type));
      }
      gpu_free(device);
    }
  }
  free(items);
  const jig_type s =
      jig_struct("s", "struct s { uint8_t k; bool operator<(s o) const { return k < o.k; } };", 1, 1);
  uint8_t keys[] = {5, 3, 9, 9, 3};
  void *device = gpu_copy(keys, sizeof keys, 0);
  jig_arg_reduce_args args = {
      .in = jig_pointer(device, s), .num_items = sizeof keys, .compare = JIG_GREATER};
  ck_assert_int_eq(find(args).index, 2);
  args.op = JIG_MAX;
  ck_assert_int_eq(find(args).index, 1);
  gpu_free(device);
}
END_TEST

/* The same program, therefore the same speed. */
START_TEST(less_over_integers_is_the_default) {
  char *texts[3];
  jig_arg_reduce_args args = {.in = jig_pointer(NULL, JIG_I32), .index_out = jig_pointer(NULL, JIG_I64)};
  OK(jig_arg_reduce_spec(&args, &texts[0]));
  args.compare = JIG_LESS;
  OK(jig_arg_reduce_spec(&args, &texts[1]));
  args.compare = JIG_GREATER;
  args.op = JIG_MAX;
  OK(jig_arg_reduce_spec(&args, &texts[2]));
  ck_assert_str_eq(texts[0], texts[1]);
  ck_assert_str_eq(texts[0], texts[2]);
  for (size_t i = 0; i < COUNT_OF(texts); ++i) jig_free(texts[i]);
}
END_TEST

/* What is found is an item at its own index, whatever the operator says. */
START_TEST(orders_that_are_none) {
  static const char *const bodies[] = {"return true;", "return a <= b;", "return (a ^ b) % 3 == 1;"};
  enum { COUNT = 50021 };
  uint16_t *items = malloc(COUNT * sizeof *items);
  fill_random(JIG_KIND_U16, items, COUNT, 4);
  void *device = gpu_copy(items, COUNT * sizeof *items, 0);
  for (size_t i = 0; i < COUNT_OF(bodies); ++i) {
    const found f = find((jig_arg_reduce_args){
        .in = jig_pointer(device, JIG_U16), .num_items = COUNT, .compare = jig_op_source(bodies[i])});
    ck_assert(f.index >= 0 && f.index < COUNT);
    check_found(&f, items, 2, (size_t)f.index, bodies[i]);
  }
  gpu_free(device);
  free(items);
}
END_TEST

/* ---- other inputs and outputs */

START_TEST(inputs_that_are_no_pointers) {
  enum { COUNT = 30011 };
  const jig_type pair = jig_struct("pair", "struct pair { float d; uint32_t id; };", 8, 4);
  const jig_op by_distance = jig_op_source("return a.d < b.d;");
  float *distances = malloc(COUNT * sizeof *distances);
  uint32_t *places = malloc(COUNT * sizeof *places);
  for (size_t i = 0; i < COUNT; ++i) {
    distances[i] = (float)((i * 7919 + 5) % 1013);
    places[i] = (uint32_t)(i * 17 % COUNT);
  }
  size_t first = 0, last = 0, placed = 0;
  for (size_t i = 1; i < COUNT; ++i) {
    if (distances[i] < distances[first]) first = i;
    if (distances[i] <= distances[last]) last = i;
    if (distances[places[i]] < distances[places[placed]]) placed = i;
  }
  void *d_distances = gpu_copy(distances, COUNT * 4, 0), *d_places = gpu_copy(places, COUNT * 4, 0);
  const jig_iter sides[] = {jig_pointer(d_distances, JIG_F32), jig_counting(NULL, JIG_U32)};
  const jig_iter zip = jig_zip(sides, 2, pair), order = jig_pointer(d_places, JIG_U32);
  const jig_iter turned = jig_iter_reverse(&zip, COUNT), gathered = jig_permutation(&zip, &order);
  const struct {
    jig_iter in;
    size_t index, item;
  } rows[] = {{zip, first, first}, {turned, COUNT - 1 - last, last}, {gathered, placed, places[placed]}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const found f =
        find((jig_arg_reduce_args){.in = rows[i].in, .num_items = COUNT, .compare = by_distance});
    uint32_t id;
    memcpy(&id, f.value + 4, sizeof id);
    ck_assert_int_eq(f.index, (int64_t)rows[i].index);
    ck_assert_uint_eq(id, rows[i].item);
  }
  gpu_free(d_distances);
  gpu_free(d_places);
  free(distances);
  free(places);
}
END_TEST

/* From any start on, beyond 2^63 as well, where items wrap around. */
START_TEST(numbers_that_are_counted) {
  static const uint64_t starts[] = {0, 5, (uint64_t)1 << 32, INT64_MAX - 100, UINT64_MAX - 50000};
  enum { COUNT = 100003 };
  for (size_t i = 0; i < COUNT_OF(starts); ++i) {
    const jig_iter in = jig_counting(&starts[i], JIG_U64);
    const uint64_t past = UINT64_MAX - starts[i]; /* the index of the largest u64, if there is one */
    const bool wraps = past < COUNT - 1;
    jig_arg_reduce_args args = {.in = in, .num_items = COUNT};
    for (int by_order = 0; by_order < 2; ++by_order) {
      if (by_order) args.compare = jig_op_source("return a < b;");
      args.op = JIG_MIN;
      ck_assert_uint_eq((uint64_t)find(args).index, wraps ? past + 1 : 0);
      args.op = JIG_MAX;
      ck_assert_uint_eq((uint64_t)find(args).index, wraps ? past : COUNT - 1);
    }
  }
}
END_TEST

/* ---- indices of every type */

START_TEST(indices_of_every_integer_type) {
  enum { MOST_ITEMS = 40000 };
  int16_t *items = malloc(MOST_ITEMS * sizeof *items);
  for (size_t i = 0; i < MOST_ITEMS; ++i) items[i] = (int16_t)(i % 31 + 1);
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (is_floating(*kind) || *kind == JIG_KIND_BOOL) continue;
    const jig_type type = type_of(*kind);
    const size_t bits = type.size * 8 - is_signed(*kind);
    const size_t most = bits > 15 ? MOST_ITEMS : ((size_t)1 << bits) - !is_signed(*kind);
    items[most - 1] = -7;
    void *device = gpu_copy(items, MOST_ITEMS * sizeof *items, 0), *index = gpu_alloc(type.size, 16);
    char got[16];
    jig_arg_reduce_args args = {
        .in = jig_pointer(device, JIG_I16), .index_out = jig_pointer(index, type), .num_items = most};
    for (int by_order = 0; by_order < 2; ++by_order) {
      if (by_order) args.compare = jig_op_source("return a < b;");
      run_arg_reduce(&args, 0);
      gpu_read(got, index, type.size);
      ck_assert_int_eq((int64_t)get_integer(*kind, got, 0), (int64_t)most - 1);
    }
    items[most - 1] = 1;
    args.num_items = 0;
    run_arg_reduce(&args, 0);
    gpu_read(got, index, type.size);
    for (size_t i = 0; i < type.size; ++i) ck_assert_int_eq((unsigned char)got[i], 0xff);
    gpu_free(device);
    gpu_free(index);
  }
  free(items);
}
END_TEST

START_TEST(an_index_type_that_is_too_narrow_is_refused) {
  static const struct {
    jig_type type;
    uint64_t most;
  } rows[] = {{JIG_U8, 255},    {JIG_I8, 128},         {JIG_U16, 65535},
              {JIG_I16, 32768}, {JIG_U32, UINT32_MAX}, {JIG_I32, (uint64_t)1 << 31}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    size_t bytes = 0;
    char told[96];
    jig_arg_reduce_args args = {.in = jig_counting(NULL, JIG_U64),
                                .index_out = jig_pointer((void *)256, rows[i].type),
                                .num_items = rows[i].most};
    OK(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL));
    ++args.num_items;
    (void)snprintf(told, sizeof told,
                   "jig_arg_reduce: index_out: %s has indices for %llu items, not for %llu",
                   jig_type_name(&rows[i].type), (unsigned long long)rows[i].most,
                   (unsigned long long)rows[i].most + 1);
    FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, told);
    FAILS(jig_arg_reduce(NULL, (void *)4096, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, told);
  }
}
END_TEST

/* Counted from another base than 0: by an operator on the index's way out. */
START_TEST(an_index_can_be_changed_as_it_is_stored) {
  const uint64_t base = (uint64_t)1 << 40;
  uint8_t items[1000] = {0};
  items[700] = 9;
  uint64_t *index = gpu_alloc(sizeof *index, 0), got;
  void *device = gpu_copy(items, sizeof items, 0);
  const jig_iter place = jig_pointer(index, JIG_U64);
  run_arg_reduce(
      &(jig_arg_reduce_args){
          .in = jig_pointer(device, JIG_U8),
          .index_out = jig_transform_output(
              &place, jig_op_with_state(jig_op_source("return x + state;"), &base, JIG_U64), JIG_U64),
          .num_items = sizeof items,
          .op = JIG_MAX},
      0);
  gpu_read(&got, index, sizeof got);
  ck_assert_uint_eq(got, base + 700);
  gpu_free(index);
  gpu_free(device);
}
END_TEST

/* ---- nothing */

START_TEST(without_items_there_is_no_value) {
  const jig_type s =
      jig_struct("s", "struct s { int k; bool operator<(s o) const { return k < o.k; } };", 4, 4);
  const jig_type types[] = {JIG_F32, s};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    void *value = gpu_alloc(4, 0);
    int64_t *index = gpu_alloc(8, 0), got;
    run_arg_reduce(
        &(jig_arg_reduce_args){.in = jig_pointer(value, types[i]),
                               .value_out = jig_pointer(value, types[i]),
                               .index_out = jig_pointer(index, JIG_I64),
                               .compare = i == 0 ? jig_op_source("return a < b;") : (jig_op)JIG_ZERO},
        0);
    ck_assert(gpu_is_untouched(value, 4));
    gpu_read(&got, index, sizeof got);
    ck_assert_int_eq(got, -1);
    gpu_free(value);
    gpu_free(index);
  }
}
END_TEST

START_TEST(an_index_alone) {
  uint32_t items[3000];
  for (size_t i = 0; i < COUNT_OF(items); ++i) items[i] = (uint32_t)(i ^ 0x555);
  void *device = gpu_copy(items, sizeof items, 0);
  uint16_t *index = gpu_alloc(2, 0), got;
  run_arg_reduce(&(jig_arg_reduce_args){.in = jig_pointer(device, JIG_U32),
                                        .index_out = jig_pointer(index, JIG_U16),
                                        .num_items = COUNT_OF(items),
                                        .compare = jig_op_source("return b < a;")},
                 0);
  gpu_read(&got, index, sizeof got);
  ck_assert_uint_eq(got, 0x2aa | 0x800);
  gpu_free(device);
  gpu_free(index);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(structs_of_every_size),
      SUITE_TEST(the_operator_of_a_struct),
      SUITE_TEST(functions_and_compiled_ones),
      SUITE_TEST(states),
      SUITE_TEST(operators_see_items_only),
      SUITE_TEST(an_order_decides_about_nan),
      SUITE_TEST(less_and_greater),
      SUITE_TEST(less_over_integers_is_the_default),
      SUITE_TEST(orders_that_are_none),
      SUITE_TEST(inputs_that_are_no_pointers),
      SUITE_TEST(numbers_that_are_counted),
      SUITE_TEST(indices_of_every_integer_type),
      SUITE_TEST(an_index_type_that_is_too_narrow_is_refused),
      SUITE_TEST(an_index_can_be_changed_as_it_is_stored),
      SUITE_TEST(without_items_there_is_no_value),
      SUITE_TEST(an_index_alone),
  };
  return SUITE_RUN("device/arg_reduce_orders", tests, true);
}
