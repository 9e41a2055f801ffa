/* Segmented reduce of segments of all shapes, told in every way: by an operator that keeps its operands
 * in order and is called with nothing but items of one segment and what neighbouring ones come to; and by
 * well-known ones over numbers. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "program_support.h"
#include "seed.h"
#include "segmented_reduce_support.h"
#include "spans.h"
#include "suite.h"

static jig_segmented_reduce_args args_of(const segment_offsets *offsets, size_t count) {
  return (jig_segmented_reduce_args){.begin_offsets = offsets->begins,
                                     .end_offsets = offsets->ends,
                                     .num_segments = count,
                                     .segment_size = offsets->size};
}

/* ---- order */

enum { INIT_BEGIN = 7 };

/* What a segment of spans comes to; the poison of its output if nothing is written. */
static void put_wanted(jig_type type, void *wanted, const segment_list *list, bool has_init) {
  for (size_t s = 0; s < list->count; ++s) {
    const int64_t length = list->ends[s] - list->begins[s];
    const uint32_t begin = has_init ? INIT_BEGIN : SPAN_FIRST;
    if (length > 0)
      put_span(type, wanted, s, (span){begin, SPAN_FIRST + (uint32_t)length, (uint32_t)s});
    else if (has_init)
      put_span(type, wanted, s, (span){INIT_BEGIN, SPAN_FIRST, SPAN_ANY_RUN});
  }
}

static void check_order(jig_type type, const segment_list *list, segment_way way, bool has_init,
                        const char *name) {
  char what[128];
  (void)snprintf(what, sizeof what, "%zu segments, %s, of %s, told in way %d", list->count, name,
                 type.name, way);
  const watch w = new_watch(list->items);
  const size_t results = list->count * type.size;
  unsigned char init[40], *items = calloc(list->items * type.size + 1, 1), *wanted = malloc(results + 1),
                          *got = malloc(results + 1);
  put_span(type, init, 0, (span){INIT_BEGIN, SPAN_FIRST, SPAN_ANY_RUN});
  for (size_t s = 0; s < list->count; ++s)
    for (int64_t i = list->begins[s]; i < list->ends[s]; ++i) {
      const uint32_t place = SPAN_FIRST + (uint32_t)(i - list->begins[s]);
      put_span(type, items, (size_t)i, (span){place, place + 1, (uint32_t)s});
    }
  void *in = gpu_copy(items, list->items * type.size, 0), *out = gpu_alloc(results, type.align);
  gpu_read(wanted, out, results);
  put_wanted(type, wanted, list, has_init);
  const segment_offsets offsets = put_segments(list, way, JIG_KIND_I64);
  jig_segmented_reduce_args args = args_of(&offsets, list->count);
  args.in = jig_pointer(in, type);
  args.out = jig_pointer(out, type);
  args.op = watched(span_fold, &w);
  args.init = has_init ? init : NULL;
  args.init_type = type;
  RUN_PHASES(jig_segmented_reduce, &args, 3);
  gpu_read(got, out, results);
  check_watch(&w, what);
  for (size_t s = 0; s < list->count; ++s)
    ck_assert_msg(memcmp(got + s * type.size, wanted + s * type.size, type.size) == 0,
                  "%s: segment %zu is wrong", what, s);
  gpu_free(in);
  gpu_free(out);
  if (way != FIXED) gpu_free(offsets.begins.pointer);
  free(items);
  free(wanted);
  free(got);
}

static void check_orders(jig_type type, size_t items, bool has_init) {
  for (segment_way way = ADJOINING; way < SEGMENT_WAYS; ++way)
    for (size_t shape = 0; shape < shape_count; ++shape) {
      const char *name;
      segment_list list = shaped_segments(shape, items, way, &name);
      if (list.items < span_places(type)) check_order(type, &list, way, has_init, name);
      free_segments(&list);
    }
}

