/* The smallest or largest item of each segment with its index: segments of all shapes, told in every way;
 * ties, NaNs, orders, types of indices, what is refused. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "seed.h"
#include "segmented_reduce_support.h"
#include "strict_support.h"
#include "suite.h"

static void run(const jig_segmented_arg_reduce_args *args) {
  RUN_PHASES(jig_segmented_arg_reduce, args, 3);
}

static bool before(jig_type_kind kind, const void *items, size_t a, size_t b, bool smallest) {
  if (is_floating(kind)) {
    const double x = get_float(kind, items, a), y = get_float(kind, items, b);
    return smallest ? x < y : y < x;
  }
  const int128 x = get_integer(kind, items, a), y = get_integer(kind, items, b);
  return smallest ? x < y : y < x;
}

/* Few values, so that there are ties. */
static void check_shape(jig_type_kind kind, size_t shape, size_t items, segment_way way, bool smallest) {
  const char *name;
  const jig_type type = type_of(kind);
  segment_list list = shaped_segments(shape, items, way, &name);
  char *host = malloc(list.items * type.size + 16), *values = malloc(list.count * type.size + 16);
  int64_t *indices = malloc(list.count * 8 + 8);
  uint64_t seed = 3 + shape;
  for (size_t i = 0; i < list.items; ++i) {
    const uint64_t value = next_random(&seed) >> 40;
    if (is_floating(kind))
      put_float(kind, host, i, (double)(value % 100));
    else
      put_integer(kind, host, i, (int128)(value % 100));
  }
  const segment_offsets offsets = put_segments(&list, way, JIG_KIND_I64);
  const jig_segmented_arg_reduce_args args = {
      .in = jig_pointer(gpu_copy(host, list.items * type.size, shape % 2 * type.size), type),
      .value_out = jig_pointer(gpu_alloc(list.count * type.size, 0), type),
      .index_out = jig_pointer(gpu_alloc(list.count * 8, 0), JIG_I64),
      .begin_offsets = offsets.begins,
      .end_offsets = offsets.ends,
      .num_segments = list.count,
      .segment_size = offsets.size,
      .op = smallest ? JIG_MIN : JIG_MAX};
  run(&args);
  gpu_read(values, args.value_out.pointer, list.count * type.size);
  gpu_read(indices, args.index_out.pointer, list.count * 8);
  for (size_t s = 0; s < list.count; ++s) {
    int64_t best = -1;
    for (int64_t i = list.begins[s]; i < list.ends[s]; ++i)
      if (best < 0 || before(kind, host, (size_t)i, (size_t)best, smallest)) best = i;
    const int64_t wanted = best < 0 ? -1 : best - list.begins[s];
    ck_assert_msg(indices[s] == wanted, "%s of %s, way %d: segment %zu: item %lld, not %lld",
                  jig_type_name(&type), name, way, s, (long long)indices[s], (long long)wanted);
    if (best >= 0) ck_assert_mem_eq(values + s * type.size, host + (size_t)best * type.size, type.size);
  }
  gpu_free(args.in.pointer);
  gpu_free(args.value_out.pointer);
  gpu_free(args.index_out.pointer);
  if (way != FIXED) gpu_free(offsets.begins.pointer);
  free(host);
  free(values);
  free(indices);
  free_segments(&list);
}

START_TEST(segments_of_all_shapes) {
  static const jig_type_kind kinds[] = {JIG_KIND_F32, JIG_KIND_U8, JIG_KIND_I64, JIG_KIND_F16,
                                        JIG_KIND_I128};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k)
    for (segment_way way = ADJOINING; way < SEGMENT_WAYS; ++way)
      for (size_t shape = 0; shape < shape_count; ++shape)
        if (k == 0 || (test_turn(k) && (k + shape + (size_t)way) % 4 == 0))
          check_shape(kinds[k], shape, k == 0 ? 30000 : 9000, way, (shape + k) % 2 == 0);
}
END_TEST

/* ---- NaNs, orders, types of indices */

enum { SEGMENTS = 5 };
static const int32_t offsets[SEGMENTS + 1] = {0, 1, 4, 6, 6, 9};
static const float floats[9] = {3, NAN, -2, 7, NAN, NAN, 5, -0.0f, 0.0f};

static void find(jig_segmented_arg_reduce_args args, float values[SEGMENTS], int64_t indices[SEGMENTS]) {
  int32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
  args.in = jig_pointer(gpu_copy(floats, sizeof floats, 0), JIG_F32);
  args.value_out = jig_pointer(gpu_alloc(SEGMENTS * 4, 0), JIG_F32);
  args.index_out = jig_pointer(gpu_alloc(SEGMENTS * 8, 0), JIG_I64);
  args.begin_offsets = jig_pointer(begins, JIG_I32);
  args.end_offsets = jig_pointer(begins + 1, JIG_I32);
  args.num_segments = SEGMENTS;
  run(&args);
  gpu_read(values, args.value_out.pointer, SEGMENTS * 4);
  gpu_read(indices, args.index_out.pointer, SEGMENTS * 8);
  gpu_free(args.in.pointer);
  gpu_free(args.value_out.pointer);
  gpu_free(args.index_out.pointer);
  gpu_free(begins);
}

