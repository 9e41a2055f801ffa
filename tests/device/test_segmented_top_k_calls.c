/* Segmented top-k as it is called: values, structs, iterators, graphs, temp storage, and what is refused.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "segmented_top_k_support.h"
#include "suite.h"

/* ---- values */

START_TEST(pairs) {
  const jig_type types[] = {JIG_U8, JIG_U32, JIG_F64, jig_opaque(24, 8)};
  static const jig_type_kind kinds[] = {JIG_KIND_F32, JIG_KIND_U8, JIG_KIND_U64, JIG_KIND_I128};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type key = type_of(kinds[i]);
    const segmented_top_k_marks marks = segmented_top_k_marks_of(key);
    segment_list list = segments_around_marks(&marks);
    check_segmented_top_k_pattern((segmented_top_k_case){.key = key,
                                                         .value = types[i],
                                                         .k = 50,
                                                         .choice = i % 2 ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                                         .is_sorted = i % 2 == 0,
                                                         .offset = i},
                                  &list, i % 2 ? KEYS_FEW : KEYS_RANDOM);
    free_segments(&list);
  }
}
END_TEST

/* ---- iterators */

START_TEST(iterators) {
  const segmented_top_k_marks marks = segmented_top_k_marks_of(JIG_F32);
  segment_list list = segments_around_marks(&marks);
  for (int i = 1; i < 4; ++i)
    check_segmented_top_k_pattern((segmented_top_k_case){.key = JIG_F32,
                                                         .value = JIG_I64,
                                                         .k = 100,
                                                         .iterates_keys = i & 1,
                                                         .iterates_values = i & 2,
                                                         .is_sorted = i == 2},
                                  &list, KEYS_RANDOM);
  free_segments(&list);
}
END_TEST

/* Computed keys, indices as values, offsets that are computed in 32 bits, outputs that are no pointers.
 */
START_TEST(computed) {
  enum { SEGMENTS = 40, SIZE = 700, K = 5 };
  static const int64_t zero = 0;
  static const int32_t zero32 = 0;
  int64_t got[SEGMENTS * K];
  const jig_iter numbers = jig_counting(&zero, JIG_I64), counts = jig_counting(&zero32, JIG_I32);
  int64_t *out = gpu_alloc(sizeof got, 0);
  run_segmented_top_k(&(jig_segmented_top_k_args){
      .keys_in = jig_iter_transform(&numbers, jig_op_source("return int(x * 7919 % 700);"), JIG_I32),
      .keys_out = jig_discard(JIG_I32),
      .values_in = numbers,
      .values_out = jig_pointer(out, JIG_I64),
      .num_items = SEGMENTS * SIZE,
      .begin_offsets = jig_iter_transform(&counts, jig_op_source("return x * 700;"), JIG_I32),
      .end_offsets = jig_iter_transform(&counts, jig_op_source("return x * 700 + 700;"), JIG_I32),
      .num_segments = SEGMENTS,
      .k = K,
      .is_sorted = 1});
  gpu_read(got, out, sizeof got);
  for (int64_t s = 0; s < SEGMENTS; ++s) {
    for (int64_t i = 0; i < K; ++i) {
      ck_assert_int_eq(got[s * K + i] / SIZE, s);
      ck_assert_int_eq(got[s * K + i] * 7919 % SIZE, SIZE - 1 - i);
    }
  }
  gpu_free(out);
}
END_TEST