START_TEST(operands_are_items_in_order) {
  check_orders(span_types[SPAN_8], 30000, false);
  if (test_turn(0)) check_orders(span_types[SPAN_12], 9000, true);
  if (test_turn(1)) check_orders(span_types[SPAN_40], 9000, false);
  if (test_turn(1)) check_orders(span_types[SPAN_2], 3000, true);
}
END_TEST

/* Long to a warp, or to a block: these are cut, several shares to a segment or several segments to a
 * share. */
START_TEST(operands_of_long_segments_are_items_in_order) {
  enum { MOST = 600 };
  static const struct {
    size_t count, every, length;
  } lists[] = {{1, 1, 60000},   {7, 1, 9000},      {5, 2, 30000},
               {257, 20, 3000}, {300, 299, 50000}, {MOST, 100, 9000}};
  static size_t lengths[MOST];
  for (size_t l = 0; l < COUNT_OF(lists); ++l) {
    if (!test_turn(l)) continue;
    for (size_t s = 0; s < lists[l].count; ++s)
      lengths[s] = s % lists[l].every == lists[l].every - 1 ? lists[l].length + s * 13 % 100 : s % 5;
    for (segment_way way = ADJOINING; way <= APART; ++way) {
      segment_list list = segments_of(lengths, lists[l].count, way == APART);
      check_order(span_types[SPAN_8], &list, way, l % 2 == 1, "some long");
      free_segments(&list);
    }
  }
}
END_TEST

/* No block may take any segment without a search. */
START_TEST(operands_of_shared_segments_are_items_in_order) {
  plan_limits *limits = limits_of(NULL);
  const uint64_t most_direct = limits->segmented_reduce_most_few;
  limits->segmented_reduce_most_few = 0;
  if (test_turn(0))
    check_orders(span_types[SPAN_8], 30000, true);
  else
    check_orders(span_types[SPAN_40], 9000, true);
  limits->segmented_reduce_most_few = most_direct;
}
END_TEST

/* ---- numbers */

static int128 sum_of(jig_type_kind kind, const void *items, int64_t begin, int64_t end) {
  int128 sum = 0;
  for (int64_t i = begin; i < end; ++i)
    sum += is_floating(kind) ? (int128)get_float(kind, items, (size_t)i)
                             : get_integer(kind, items, (size_t)i);
  return sum;
}

/* Of several sizes, so that there are as many kinds of vectors of them. */
static jig_type_kind offset_kind(jig_type_kind item, const segment_list *list) {
  if (item == JIG_KIND_U8) return JIG_KIND_U32;
  if (item == JIG_KIND_F64) return JIG_KIND_I64;
  return item == JIG_KIND_I16 && list->items <= UINT16_MAX ? JIG_KIND_U16 : JIG_KIND_I32;
}

/* Floating-point items are whole numbers so small that sums are exact in an f64. */
static void check_sums_as(jig_type_kind kind, jig_type_kind result, const segment_list *list,
                          segment_way way, size_t offset, jig_determinism determinism, const char *name) {
  const jig_type type = type_of(kind), out_type = type_of(result);
  void *items = malloc(list->items * type.size + 16), *got = malloc(list->count * out_type.size + 16),
       *wanted = malloc(32);
  fill_random(kind, items, list->items, 5 + list->items);
  char *in = gpu_copy(items, list->items * type.size, offset * type.size);
  void *out = gpu_alloc(list->count * out_type.size, 0);
  const segment_offsets offsets = put_segments(list, way, offset_kind(kind, list));
  jig_segmented_reduce_args args = args_of(&offsets, list->count);
  args.in = jig_pointer(in, type);
  args.out = jig_pointer(out, out_type);
  args.determinism = determinism;
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out, list->count * out_type.size);
  for (size_t s = 0; s < list->count; ++s) {
    const int128 sum = sum_of(kind, items, list->begins[s], list->ends[s]);
    if (is_floating(result))
      put_float(result, wanted, 0, sum == 0 ? get_float(result, got, s) : (double)sum);
    else
      put_integer(result, wanted, 0, sum);
    ck_assert_msg(memcmp((char *)got + s * out_type.size, wanted, out_type.size) == 0,
                  "%s: %s to %s, way %d: segment %zu of [%lld, %lld)", name, jig_type_name(&type),
                  jig_type_name(&out_type), way, s, (long long)list->begins[s], (long long)list->ends[s]);
  }
  gpu_free(in);
  gpu_free(out);
  if (way != FIXED) gpu_free(offsets.begins.pointer);
  free(items);
  free(got);
  free(wanted);
}

