/* Items of up to 4096 bytes: what copies, reorders and transforms them; and what is refused. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "suite.h"
#include "wide_items.h"

/* ---- copies by indices */

static void check_copies(jig_type type, size_t count) {
  wide_items w = wide_make(type, count, 1);
  uint32_t *indices = malloc(count * 4);
  for (size_t i = 0; i < count; ++i) indices[i] = (uint32_t)(count - 1 - i);
  const jig_iter from = jig_pointer(gpu_copy(indices, count * 4, 0), JIG_U32);
  void *out = gpu_alloc(count * type.size, 0);
  OK(jig_gather(NULL, NULL, NULL, w.in, from, jig_pointer(out, type), count, NULL));
  for (size_t i = 0; i < count; ++i) w.order[i] = indices[i];
  wide_expect(&w, out, count, "gather");
  gpu_fill(out, 0, count * type.size);
  OK(jig_scatter(NULL, NULL, NULL, w.in, from, jig_pointer(out, type), count, NULL));
  wide_expect(&w, out, count, "scatter");
  OK(jig_rotate(NULL, NULL, NULL, w.in, jig_pointer(out, type), count, count / 3, NULL));
  for (size_t i = 0; i < count; ++i) w.order[i] = (i + count / 3) % count;
  wide_expect(&w, out, count, "rotate");
  void *numbers = gpu_alloc(count * 4, 0);
  OK(jig_shuffle(NULL, NULL, NULL, jig_counting(NULL, JIG_U32), jig_pointer(numbers, JIG_U32), count, 5,
                 NULL));
  OK(jig_shuffle(NULL, NULL, NULL, w.in, jig_pointer(out, type), count, 5, NULL));
  gpu_read(indices, numbers, count * 4);
  for (size_t i = 0; i < count; ++i) w.order[i] = indices[i];
  wide_expect(&w, out, count, "shuffle");
  gpu_free(numbers);
  gpu_free(from.pointer);
  gpu_free(out);
  free(indices);
  wide_free(&w);
}
START_TEST(items_are_copied) {
  wide_for_all(check_copies);
}
END_TEST

/* Those that pass a test are moved, the others stay what the output was. */
static void check_moved_if(jig_type type, size_t count) {
  wide_items w = wide_make(type, count, 7);
  unsigned char *const expected = calloc(count, type.size);
  void *out = gpu_alloc(count * type.size, 0);
  gpu_fill(out, 0x5a, count * type.size);
  const jig_transform_args args = {.in = &w.in,
                                   .num_inputs = 1,
                                   .out = jig_pointer(out, type),
                                   .num_items = count,
                                   .predicate = WIDE_TEST};
  RUN_WITHOUT_STORAGE(jig_transform, &args);
  memset(expected, 0x5a, count * type.size);
  for (size_t i = 0; i < count; ++i)
    if (wide_key(&w, i) < 9) memcpy(expected + i * type.size, w.host + i * type.size, type.size);
  unsigned char *const got = malloc(count * type.size);
  gpu_read(got, out, count * type.size);
  ck_assert_int_eq(memcmp(got, expected, count * type.size), 0);
  free(got);
  free(expected);
  gpu_free(out);
  wide_free(&w);
}
START_TEST(items_are_moved_where_a_test_says_so) {
  wide_for_all(check_moved_if);
}
END_TEST

/* ---- items that a thread could hold, and lanes share where they come from anywhere */

static void check_gather(jig_type type, size_t count, size_t offset) {
  const size_t bytes = count * type.size;
  unsigned char *const items = malloc(bytes), *const got = malloc(bytes);
  uint32_t *const indices = malloc(count * 4);
  for (size_t i = 0; i < bytes; ++i) items[i] = (unsigned char)(i * 131 >> 3);
  for (size_t i = 0; i < count; ++i) indices[i] = (uint32_t)(i * 7919 % count);
  void *in = gpu_copy(items, bytes, offset), *out = gpu_alloc(bytes, offset);
  const jig_iter from = jig_pointer(gpu_copy(indices, count * 4, 0), JIG_U32);
  OK(jig_gather(NULL, NULL, NULL, jig_pointer(in, type), from, jig_pointer(out, type), count, NULL));
  gpu_read(got, out, bytes);
  for (size_t i = 0; i < count; ++i) {
    ck_assert_msg(memcmp(got + i * type.size, items + indices[i] * type.size, type.size) == 0,
                  "item %zu of %zu, of %u bytes, aligned to %u", i, count, type.size, type.align);
  }
  gpu_free(from.pointer);
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(got);
  free(indices);
}
START_TEST(large_items_are_gathered) {
  static const uint32_t sizes[][2] = {{33, 1},  {40, 8},  {48, 4},   {64, 16},
                                      {100, 4}, {102, 2}, {256, 16}, {256, 1}};
  static const size_t counts[] = {1, 31, 257, 3001};
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const jig_type type = jig_opaque(sizes[s][0], sizes[s][1]);
    for (size_t c = 0; c < COUNT_OF(counts); ++c) check_gather(type, counts[c], c % 2 * type.align);
  }
}
END_TEST

