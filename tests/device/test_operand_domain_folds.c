/* Reduce and scan call their operators with nothing but items and what neighbouring items come to, the
 * left one first: at every size, for items of many sizes, wherever these come from. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "spans.h"
#include "suite.h"

enum { SMALL_SIZES = 40, INIT_BEGIN = 7 };

static const char *const source_names[] = {"memory", "memory, unaligned", "a source", "a transform"};
enum { FROM_MEMORY, FROM_UNALIGNED, FROM_SOURCE, FROM_TRANSFORM, SOURCES };

/* An input of `count` spans; what it is made of. */
typedef struct input {
  void *memory;
  jig_iter base, iter;
} input;

static void open_input(input *in, jig_type type, int source, size_t count, const watch *w) {
  void *items = new_spans(type, count);
  in->memory = gpu_copy(items, count * type.size, source == FROM_UNALIGNED ? type.align : 0);
  in->base = in->iter = jig_pointer(in->memory, type);
  if (source == FROM_SOURCE) in->iter = span_source(type, w);
  if (source == FROM_TRANSFORM) in->iter = jig_iter_transform(&in->base, watched(span_identity, w), type);
  free(items);
}

/* ---- reduce */

static void check_reduce(jig_type type, int source, size_t count, bool has_init) {
  char what[128];
  (void)snprintf(what, sizeof what, "reduce of %zu %s from %s%s", count, type.name, source_names[source],
                 has_init ? ", init" : "");
  const watch w = new_watch(count);
  unsigned char init[40], wanted[40], got[40];
  input in;
  open_input(&in, type, source, count, &w);
  put_span(type, init, 0, (span){INIT_BEGIN, SPAN_FIRST, 0});
  put_span(type, wanted, 0, (span){has_init ? INIT_BEGIN : SPAN_FIRST, SPAN_FIRST + (uint32_t)count, 0});
  reduce_to_host((jig_reduce_args){.in = in.iter,
                                   .num_items = count,
                                   .op = watched(span_fold, &w),
                                   .init = has_init ? init : NULL,
                                   .init_type = type},
                 type, got);
  check_watch(&w, what);
  check_items(got, wanted, type.size, 1, what);
  gpu_free(in.memory);
}

START_TEST(reduce) {
  static const size_t more[] = {63, 64, 65, 127, 129, 255, 257, 1023, 1025, 4097, 33333, 300001};
  for (int i = 0; i < SPAN_TYPES; ++i) {
    const int sources = i == SPAN_4 || i == SPAN_16 ? SOURCES : 2;
    for (int source = 0; source < sources; ++source) {
      const size_t step = source == 0 ? 1 : 5;
      for (size_t count = 1; count <= SMALL_SIZES; count += step)
        check_reduce(span_types[i], source, count, count % 3 == 2);
      for (size_t k = 0; k < COUNT_OF(more); ++k)
        check_reduce(span_types[i], source, more[k], (k + (size_t)source) % 2 == 0);
    }
  }
}
END_TEST

/* If operands may change places they still are of different items: sets of up to 256 of them, disjoint.
 * Of more, how many there are, and what tells that from any other bytes. */
static const jig_type bag_type = {.kind = JIG_KIND_STRUCT,
                                  .size = 40,
                                  .align = 4,
                                  .name = "bag",
                                  .definition =
                                      "struct bag {\n"
                                      "  uint32_t w[8], count, check;\n"
                                      "  uint32_t sum() const {\n"
                                      "    uint32_t s = count * 0x9e3779b9 + 12345;\n"
                                      "    for (int i = 0; i < 8; ++i) s = (s ^ w[i]) * 0x7feb352d;\n"
                                      "    return s;\n"
                                      "  }\n"
                                      "};\n"};
static const char bag_of_index[] =
    "if (i >= state.items) state.tell(uint32_t(i), 0, 0, 0);\n"
    "bag x = {{}, 1};\n"
    "x.w[i / 32 % 8] = 1u << i % 32;\n"
    "x.check = x.sum();\n"
    "return x;\n";
static const char bag_union[] =
    "bag both = {{}, a.count + b.count};\n"
    "bool apart = a.check == a.sum() && b.check == b.sum();\n"
    "for (int i = 0; i < 8; ++i) {\n"
    "  apart = apart && ((a.w[i] & b.w[i]) == 0 || state.items > 256);\n"
    "  both.w[i] = a.w[i] | b.w[i];\n"
    "}\n"
    "both.check = apart ? both.sum() : 0;\n"
    "if (!apart) state.tell(a.count, a.check, b.count, b.check);\n"
    "return both;\n";