static void check_sums(jig_type_kind kind, jig_type_kind result, const segment_list *list,
                       segment_way way, size_t offset, const char *name) {
  check_sums_as(kind, result, list, way, offset, JIG_DETERMINISM_RUN_TO_RUN, name);
}

START_TEST(sums_of_every_type) {
  static const jig_type_kind pairs[][2] = {
      {JIG_KIND_I8, JIG_KIND_I32},   {JIG_KIND_U8, JIG_KIND_U8},   {JIG_KIND_I16, JIG_KIND_I64},
      {JIG_KIND_U32, JIG_KIND_U32},  {JIG_KIND_I64, JIG_KIND_I64}, {JIG_KIND_U128, JIG_KIND_U128},
      {JIG_KIND_F16, JIG_KIND_F64},  {JIG_KIND_F32, JIG_KIND_F64}, {JIG_KIND_F64, JIG_KIND_F64},
      {JIG_KIND_BOOL, JIG_KIND_I32}, {JIG_KIND_BF16, JIG_KIND_F64}};
  for (size_t p = 0; p < COUNT_OF(pairs); ++p)
    for (segment_way way = ADJOINING; way < SEGMENT_WAYS; ++way)
      for (size_t shape = 0; shape < shape_count; ++shape) {
        const char *name;
        if (p > 1 && ((p + shape) % 3 != 0 || !test_turn(p + way))) continue;
        segment_list list = shaped_segments(shape, p < 2 ? 40000 : 15000, way, &name);
        check_sums(pairs[p][0], pairs[p][1], &list, way, (p + shape) % 2, name);
        free_segments(&list);
      }
}
END_TEST

START_TEST(segments_of_one_size) {
  static const size_t sizes[] = {1,  2,  3,   4,   7,   8,    15,   16,   17,   31,    32,   33,
                                 64, 96, 100, 256, 257, 1000, 1024, 4096, 4099, 10000, 40000};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i)
    for (size_t many = 0; many < 2; ++many) {
      size_t lengths[3000];
      const size_t count = many ? 30000 / sizes[i] + 1 : 2;
      for (size_t s = 0; s < COUNT_OF(lengths); ++s) lengths[s] = sizes[i];
      segment_list list = segments_of(lengths, count < 3000 ? count : 3000, false);
      check_sums(JIG_KIND_I32, JIG_KIND_I64, &list, FIXED, 0, "of one size");
      check_sums(JIG_KIND_I32, JIG_KIND_I64, &list, FIXED, 1, "of one size, misaligned");
      check_sums(JIG_KIND_U8, JIG_KIND_U32, &list, FIXED, many, "of one size");
      check_sums(JIG_KIND_F64, JIG_KIND_F64, &list, FIXED, 0, "of one size");
      free_segments(&list);
    }
}
END_TEST

/* So many that each has a block, and so large that several have, of which those after the first wave wait
 * for multiprocessors. */
