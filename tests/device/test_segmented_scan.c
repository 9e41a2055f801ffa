/* Segmented scan: segments of all lengths, empty ones, ones with gaps between them and in any order, few
 * and many; operators whose operands must keep their order; offsets of every integer type; in place;
 * calls. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/segment_plan.h"
#include "by_key_support.h"
#include "gpu.h"
#include "items.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "segments.h"
#include "suite.h"

static void run_segmented_scan(const jig_segmented_scan_args *args) {
  RUN_PHASES(jig_segmented_scan, args, 1);
}

/* What comes of items that are accumulators already; between segments what is in `out` stays. */
static void scan_on_cpu(const scan_model *model, const segment_list *list, jig_scan_mode mode,
                        const void *init, const char *items, char *out) {
  for (size_t i = 0; i < list->count; ++i) {
    if (list->ends[i] <= list->begins[i]) continue;
    const size_t first = (size_t)list->begins[i] * model->size;
    scan_on_host(model, mode, init, items + first, (size_t)(list->ends[i] - list->begins[i]),
                 out + first);
  }
}

/* In every mode, apart and in place. */
static void check_segments(const segment_list *list, jig_type type, jig_op op, const scan_model *model,
                           const void *items, const char *what) {
  const size_t bytes = list->items * type.size;
  unsigned char init[256];
  memset(init, 3, sizeof init);
  char *wanted = malloc(bytes + 1), *got = malloc(bytes + 1);
  int64_t *begins = gpu_copy(list->begins, list->count * 8, 0),
          *ends = gpu_copy(list->ends, list->count * 8, 8);
  for (int way = 0; way < 4; ++way) {
    const bool in_place = way % 2 == 1;
    const jig_scan_mode mode = way == 0 || way == 3 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE;
    void *in = gpu_copy(items, bytes, (size_t)way * type.size),
         *out = in_place ? in : gpu_copy(items, bytes, 0);
    run_segmented_scan(&(jig_segmented_scan_args){.in = jig_pointer(in, type),
                                                  .out = jig_pointer(out, type),
                                                  .begin_offsets = jig_pointer(begins, JIG_I64),
                                                  .end_offsets = jig_pointer(ends, JIG_I64),
                                                  .num_segments = list->count,
                                                  .op = op,
                                                  .mode = mode,
                                                  .init = way > 0 ? init : NULL,
                                                  .init_type = type,
                                                  .accum_type = type});
    memcpy(wanted, items, bytes);
    scan_on_cpu(model, list, mode, way > 0 ? init : NULL, items, wanted);
    gpu_read(got, out, bytes);
    char told[160];
    (void)snprintf(told, sizeof told, "%s, way %d", what, way);
    check_items(got, wanted, type.size, list->items, told);
    gpu_free(in);
    if (!in_place) gpu_free(out);
  }
  gpu_free(begins);
  gpu_free(ends);
  free(wanted);
  free(got);
}

static const size_t averages[] = {1, 5, 16, 40, 300, 1000, 5000, 30000};

static void check_type(jig_type type, jig_op op, const scan_model *model, jig_type_kind words,
                       size_t most) {
  for (size_t k = 0; k < COUNT_OF(averages); ++k) {
    static const size_t counts[] = {1, 2, 31, 33, 1000, 9000};
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      if (averages[k] * counts[c] > most) continue;
      segment_list list = new_segments(counts[c], averages[k], c % 2 == 1);
      const size_t count = (list.items + 1) * type.size / type_of(words).size;
      void *items = malloc(count * type_of(words).size);
      fill_random(words, items, count, 3 + list.items);
      char what[128];
      (void)snprintf(what, sizeof what, "%zu segments of %zu %s", counts[c], averages[k],
                     jig_type_name(&type));
      check_segments(&list, type, op, model, items, what);
      free(items);
      free_segments(&list);
    }
  }
}

START_TEST(sums) {
  static const jig_type_kind kinds[] = {JIG_KIND_U32, JIG_KIND_I8, JIG_KIND_U16, JIG_KIND_I64,
                                        JIG_KIND_I128};
  for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
    if (i > 0 && !test_turn(i)) continue;
    const jig_type type = type_of(kinds[i]);
    const scan_model model = sum_model(type);
    check_type(type, JIG_PLUS, &model, kinds[i], i == 0 ? 200000 : 20000);
  }
}
END_TEST

