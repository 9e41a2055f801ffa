/* Unique: of every type, by == and by operators, with values beside the keys, in place. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "select_support.h"
#include "suite.h"

/* Runs of `average` items on average; neighbours of different runs differ in a byte or more. */
static void *random_runs(size_t size, size_t count, unsigned average, uint64_t seed) {
  uint8_t *items = malloc(count * size + 1), value = 1;
  for (size_t i = 0; i < count; ++i) {
    if (next_random(&seed) >> 20 & 1 ? next_random(&seed) % average == 0 : average == 1) value ^= 1;
    memset(items + i * size, 0, size);
    items[i * size] = (uint8_t)(value + 2 * (i / 1000 % 50));
  }
  return items;
}

static const jig_type none = JIG_ZERO;

static scan_marks marks_of(jig_type type, jig_type value) {
  jig_unique_args args = {.in = jig_pointer(NULL, type),
                          .out = jig_pointer(NULL, type),
                          .num_selected_out = jig_pointer(NULL, JIG_U64)};
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = jig_pointer(NULL, value);
  char *text = NULL;
  OK(jig_unique_spec(&args, &text));
  return select_marks_of(text);
}

static void unique_runs(jig_type type, size_t count, unsigned average, size_t offset, jig_op op) {
  void *items = random_runs(type.size, count, average, 3 + average);
  void *device = gpu_copy(items, count * type.size, offset);
  uint8_t *classes = run_classes(items, type.size, count);
  char what[96];
  (void)snprintf(what, sizeof what, "unique of %zu %s, runs of %u", count, jig_type_name(&type), average);
  check_unique((jig_unique_args){.in = jig_pointer(device, type), .num_items = count, .equality = op},
               &(select_wanted){items, type, classes, offset, what});
  gpu_free(device);
  free(items);
  free(classes);
}

START_TEST(every_type) {
  static const size_t counts[] = {1, 2, 131, 5003};
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    if (*kind == JIG_KIND_BOOL) continue; /* only the values 0 and 1 */
    if (!test_turn((unsigned)*kind)) continue;
    for (size_t c = 0; c < COUNT_OF(counts); ++c)
      unique_runs(type, counts[c], 1 + 3 * (unsigned)c, type.size * (c % 2), (jig_op)JIG_ZERO);
  }
}
END_TEST

START_TEST(structs) {
  static const uint32_t sizes[] = {3, 12, 16, 64, 256};
  static const jig_op equal = {.kind = JIG_OP_SOURCE, .source = "return a.m[0] == b.m[0];"};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    char definition[128];
    (void)snprintf(
        definition, sizeof definition,
        "struct s { uint8_t m[%u]; __device__ bool operator==(const s &o) const { return m[0] == "
        "o.m[0]; } };",
        sizes[i]);
    const jig_type type = jig_struct("s", definition, sizes[i], 1);
    unique_runs(type, 1203, 4, i, (jig_op)JIG_ZERO);
    if (i % 2 == 0) unique_runs(type, 4001, 30, 0, equal);
  }
}
END_TEST

START_TEST(every_size) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_U32, JIG_KIND_I128};
  size_t sizes[SCAN_MAX_SIZES];
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    const scan_marks marks = marks_of(type, none);
    const size_t count = scan_sizes(&marks, marks.alone + 4 * marks.row, sizes);
    for (size_t i = 0; i < count; ++i)
      unique_runs(type, sizes[i], 1 + (unsigned)i % 3 * 40, 0, (jig_op)JIG_ZERO);
    unique_runs(type, marks.short_wave + 1, 8, 0, (jig_op)JIG_ZERO);
    unique_runs(type, marks.single_wave, 8, 0, (jig_op)JIG_ZERO);
    unique_runs(type, scan_long_size(&marks, (size_t)-1), 8, 0, (jig_op)JIG_ZERO);
  }
}
END_TEST