START_TEST(waves_of_one_size) {
  enum { MOST = 300 };
  static const size_t rows[][2] = {{MOST, 1100}, {MOST, 2056}, {MOST, 1501}, {10, 40000}, {33, 16387}};
  plan_limits *limits = limits_of(NULL);
  const uint64_t few_items = limits->segmented_reduce_few_items;
  limits->segmented_reduce_few_items = 0;
  for (size_t r = 0; r < COUNT_OF(rows); ++r) {
    size_t lengths[MOST];
    for (size_t s = 0; s < rows[r][0]; ++s) lengths[s] = rows[r][1];
    segment_list list = segments_of(lengths, rows[r][0], false);
    check_sums(JIG_KIND_I32, JIG_KIND_I64, &list, FIXED, r % 2, "waves");
    if (test_turn(r)) check_sums(JIG_KIND_F64, JIG_KIND_F64, &list, FIXED, 0, "waves");
    if (test_turn(r + 1)) check_sums(JIG_KIND_U8, JIG_KIND_U32, &list, FIXED, 1, "waves");
    free_segments(&list);
  }
  limits->segmented_reduce_few_items = few_items;
}
END_TEST

/* As many items as it takes for every multiprocessor to have some; a software GPU has few. Once more
 * without segments that blocks take without a search. */
START_TEST(large_inputs) {
  plan_limits *limits = limits_of(NULL);
  const uint64_t most_direct = limits->segmented_reduce_most_few;
  for (size_t k = 2; k < 2 * shape_count; ++k) {
    const char *name;
    const segment_way way = k % 2 == 0 || k % 3 == 0 ? ADJOINING : APART;
    segment_list list = shaped_segments(k / 2, 300000, way, &name);
    limits->segmented_reduce_most_few = k % 2 == 0 ? most_direct : 0;
    check_sums(JIG_KIND_I32, JIG_KIND_I64, &list, way, 0, name);
    free_segments(&list);
  }
  limits->segmented_reduce_most_few = most_direct;
}
END_TEST

/* More segments than a block has threads, all of about the same length, or every five of them: whole
 * blocks take some neighbours each. One that is much longer is shared out; of any lengths, none of which
 * is, blocks take one after the other. Once more as if they were many. */
START_TEST(even_segments) {
  enum { COUNT = 300 };
  size_t lengths[COUNT];
  plan_limits *limits = limits_of(NULL);
  const uint64_t most_few = limits->segmented_reduce_most_few;
  for (size_t k = 0; k < 10; ++k) {
    const size_t odd = k / 2;
    for (size_t s = 0; s < COUNT; ++s) lengths[s] = 1030 + (odd ? s * 7 % 5 : 0);
    for (size_t s = 0; odd == 4 && s < COUNT; ++s) lengths[s] = s * s % 11 * 520;
    for (size_t s = 0; odd == 3 && s < COUNT; ++s) lengths[s] = s % 5 < 2 ? 2600 : s % 5 == 2;
    if (odd == 2) lengths[COUNT / 2] = 30000;
    segment_list list = segments_of(lengths, COUNT, false);
    limits->segmented_reduce_most_few = k % 2 == 0 ? most_few : 0;
    check_sums(JIG_KIND_I32, JIG_KIND_I64, &list, ADJOINING, 0, "even");
    check_sums(JIG_KIND_F64, JIG_KIND_F64, &list, ADJOINING, 1, "even, misaligned");
    free_segments(&list);
  }
  limits->segmented_reduce_most_few = most_few;
}
END_TEST

/* Of segments apart, which warps take: those that are long to one, in rows of a warp's lanes and beyond,
 * are shared out by all blocks, several to a share and several shares to one. */