START_TEST(operands_keep_their_order) {
  const scan_model pairs = {8, compose_pair}, lines = {64, compose_line};
  if (test_turn(0))
    check_type(jig_struct("pair", "struct pair { uint32_t w[2]; };", 8, 4),
               jig_op_source("return {a.w[0] * b.w[0], a.w[1] * b.w[0] + b.w[1]};"), &pairs, JIG_KIND_U32,
               40000);
  else
    check_type(jig_struct("line", "struct line { uint32_t w[16]; };", 64, 4),
               jig_op_source("line c;\nc.w[0] = a.w[0] * b.w[0];\nc.w[1] = a.w[1] * b.w[0] + b.w[1];\n"
                             "for (int i = 2; i < 16; ++i) c.w[i] = a.w[i] + b.w[i];\nreturn c;"),
               &lines, JIG_KIND_U32, 10000);
}
END_TEST

/* ---- offsets */

START_TEST(offsets_of_any_type_and_place) {
  static const uint32_t items[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const jig_type_kind kinds[] = {JIG_KIND_I8,  JIG_KIND_U8,  JIG_KIND_I16, JIG_KIND_U16,
                                        JIG_KIND_I32, JIG_KIND_U32, JIG_KIND_I64, JIG_KIND_U64};
  static const int64_t begins[] = {6, 0, 3, 9}, ends[] = {9, 3, 3, 12}, outs[] = {0, 5, 1, 9};
  static const uint32_t wanted[12] = {7, 15, 24, 0, 0, 1, 3, 6, 0, 10, 21, 33};
  uint32_t *in = gpu_copy(items, sizeof items, 0), *out = gpu_alloc(sizeof items, 0), got[12];
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    unsigned char numbers[3][32];
    for (size_t i = 0; i < 4; ++i) {
      put_integer(kinds[k], numbers[0], i, begins[i]);
      put_integer(kinds[k], numbers[1], i, ends[i]);
      put_integer(kinds[k], numbers[2], i, outs[i]);
    }
    void *device = gpu_copy(numbers, sizeof numbers, 0);
    gpu_fill(out, 0, sizeof items);
    run_segmented_scan(&(jig_segmented_scan_args){.in = jig_pointer(in, JIG_U32),
                                                  .out = jig_pointer(out, JIG_U32),
                                                  .begin_offsets = jig_pointer(device, type),
                                                  .end_offsets = jig_pointer((char *)device + 32, type),
                                                  .out_offsets = jig_pointer((char *)device + 64, type),
                                                  .num_segments = 4});
    gpu_read(got, out, sizeof got);
    check_items(got, wanted, 4, 12, jig_type_name(&type));
    gpu_free(device);
  }
  gpu_free(in);
  gpu_free(out);
}
END_TEST

/* Rows of a matrix, from computed offsets; the items are computed, too. */
START_TEST(computed_offsets_and_items) {
  enum { ROWS = 300, COLUMNS = 37 };
  const int32_t step = COLUMNS, second = COLUMNS;
  uint32_t *out = gpu_alloc(ROWS * COLUMNS * 4, 0), *got = malloc(ROWS * COLUMNS * 4);
  const jig_iter items = jig_counting(NULL, JIG_U32),
                 squares = jig_iter_transform(&items, jig_op_source("return x * x;"), JIG_U32);
  OK(jig_exclusive_segmented_sum(NULL, NULL, NULL, squares, jig_pointer(out, JIG_U32),
                                 jig_counting_by(NULL, &step, JIG_I32),
                                 jig_counting_by(&second, &step, JIG_I32), ROWS, NULL));
  gpu_read(got, out, ROWS * COLUMNS * 4);
  for (uint32_t row = 0, i = 0; row < ROWS; ++row) {
    uint32_t sum = 0;
    for (uint32_t column = 0; column < COLUMNS; ++column, ++i) {
      ck_assert_uint_eq(got[i], sum);
      sum += i * i;
    }
  }
  gpu_free(out);
  free(got);
}
END_TEST

/* ---- what exclusive scans begin with */

/* Exclusive scans of items that are all the same, which leave what every segment begins with; whatever
 * counts as long, and whether segments are known to adjoin. */