static void check_reverse(jig_type type, size_t count, bool in_place) {
  wide_items w = wide_make(type, count, 2);
  void *out = in_place ? w.device : gpu_alloc(count * type.size, type.align);
  const jig_reverse_args args = {.in = w.in, .out = jig_pointer(out, type), .num_items = count};
  RUN_WITHOUT_STORAGE(jig_reverse, &args);
  for (size_t i = 0; i < count; ++i) w.order[i] = count - 1 - i;
  wide_expect(&w, out, count, "reverse");
  if (!in_place) gpu_free(out);
  wide_free(&w);
}
static void reverse_all(jig_type type, size_t count) {
  check_reverse(type, count, false);
  check_reverse(type, count, true);
}
START_TEST(items_are_reversed) {
  wide_for_all(reverse_all);
}
END_TEST

static void check_batched(jig_type type, size_t count) {
  if (count < 33) return;
  wide_items w = wide_make(type, count, 3);
  const uint32_t from[] = {3, 20, 11}, to[] = {16, 0, 5}, sizes[] = {10, 5, 9};
  void *out = gpu_alloc(count * type.size, 0), *d_from = gpu_copy(from, sizeof from, 0),
       *d_to = gpu_copy(to, sizeof to, 0), *d_sizes = gpu_copy(sizes, sizeof sizes, 0);
  const jig_iter backwards = jig_iter_reverse(&w.in, count);
  jig_copy_batched_args args = {.in = w.in,
                                .out = jig_pointer(out, type),
                                .in_offsets = jig_pointer(d_from, JIG_U32),
                                .out_offsets = jig_pointer(d_to, JIG_U32),
                                .sizes = jig_pointer(d_sizes, JIG_U32),
                                .num_ranges = COUNT_OF(from)};
  for (int is_reversed = 0; is_reversed < 2; ++is_reversed) {
    args.in = is_reversed ? backwards : w.in;
    RUN_PHASES(jig_copy_batched, &args, 0);
    for (size_t r = 0; r < COUNT_OF(from); ++r) {
      for (size_t i = 0; i < sizes[r]; ++i)
        w.order[i] = is_reversed ? count - 1 - (from[r] + i) : from[r] + i;
      wide_expect(&w, (char *)out + to[r] * type.size, sizes[r], "batched copy");
    }
  }
  gpu_free(out);
  gpu_free(d_from);
  gpu_free(d_to);
  gpu_free(d_sizes);
  wide_free(&w);
}
START_TEST(ranges_are_copied) {
  wide_for_all(check_batched);
}
END_TEST

/* ---- operators; what they make is compared with what the host makes of w.host */

#define TOUCH "x.m[1] = x.m[0] + 1; return x;"

static void check_transform(jig_type type, size_t count, bool in_place) {
  wide_items w = wide_make(type, count, 4);
  void *out = in_place ? w.device : gpu_copy(w.host, count * type.size, 0);
  jig_transform_args args = {.in = &w.in,
                             .num_inputs = 1,
                             .out = jig_pointer(out, type),
                             .num_items = count,
                             .op = jig_op_source(TOUCH)};
  if (count % 2 == 0) args.predicate = WIDE_TEST;
  RUN_WITHOUT_STORAGE(jig_transform, &args);
  for (size_t i = 0; i < count; ++i) {
    w.order[i] = i;
    if (count % 2 == 1 || wide_key(&w, i) < 9)
      w.host[i * type.size + 1] = (unsigned char)(wide_key(&w, i) + 1);
  }
  wide_expect(&w, out, count, "transform");
  if (!in_place) gpu_free(out);
  wide_free(&w);
}

static void check_for_each(jig_type type, size_t count) {
  wide_items w = wide_make(type, count, 5);
  const jig_for_each_args args = {
      .in = w.in, .num_items = count, .op = jig_op_source("x.m[1] = x.m[0] + 1;")};
  RUN_WITHOUT_STORAGE(jig_for_each, &args);
  for (size_t i = 0; i < count; ++i) w.host[i * type.size + 1] = (unsigned char)(wide_key(&w, i) + 1);
  wide_expect_kept(&w, "for-each");
  wide_free(&w);
}