START_TEST(nans_differ) {
  enum { COUNT = 3000 };
  float *items = malloc(COUNT * sizeof *items);
  uint8_t *classes = malloc(COUNT);
  for (size_t i = 0; i < COUNT; ++i) {
    items[i] = i / 7 % 2 ? NAN : i % 3 == 0 ? 0.0f : -0.0f;
    classes[i] = !(i == 0 || isnan(items[i]) || isnan(items[i - 1]));
  }
  void *device = gpu_copy(items, COUNT * sizeof *items, 0);
  check_unique((jig_unique_args){.in = jig_pointer(device, JIG_F32), .num_items = COUNT},
               &(select_wanted){items, JIG_F32, classes, 4, "NaNs"});
  gpu_free(device);
  free(items);
  free(classes);
}
END_TEST

/* An operator that is no equivalence sees two neighbours in their order, whatever was selected. */
START_TEST(operators_see_neighbours_in_order) {
  enum { COUNT = 20011 };
  int32_t *items = malloc(COUNT * sizeof *items);
  uint8_t *classes = malloc(COUNT);
  const int32_t step = 5;
  fill_random(JIG_KIND_I32, items, COUNT, 8);
  for (size_t i = 0; i < COUNT; ++i) {
    items[i] &= 15;
    classes[i] = i > 0 && items[i] - items[i - 1] < step;
  }
  void *device = gpu_copy(items, COUNT * sizeof *items, 4);
  check_unique((jig_unique_args){.in = jig_pointer(device, JIG_I32),
                                 .num_items = COUNT,
                                 .equality = jig_op_with_state(jig_op_source("return b - a < state;"),
                                                               &step, JIG_I32)},
               &(select_wanted){items, JIG_I32, classes, 0, "ascents"});
  gpu_free(device);
  free(items);
  free(classes);
}
END_TEST

/* ---- by key */

static void check_by_key(jig_type key, jig_type value, size_t count, unsigned average) {
  void *keys = random_runs(key.size, count, average, 11), *values = malloc(count * value.size + 1);
  uint64_t seed = 5;
  for (size_t i = 0; i < count * value.size; ++i) ((uint8_t *)values)[i] = (uint8_t)next_random(&seed);
  uint8_t *classes = run_classes(keys, key.size, count);
  size_t found;
  void *wanted = items_of_class(values, value.size, count, classes, 0, &found),
       *got = malloc(found * value.size + 1);
  void *keys_in = gpu_copy(keys, count * key.size, key.size),
       *values_in = gpu_copy(values, count * value.size, 0);
  void *values_out = gpu_alloc(found * value.size, value.size);
  char what[96];
  (void)snprintf(what, sizeof what, "%zu keys %s, values %s", count, jig_type_name(&key),
                 jig_type_name(&value));
  check_unique((jig_unique_args){.in = jig_pointer(keys_in, key),
                                 .values_in = jig_pointer(values_in, value),
                                 .values_out = jig_pointer(values_out, value),
                                 .num_items = count},
               &(select_wanted){keys, key, classes, 0, what});
  gpu_read(got, values_out, found * value.size);
  check_items(got, wanted, value.size, found, what);
  gpu_free(keys_in);
  gpu_free(values_in);
  gpu_free(values_out);
  free(keys);
  free(values);
  free(classes);
  free(wanted);
  free(got);
}

START_TEST(values_follow_their_keys) {
  static const size_t counts[] = {1, 33, 4099};
  const jig_type large = jig_struct("s", "struct s { uint8_t m[40]; };", 40, 1);
  const jig_type kinds[] = {JIG_U8, JIG_I16, JIG_I32, JIG_F64, JIG_U128};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    if (!test_turn(k)) continue;
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      check_by_key(kinds[k], JIG_I32, counts[c], 3);
      check_by_key(kinds[k], kinds[COUNT_OF(kinds) - 1 - k], counts[c], 10);
    }
    check_by_key(kinds[k], large, 1001, 2);
  }
  const scan_marks marks = marks_of(JIG_I32, JIG_I32);
  check_by_key(JIG_I32, JIG_I32, marks.short_wave + 1, 8);
  check_by_key(JIG_I32, JIG_I32, scan_long_size(&marks, (size_t)-1), 8);
}
END_TEST

/* Values of 16 bytes and more, of which tiles beyond a cluster load those that they store, if they are
 * made of words. */