/* Rows that blocks or clusters hold, of keys that are computed: as many as the GPU knows of. */
START_TEST(rows_of_a_device_count) {
  enum { ROWS = 4, THERE = 3, K = 70 };
  static const int64_t zero = 0;
  static const uint64_t count = THERE;
  static const int64_t sizes[] = {700, 16381};
  int64_t got[ROWS * K];
  const jig_iter numbers = jig_counting(&zero, JIG_I64);
  for (size_t i = 0; i < 2 * COUNT_OF(sizes); ++i) {
    const int64_t size = sizes[i / 2];
    int64_t *out = gpu_alloc(sizeof got, 0);
    void *rows = gpu_copy(&count, sizeof count, 0);
    const char *key = i / 2 == 0 ? "return int(x * 7919 % 700);" : "return int(x * 7919 % 16381);";
    run_segmented_top_k(
        &(jig_segmented_top_k_args){.keys_in = jig_iter_transform(&numbers, jig_op_source(key), JIG_I32),
                                    .keys_out = jig_discard(JIG_I32),
                                    .values_in = numbers,
                                    .values_out = jig_pointer(out, JIG_I64),
                                    .num_segments = ROWS,
                                    .num_segments_in = rows,
                                    .segment_size = (uint64_t)size,
                                    .k = K,
                                    .is_sorted = i % 2});
    gpu_read(got, out, sizeof got);
    for (int64_t s = 0; s < THERE; ++s) {
      bool is_there[K] = {false};
      for (int64_t j = 0; j < K; ++j) {
        const int64_t place = size - 1 - got[s * K + j] * 7919 % size;
        ck_assert_int_eq(got[s * K + j] / size, s);
        ck_assert(place >= 0 && place < K && !is_there[place] && (i % 2 == 0 || place == j));
        is_there[place] = true;
      }
    }
    ck_assert(gpu_is_untouched(out + THERE * K, (ROWS - THERE) * K * sizeof *out));
    gpu_free(out);
    gpu_free(rows);
  }
}
END_TEST