START_TEST(reduce_in_any_order) {
  static const size_t more[] = {64, 97, 128, 200, 256, 1000, 5001, 100003, 600000};
  for (size_t k = 0; k < SMALL_SIZES + COUNT_OF(more); ++k) {
    const size_t count = k < SMALL_SIZES ? k + 1 : more[k - SMALL_SIZES];
    const watch w = new_watch(count);
    struct {
      uint32_t w[8], count, check;
    } got;
    reduce_to_host((jig_reduce_args){.in = jig_iter_source(watched(bag_of_index, &w), bag_type),
                                     .num_items = count,
                                     .op = jig_op_commutative(watched(bag_union, &w))},
                   bag_type, &got);
    check_watch(&w, "reduce in any order");
    ck_assert_uint_eq(got.count, count);
  }
}
END_TEST

/* The same of integers in memory, in runs that are loaded at once: a number of items, and what tells that
 * from other bytes. */
static const char number_sum[] =
    "const uint32_t low = 0xffffff, count = (a & low) + (b & low);\n"
    "const bool sound = a >> 24 == ((a & low) * 0x9e3779b9 + 0x51234567) >> 24 && "
    "b >> 24 == ((b & low) * 0x9e3779b9 + 0x51234567) >> 24;\n"
    "if (!sound) state.tell(a, 0, b, 0);\n"
    "return sound ? count | (count * 0x9e3779b9 + 0x51234567) >> 24 << 24 : 0;\n";
static uint32_t number_of(uint32_t count) {
  return count | (count * 0x9e3779b9u + 0x51234567u) >> 24 << 24;
}

static void check_numbers(size_t count) {
  const watch w = new_watch(count);
  uint32_t *items = malloc(count * 4), *wanted = malloc(count * 4), got;
  for (size_t i = 0; i < count; ++i) {
    items[i] = number_of(1);
    wanted[i] = number_of((uint32_t)i + 1);
  }
  void *in = gpu_copy(items, count * 4, 0);
  const jig_op op = jig_op_commutative(watched(number_sum, &w));
  reduce_to_host((jig_reduce_args){.in = jig_pointer(in, JIG_U32), .num_items = count, .op = op}, JIG_U32,
                 &got);
  check_scan((jig_scan_args){.in = jig_pointer(in, JIG_U32), .num_items = count, .op = op}, JIG_U32, 0,
             wanted, "scan of numbers");
  check_watch(&w, "reduce and scan of numbers");
  ck_assert_uint_eq(got, wanted[count - 1]);
  gpu_free(in);
  free(items);
  free(wanted);
}

START_TEST(integers_in_any_order) {
  const jig_scan_args args = {.in = jig_pointer(NULL, JIG_U32),
                              .out = jig_pointer(NULL, JIG_U32),
                              .op = jig_op_commutative(jig_op_source("return a + b;"))};
  const scan_marks m = scan_marks_of(&args);
  for (size_t count = 1; count <= SMALL_SIZES; ++count) check_numbers(count);
  check_numbers(m.row + 3);
  check_numbers(m.single_wave - 2);
  check_numbers(m.single_wave + 2 * m.tile + 5);
}
END_TEST

/* ---- scan */

typedef enum scan_way { PLAIN, EXCLUSIVE, WITH_INIT, WAYS } scan_way;

