/* Where the items of select and the partitions come from and go to: memory at any alignment, their own
 * input, iterators of many kinds, outputs and counts of other types. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "select_support.h"
#include "suite.h"
#include "words.h"

static const char is_even[] = "return x % 2 == 0;";

/* Class 0 for even words, otherwise 1. */
static uint8_t *parities(const uint32_t *words, size_t count) {
  uint8_t *classes = malloc(count + 1);
  for (size_t i = 0; i < count; ++i) classes[i] = words[i] % 2;
  return classes;
}

static scan_marks word_marks(void) {
  const jig_iter words = jig_pointer(NULL, JIG_U32);
  const jig_select_args args = {
      .in = words, .out = words, .num_selected_out = words, .op = jig_op_source(is_even)};
  char *text = NULL;
  OK(jig_select_spec(&args, &text));
  return select_marks_of(text);
}

/* ---- alignment */

START_TEST(bytes_at_every_alignment) {
  enum { COUNT = 20011 };
  uint8_t *items = malloc(COUNT + 16), *classes = malloc(COUNT + 16);
  fill_random(JIG_KIND_U8, items, COUNT + 16, 5);
  for (size_t i = 0; i < COUNT + 16; ++i) classes[i] = items[i] % 2;
  uint8_t *in = gpu_copy(items, COUNT + 16, 0);
  for (size_t offset = 0; offset < 16; ++offset) {
    const size_t shift = offset * 5 % 16;
    const select_wanted w = {items + shift, JIG_U8, classes + shift, offset, "bytes off"};
    check_select(
        (jig_select_args){
            .in = jig_pointer(in + shift, JIG_U8), .num_items = COUNT, .op = jig_op_source(is_even)},
        &w);
    check_partition(
        (jig_partition_args){
            .in = jig_pointer(in + shift, JIG_U8), .num_items = COUNT, .op = jig_op_source(is_even)},
        &w, offset % 4 == 0);
  }
  gpu_free(in);
  free(items);
  free(classes);
}
END_TEST

/* ---- in place */

static void check_in_place(size_t count, size_t offset, bool flagged, bool transformed) {
  uint32_t *words = random_words(count, count + offset), *got = malloc(count * 4);
  uint8_t *classes = parities(words, count);
  for (size_t i = 0; i < count; ++i) classes[i] ^= 1;
  const jig_iter flags = jig_pointer(gpu_copy(classes, count, offset), JIG_BOOL);
  for (size_t i = 0; i < count; ++i) classes[i] ^= 1;
  const jig_iter plain = jig_pointer(gpu_copy(words, count * 4, 4 * offset), JIG_U32);
  uint64_t *number = gpu_alloc(8, 0), counted;
  jig_select_args args = {
      .in = plain, .out = plain, .num_selected_out = jig_pointer(number, JIG_U64), .num_items = count};
  if (flagged)
    args.flags = flags;
  else
    args.op = jig_op_source(is_even);
  if (transformed) {
    args.in = jig_iter_transform(&plain, jig_op_source("return x ^ 4;"), JIG_U32);
    for (size_t i = 0; i < count; ++i) words[i] ^= 4;
  }
  size_t found;
  uint32_t *wanted = items_of_class(words, 4, count, classes, 0, &found);
  run_select(&args);
  gpu_read(&counted, number, 8);
  gpu_read(got, plain.pointer, count * 4);
  ck_assert_uint_eq(counted, found);
  check_items(got, wanted, 4, found, "in place");
  gpu_free(plain.pointer);
  gpu_free(flags.pointer);
  gpu_free(number);
  free(words);
  free(wanted);
  free(classes);
  free(got);
}

START_TEST(the_output_may_be_the_input) {
  const scan_marks marks = word_marks();
  const size_t counts[] = {1, 7, 3001, marks.alone + 2 * marks.row + 3,
                           scan_long_size(&marks, (size_t)-1)};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    check_in_place(counts[c], c % 3, false, false);
    check_in_place(counts[c], 0, true, false);
    if (c < 4) check_in_place(counts[c], 0, false, true);
  }
}
END_TEST