START_TEST(long_ones_apart) {
  enum { MOST = 9000 };
  static const struct {
    size_t count, first, every, length;
  } lists[] = {{MOST, 0, MOST, 300000}, {MOST, MOST - 1, MOST, 70000}, {MOST, 40, 600, 9000},
               {700, 0, 3, 5000},       {300, 255, 1, 4097},           {520, 0, 260, 4096}};
  static size_t lengths[MOST];
  for (size_t l = 0; l < COUNT_OF(lists); ++l) {
    if (!test_turn(l)) continue;
    for (size_t s = 0; s < lists[l].count; ++s)
      lengths[s] = s >= lists[l].first && (s - lists[l].first) % lists[l].every == 0
                       ? lists[l].length + s % 50
                       : s % 4;
    segment_list list = segments_of(lengths, lists[l].count, true);
    check_sums(JIG_KIND_I32, JIG_KIND_I32, &list, APART, l % 2, "long ones apart");
    check_sums_as(JIG_KIND_F64, JIG_KIND_F64, &list, APART, l % 2, JIG_DETERMINISM_GPU_TO_GPU,
                  "long ones apart");
    check_order(span_types[SPAN_8], &list, APART, l % 2, "long ones apart");
    free_segments(&list);
  }
}
END_TEST

/* So few items in all that long segments among short ones are for one block, and more, of which all
 * blocks take a part; as many segments as a block has threads, and as blocks have warps, and some more.
 */
START_TEST(long_ones_among_short_ones) {
  static const size_t counts[] = {1, 3, 255, 256, 257, 600, 4000},
                      longest[] = {300, 4097, 16385, 60000, 70000};
  for (size_t c = 0; c < COUNT_OF(counts); ++c)
    for (size_t l = 0; l < COUNT_OF(longest); ++l) {
      if (!test_turn(c + l)) continue;
      static size_t lengths[4000];
      for (size_t s = 0; s < counts[c]; ++s) lengths[s] = s * 5 % 7;
      lengths[counts[c] / 2] = longest[l];
      lengths[counts[c] - 1] = longest[l] / 3;
      segment_list list = segments_of(lengths, counts[c], false);
      check_sums(JIG_KIND_I32, JIG_KIND_I64, &list, ADJOINING, l % 2, "long ones among short ones");
      check_sums(JIG_KIND_U8, JIG_KIND_U32, &list, APART, c % 2, "long ones among short ones");
      free_segments(&list);
    }
}
END_TEST

/* A block each for about four a multiprocessor, if they adjoin, and half of one, or a warp if they are
 * short, for up to eight; of what has the same bits on every GPU for 528 and 1024, whatever the GPU has.
 * What is long is cut, and several neighbours of a thread are. */
START_TEST(more_segments_than_a_block_has_threads) {
  static const size_t counts[] = {257, 300, 512, 528, 529, 544, 545, 733, 1024, 1025};
  for (size_t c = 0; c < COUNT_OF(counts); ++c)
    for (size_t shape = 0; shape < 5; ++shape) {
      const size_t count = counts[c];
      if (count != 528 && count != 300 && count != 733 && !test_turn(c + shape)) continue;
      static size_t lengths[1025];
      for (size_t s = 0; s < count; ++s)
        lengths[s] = shape == 0 ? s * 11 % 40 : s % 3 == 0 ? 0 : s * 7 % 90;
      if (shape == 1) lengths[count / 2] = 90000;
      for (size_t s = 0; shape == 2 && s < count; s += 1 + s % 50) lengths[s] = 4000 + s * 5;
      if (shape == 3) lengths[0] = lengths[count - 1] = lengths[count - 2] = 20001;
      for (size_t s = 0; shape == 4 && s < count; ++s)
        lengths[s] = s % 11 == 0 ? s % 5 : s % 97 == 1 ? 16000 + s : 900 + s * 37 % 700;
      segment_list list = segments_of(lengths, count, false);
      const char *name = "more segments than threads";
      check_sums(JIG_KIND_I32, JIG_KIND_I32, &list, ADJOINING, shape % 2, name);
      check_sums(JIG_KIND_F64, JIG_KIND_F64, &list, ADJOINING, c % 2, name);
      check_sums_as(JIG_KIND_F64, JIG_KIND_F64, &list, ADJOINING, shape % 2, JIG_DETERMINISM_GPU_TO_GPU,
                    name);
      check_sums(JIG_KIND_I32, JIG_KIND_I32, &list, APART, c % 2, name);
      if (c % 2 == 0) check_order(span_types[SPAN_8], &list, ADJOINING, shape % 2, name);
      free_segments(&list);
    }
}
END_TEST

