/* Segmented reduce: iterators on either side, by name, what is refused, graphs over other segments,
 * strict mode, offsets in no order, more items than 32 bits count. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "segmented_reduce_support.h"
#include "strict_support.h"
#include "suite.h"
#include "words.h"

enum { ITEMS = 9000, ROWS = 90, ROW = ITEMS / ROWS };

static void run(const jig_segmented_reduce_args *args) {
  RUN_PHASES(jig_segmented_reduce, args, 3);
}

/* ---- iterators */

/* Rows with padding, by offsets that are computed. */
START_TEST(inputs_of_every_kind) {
  const uint32_t start = 5, step = 3;
  const int64_t stride = ROW, width = ROW - 7;
  uint32_t *words = random_words(2 * ITEMS, 7), *indices = malloc(ITEMS * 4), wanted[ROWS];
  for (size_t i = 0; i < ITEMS; ++i) indices[i] = (uint32_t)(i * 7919 % ITEMS);
  const jig_iter in = jig_pointer(gpu_copy(words, 2 * ITEMS * 4, 4), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(indices, ITEMS * 4, 0), JIG_U32);
  const jig_iter both[] = {in, jig_pointer((uint32_t *)in.pointer + ITEMS, JIG_U32)};
  const jig_iter inputs[] = {jig_counting_by(&start, &step, JIG_U32),
                             jig_iter_transform(&in, jig_op_source("return x * 3 + 1;"), JIG_U32),
                             jig_iter_reverse(&in, ITEMS),
                             jig_permutation(&in, &map),
                             jig_strided(in.pointer, 8, JIG_U32),
                             jig_zip_transform(both, 2, jig_op_source("return a ^ b;"), JIG_U32)};
  const jig_iter out = jig_pointer(gpu_alloc(sizeof wanted, 0), JIG_U32);
  for (size_t k = 0; k < COUNT_OF(inputs); ++k)
    for (int fixed = 0; fixed < 2; ++fixed) {
      const uint32_t length = fixed ? ROW : ROW - 7;
      for (uint32_t r = 0; r < ROWS; ++r) {
        wanted[r] = 0;
        for (uint32_t i = r * ROW; i < r * ROW + length; ++i) {
          const uint32_t values[] = {start + step * i,  words[i] * 3 + 1, words[ITEMS - 1 - i],
                                     words[indices[i]], words[2 * i],     words[i] ^ words[ITEMS + i]};
          wanted[r] += values[k];
        }
      }
      jig_segmented_reduce_args args = {.in = inputs[k], .out = out, .num_segments = ROWS};
      if (fixed)
        args.segment_size = ROW;
      else
        args.begin_offsets = jig_counting_by(NULL, &stride, JIG_I64);
      if (!fixed) args.end_offsets = jig_counting_by(&width, &stride, JIG_I64);
      run(&args);
      check_words(out.pointer, wanted, ROWS, "rows");
    }
  gpu_free(in.pointer);
  gpu_free(map.pointer);
  gpu_free(out.pointer);
  free(words);
  free(indices);
}
END_TEST