static void check_starts(jig_op op, float item, float wanted) {
  enum { SEGMENTS = 90, LENGTH = 40, ITEMS = SEGMENTS * LENGTH };
  static float items[ITEMS], got[ITEMS];
  static int32_t offsets[SEGMENTS + 1];
  plan_limits *limits = limits_of(NULL);
  const uint64_t most_short = limits->segment_most_short;
  for (size_t i = 0; i < ITEMS; ++i) items[i] = item;
  for (size_t i = 0; i <= SEGMENTS; ++i) offsets[i] = (int32_t)i * LENGTH;
  float *in = gpu_copy(items, sizeof items, 0), *out = gpu_alloc(sizeof items, 0);
  int32_t *device = gpu_copy(offsets, sizeof offsets, 0), *ends = gpu_copy(offsets + 1, SEGMENTS * 4, 0);
  for (int way = 0; way < 3; ++way) {
    limits->segment_most_short = way == 1 ? LENGTH / 2 : most_short;
    gpu_fill(out, 0xee, sizeof items);
    const jig_segmented_scan_args args = {
        .in = jig_pointer(in, JIG_F32),
        .out = jig_pointer(out, JIG_F32),
        .begin_offsets = jig_pointer(device, JIG_I32),
        .end_offsets = jig_pointer(way == 0 ? device + 1 : ends, JIG_I32),
        .num_segments = SEGMENTS,
        .op = op,
        .nan = JIG_NAN_IGNORE,
        .mode = JIG_SCAN_EXCLUSIVE};
    OK(jig_segmented_scan(NULL, NULL, NULL, &args, NULL));
    gpu_read(got, out, sizeof got);
    for (size_t i = 0; i < ITEMS; ++i)
      ck_assert_msg(memcmp(&got[i], &wanted, sizeof wanted) == 0, "way %d, item %zu: %g", way, i,
                    (double)got[i]);
  }
  limits->segment_most_short = most_short;
  gpu_free(in);
  gpu_free(out);
  gpu_free(device);
  gpu_free(ends);
}

/* A sum without an init begins with +0, as one would begin by hand, and +0 and -0 are +0. */
START_TEST(exclusive_sums_begin_with_zero) {
  check_starts(JIG_PLUS, -0.0f, 0);
}
END_TEST

/* Of a minimum that is the identity, which NaNs that are passed over leave as it is. */
START_TEST(exclusive_minima_begin_with_the_identity) {
  check_starts(JIG_MIN, NAN, INFINITY);
  check_starts(JIG_MAX, NAN, -INFINITY);
}
END_TEST

/* ---- calls */

START_TEST(wrong_arguments_are_named) {
  uint32_t *some = gpu_alloc(4096, 0);
  const jig_iter items = jig_pointer(some, JIG_U32), offsets = jig_pointer(some + 512, JIG_I32);
  const jig_segmented_scan_args good = {
      .in = items, .out = items, .begin_offsets = offsets, .end_offsets = offsets, .num_segments = 4};
  jig_segmented_scan_args args = good;
  args.begin_offsets = items;
  FAILS(jig_segmented_scan(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_segmented_scan: out overlaps begin_offsets");
  args = good;
  args.end_offsets = jig_pointer(some, JIG_F32);
  FAILS(jig_segmented_scan(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "end_offsets");
  args = good;
  args.out_offsets = jig_pointer(NULL, JIG_I32);
  FAILS(jig_segmented_scan(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "out_offsets");
  args = good;
  args.in = jig_pointer(NULL, JIG_U32);
  FAILS(jig_segmented_scan(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "in");
  args = good;
  args.mode = (jig_scan_mode)2;
  FAILS(jig_segmented_scan(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "mode");
  args = good;
  args.op = jig_op_source("return b;");
  args.mode = JIG_SCAN_EXCLUSIVE;
  FAILS(jig_segmented_scan(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "init");
  args = good;
  args.num_segments = 0;
  args.in = args.out = args.begin_offsets = args.end_offsets = jig_pointer(NULL, JIG_U32);
  OK(jig_segmented_scan(NULL, NULL, NULL, &args, NULL));
  FAILS(jig_segmented_scan(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  ck_assert(gpu_is_untouched(some, 4096));
  gpu_free(some);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums),
      SUITE_TEST(operands_keep_their_order),
      SUITE_TEST(offsets_of_any_type_and_place),
      SUITE_TEST(computed_offsets_and_items),
      SUITE_TEST(exclusive_sums_begin_with_zero),
      SUITE_TEST(exclusive_minima_begin_with_the_identity),
      SUITE_TEST(wrong_arguments_are_named),
  };
  return SUITE_RUN("device/segmented_scan", tests, true);
}