/* Some thousand that adjoin, which halves of blocks take in turn, or pairs of warps, or warps if they are
 * short on average, which of many longer ones are.
 * What is long to these is shared out, wherever it is: at the ends, behind the last whole vector of
 * offsets, or all over; several of a thread that looks at offsets, and several shares of one. */
START_TEST(segments_taken_in_turn) {
  enum { MOST = 8193 };
  static const struct {
    size_t count, mean;
  } lists[] = {{1057, 3},  {1057, 560}, {1203, 1100}, {1541, 700}, {1800, 1100},
               {2051, 20}, {4099, 7},   {8191, 5},    {8192, 3},   {MOST, 3}};
  static const size_t borders[] = {4095, 4096, 4097, 16383, 16384, 16385, 5000, 30000, 4097};
  static size_t lengths[MOST];
  for (size_t l = 0; l < COUNT_OF(lists); ++l)
    for (size_t shape = 0; shape < 4; ++shape) {
      const size_t count = lists[l].count, mean = lists[l].mean;
      if (!test_turn(l + shape)) continue;
      for (size_t s = 0; s < count; ++s) lengths[s] = s * 7919 % (2 * mean + 1);
      if (shape == 1) lengths[0] = lengths[count - 1] = lengths[count - 2] = 9001;
      if (shape == 2) lengths[count / 2] = 200001;
      for (size_t b = 0; shape == 3 && b < COUNT_OF(borders); ++b)
        lengths[1 + b * (count / 9)] = borders[b];
      segment_list list = segments_of(lengths, count, false);
      const char *name = "segments taken in turn";
      check_sums(JIG_KIND_I32, JIG_KIND_I32, &list, ADJOINING, l % 2, name);
      check_sums(JIG_KIND_U8, JIG_KIND_U32, &list, ADJOINING, shape % 2, name);
      check_sums(JIG_KIND_I16, JIG_KIND_I64, &list, ADJOINING, l % 2, name);
      check_sums_as(JIG_KIND_F64, JIG_KIND_F64, &list, ADJOINING, l % 2, JIG_DETERMINISM_GPU_TO_GPU,
                    name);
      if (mean < 100 || shape == 0) check_order(span_types[SPAN_8], &list, ADJOINING, shape % 2, name);
      free_segments(&list);
    }
}
END_TEST

/* ---- extremes, and what empty segments have */

START_TEST(extremes_and_nans) {
  const float items[] = {3, NAN, -2, 7, NAN, NAN, 5, -0.0f, 0.0f};
  const int32_t offsets[] = {0, 1, 4, 6, 6, 7, 9};
  enum { COUNT = 6 };
  float got[COUNT];
  const jig_iter in = jig_pointer(gpu_copy(items, sizeof items, 0), JIG_F32);
  const jig_iter out = jig_pointer(gpu_alloc(sizeof got, 0), JIG_F32);
  int32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
  jig_segmented_reduce_args args = {.in = in,
                                    .out = out,
                                    .begin_offsets = jig_pointer(begins, JIG_I32),
                                    .end_offsets = jig_pointer(begins + 1, JIG_I32),
                                    .num_segments = COUNT,
                                    .op = JIG_MIN};
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out.pointer, sizeof got);
  ck_assert(got[0] == 3 && isnan(got[1]) && isnan(got[2]) && got[3] == INFINITY && got[4] == 5);
  ck_assert(signbit(got[5]));
  args.nan = JIG_NAN_IGNORE;
  args.op = JIG_MAX;
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out.pointer, sizeof got);
  ck_assert(got[0] == 3 && got[1] == 7 && got[2] == -INFINITY && got[3] == -INFINITY && got[4] == 5);
  ck_assert(!signbit(got[5]));
  /* An init that is NaN is passed over as well, whether or not there is anything else. */
  const float nan_init = NAN;
  args.init = &nan_init;
  args.init_type = JIG_F32;
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out.pointer, sizeof got);
  ck_assert(got[1] == 7 && got[2] == -INFINITY && got[3] == -INFINITY && got[4] == 5);
  args.nan = JIG_NAN_PROPAGATE;
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out.pointer, sizeof got);
  ck_assert(isnan(got[0]) && isnan(got[3]) && isnan(got[4]));
  gpu_free(in.pointer);
  gpu_free(out.pointer);
  gpu_free(begins);
}
END_TEST

