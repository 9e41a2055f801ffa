/* Segmented sort as it is called: keys that are structs, offsets of every type, graphs, many launches,
 * and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "algorithm/segmented_sort_plan.h"
#include "gpu.h"
#include "items.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "segmented_sort_support.h"
#include "suite.h"

/* ---- structs */

typedef struct hit {
  float score;
  int16_t shard;
  uint8_t flags, tag;
  uint32_t id;
} hit;
#define HIT \
  jig_struct("hit", "struct hit { float score; int16_t shard; uint8_t flags, tag; uint32_t id; };", 12, 4)

static int compare_hits(const void *a, const void *b) {
  const hit *x = a, *y = b;
  if (x->shard != y->shard) return x->shard < y->shard ? -1 : 1;
  if (x->score != y->score) return x->score < y->score ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Their ids rise, so that they tell whether the order is stable. */
static void check_hits(const segment_list *list, bool has_values) {
  const size_t count = list->items;
  hit *hits = calloc(count + 1, sizeof *hits), *got = calloc(count + 1, sizeof *got);
  uint32_t *ids = calloc(count + 1, 4);
  uint64_t seed = 5;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed);
    ids[i] = (uint32_t)i;
    hits[i] =
        (hit){(float)((r >> 30) % 5) - 2, (int16_t)((r >> 40) % 9 - 4), (uint8_t)(r >> 50), 1, ids[i]};
  }
  void *in = gpu_copy(hits, count * sizeof *hits, 4), *out = gpu_copy(hits, count * sizeof *hits, 8);
  void *values_in = gpu_copy(ids, count * 4, 0), *values_out = gpu_copy(ids, count * 4, 4);
  void *begins = gpu_copy(list->begins, list->count * 8, 0),
       *ends = gpu_copy(list->ends, list->count * 8, 0);
  jig_segmented_sort_args args = {.keys_in = jig_pointer(in, HIT),
                                  .keys_out = jig_pointer(out, HIT),
                                  .num_items = count,
                                  .begin_offsets = jig_pointer(begins, JIG_U64),
                                  .end_offsets = jig_pointer(ends, JIG_U64),
                                  .num_segments = list->count,
                                  .decomposer = "x.shard, x.score"};
  if (has_values) args.values_in = jig_pointer(values_in, JIG_U32);
  if (has_values) args.values_out = jig_pointer(values_out, JIG_U32);
  run_segmented_sort(NULL, &args);
  for (size_t s = 0; s < list->count; ++s) {
    const int64_t length = list->ends[s] - list->begins[s];
    if (length > 0) qsort(hits + list->begins[s], (size_t)length, sizeof *hits, compare_hits);
  }
  gpu_read(got, out, count * sizeof *got);
  check_items(got, hits, sizeof *got, count, "structs");
  if (has_values) gpu_read(ids, values_out, count * 4);
  for (size_t i = 0; has_values && i < count; ++i) ck_assert_uint_eq(ids[i], hits[i].id);
  void *const device[] = {in, out, values_in, values_out, begins, ends};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(hits);
  free(got);
  free(ids);
}

START_TEST(structs) {
  const segmented_sort_marks marks = segmented_sort_marks_of(JIG_U128, JIG_U32);
  const size_t lengths[] = {20, 3, marks.first * 3, 90, 2 * marks.block, 1, marks.first};
  segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
  check_hits(&list, false);
  check_hits(&list, true);
  free_segments(&list);
}
END_TEST

/* ---- offsets */

START_TEST(offsets_of_any_type) {
  static const uint32_t keys[12] = {9, 2, 7, 4, 8, 6, 5, 1, 3, 12, 10, 11};
  static const uint32_t wanted[12] = {2, 7, 9, 0, 0, 0, 1, 3, 5, 10, 11, 12};
  static const jig_type_kind kinds[] = {JIG_KIND_I8,  JIG_KIND_U8,  JIG_KIND_I16, JIG_KIND_U16,
                                        JIG_KIND_I32, JIG_KIND_U32, JIG_KIND_I64, JIG_KIND_U64};
  static const int64_t begins[] = {6, 0, 3, 9}, ends[] = {9, 3, 3, 12};
  uint32_t *in = gpu_copy(keys, sizeof keys, 0), *out = gpu_alloc(sizeof keys, 0), got[12];
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type type = type_of(kinds[k]);
    unsigned char numbers[2][32];
    for (size_t i = 0; i < 4; ++i) {
      put_integer(kinds[k], numbers[0], i, begins[i]);
      put_integer(kinds[k], numbers[1], i, ends[i]);
    }
    void *device = gpu_copy(numbers, sizeof numbers, 0);
    gpu_fill(out, 0, sizeof keys);
    OK(jig_segmented_sort_keys(NULL, NULL, NULL, jig_pointer(in, JIG_U32), jig_pointer(out, JIG_U32), 12,
                               4, jig_pointer(device, type), jig_pointer((char *)device + 32, type),
                               JIG_SORT_ASCENDING, NULL));
    gpu_read(got, out, sizeof got);
    check_items(got, wanted, 4, 12, jig_type_name(&type));
    gpu_free(device);
  }
  gpu_free(in);
  gpu_free(out);
}
END_TEST