/* What an item and its neighbour come to has the neighbour's second byte. */
static void check_difference(jig_type type, size_t count, jig_difference_direction direction,
                             bool in_place) {
  wide_items w = wide_make(type, count, 6);
  const size_t size = type.size;
  void *out = in_place ? w.device : gpu_alloc(count * size, 0);
  const jig_adjacent_difference_args args = {.in = w.in,
                                             .out = jig_pointer(out, type),
                                             .num_items = count,
                                             .op = jig_op_source("a.m[1] = b.m[1]; return a;"),
                                             .direction = direction};
  RUN_PHASES(jig_adjacent_difference, &args, 0);
  if (direction == JIG_DIFFERENCE_LEFT)
    for (size_t i = count - 1; i > 0; --i) w.host[i * size + 1] = w.host[(i - 1) * size + 1];
  else
    for (size_t i = 0; i + 1 < count; ++i) w.host[i * size + 1] = w.host[(i + 1) * size + 1];
  for (size_t i = 0; i < count; ++i) w.order[i] = i;
  wide_expect(&w, out, count, "adjacent difference");
  if (!in_place) gpu_free(out);
  wide_free(&w);
}

static void operators_all(jig_type type, size_t count) {
  check_transform(type, count, false);
  check_transform(type, count, true);
  check_for_each(type, count);
  check_difference(type, count, JIG_DIFFERENCE_LEFT, false);
  check_difference(type, count, JIG_DIFFERENCE_RIGHT, false);
  check_difference(type, count, JIG_DIFFERENCE_LEFT, true);
  check_difference(type, count, JIG_DIFFERENCE_RIGHT, true);
}
START_TEST(operators_take_items) {
  wide_for_all(operators_all);
}
END_TEST

/* ---- what is refused */

START_TEST(what_is_too_large_is_refused) {
  static unsigned char value[4096];
  unsigned char *memory = gpu_alloc(4 * 4097, 0);
  const jig_type large = jig_opaque(4096, 1), too_large = jig_opaque(4097, 1);
  const jig_iter out = jig_pointer(memory, large);
  size_t bytes;
  const jig_copy_args copy = {
      .in = jig_pointer(memory, too_large), .out = jig_pointer(memory, too_large), .num_items = 1};
  FAILS(jig_copy(NULL, NULL, &bytes, &copy, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_copy: in: jig_opaque() has size 4097; 1 to 4096 bytes are supported");
  /* By value there is no room for the largest. */
  FAILS(jig_fill(NULL, NULL, &bytes, out, value, 1, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "a constant as jig_strided() with a stride of 0");
  const jig_copy_args fill = {.in = jig_strided(memory + 4096, 0, large), .out = out, .num_items = 1};
  gpu_fill(memory + 4096, 7, 4096);
  OK(jig_copy(NULL, NULL, NULL, &fill, NULL));
  gpu_read(value, memory, sizeof value);
  ck_assert_uint_eq(value[0], 7);
  ck_assert_uint_eq(value[4095], 7);
  const jig_type folded = wide_type(3);
  const jig_reduce_args fold = {.in = jig_pointer(memory, folded),
                                .out = jig_pointer(memory + 8192, folded),
                                .num_items = 1,
                                .op = jig_op_source("return a;")};
  FAILS(jig_reduce(NULL, NULL, &bytes, &fold, NULL), JIG_ERROR_UNSUPPORTED, "accum");
  const jig_type wide = wide_type(3);
  const jig_iter in = jig_pointer(memory, wide),
                 same = jig_iter_transform(&in, jig_op_source("return x;"), wide);
  const jig_select_args select = {.in = same,
                                  .out = in,
                                  .num_selected_out = jig_pointer(memory + 8192, JIG_I64),
                                  .num_items = 2,
                                  .op = WIDE_TEST};
  FAILS(jig_select(NULL, NULL, NULL, &select, NULL), JIG_ERROR_UNSUPPORTED,
        "in: it must be a pointer if the output is in its place");
  gpu_free(memory);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(items_are_copied),
                                     SUITE_TEST(items_are_moved_where_a_test_says_so),
                                     SUITE_TEST(large_items_are_gathered),
                                     SUITE_TEST(items_are_reversed),
                                     SUITE_TEST(ranges_are_copied),
                                     SUITE_TEST(operators_take_items),
                                     SUITE_TEST(what_is_too_large_is_refused)};
  return SUITE_RUN("device/wide_items_moves", tests, true);
}