/* The same of two numbers, to the bit: of zeros the negative one is less. */
static double extreme_of(double a, double b, jig_op_kind op) {
  static const uint64_t nan_bits = 0x7fffffffffffffff;
  double nan;
  memcpy(&nan, &nan_bits, sizeof nan);
  if (isnan(a) || isnan(b)) return nan;
  const bool is_below = a < b || (a == b && signbit(a));
  return is_below == (op == JIG_OP_MIN) ? a : b;
}

/* Of segments with few NaNs, of negative numbers, of zeros, and without NaNs, as if they were many, which
 * finds minima and maxima in another way, and as some. */
START_TEST(extremes_of_doubles) {
  enum { COUNT = 300, KINDS = 10, MOST = 530 };
  static const double numbers[KINDS] = {-1.5, -INFINITY, -5e-324, -1e300,   -0.0,
                                        0.0,  2.5,       1e-310,  INFINITY, NAN};
  static const uint32_t first[] = {0, 0, 4, 0}, kinds[] = {KINDS, 5, 2, KINDS - 1};
  static double items[COUNT * MOST], got[COUNT];
  plan_limits *limits = limits_of(NULL);
  const uint64_t most_few = limits->segmented_reduce_most_few;
  for (unsigned k = 0; k < 8; ++k) {
    const jig_op op = k % 2 == 0 ? JIG_MIN : JIG_MAX;
    uint32_t offsets[COUNT + 1] = {0}, random = k;
    for (unsigned s = 0; s < COUNT; ++s) {
      offsets[s + 1] = offsets[s] + (k < 4 ? 1 + s * 7 % 40 : 520 + s % 10);
      for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
        random = random * 1664525 + 1013904223;
        items[i] = numbers[first[s % 4] + (random >> 16) % kinds[s % 4]];
        if (isnan(items[i]) && i % 64 != 0) items[i] = -3;
      }
    }
    uint32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
    const jig_iter in = jig_pointer(gpu_copy(items, offsets[COUNT] * sizeof items[0], 0), JIG_F64);
    const jig_iter out = jig_pointer(gpu_alloc(sizeof got, 0), JIG_F64);
    jig_segmented_reduce_args args = {.in = in,
                                      .out = out,
                                      .begin_offsets = jig_pointer(begins, JIG_U32),
                                      .end_offsets = jig_pointer(begins + 1, JIG_U32),
                                      .num_segments = COUNT,
                                      .op = op};
    limits->segmented_reduce_most_few = k % 4 < 2 ? 0 : most_few;
    RUN_PHASES(jig_segmented_reduce, &args, 0);
    gpu_read(got, out.pointer, sizeof got);
    for (unsigned s = 0; s < COUNT; ++s) {
      double wanted = items[offsets[s]];
      for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i)
        wanted = extreme_of(wanted, items[i], op.kind);
      ck_assert_msg(memcmp(&got[s], &wanted, sizeof wanted) == 0, "case %u, segment %u: %g, not %g", k, s,
                    got[s], wanted);
    }
    gpu_free(in.pointer);
    gpu_free(out.pointer);
    gpu_free(begins);
  }
  limits->segmented_reduce_most_few = most_few;
}
END_TEST