/* The output is where the flags are: which are the items, or others. */
static void check_over_flags(size_t count, bool are_items) {
  uint32_t *words = random_words(count, count), *flags = random_words(count, count + 1);
  uint32_t *got = malloc(count * 4);
  uint8_t *classes = malloc(count + 1);
  for (size_t i = 0; i < count; ++i) {
    if (flags[i] % 3 == 0) flags[i] = 0;
    classes[i] = flags[i] == 0;
  }
  const jig_iter over = jig_pointer(gpu_copy(flags, count * 4, 0), JIG_U32),
                 other = jig_pointer(gpu_copy(words, count * 4, 0), JIG_U32);
  uint64_t *number = gpu_alloc(8, 0), counted;
  size_t found;
  uint32_t *wanted = items_of_class(are_items ? flags : words, 4, count, classes, 0, &found);
  run_select(&(jig_select_args){.in = are_items ? over : other,
                                .flags = over,
                                .out = over,
                                .num_selected_out = jig_pointer(number, JIG_U64),
                                .num_items = count});
  gpu_read(&counted, number, 8);
  gpu_read(got, over.pointer, count * 4);
  ck_assert_uint_eq(counted, found);
  check_items(got, wanted, 4, found, are_items ? "items as flags" : "over flags");
  gpu_free(over.pointer);
  gpu_free(other.pointer);
  gpu_free(number);
  free(words);
  free(flags);
  free(wanted);
  free(classes);
  free(got);
}

START_TEST(the_output_may_be_the_flags) {
  const scan_marks marks = word_marks();
  const size_t counts[] = {1, 7, 3001, marks.alone + 2 * marks.row + 3,
                           scan_long_size(&marks, (size_t)-1)};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    check_over_flags(counts[c], false);
    check_over_flags(counts[c], true);
  }
}
END_TEST

/* All are kept: what a transform makes of them is stored all the same. */
START_TEST(in_place_as_other_values) {
  enum { COUNT = 70001 };
  uint32_t *words = random_words(COUNT, 4), *got = malloc(COUNT * 4);
  const jig_iter plain = jig_pointer(gpu_copy(words, COUNT * 4, 0), JIG_U32);
  uint64_t *number = gpu_alloc(8, 0);
  run_select(&(jig_select_args){.in = jig_iter_transform(&plain, jig_op_source("return x + 1;"), JIG_U32),
                                .out = plain,
                                .num_selected_out = jig_pointer(number, JIG_U64),
                                .num_items = COUNT,
                                .op = jig_op_source("return true;")});
  gpu_read(got, plain.pointer, COUNT * 4);
  for (size_t i = 0; i < COUNT; ++i) ++words[i];
  check_items(got, words, 4, COUNT, "all, one more each");
  run_select(&(jig_select_args){.in = plain,
                                .out = jig_pointer(plain.pointer, JIG_F32),
                                .num_selected_out = jig_pointer(number, JIG_U64),
                                .num_items = COUNT,
                                .op = jig_op_source("return true;")});
  gpu_read(got, plain.pointer, COUNT * 4);
  for (size_t i = 0; i < COUNT; ++i) {
    const float value = (float)words[i];
    memcpy(&words[i], &value, 4);
  }
  check_items(got, words, 4, COUNT, "all, as f32");
  gpu_free(plain.pointer);
  gpu_free(number);
  free(words);
  free(got);
}
END_TEST

/* Both halves of a zip are selected where they lie. */
START_TEST(zips_in_place) {
  const scan_marks marks = word_marks();
  const size_t count = scan_long_size(&marks, (size_t)-1);
  const jig_type pair = jig_struct("pair", "struct pair { uint32_t a, b; };", 8, 4);
  uint32_t *first = random_words(count, 5), *second = random_words(count, 6), *got = malloc(count * 4);
  uint8_t *classes = parities(first, count);
  const jig_iter sides[] = {jig_pointer(gpu_copy(first, count * 4, 0), JIG_U32),
                            jig_pointer(gpu_copy(second, count * 4, 4), JIG_U32)};
  uint64_t *number = gpu_alloc(8, 0);
  run_select(&(jig_select_args){.in = jig_zip(sides, 2, pair),
                                .out = jig_zip(sides, 2, pair),
                                .num_selected_out = jig_pointer(number, JIG_U64),
                                .num_items = count,
                                .op = jig_op_source("return x.a % 2 == 0;")});
  for (int k = 0; k < 2; ++k) {
    size_t found;
    uint32_t *wanted = items_of_class(k == 0 ? first : second, 4, count, classes, 0, &found);
    gpu_read(got, sides[k].pointer, count * 4);
    check_items(got, wanted, 4, found, k == 0 ? "first of a zip" : "second of a zip");
    free(wanted);
    gpu_free(sides[k].pointer);
  }
  gpu_free(number);
  free(first);
  free(second);
  free(got);
  free(classes);
}
END_TEST