/* In warps where lanes have no segment, or an empty one. */
START_TEST(short_segments_of_reversed_keys) {
  enum { SEGMENTS = 37, SIZE = 12, COUNT = SEGMENTS * SIZE };
  uint32_t keys[COUNT], got[SEGMENTS], begins[SEGMENTS + 1] = {0};
  for (uint32_t i = 0; i < COUNT; ++i) keys[i] = i;
  for (int s = 0; s < SEGMENTS; ++s) begins[s + 1] = s % 3 == 0 ? begins[s] : begins[s] + SIZE;
  uint32_t *in = gpu_copy(keys, sizeof keys, 0), *out = gpu_alloc(sizeof got, 0),
           *offsets = gpu_copy(begins, sizeof begins, 0);
  const jig_iter base = jig_pointer(in, JIG_U32);
  run_segmented_top_k(&(jig_segmented_top_k_args){.keys_in = jig_iter_reverse(&base, COUNT),
                                                  .keys_out = jig_pointer(out, JIG_U32),
                                                  .num_items = COUNT,
                                                  .begin_offsets = jig_pointer(offsets, JIG_U32),
                                                  .end_offsets = jig_pointer(offsets + 1, JIG_U32),
                                                  .num_segments = SEGMENTS,
                                                  .k = 1});
  gpu_read(got, out, sizeof got);
  for (int s = 0; s < SEGMENTS; ++s) {
    if (s % 3 != 0) ck_assert_uint_eq(got[s], COUNT - 1 - begins[s]);
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(offsets);
}
END_TEST

/* ---- structs */

typedef struct hit {
  float score;
  int16_t shard;
  uint16_t id;
} hit;
#define HIT jig_struct("hit", "struct hit { float score; short shard; unsigned short id; };", 8, 4)

static int by_shard_and_score(const void *a, const void *b) {
  const hit *x = a, *y = b;
  if (x->shard != y->shard) return x->shard < y->shard ? -1 : 1;
  if (x->score != y->score) return x->score < y->score ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Numbered as they come, which is the order of equal ones. */
START_TEST(structs) {
  static const size_t sizes[] = {60, 900, 20000};
  enum { ROWS = 3, K = 40 };
  for (size_t t = 0; t < COUNT_OF(sizes); ++t) {
    const size_t size = sizes[t];
    hit *hits = malloc(ROWS * size * sizeof *hits), got[ROWS * K];
    uint64_t seed = 5 + t;
    for (size_t i = 0; i < ROWS * size; ++i) {
      const uint64_t r = next_random(&seed) >> 20;
      hits[i] = (hit){(float)(r % 7) - 3, (int16_t)(r / 8 % 9 - 4), (uint16_t)i};
    }
    hit *in = gpu_copy(hits, ROWS * size * sizeof *hits, 4), *out = gpu_alloc(sizeof got, 0);
    run_segmented_top_k(&(jig_segmented_top_k_args){.keys_in = jig_pointer(in, HIT),
                                                    .keys_out = jig_pointer(out, HIT),
                                                    .num_segments = ROWS,
                                                    .segment_size = size,
                                                    .k = K,
                                                    .choice = JIG_TOP_K_MIN,
                                                    .is_sorted = 1,
                                                    .decomposer = "x.shard, x.score"});
    gpu_read(got, out, sizeof got);
    for (size_t row = 0; row < ROWS; ++row) {
      qsort(hits + row * size, size, sizeof *hits, by_shard_and_score);
      check_items(got + row * K, hits + row * size, sizeof *hits, K, "hits");
    }
    gpu_free(in);
    gpu_free(out);
    free(hits);
  }
}
END_TEST

/* ---- graphs */

static void check_replay(const uint32_t *keys, const int32_t *offsets, size_t segments, size_t k,
                         const uint32_t *got) {
  for (size_t s = 0; s < segments; ++s) {
    const size_t begin = (size_t)offsets[s], end = (size_t)offsets[s + 1];
    const size_t count = end - begin < k ? end - begin : k;
    uint32_t least = UINT32_MAX;
    size_t above = 0, same = 0;
    for (size_t i = 0; i < count; ++i) {
      ck_assert_msg(got[s * k + i] <= least, "segment %zu: key %zu is out of order", s, i);
      least = got[s * k + i];
    }
    for (size_t i = begin; i < end; ++i) above += keys[i] > least, same += keys[i] == least;
    ck_assert_msg(count == 0 || (above < count && count <= above + same), "segment %zu: the last is %u",
                  s, least);
  }
}

/* Each replay has other keys and other segments: all of them short, one that has everything, and any. */
START_TEST(replays) {
  enum { COUNT = 60000, SEGMENTS = 3000, K = 30, ROUNDS = 3 };
  CUstream stream;
  static uint32_t got[SEGMENTS * K];
  static int32_t offsets[SEGMENTS + 1];
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  uint32_t *in = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(sizeof got, 0);
  int32_t *begins = gpu_alloc(sizeof offsets, 0);
  const jig_segmented_top_k_args args = {.keys_in = jig_pointer(in, JIG_U32),
                                         .keys_out = jig_pointer(out, JIG_U32),
                                         .num_items = COUNT,
                                         .begin_offsets = jig_pointer(begins, JIG_I32),
                                         .end_offsets = jig_pointer(begins + 1, JIG_I32),
                                         .num_segments = SEGMENTS,
                                         .k = K,
                                         .is_sorted = 1};
  limits_of(NULL)->segmented_top_k_part_items = 10000;
  size_t bytes = 0;
  OK(jig_segmented_top_k(NULL, NULL, &bytes, &args, stream));
  void *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(jig_segmented_top_k(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  limits_of(NULL)->segmented_top_k_part_items = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    uint32_t *keys = keys_of(JIG_U32, KEYS_RANDOM, COUNT, (uint64_t)round + 1);
    uint64_t seed = 3;
    for (int s = 0; s <= SEGMENTS; ++s) {
      const uint64_t r = next_random(&seed) >> 30;
      offsets[s] = round == 1 ? (s > 77) * COUNT : round == 0 ? s * (COUNT / SEGMENTS) : 0;
      if (round == 2 && s > 0) offsets[s] = offsets[s - 1] + (int32_t)(s % 300 == 0 ? 5000 : r % 3);
    }
    gpu_write(in, keys, COUNT * 4);
    gpu_write(begins, offsets, sizeof offsets);
    gpu_replay(exec, stream);
    gpu_read(got, out, sizeof got);
    check_replay(keys, offsets, SEGMENTS, K, got);
    free(keys);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  gpu_free(begins);
}
END_TEST

/* ---- wrappers, and calls that take temp storage for themselves */

START_TEST(wrappers) {
  static const int32_t keys[] = {5, -7, 9, 0, 3, -7, 2, 9};
  static const float values[] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const uint32_t offsets[] = {0, 3, 8};
  enum { COUNT = COUNT_OF(keys) };
  int32_t got[2];
  float floats[2];
  void *k_in = gpu_copy(keys, sizeof keys, 0), *v_in = gpu_copy(values, sizeof values, 0);
  void *k_out = gpu_alloc(8, 0), *v_out = gpu_alloc(8, 0);
  uint32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
  const jig_iter in = jig_pointer(k_in, JIG_I32), out = jig_pointer(k_out, JIG_I32);
  const jig_iter from = jig_pointer(v_in, JIG_F32), to = jig_pointer(v_out, JIG_F32);
  const jig_iter b = jig_pointer(begins, JIG_U32), e = jig_pointer(begins + 1, JIG_U32);
  OK(jig_segmented_top_k_max_keys(NULL, NULL, NULL, in, out, COUNT, 2, b, e, 1, NULL));
  gpu_read(got, k_out, 8);
  ck_assert_int_eq(got[0], 9);
  ck_assert_int_eq(got[1], 9);
  OK(jig_segmented_top_k_min_keys(NULL, NULL, NULL, in, out, COUNT, 2, b, e, 1, NULL));
  gpu_read(got, k_out, 8);
  ck_assert_int_eq(got[0], -7);
  ck_assert_int_eq(got[1], -7);
  OK(jig_segmented_top_k_max_pairs(NULL, NULL, NULL, in, out, from, to, COUNT, 2, b, e, 1, NULL));
  gpu_read(floats, v_out, 8);
  ck_assert(floats[0] == 2 && floats[1] == 7);
  OK(jig_segmented_top_k_min_pairs(NULL, NULL, NULL, in, out, from, to, COUNT, 2, b, e, 1, NULL));
  gpu_read(floats, v_out, 8);
  ck_assert(floats[0] == 1 && floats[1] == 5);
  gpu_free(k_in);
  gpu_free(v_in);
  gpu_free(k_out);
  gpu_free(v_out);
  gpu_free(begins);
}
END_TEST

/* ---- more than 2^32 items */

/* An iterator's, so that they take no memory: one segment among small ones, whose last items are the
 * largest, and others that are equal lie far apart. */
START_TEST(more_items_than_32_bits_count) {
  enum { K = 8, LAST = 5 };
  static const uint64_t zero = 0;
  const uint64_t edge = (uint64_t)1 << 32;
  const uint64_t offsets[] = {0, 10, edge + LAST, edge + LAST + 3};
  uint64_t got[3 * K];
  if (!gpu_begin_large("device/segmented_top_k_calls: more_items_than_32_bits_count", (size_t)40 << 30))
    return;
  const jig_iter numbers = jig_counting(&zero, JIG_U64);
  const jig_iter keys = jig_iter_transform(
      &numbers, jig_op_source("return x < 1ull << 32 ? x % 1000003u : x - (1ull << 32) + 2000000;"),
      JIG_U64);
  uint64_t *out = gpu_alloc(sizeof got, 0), *begins = gpu_copy(offsets, sizeof offsets, 0);
  run_segmented_top_k(&(jig_segmented_top_k_args){.keys_in = keys,
                                                  .keys_out = jig_discard(JIG_U64),
                                                  .values_in = numbers,
                                                  .values_out = jig_pointer(out, JIG_U64),
                                                  .num_items = edge + LAST + 3,
                                                  .begin_offsets = jig_pointer(begins, JIG_U64),
                                                  .end_offsets = jig_pointer(begins + 1, JIG_U64),
                                                  .num_segments = 3,
                                                  .k = K,
                                                  .is_sorted = 1});
  gpu_read(got, out, sizeof got);
  for (uint64_t i = 0; i < K; ++i) {
    ck_assert_uint_eq(got[i], 9 - i);
    ck_assert_uint_eq(got[K + i], i < LAST ? edge + LAST - 1 - i : 1000002 + (i - LAST) * 1000003);
  }
  ck_assert_uint_eq(got[2 * K], edge + LAST + 2);
  gpu_free(out);
  gpu_free(begins);
  gpu_end_large();
}
END_TEST

/* ---- what is refused */

static void refuses(jig_segmented_top_k_args args, const char *part) {
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_segmented_top_k(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part);
  gpu_free(storage);
}

START_TEST(refused) {
  char *memory = gpu_alloc(4096, 0);
  const jig_iter keys = jig_pointer(memory, JIG_U32), others = jig_pointer(memory + 1024, JIG_U32);
  const jig_iter offsets = jig_pointer(memory + 2048, JIG_I32);
  const jig_segmented_top_k_args good = {.keys_in = keys,
                                         .keys_out = others,
                                         .num_items = 100,
                                         .begin_offsets = offsets,
                                         .end_offsets = offsets,
                                         .num_segments = 10,
                                         .k = 10};
  jig_segmented_top_k_args args = good;
  args.keys_in = (jig_iter)JIG_ZERO;
  refuses(args, "keys_in: no iterator is given");
  args = good;
  args.keys_out = (jig_iter)JIG_ZERO;
  refuses(args, "keys_out: no iterator is given");
  args.keys_out = jig_pointer(memory + 1024, JIG_I32);
  refuses(args, "keys_out: its type must be that of keys_in, u32, not i32");
  args.keys_out = jig_pointer(memory + 396, JIG_U32);
  refuses(args, "keys_out overlaps keys_in");
  args.keys_out = jig_pointer(memory + 2048 - 396, JIG_U32);
  refuses(args, "keys_out overlaps begin_offsets");
  args.keys_out = jig_pointer(NULL, JIG_U32);
  refuses(args, "keys_out: the pointer is NULL");
  args = good;
  args.end_offsets = (jig_iter)JIG_ZERO;
  refuses(args, "end_offsets: missing");
  args = good;
  args.begin_offsets = jig_pointer(memory, JIG_F32);
  refuses(args, "begin_offsets");
  args = good;
  args.segment_size = 4;
  refuses(args, "segment_size: it is for segments without offsets");
  args = good;
  args.values_in = keys;
  refuses(args, "values_out: missing");
  args.values_out = jig_pointer(memory + 3000, JIG_F32);
  refuses(args, "values_out: its type must be that of values_in, u32, not f32");
  args = good;
  args.choice = (jig_top_k_choice)2;
  refuses(args, "choice: no such choice (2)");
  args = good;
  args.is_sorted = 2;
  refuses(args, "is_sorted: no such choice (2)");
  args = good;
  args.decomposer = "x";
  refuses(args, "keys_in: keys must be structs if there is a decomposer");
  args = good;
  args.keys_in = args.keys_out = jig_pointer(memory, HIT);
  refuses(args, "keys_in: keys must be of a built-in type, or there has to be a decomposer");
  gpu_free(memory);
}
END_TEST

/* In size queries, too. */
START_TEST(too_large) {
  size_t bytes = 0;
  jig_segmented_top_k_args args = {.keys_in = jig_pointer(NULL, JIG_U32),
                                   .keys_out = jig_pointer(NULL, JIG_U32),
                                   .num_segments = (uint64_t)1 << 40,
                                   .segment_size = (uint64_t)1 << 40,
                                   .k = 1};
  FAILS(jig_segmented_top_k(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "num_segments times segment_size");
  args.segment_size = 10;
  args.k = (uint64_t)1 << 30;
  FAILS(jig_segmented_top_k(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "num_segments times k: no memory has room for");
  args.num_segments = 2;
  args.segment_size = (uint64_t)1 << 33;
  FAILS(jig_segmented_top_k(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_UNSUPPORTED,
        "k: so many are not found in segments of more than 2^32 items");
}
END_TEST

/* Nothing is touched if nothing is wanted. */
START_TEST(nothing) {
  char *memory = gpu_alloc(600, 0);
  jig_segmented_top_k_args args = {.keys_in = jig_pointer(memory, JIG_U32),
                                   .keys_out = jig_pointer(memory + 200, JIG_U32),
                                   .num_segments = 5,
                                   .segment_size = 10,
                                   .is_sorted = 1};
  run_segmented_top_k(&args);
  args.k = 5;
  args.segment_size = 0;
  run_segmented_top_k(&args);
  args.segment_size = 10;
  args.num_segments = 0;
  run_segmented_top_k(&args);
  args.keys_in.pointer = args.keys_out.pointer = NULL;
  run_segmented_top_k(&args);
  ck_assert(gpu_is_untouched(memory, 600));
  gpu_free(memory);
}
END_TEST

/* ---- temp storage */

/* None for rows; never less for more items or segments. */
START_TEST(temp_storage) {
  static const uint64_t all_k[] = {1, 1000, 100000};
  for (size_t i = 0; i < 2 * COUNT_OF(all_k); ++i) {
    jig_segmented_top_k_args args = {.keys_in = jig_pointer(NULL, JIG_U32),
                                     .keys_out = jig_pointer(NULL, JIG_U32),
                                     .num_segments = 1000,
                                     .segment_size = 16384,
                                     .k = all_k[i / 2],
                                     .is_sorted = i % 2};
    size_t last = 0;
    OK(jig_segmented_top_k(NULL, NULL, &last, &args, NULL));
    if (args.k <= 1000) ck_assert_uint_eq(last, 1);
    args.segment_size = 0;
    args.begin_offsets = args.end_offsets = jig_pointer(NULL, JIG_I64);
    last = 0;
    for (uint64_t n = 1; n < (uint64_t)1 << 32; n += n / 5 + 1) {
      size_t bytes = 0;
      args.num_items = n;
      args.num_segments = 1 + n / 100;
      OK(jig_segmented_top_k(NULL, NULL, &bytes, &args, NULL));
      ck_assert_uint_ge(bytes, last);
      last = bytes;
    }
  }
}
END_TEST

/* Rows of some sizes are cut, if they are few. */
START_TEST(temp_storage_of_rows) {
  limits_of(NULL)->segmented_top_k_part_items = 1000;
  jig_segmented_top_k_args args = {
      .keys_in = jig_pointer(NULL, JIG_U32), .keys_out = jig_pointer(NULL, JIG_U32), .k = 100};
  size_t by_rows[60] = {0};
  for (args.segment_size = 100; args.segment_size < 100000; args.segment_size += args.segment_size / 7) {
    size_t by_size = 0;
    for (args.num_segments = 1; args.num_segments <= COUNT_OF(by_rows); ++args.num_segments) {
      size_t bytes = 0, *last = &by_rows[args.num_segments - 1];
      OK(jig_segmented_top_k(NULL, NULL, &bytes, &args, NULL));
      ck_assert_uint_ge(bytes, by_size);
      ck_assert_uint_ge(bytes, *last);
      by_size = *last = bytes;
    }
  }
  limits_of(NULL)->segmented_top_k_part_items = 0;
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(pairs),
      SUITE_TEST(iterators),
      SUITE_TEST(computed),
      SUITE_TEST(rows_of_a_device_count),
      SUITE_TEST(short_segments_of_reversed_keys),
      SUITE_TEST(structs),
      SUITE_TEST(replays),
      SUITE_TEST(wrappers),
      SUITE_TEST(more_items_than_32_bits_count),
      SUITE_TEST(refused),
      SUITE_TEST(too_large),
      SUITE_TEST(nothing),
      SUITE_TEST(temp_storage),
      SUITE_TEST(temp_storage_of_rows),
  };
  return SUITE_RUN("device/segmented_top_k_calls", tests, true);
}