/* Rows of a matrix, from computed offsets, by some bits; the values tell where they were. */
START_TEST(computed_offsets) {
  enum { ROWS = 60, COLUMNS = 137, COUNT = ROWS * COLUMNS };
  const int32_t step = COLUMNS, second = COLUMNS;
  uint32_t *keys = keys_of(JIG_U32, KEYS_RANDOM, COUNT, 3), *got = malloc(COUNT * 4);
  uint16_t *places = malloc(COUNT * 2), *got_places = malloc(COUNT * 2);
  for (int i = 0; i < COUNT; ++i) places[i] = (uint16_t)i;
  void *in = gpu_copy(keys, COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  void *values_in = gpu_copy(places, COUNT * 2, 0), *values_out = gpu_alloc(COUNT * 2, 0);
  OK(jig_segmented_radix_sort_pairs(NULL, NULL, NULL, jig_pointer(in, JIG_U32), jig_pointer(out, JIG_U32),
                                    jig_pointer(values_in, JIG_U16), jig_pointer(values_out, JIG_U16),
                                    COUNT, ROWS, jig_counting_by(NULL, &step, JIG_I32),
                                    jig_counting_by(&second, &step, JIG_I32), 4, 12, JIG_SORT_DESCENDING,
                                    NULL));
  gpu_read(got, out, COUNT * 4);
  gpu_read(got_places, values_out, COUNT * 2);
  for (int i = 0; i < COUNT; ++i) {
    ck_assert_uint_eq(got[i], keys[got_places[i]]);
    ck_assert_int_eq(got_places[i] / COLUMNS, i / COLUMNS);
    if (i % COLUMNS == 0) continue;
    const uint32_t before = got[i - 1] >> 4 & 255, digit = got[i] >> 4 & 255;
    ck_assert(before > digit || (before == digit && got_places[i - 1] < got_places[i]));
  }
  void *const device[] = {in, out, values_in, values_out};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(keys);
  free(got);
  free(places);
  free(got_places);
}
END_TEST

/* ---- launches */

/* More segments than a pair of launches takes. */
START_TEST(many_launches) {
  plan_limits *limits = limits_of(NULL);
  const uint64_t most = limits->segmented_sort_max_segments;
  limits->segmented_sort_max_segments = 70;
  segment_list list = new_segments(300, 60, true);
  check_segmented_pattern((sort_case){.key = JIG_I32, .value = JIG_U8}, &list, KEYS_RANDOM);
  free_segments(&list);
  limits->segmented_sort_max_segments = most;
}
END_TEST

static void check_order(const uint32_t *got, const uint32_t *keys, const segment_list *list, int round) {
  uint64_t sum = 0;
  for (size_t s = 0; s < list->count; ++s) {
    for (int64_t i = list->begins[s]; i < list->ends[s]; ++i) {
      ck_assert_msg(i == list->begins[s] || got[i - 1] <= got[i], "replay %d: key %d", round, (int)i);
      sum += (uint64_t)keys[i] * keys[i] - (uint64_t)got[i] * got[i];
    }
  }
  ck_assert_msg(sum == 0, "replay %d: other keys than there were", round);
}

/* Replays have the tag of the one before, and find what that has left; and other segments. */
START_TEST(replays) {
  enum { ROUNDS = 3, SEGMENTS = 12 };
  const segmented_sort_marks marks = segmented_sort_marks_of(JIG_U32, (jig_type)JIG_ZERO);
  const size_t count = 3 * marks.block;
  const size_t lengths[ROUNDS][SEGMENTS] = {{2 * marks.block, 5, marks.first * 2, 200},
                                            {4, 4, 4, 300, 0, 20},
                                            {60, marks.block + 9, 3000, 2, 100}};
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint32_t *in = gpu_alloc(count * 4, 0), *out = gpu_alloc(count * 4, 0), *got = malloc(count * 4);
  int64_t *offsets = gpu_alloc(2 * SEGMENTS * sizeof *offsets, 0);
  const jig_segmented_sort_args args = {.keys_in = jig_pointer(in, JIG_U32),
                                        .keys_out = jig_pointer(out, JIG_U32),
                                        .num_items = count,
                                        .begin_offsets = jig_pointer(offsets, JIG_I64),
                                        .end_offsets = jig_pointer(offsets + SEGMENTS, JIG_I64),
                                        .num_segments = SEGMENTS};
  size_t bytes = 0;
  OK(jig_segmented_sort(NULL, NULL, &bytes, &args, stream));
  void *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(jig_segmented_sort(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int round = 0; round < ROUNDS; ++round) {
    segment_list list = segments_of(lengths[round], SEGMENTS, true);
    uint32_t *keys = keys_of(JIG_U32, KEYS_RANDOM, count, (uint64_t)round + 1);
    gpu_write(in, keys, count * 4);
    gpu_write(offsets, list.begins, SEGMENTS * 8);
    gpu_write(offsets + SEGMENTS, list.ends, SEGMENTS * 8);
    gpu_write(out, keys, count * 4);
    gpu_replay(exec, stream);
    gpu_read(got, out, count * 4);
    check_order(got, keys, &list, round);
    free_segments(&list);
    free(keys);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  void *const device[] = {storage, in, out, offsets};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(got);
}
END_TEST

/* Segments that a block sorts by itself, tile after tile, or by parts that the highest digit leaves:
 * passes that are skipped, such as only copy, the sort's own and others' buffers, beside segments of
 * every other kind. */
START_TEST(long_segments) {
  static const struct {
    jig_type_kind key, value;
    key_pattern pattern;
    int begin, end;
    bool has_buffers;
  } cases[] = {{JIG_KIND_U32, JIG_KIND_NONE, KEYS_RANDOM, 0, 0, false},
               {JIG_KIND_U32, JIG_KIND_NONE, KEYS_RANDOM, 0, 0, true},
               {JIG_KIND_I64, JIG_KIND_U32, KEYS_FEW, 0, 0, false},
               {JIG_KIND_F32, JIG_KIND_U64, KEYS_FEW, 3, 21, true},
               {JIG_KIND_F64, JIG_KIND_NONE, KEYS_RANDOM, 20, 52, false},
               {JIG_KIND_U32, JIG_KIND_U32, KEYS_RANDOM, 0, 0, false},
               {JIG_KIND_F32, JIG_KIND_U128, KEYS_RANDOM, 3, 30, false},
               {JIG_KIND_U64, JIG_KIND_U32, KEYS_MOSTLY_ONE, 0, 0, false},
               {JIG_KIND_U128, JIG_KIND_NONE, KEYS_NEARLY_SORTED, 0, 0, false}};
  plan_limits *limits = limits_of(NULL);
  const uint64_t parts = limits->segmented_sort_parts;
  limits->segmented_sort_parts = 0;
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const jig_type key = type_of(cases[i].key);
    const jig_type value = cases[i].value != JIG_KIND_NONE ? type_of(cases[i].value) : (jig_type)JIG_ZERO;
    const segmented_sort_marks marks = segmented_sort_marks_of(key, value);
    const size_t lengths[] = {marks.block + 1, 7, 2 * marks.block, marks.first + 1, 3 * marks.block - 5};
    segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
    check_segmented_pattern((sort_case){.key = key,
                                        .value = value,
                                        .begin_bit = cases[i].begin,
                                        .end_bit = cases[i].end,
                                        .has_buffers = cases[i].has_buffers},
                            &list, cases[i].pattern);
    free_segments(&list);
  }
  limits->segmented_sort_parts = parts;
}
END_TEST

/* Counts as there are of 2^30 items or more, of large segments and of such as a block has by itself. */
START_TEST(wide_words) {
  const segmented_sort_marks marks = segmented_sort_marks_of(JIG_I64, (jig_type)JIG_ZERO);
  const size_t lengths[] = {3 * marks.block + 7, 20, 2 * marks.block, 5 * marks.first};
  plan_limits *limits = limits_of(NULL);
  const uint64_t parts = limits->segmented_sort_parts, wide = limits->segmented_sort_wide_items;
  limits->segmented_sort_wide_items = 1;
  for (int k = 0; k < 2; ++k) {
    limits->segmented_sort_parts = k == 0 ? 0 : 1000;
    segment_list list = segments_of(lengths, COUNT_OF(lengths), true);
    check_segmented_pattern((sort_case){.key = JIG_I64}, &list, KEYS_RANDOM);
    free_segments(&list);
  }
  limits->segmented_sort_parts = parts;
  limits->segmented_sort_wide_items = wide;
}
END_TEST

/* Lists that are longer than they could be if no segments overlapped are cut. */
START_TEST(more_than_was_said) {
  enum { SEGMENTS = 64, COUNT = 4000 };
  int64_t begins[SEGMENTS], ends[SEGMENTS];
  for (int s = 0; s < SEGMENTS; ++s) begins[s] = 0;
  for (int s = 0; s < SEGMENTS; ++s) ends[s] = s % 2 ? COUNT - s : 20 * s;
  uint32_t *keys = keys_of(JIG_U32, KEYS_RANDOM, COUNT, 3);
  void *in = gpu_copy(keys, COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  void *begin = gpu_copy(begins, sizeof begins, 0), *end = gpu_copy(ends, sizeof ends, 0);
  run_segmented_sort(NULL, &(jig_segmented_sort_args){.keys_in = jig_pointer(in, JIG_U32),
                                                      .keys_out = jig_pointer(out, JIG_U32),
                                                      .num_items = COUNT,
                                                      .begin_offsets = jig_pointer(begin, JIG_I64),
                                                      .end_offsets = jig_pointer(end, JIG_I64),
                                                      .num_segments = SEGMENTS});
  void *const device[] = {in, out, begin, end};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(keys);
}
END_TEST

/* ---- what is refused */

static void refuses(jig_segmented_sort_args args, const char *part) {
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_segmented_sort(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part);
  gpu_free(storage);
}

START_TEST(refused) {
  char *memory = gpu_alloc(8192, 0);
  const jig_iter keys = jig_pointer(memory, JIG_U32), others = jig_pointer(memory + 2048, JIG_U32);
  const jig_iter offsets = jig_pointer(memory + 4096, JIG_I32);
  int selector = 0;
  const jig_segmented_sort_args good = {.keys_in = keys,
                                        .keys_out = others,
                                        .num_items = 100,
                                        .begin_offsets = offsets,
                                        .end_offsets = offsets,
                                        .num_segments = 3};
  jig_segmented_sort_args args = good;
  args.keys_in = jig_counting(NULL, JIG_U32);
  args.selector = &selector;
  refuses(args, "jig_segmented_sort: keys_in: it must be a pointer where there is a selector");
  args = good;
  args.keys_out = (jig_iter)JIG_ZERO;
  refuses(args, "keys_out: missing");
  args.keys_out = jig_pointer(memory + 2048, JIG_I32);
  refuses(args, "keys_out: its type must be that of keys_in, u32, not i32");
  args.keys_out = jig_pointer(memory + 396, JIG_U32);
  refuses(args, "keys_out overlaps keys_in");
  args.keys_out = jig_pointer(memory + 3800, JIG_U32);
  refuses(args, "keys_out overlaps begin_offsets");
  args = good;
  args.values_in = keys;
  refuses(args, "values_out: missing");
  args = good;
  args.begin_offsets = (jig_iter)JIG_ZERO;
  refuses(args, "begin_offsets");
  args = good;
  args.end_offsets = jig_pointer(memory + 4096, JIG_F32);
  refuses(args, "end_offsets");
  args.end_offsets = jig_pointer(NULL, JIG_I32);
  refuses(args, "end_offsets");
  args = good;
  args.end_bit = 33;
  refuses(args, "end_bit: it is 33, and keys have 32 bits");
  args = good;
  args.order = (jig_sort_order)2;
  refuses(args, "order: no such choice (2)");
  args = good;
  args.decomposer = "x";
  refuses(args, "keys_in: keys must be structs if there is a decomposer");
  FAILS(jig_segmented_sort(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  ck_assert(gpu_is_untouched(memory, 8192));
  gpu_free(memory);
}
END_TEST

/* Nothing to sort is not looked at. */
START_TEST(nothing) {
  int selector = -1;
  jig_segmented_sort_args args = {.keys_in = jig_pointer(NULL, JIG_U32),
                                  .keys_out = jig_pointer(NULL, JIG_U32),
                                  .begin_offsets = jig_pointer(NULL, JIG_I32),
                                  .end_offsets = jig_pointer(NULL, JIG_I32),
                                  .selector = &selector};
  run_segmented_sort(NULL, &args);
  ck_assert_int_eq(selector, 1);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(structs),          SUITE_TEST(offsets_of_any_type),
      SUITE_TEST(computed_offsets), SUITE_TEST(many_launches),
      SUITE_TEST(replays),          SUITE_TEST(more_than_was_said),
      SUITE_TEST(refused),          SUITE_TEST(nothing),
      SUITE_TEST(long_segments),    SUITE_TEST(wide_words),
  };
  return SUITE_RUN("device/segmented_sort_calls", tests, true);
}