/* ---- iterators */

START_TEST(inputs_by_iterators) {
  enum { COUNT = 9001 };
  uint32_t *words = random_words(COUNT, 6), *items = malloc(COUNT * 8), start = 7;
  int32_t *order = malloc(COUNT * 4);
  uint8_t *classes = malloc(COUNT);
  for (size_t i = 0; i < COUNT; ++i) order[i] = (int32_t)(i * 7 % COUNT);
  const jig_iter plain = jig_pointer(gpu_copy(words, COUNT * 4, 4), JIG_U32),
                 indices = jig_pointer(gpu_copy(order, COUNT * 4, 0), JIG_I32);
  const jig_type pair = jig_struct("pair", "struct pair { uint32_t a, b; };", 8, 4);
  const jig_iter counting = jig_counting(&start, JIG_U32), both[] = {plain, counting};
  const jig_op even = jig_op_source(is_even);
  for (size_t i = 0; i < COUNT; ++i) classes[i] = (uint8_t)((start + i) % 2);
  for (size_t i = 0; i < COUNT; ++i) items[i] = start + (uint32_t)i;
  select_wanted w = {items, JIG_U32, classes, 0, "counting"};
  check_select((jig_select_args){.in = counting, .num_items = COUNT, .op = even}, &w);
  check_partition((jig_partition_args){.in = counting, .num_items = COUNT, .op = even}, &w, false);
  /* Flags that are computed, of items in another order. */
  for (size_t i = 0; i < COUNT; ++i) items[i] = words[order[i]];
  w.what = "permutation, flags counting";
  check_select(
      (jig_select_args){
          .in = jig_permutation(&plain, &indices), .flags = counting, .num_items = COUNT, .op = even},
      &w);
  check_partition(
      (jig_partition_args){
          .in = jig_permutation(&plain, &indices), .flags = counting, .num_items = COUNT, .op = even},
      &w, true);
  for (size_t i = 0; i < COUNT; ++i) items[i] = words[COUNT - 1 - i];
  w.what = "reverse";
  check_select(
      (jig_select_args){
          .in = jig_iter_reverse(&plain, COUNT), .flags = counting, .num_items = COUNT, .op = even},
      &w);
  for (size_t i = 0; i < COUNT; ++i) {
    items[2 * i] = words[i];
    items[2 * i + 1] = start + (uint32_t)i;
    classes[i] = words[i] % 2;
  }
  w = (select_wanted){items, pair, classes, 4, "zip"};
  check_select(
      (jig_select_args){
          .in = jig_zip(both, 2, pair), .num_items = COUNT, .op = jig_op_source("return x.a % 2 == 0;")},
      &w);
  const uint32_t one = 1;
  for (size_t i = 0; i < COUNT; ++i) items[i] = 1, classes[i] = words[i] % 2;
  w = (select_wanted){items, JIG_U32, classes, 4, "constant"};
  check_select(
      (jig_select_args){
          .in = jig_constant(&one, JIG_U32), .flags = plain, .num_items = COUNT, .op = even},
      &w);
  gpu_free(plain.pointer);
  gpu_free(indices.pointer);
  free(words);
  free(items);
  free(order);
  free(classes);
}
END_TEST