START_TEST(large_values_follow_their_keys) {
  const jig_type values[] = {jig_struct("s17", "struct s17 { uint8_t m[17]; };", 17, 1),
                             jig_struct("s24", "struct s24 { uint32_t m[6]; };", 24, 4),
                             jig_struct("s32", "struct alignas(32) s32 { uint64_t m[4]; };", 32, 32),
                             jig_struct("s40", "struct s40 { uint64_t m[5]; };", 40, 8),
                             jig_struct("s256", "struct s256 { uint32_t m[64]; };", 256, 4)};
  const jig_type keys[] = {JIG_I32, JIG_U8, JIG_F64, JIG_I16, JIG_U128};
  for (size_t k = 0; k < COUNT_OF(values); ++k) {
    if (!test_turn(k)) continue;
    const scan_marks marks = marks_of(keys[k], values[k]);
    check_by_key(keys[k], values[k], marks.cluster + 1, 8);
    check_by_key(keys[k], values[k], marks.short_wave + 1, 1);
    check_by_key(keys[k], values[k], scan_long_size(&marks, (size_t)-1), 100);
  }
  const scan_marks marks = marks_of(JIG_I32, values[1]);
  check_by_key(JIG_I32, values[1], scan_long_size(&marks, (size_t)-1), 1);
}
END_TEST

/* ---- in place */

static void check_in_place(size_t count, unsigned average) {
  uint32_t *items = random_runs(4, count, average, 17), *got = malloc(count * 4 + 1);
  uint8_t *classes = run_classes(items, 4, count);
  size_t found;
  uint64_t counted;
  void *wanted = items_of_class(items, 4, count, classes, 0, &found);
  const jig_iter device = jig_pointer(gpu_copy(items, count * 4, 4), JIG_U32);
  uint64_t *number = gpu_alloc(8, 0);
  run_unique(&(jig_unique_args){
      .in = device, .out = device, .num_selected_out = jig_pointer(number, JIG_U64), .num_items = count});
  gpu_read(&counted, number, 8);
  ck_assert_uint_eq(counted, found);
  gpu_read(got, device.pointer, found * 4);
  check_items(got, wanted, 4, found, "unique in place");
  gpu_free(device.pointer);
  gpu_free(number);
  free(items);
  free(got);
  free(classes);
  free(wanted);
}

START_TEST(the_output_may_be_the_input) {
  const scan_marks marks = marks_of(JIG_U32, none);
  const size_t counts[] = {1,
                           6,
                           2000,
                           marks.alone + 3 * marks.row + 1,
                           marks.short_wave + 1,
                           scan_long_size(&marks, (size_t)-1)};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    check_in_place(counts[c], 1);
    check_in_place(counts[c], 5);
  }
}
END_TEST

/* Nothing is equal, so that every item is stored where it is, while the next block looks at the last. */
START_TEST(nothing_is_equal_in_place) {
  const scan_marks marks = marks_of(JIG_U32, none);
  const size_t count = scan_long_size(&marks, (size_t)-1);
  uint32_t *items = malloc(count * 4), *got = malloc(count * 4);
  for (size_t i = 0; i < count; ++i) items[i] = (uint32_t)i;
  const jig_iter device = jig_pointer(gpu_copy(items, count * 4, 0), JIG_U32);
  uint64_t *number = gpu_alloc(8, 0), counted;
  const size_t some[] = {marks.alone + 3 * marks.row + 1, marks.short_wave + 1, count};
  for (size_t c = 0; c < COUNT_OF(some); ++c) {
    run_unique(&(jig_unique_args){.in = device,
                                  .out = device,
                                  .num_selected_out = jig_pointer(number, JIG_U64),
                                  .num_items = some[c]});
    gpu_read(&counted, number, 8);
    ck_assert_uint_eq(counted, some[c]);
    gpu_read(got, device.pointer, count * 4);
    check_items(got, items, 4, count, "all different, in place");
  }
  gpu_free(device.pointer);
  gpu_free(number);
  free(items);
  free(got);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),
      SUITE_TEST(structs),
      SUITE_TEST(every_size),
      SUITE_TEST(nans_differ),
      SUITE_TEST(operators_see_neighbours_in_order),
      SUITE_TEST(values_follow_their_keys),
      SUITE_TEST(large_values_follow_their_keys),
      SUITE_TEST(the_output_may_be_the_input),
      SUITE_TEST(nothing_is_equal_in_place),
  };
  return SUITE_RUN("device/unique", tests, true);
}