/* Segments of one size, by lanes, warps and blocks: the identity, where all are NaNs that are ignored. */
START_TEST(rows_of_nans) {
  enum { ITEMS = 20000, KEPT = 7 };
  static const uint64_t sizes[] = {1, 2, 3, 4, 8, 31, 100, 1000, ITEMS};
  static float items[ITEMS], got[ITEMS];
  for (int i = 0; i < ITEMS; ++i) items[i] = NAN;
  items[KEPT] = 2;
  const jig_iter in = jig_pointer(gpu_copy(items, sizeof items, 0), JIG_F32);
  const jig_iter out = jig_pointer(gpu_alloc(sizeof got, 0), JIG_F32);
  for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
    const uint64_t count = ITEMS / sizes[k];
    jig_segmented_reduce_args args = {.in = in,
                                      .out = out,
                                      .num_segments = count,
                                      .segment_size = sizes[k],
                                      .op = JIG_MIN,
                                      .nan = JIG_NAN_IGNORE};
    RUN_PHASES(jig_segmented_reduce, &args, 0);
    gpu_read(got, out.pointer, count * sizeof got[0]);
    for (uint64_t i = 0; i < count; ++i)
      ck_assert_msg(got[i] == (i == KEPT / sizes[k] ? 2 : INFINITY), "segment %d of %d items: %g", (int)i,
                    (int)sizes[k], got[i]);
  }
  gpu_free(in.pointer);
  gpu_free(out.pointer);
}
END_TEST

/* By value and from memory. */
START_TEST(every_segment_begins_with_the_init) {
  const float half = 0.5f;
  const int32_t offsets[] = {0, 2, 2, 5};
  enum { COUNT = 3 };
  double got[COUNT];
  int32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
  const jig_iter out = jig_pointer(gpu_alloc(sizeof got, 0), JIG_F64);
  jig_segmented_reduce_args args = {.in = jig_constant(&half, JIG_F32),
                                    .out = out,
                                    .begin_offsets = jig_pointer(begins, JIG_I32),
                                    .end_offsets = jig_pointer(begins + 1, JIG_I32),
                                    .num_segments = COUNT,
                                    .op = jig_op_source("return a + 2 * b;"),
                                    .init = &half,
                                    .init_type = JIG_F32,
                                    .accum_type = JIG_F64};
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out.pointer, sizeof got);
  ck_assert(got[0] == 0.5 + 2 * 1.5 && got[1] == 0.5);
  args.init = NULL;
  args.init_in = jig_pointer(gpu_copy(&half, sizeof half, 0), JIG_F32);
  gpu_fill(out.pointer, 7, sizeof got);
  RUN_PHASES(jig_segmented_reduce, &args, 0);
  gpu_read(got, out.pointer, sizeof got);
  ck_assert(got[0] == 0.5 + 2 * 1.5 && got[1] == 0.5);
  gpu_free(args.init_in.pointer);
  gpu_free(out.pointer);
  gpu_free(begins);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(operands_are_items_in_order),
                                     SUITE_TEST(operands_of_long_segments_are_items_in_order),
                                     SUITE_TEST(operands_of_shared_segments_are_items_in_order),
                                     SUITE_TEST(sums_of_every_type),
                                     SUITE_TEST(segments_of_one_size),
                                     SUITE_TEST(waves_of_one_size),
                                     SUITE_TEST(large_inputs),
                                     SUITE_TEST(even_segments),
                                     SUITE_TEST(long_ones_apart),
                                     SUITE_TEST(long_ones_among_short_ones),
                                     SUITE_TEST(more_segments_than_a_block_has_threads),
                                     SUITE_TEST(segments_taken_in_turn),
                                     SUITE_TEST(extremes_and_nans),
                                     SUITE_TEST(extremes_of_doubles),
                                     SUITE_TEST(rows_of_nans),
                                     SUITE_TEST(every_segment_begins_with_the_init)};
  return SUITE_RUN("device/segmented_reduce", tests, true);
}