START_TEST(outputs_by_iterators) {
  enum { COUNT = 6007 };
  uint32_t *words = random_words(COUNT, 3), *got = malloc(COUNT * 8), *reversed = gpu_alloc(COUNT * 4, 0);
  double *wide = gpu_alloc(COUNT * 8, 0);
  uint8_t *classes = parities(words, COUNT);
  size_t found;
  uint32_t *wanted = items_of_class(words, 4, COUNT, classes, 0, &found);
  const jig_iter plain = jig_pointer(gpu_copy(words, COUNT * 4, 4), JIG_U32),
                 back = jig_pointer(reversed, JIG_U32);
  int16_t *number = gpu_alloc(4, 0), counts[2];
  /* What is selected goes backwards; what is not, is dropped. */
  run_partition(&(jig_partition_args){.in = plain,
                                      .out = jig_iter_reverse(&back, COUNT),
                                      .unselected_out = jig_discard(JIG_U32),
                                      .num_selected_out = jig_pointer(number, JIG_I16),
                                      .num_items = COUNT,
                                      .op = jig_op_source(is_even)});
  gpu_read(got, reversed, COUNT * 4);
  gpu_read(counts, number, 2);
  ck_assert_int_eq(counts[0], (int)found);
  for (size_t i = 0; i < found; ++i) ck_assert_uint_eq(got[COUNT - 1 - i], wanted[i]);
  ck_assert(gpu_is_untouched(reversed, (COUNT - found) * 4));
  /* As another type; three outputs of three kinds. */
  run_three_way(&(jig_three_way_partition_args){.in = plain,
                                                .first_out = jig_pointer(wide, JIG_F64),
                                                .second_out = jig_discard(JIG_U32),
                                                .unselected_out = back,
                                                .num_selected_out = jig_pointer(number, JIG_I16),
                                                .num_items = COUNT,
                                                .first_op = jig_op_source(is_even),
                                                .second_op = jig_op_source("return x % 4 == 1;")});
  gpu_read(got, wide, found * 8);
  gpu_read(counts, number, 4);
  ck_assert_int_eq(counts[0], (int)found);
  for (size_t i = 0; i < found; ++i) {
    double value;
    memcpy(&value, got + 2 * i, 8);
    ck_assert_double_eq(value, wanted[i]);
  }
  gpu_read(got, reversed, COUNT * 4);
  size_t others = 0, seconds = 0;
  for (size_t i = 0; i < COUNT; ++i) {
    if (words[i] % 4 == 3) ck_assert_uint_eq(got[others++], words[i]);
    seconds += words[i] % 4 == 1;
  }
  ck_assert_int_eq(counts[1], (int)seconds);
  gpu_free(plain.pointer);
  gpu_free(reversed);
  gpu_free(wide);
  gpu_free(number);
  free(words);
  free(got);
  free(wanted);
  free(classes);
}
END_TEST

/* Where there are flags, at every size at which calls go another way and beyond: counted items are not
 * loaded. */
static void check_indices(jig_type type, jig_type flag_type, size_t flags_offset) {
  const uint64_t start = 1u << 30;
  const jig_iter in = jig_counting(&start, type);
  const jig_select_args shape = {.in = in,
                                 .flags = jig_pointer(NULL, flag_type),
                                 .out = jig_pointer(NULL, type),
                                 .num_selected_out = jig_pointer(NULL, JIG_U64)};
  char *text = NULL;
  OK(jig_select_spec(&shape, &text));
  const scan_marks marks = select_marks_of(text);
  size_t sizes[SCAN_MAX_SIZES];
  size_t count = scan_sizes(&marks, marks.alone + 2 * marks.row, sizes);
  if (count == SCAN_MAX_SIZES) --count;
  sizes[count++] = scan_long_size(&marks, (size_t)-1);
  for (size_t i = 0; i < count; ++i) {
    const size_t n = sizes[i];
    uint8_t *classes = random_classes(n, (unsigned)(i % 5 * 25), 2, i),
            *flags = calloc(n + 1, flag_type.size), *items = malloc(n * type.size + 1);
    for (size_t k = 0; k < n; ++k) {
      flags[k * flag_type.size] = classes[k] == 0;
      const uint64_t item = start + k;
      memcpy(items + k * type.size, &item, type.size);
    }
    void *device = gpu_copy(flags, n * flag_type.size, flags_offset * flag_type.size);
    const select_wanted w = {items, type, classes, type.size * (i % 4), "indices of flags"};
    check_select((jig_select_args){.in = in, .flags = jig_pointer(device, flag_type), .num_items = n},
                 &w);
    if (i + 1 == count)
      check_partition(
          (jig_partition_args){.in = in, .flags = jig_pointer(device, flag_type), .num_items = n}, &w,
          true);
    gpu_free(device);
    free(classes);
    free(flags);
    free(items);
  }
}

START_TEST(indices_of_flags) {
  check_indices(JIG_U32, JIG_U8, 0);
  check_indices(JIG_I64, JIG_BOOL, 3);
  check_indices(JIG_I32, JIG_U32, 0);
  check_indices(JIG_U64, JIG_U16, 1);
}
END_TEST