static void check_scan_of(jig_type type, int source, size_t count, scan_way way) {
  char what[128];
  (void)snprintf(what, sizeof what, "scan of %zu %s from %s, way %d", count, type.name,
                 source_names[source], way);
  const watch w = new_watch(count);
  unsigned char init[40], *wanted = malloc(count * type.size), *got = malloc(count * type.size);
  put_span(type, init, 0, (span){INIT_BEGIN, SPAN_FIRST, 0});
  const uint32_t begin = way == PLAIN ? SPAN_FIRST : INIT_BEGIN;
  for (size_t i = 0; i < count; ++i)
    put_span(type, wanted, i, (span){begin, SPAN_FIRST + (uint32_t)i + (way != EXCLUSIVE), 0});
  input in;
  open_input(&in, type, source, count, &w);
  void *out = gpu_alloc(count * type.size, 0);
  const jig_iter stored = jig_pointer(out, type);
  jig_scan_args args = {.in = in.iter,
                        .out = stored,
                        .num_items = count,
                        .op = watched(span_fold, &w),
                        .mode = way == EXCLUSIVE ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
                        .init = way == PLAIN ? NULL : init,
                        .init_type = type};
  if (source == FROM_TRANSFORM) args.out = jig_transform_output(&stored, watched(span_stored, &w), type);
  run_scan(&args, 0);
  gpu_read(got, out, count * type.size);
  check_watch(&w, what);
  check_items(got, wanted, type.size, count, what);
  gpu_free(out);
  gpu_free(in.memory);
  free(wanted);
  free(got);
}

/* At all sizes of few vectors, and around those at which a scan goes another way. */
static void check_scans_of(jig_type type, int source, scan_way way) {
  input in;
  const watch w = {0};
  open_input(&in, type, source, 1, &w);
  const unsigned char init[40] = {0};
  const jig_scan_args args = {.in = in.iter,
                              .out = jig_pointer(NULL, type),
                              .op = watched(span_fold, &w),
                              .mode = way == EXCLUSIVE ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
                              .init = way == PLAIN ? NULL : init,
                              .init_type = type};
  const scan_marks m = scan_marks_of(&args);
  gpu_free(in.memory);
  const size_t step = source == FROM_MEMORY ? 1 : 3;
  for (size_t count = 1; count <= SMALL_SIZES; count += step) check_scan_of(type, source, count, way);
  const size_t warp = 32 * m.vector;
  const size_t sizes[] = {warp - 1,
                          warp,
                          warp + 1,
                          m.row - 1,
                          m.row,
                          m.row + 1,
                          2 * m.row + 3,
                          m.alone,
                          m.alone + 1,
                          m.single_wave - m.row,
                          m.single_wave,
                          m.single_wave + m.vector,
                          m.single_wave + m.tile + 1};
  for (size_t k = 0; k < COUNT_OF(sizes); ++k) check_scan_of(type, source, sizes[k], way);
}

START_TEST(scan_of_small_items) {
  for (int i = SPAN_1; i <= SPAN_4; ++i)
    for (scan_way way = PLAIN; way < WAYS; ++way)
      if (i == SPAN_4 || way == (scan_way)(i % WAYS)) check_scans_of(span_types[i], FROM_MEMORY, way);
}
END_TEST

START_TEST(scan_of_large_items) {
  for (int i = SPAN_8; i <= SPAN_40; ++i)
    for (scan_way way = PLAIN; way < WAYS; ++way)
      if (i == SPAN_8 || way == (scan_way)(i % WAYS)) check_scans_of(span_types[i], FROM_MEMORY, way);
}
END_TEST

START_TEST(scan_of_iterators) {
  check_scans_of(span_types[SPAN_4], FROM_UNALIGNED, WITH_INIT);
  check_scans_of(span_types[SPAN_4], FROM_SOURCE, PLAIN);
  check_scans_of(span_types[SPAN_8], FROM_TRANSFORM, EXCLUSIVE);
}
END_TEST

/* Tiles of all groups of a chain, and a last one that is not whole. */
START_TEST(scan_of_many_tiles) {
  for (int i = SPAN_4; i <= SPAN_16; ++i) {
    const jig_type type = span_types[i];
    const jig_scan_args args = {
        .in = jig_pointer(NULL, type), .out = jig_pointer(NULL, type), .op = jig_op_source("return a;")};
    const scan_marks m = scan_marks_of(&args);
    if (i != SPAN_12) check_scan_of(type, FROM_MEMORY, m.group + 3 * m.tile + m.tile / 2 + 1, PLAIN);
    if (i == SPAN_8) check_scan_of(type, FROM_MEMORY, scan_long_size(&m, (size_t)-1), WITH_INIT);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(reduce),
      SUITE_TEST(reduce_in_any_order),
      SUITE_TEST(integers_in_any_order),
      SUITE_TEST(scan_of_small_items),
      SUITE_TEST(scan_of_large_items),
      SUITE_TEST(scan_of_iterators),
      SUITE_TEST(scan_of_many_tiles),
  };
  return SUITE_RUN("device/operand_domain_folds", tests, true);
}