START_TEST(nans) {
  float values[SEGMENTS];
  int64_t indices[SEGMENTS];
  const int64_t propagated[] = {0, 0, 0, -1, 1}, ignored[] = {0, 2, -1, -1, 0}, last[] = {0, 1, 0, -1, 1};
  find((jig_segmented_arg_reduce_args){.nan = JIG_NAN_PROPAGATE}, values, indices);
  ck_assert_mem_eq(indices, propagated, sizeof propagated);
  ck_assert(isnan(values[1]) && values[3] == INFINITY && values[4] == 0);
  find((jig_segmented_arg_reduce_args){.op = JIG_MAX, .nan = JIG_NAN_IGNORE}, values, indices);
  ck_assert_mem_eq(indices, ignored, sizeof ignored);
  ck_assert(values[1] == 7 && values[2] == -INFINITY && values[4] == 5);
  find((jig_segmented_arg_reduce_args){.compare = JIG_LESS}, values, indices); /* NaNs last */
  ck_assert_mem_eq(indices, last, sizeof last);
  ck_assert(values[1] == -2 && isnan(values[2]));
}
END_TEST

/* By an order of the caller's, which is asked about items only; of those that are equal by it the first.
 */
START_TEST(structs_by_an_order) {
  enum { ITEMS = 20000, ROW = 125, ROWS = ITEMS / ROW };
  typedef struct hit {
    int32_t key, id, rest;
  } hit;
  const jig_type type = jig_struct("hit", "struct hit { int key, id, rest; };", sizeof(hit), 4);
  hit *hits = malloc(ITEMS * sizeof *hits), got[ROWS];
  uint8_t indices[ROWS];
  uint64_t seed = 5;
  for (int32_t i = 0; i < ITEMS; ++i) hits[i] = (hit){(int32_t)(next_random(&seed) >> 40) % 50, i, 1};
  jig_segmented_arg_reduce_args args = {
      .in = jig_pointer(gpu_copy(hits, ITEMS * sizeof *hits, 0), type),
      .value_out = jig_pointer(gpu_alloc(sizeof got, 0), type),
      .index_out = jig_pointer(gpu_alloc(sizeof indices, 0), JIG_U8),
      .num_segments = ROWS,
      .segment_size = ROW,
      .op = JIG_MAX,
      .compare = jig_op_source("if (a.rest != 1 || b.rest != 1) __trap(); return a.key < b.key;")};
  run(&args);
  gpu_read(got, args.value_out.pointer, sizeof got);
  gpu_read(indices, args.index_out.pointer, sizeof indices);
  for (int32_t r = 0; r < ROWS; ++r) {
    int32_t best = r * ROW;
    for (int32_t i = best; i < (r + 1) * ROW; ++i)
      if (hits[i].key > hits[best].key) best = i;
    ck_assert_int_eq(got[r].id, best);
    ck_assert_int_eq(indices[r], best - r * ROW);
  }
  args.segment_size = 0; /* all are empty: values are not written */
  gpu_fill(args.value_out.pointer, 9, sizeof got);
  run(&args);
  gpu_read(indices, args.index_out.pointer, sizeof indices);
  gpu_read(got, args.value_out.pointer, sizeof got);
  for (int32_t r = 0; r < ROWS; ++r) ck_assert(indices[r] == 255 && got[r].id == 0x09090909);
  gpu_free(args.in.pointer);
  gpu_free(args.value_out.pointer);
  gpu_free(args.index_out.pointer);
  free(hits);
}
END_TEST

/* ---- calls */

#define REFUSED(args, part) \
  FAILS(jig_segmented_arg_reduce(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(400, 0);
  const jig_segmented_arg_reduce_args whole = {.in = jig_pointer(memory, JIG_U32),
                                               .value_out = jig_pointer(memory + 40, JIG_U32),
                                               .index_out = jig_pointer(memory + 60, JIG_U32),
                                               .num_segments = 4,
                                               .segment_size = 8};
  jig_segmented_arg_reduce_args args = whole;
  args.index_out.pointer = memory + 42;
  REFUSED(&args, "index_out overlaps value_out");
  args = whole;
  args.value_out.pointer = memory + 31;
  REFUSED(&args, "value_out overlaps in");
  args = whole;
  args.index_out.type = JIG_F64;
  REFUSED(&args, "index_out");
  args = whole;
  args.value_out.type = JIG_I32;
  REFUSED(&args, "value_out");
  args = whole;
  args.op = JIG_PLUS;
  REFUSED(&args, "op: it must be JIG_MIN or JIG_MAX");
  args = whole;
  args.begin_offsets = jig_pointer(memory + 80, JIG_U32);
  REFUSED(&args, "segment_size: it is for segments without offsets");
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

static void strict_argmin(strict_call *t) {
  jig_segmented_arg_reduce_args args = {.in = jig_pointer(t->d_keys, JIG_U32),
                                        .index_out = jig_pointer(t->out[0], JIG_I32),
                                        .begin_offsets = jig_pointer(t->d_offsets, JIG_I64),
                                        .end_offsets = jig_pointer(NULL, JIG_I64),
                                        .num_segments = t->segments};
  if (t->d_offsets != NULL) args.end_offsets.pointer = (int64_t *)t->d_offsets + 1;
  STRICT(t, jig_segmented_arg_reduce, args);
  const int32_t *got = strict_read(t, t->out[0], t->segments * 4);
  for (uint64_t s = 0; s < t->segments; ++s) {
    int64_t best = t->offsets[s];
    for (int64_t i = best; i < t->offsets[s + 1]; ++i)
      if (t->keys[i] < t->keys[best]) best = i;
    ck_assert_int_eq(got[s], best - t->offsets[s]);
  }
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_argmin)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(segments_of_all_shapes), SUITE_TEST(nans), SUITE_TEST(structs_by_an_order),
      SUITE_TEST(what_cannot_be_is_refused), SUITE_TEST(a_spec_prewarms_its_calls)};
  return SUITE_RUN("device/segmented_arg_reduce", tests, true);
}