/* Flags of any type that converts to bool. */
START_TEST(flags_of_every_type) {
  enum { COUNT = 3001 };
  uint32_t *words = random_words(COUNT, 9);
  const jig_iter in = jig_pointer(gpu_copy(words, COUNT * 4, 0), JIG_U32);
  uint8_t *classes = random_classes(COUNT, 30, 2, 4), *flags = malloc(COUNT * 16);
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    for (size_t i = 0; i < COUNT; ++i) {
      const int flag = classes[i] == 0 ? 1 + (*kind != JIG_KIND_BOOL) * (int)(i % 100) : 0;
      if (is_floating(*kind))
        put_float(*kind, flags, i, flag / 4.0);
      else
        put_integer(*kind, flags, i, *kind == JIG_KIND_U32 ? (int128)flag << 20 : flag);
    }
    void *device = gpu_copy(flags, COUNT * type.size, type.size);
    const select_wanted w = {words, JIG_U32, classes, 0, jig_type_name(&type)};
    check_select((jig_select_args){.in = in, .flags = jig_pointer(device, type), .num_items = COUNT}, &w);
    gpu_free(device);
  }
  gpu_free(in.pointer);
  free(words);
  free(classes);
  free(flags);
}
END_TEST

/* What lies between a struct's members is nobody's business, and nothing that nobody wrote is looked at.
 */
START_TEST(structs_with_padding) {
  enum { COUNT = 5003 };
  typedef struct padded {
    uint8_t a;
    uint32_t b;
    uint16_t c;
  } padded;
  const jig_type type = jig_struct("padded", "struct padded { uint8_t a; uint32_t b; uint16_t c; };",
                                   sizeof(padded), _Alignof(padded));
  padded *items = calloc(COUNT, sizeof *items), *got = malloc(COUNT * sizeof *got);
  uint64_t seed = 3, counted;
  for (size_t i = 0; i < COUNT; ++i) {
    const uint64_t r = next_random(&seed);
    items[i].a = (uint8_t)(r >> 40);
    items[i].b = (uint32_t)(r >> 8);
    items[i].c = (uint16_t)i;
  }
  const jig_iter in = jig_pointer(gpu_copy(items, COUNT * sizeof *items, 4), type),
                 out = jig_pointer(gpu_alloc(COUNT * sizeof *got, 0), type),
                 number = jig_pointer(gpu_alloc(8, 0), JIG_U64);
  for (int k = 0; k < 2; ++k) {
    if (k == 0)
      run_select(&(jig_select_args){.in = in,
                                    .out = out,
                                    .num_selected_out = number,
                                    .num_items = COUNT,
                                    .op = jig_op_source("return x.a < 99;")});
    else
      run_unique(
          &(jig_unique_args){.in = in,
                             .out = out,
                             .num_selected_out = number,
                             .num_items = COUNT,
                             .equality = jig_op_source("return (a.b < 1u << 31) == (b.b < 1u << 31);")});
    gpu_read(got, out.pointer, COUNT * sizeof *got);
    gpu_read(&counted, number.pointer, 8);
    size_t found = 0;
    for (size_t i = 0; i < COUNT; ++i) {
      if (k == 0 ? items[i].a >= 99 : i > 0 && items[i].b >> 31 == items[i - 1].b >> 31) continue;
      ck_assert(got[found].a == items[i].a && got[found].b == items[i].b && got[found].c == items[i].c);
      ++found;
    }
    ck_assert_uint_eq(counted, found);
  }
  gpu_free(in.pointer);
  gpu_free(out.pointer);
  gpu_free(number.pointer);
  free(items);
  free(got);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(bytes_at_every_alignment), SUITE_TEST(the_output_may_be_the_input),
      SUITE_TEST(in_place_as_other_values), SUITE_TEST(the_output_may_be_the_flags),
      SUITE_TEST(inputs_by_iterators),      SUITE_TEST(outputs_by_iterators),
      SUITE_TEST(indices_of_flags),         SUITE_TEST(flags_of_every_type),
      SUITE_TEST(structs_with_padding),     SUITE_TEST(zips_in_place),
  };
  return SUITE_RUN("device/select_places", tests, true);
}