START_TEST(outputs_of_every_kind) {
  uint32_t *words = random_words(ITEMS, 9), sums[ROWS], wanted[2 * ROWS], places[ROWS];
  for (uint32_t r = 0; r < ROWS; ++r) {
    sums[r] = 0;
    places[r] = (r * 7 + 3) % ROWS;
    for (size_t i = 0; i < ROW; ++i) sums[r] += words[r * ROW + i];
  }
  const jig_iter in = jig_pointer(gpu_copy(words, ITEMS * 4, 0), JIG_U32);
  const jig_iter out = jig_pointer(gpu_alloc(sizeof wanted, 0), JIG_U32);
  const jig_iter map = jig_pointer(gpu_copy(places, sizeof places, 0), JIG_U32);
  const jig_iter outputs[] = {jig_strided(out.pointer, 8, JIG_U32), jig_iter_reverse(&out, ROWS),
                              jig_permutation(&out, &map),
                              jig_transform_output(&out, jig_op_source("return x * 2;"), JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(outputs); ++k) {
    gpu_fill(out.pointer, 0, sizeof wanted);
    memset(wanted, 0, sizeof wanted);
    for (uint32_t r = 0; r < ROWS; ++r) {
      const uint32_t at[] = {2 * r, ROWS - 1 - r, places[r], r};
      wanted[at[k]] = k == 3 ? 2 * sums[r] : sums[r];
    }
    run(&(jig_segmented_reduce_args){
        .in = in, .out = outputs[k], .num_segments = ROWS, .segment_size = ROW});
    check_words(out.pointer, wanted, 2 * ROWS, "an output");
  }
  gpu_free(in.pointer);
  gpu_free(out.pointer);
  gpu_free(map.pointer);
  free(words);
}
END_TEST

/* ---- calls */

START_TEST(by_name) {
  const uint32_t items[] = {3, 1, 2, 9, 9, 4}, offsets[] = {0, 3, 6}, sums[] = {6, 22}, least[] = {1, 4},
                 most[] = {3, 9};
  const jig_iter in = jig_pointer(gpu_copy(items, sizeof items, 0), JIG_U32);
  const jig_iter begins = jig_pointer(gpu_copy(offsets, sizeof offsets, 0), JIG_U32);
  const jig_iter ends = jig_pointer((uint32_t *)begins.pointer + 1, JIG_U32);
  const jig_iter out = jig_pointer(gpu_alloc(sizeof sums, 0), JIG_U32);
  OK(jig_segmented_reduce_sum(NULL, NULL, NULL, in, out, begins, ends, 2, NULL));
  check_words(out.pointer, sums, 2, "sums");
  OK(jig_segmented_reduce_min(NULL, NULL, NULL, in, out, begins, ends, 2, NULL));
  check_words(out.pointer, least, 2, "the least");
  OK(jig_segmented_reduce_max(NULL, NULL, NULL, in, out, begins, ends, 2, NULL));
  check_words(out.pointer, most, 2, "the most");
  gpu_free(in.pointer);
  gpu_free(begins.pointer);
  gpu_free(out.pointer);
}
END_TEST

#define REFUSED(args, part) \
  FAILS(jig_segmented_reduce(NULL, NULL, NULL, args, NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  uint32_t *memory = gpu_alloc(400, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32), out = jig_pointer(memory + 50, JIG_U32),
                 none = JIG_ZERO;
  const jig_segmented_reduce_args whole = {.in = in,
                                           .out = out,
                                           .begin_offsets = jig_pointer(memory + 80, JIG_U32),
                                           .end_offsets = jig_pointer(memory + 81, JIG_U32),
                                           .num_segments = 5};
  jig_segmented_reduce_args args = whole;
  args.segment_size = 3;
  REFUSED(&args, "jig_segmented_reduce: segment_size: it is for segments without offsets");
  args = whole;
  args.end_offsets = none;
  REFUSED(&args, "end_offsets");
  args.begin_offsets = none;
  args.segment_size = UINT64_MAX / 2;
  REFUSED(&args, "segment_size");
  args.segment_size = 11; /* 55 items reach the output */
  REFUSED(&args, "out overlaps in");
  args = whole;
  args.begin_offsets.type = args.end_offsets.type = JIG_F32;
  REFUSED(&args, "begin_offsets");
  args = whole;
  args.end_offsets = jig_pointer(memory + 81, JIG_BOOL);
  REFUSED(&args, "end_offsets");
  args = whole;
  args.out = jig_pointer(memory + 78, JIG_U32);
  REFUSED(&args, "out overlaps begin_offsets");
  args = whole;
  args.begin_offsets.pointer = NULL;
  REFUSED(&args, "begin_offsets");
  args = whole;
  args.in.pointer = (char *)memory + 1;
  REFUSED(&args, "in");
  args = whole;
  args.num_segments = UINT64_MAX;
  REFUSED(&args, "num_segments");
  args = whole;
  args.init_in = out;
  REFUSED(&args, "out overlaps init_in");
  args = whole;
  args.nan = (jig_nan)2;
  REFUSED(&args, "nan: no such choice (2)");
  args = whole;
  args.in.type = jig_struct("s", "struct s { int x; };", 4, 4);
  REFUSED(&args, "in: the item type");
  REFUSED(NULL, "args");
  args = (jig_segmented_reduce_args){.in = jig_pointer(NULL, JIG_U32), .out = jig_pointer(NULL, JIG_U32)};
  run(&args); /* nothing, to nowhere */
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

/* ---- graphs */

/* Every replay finds other segments. */
static void replay(segment_way way) {
  enum { MOST = 60000, SEGMENTS = 1000 };
  uint32_t *words = random_words(MOST, 3), wanted[SEGMENTS];
  int64_t *begins = gpu_alloc((2 * SEGMENTS + 1) * 8, 0),
          *ends = begins + (way == ADJOINING ? 1 : SEGMENTS);
  const jig_segmented_reduce_args args = {.in = jig_pointer(gpu_copy(words, MOST * 4, 0), JIG_U32),
                                          .out = jig_pointer(gpu_alloc(SEGMENTS * 4, 0), JIG_U32),
                                          .begin_offsets = jig_pointer(begins, JIG_I64),
                                          .end_offsets = jig_pointer(ends, JIG_I64),
                                          .num_segments = SEGMENTS};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_segmented_reduce(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_segmented_reduce(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (size_t round = 0; round < 6; ++round) {
    uint64_t seed = 5 + round;
    int64_t host[2 * SEGMENTS + 1], begin = 0, *host_ends = host + (ends - begins);
    memset(wanted, 0, sizeof wanted);
    for (size_t s = 0; s < SEGMENTS; ++s) {
      int64_t end = begin + (int64_t)(next_random(&seed) >> 40) % (1 + 3 * (int64_t)(round % 4));
      if (round > 0 && s == round * 131) end += 40000;
      for (int64_t i = begin; i < end; ++i) wanted[s] += words[i];
      host[s] = begin;
      host_ends[s] = end;
      begin = end + (way == ADJOINING ? 0 : (int64_t)s % 2);
    }
    gpu_write(begins, host, sizeof host);
    gpu_replay(exec, stream);
    check_words(args.out.pointer, wanted, SEGMENTS, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(args.in.pointer);
  gpu_free(args.out.pointer);
  gpu_free(begins);
  free(words);
}

START_TEST(a_captured_call_is_replayed) {
  replay(ADJOINING);
  replay(APART);
}
END_TEST

/* What comes of it nobody says, but that it ends, and that nothing is read but the items between the
 * first offset and the last. */
START_TEST(offsets_in_no_order) {
  enum { SEGMENTS = 2000, FIRST = 100, LAST = 30000 };
  uint32_t *items = gpu_alloc((LAST - FIRST) * 4, 0), *out = gpu_alloc(SEGMENTS * 4, 0);
  gpu_fill(items, 1, (LAST - FIRST) * 4);
  for (uint64_t round = 1; round < 12; ++round) {
    uint64_t seed = round;
    int32_t offsets[SEGMENTS + 1];
    for (int32_t s = 0; s <= SEGMENTS; ++s) {
      const int32_t random = (int32_t)(next_random(&seed) >> 40) % 100000 - 30000;
      offsets[s] = round % 3 > 0 ? random : round % 2 > 0 ? LAST - 14 * s : s % 40 * 700;
    }
    offsets[0] = FIRST;
    offsets[SEGMENTS] = LAST;
    int32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
    run(&(jig_segmented_reduce_args){.in = jig_pointer(items - FIRST, JIG_U32),
                                     .out = jig_pointer(out, JIG_U32),
                                     .begin_offsets = jig_pointer(begins, JIG_I32),
                                     .end_offsets = jig_pointer(begins + 1, JIG_I32),
                                     .num_segments = SEGMENTS});
    gpu_free(begins);
  }
  gpu_free(items);
  gpu_free(out);
}
END_TEST

/* ---- strict mode, size */

static void strict_sums(strict_call *t) {
  const jig_iter offsets = jig_pointer(t->d_offsets, JIG_I64);
  jig_segmented_reduce_args args = {.in = jig_pointer(t->d_keys, JIG_U32),
                                    .out = jig_pointer(t->out[0], JIG_U64),
                                    .begin_offsets = offsets,
                                    .end_offsets = offsets,
                                    .num_segments = t->segments};
  if (t->d_offsets != NULL) args.end_offsets.pointer = (int64_t *)t->d_offsets + 1;
  STRICT(t, jig_segmented_reduce, args);
  const uint64_t *got = strict_read(t, t->out[0], t->segments * 8);
  for (uint64_t s = 0; s < t->segments; ++s) {
    uint64_t sum = 0;
    for (int64_t i = t->offsets[s]; i < t->offsets[s + 1]; ++i) sum += t->keys[i];
    ck_assert_uint_eq(got[s], sum);
  }
}

static void strict_rows(strict_call *t) {
  const jig_segmented_reduce_args args = {.in = jig_pointer(t->d_values, JIG_U32),
                                          .out = jig_pointer(t->out[0], JIG_U32),
                                          .num_segments = t->n / 7,
                                          .segment_size = 7,
                                          .op = JIG_MAX};
  STRICT(t, jig_segmented_reduce, args);
  const uint32_t *got = strict_read(t, t->out[0], t->n / 7 * 4);
  for (uint64_t s = 0; s < t->n / 7; ++s) ck_assert_uint_eq(got[s], 7 * s + 6);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_sums), STRICT_CASE(strict_rows)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

/* Ones: a segment of more of them than 32 bits count, and some small ones. */
START_TEST(more_items_than_32_bits_count) {
  const uint64_t count = ((uint64_t)1 << 32) + 12345;
  const uint64_t offsets[] = {0, 5, 5, count - 1000, count}, wanted[] = {5, 0, count - 1005, 1000};
  uint64_t got[4];
  if (!gpu_begin_large("device/segmented_reduce_calls: more_items_than_32_bits_count", count)) return;
  CUdeviceptr in;
  GPU(gpu()->cuMemAlloc(&in, count));
  gpu_fill((void *)(uintptr_t)in, 1, count);
  uint64_t *begins = gpu_copy(offsets, sizeof offsets, 0), *out = gpu_alloc(sizeof got, 0);
  run(&(jig_segmented_reduce_args){.in = jig_pointer((void *)(uintptr_t)in, JIG_U8),
                                   .out = jig_pointer(out, JIG_U64),
                                   .begin_offsets = jig_pointer(begins, JIG_U64),
                                   .end_offsets = jig_pointer(begins + 1, JIG_U64),
                                   .num_segments = 4});
  gpu_read(got, out, sizeof got);
  ck_assert_mem_eq(got, wanted, sizeof got);
  GPU(gpu()->cuMemFree(in));
  gpu_free(begins);
  gpu_free(out);
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(inputs_of_every_kind),
                                     SUITE_TEST(outputs_of_every_kind),
                                     SUITE_TEST(by_name),
                                     SUITE_TEST(what_cannot_be_is_refused),
                                     SUITE_TEST(a_captured_call_is_replayed),
                                     SUITE_TEST(offsets_in_no_order),
                                     SUITE_TEST(a_spec_prewarms_its_calls),
                                     SUITE_TEST(more_items_than_32_bits_count)};
  return SUITE_RUN("device/segmented_reduce_calls", tests, true);
}
