/* The rules around calls of merge sort: iterators, temp storage, what may overlap, what is refused, short
 * forms, and graphs. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"

enum { COUNT = 9000 };

static jig_iter words_at(const uint32_t *pointer) {
  return jig_pointer(pointer, JIG_U32);
}

static int rising(const void *a, const void *b) {
  return order_of_kind(JIG_KIND_U32)(a, b);
}

/* Words, and where they go. */
typedef struct scene {
  size_t count;
  uint32_t *words, *in, *out, *values_in, *values_out;
} scene;

static void fill(scene *s, uint64_t seed) {
  fill_random(JIG_KIND_U32, s->words, s->count, seed);
  gpu_write(s->in, s->words, s->count * 4);
  gpu_write(s->values_in, s->words, s->count * 4);
}

static scene open_scene(size_t count) {
  scene s = {count,
             malloc(count * 4 + 1),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count * 4, 0)};
  fill(&s, 41);
  return s;
}

static void close_scene(scene *s) {
  gpu_free(s->in);
  gpu_free(s->out);
  gpu_free(s->values_in);
  gpu_free(s->values_out);
  free(s->words);
}

static jig_merge_sort_args keys_of(const scene *s) {
  return (jig_merge_sort_args){
      .keys_in = words_at(s->in), .keys_out = words_at(s->out), .num_items = s->count};
}
static jig_merge_sort_args pairs_of(const scene *s) {
  jig_merge_sort_args args = keys_of(s);
  args.values_in = words_at(s->values_in);
  args.values_out = words_at(s->values_out);
  return args;
}

static void check_sorted(const scene *s, const uint32_t *device, const char *what) {
  size_t *order = stable_order(s->words, 4, s->count, rising);
  uint32_t *got = malloc(s->count * 4 + 1), *wanted = malloc(s->count * 4 + 1);
  for (size_t i = 0; i < s->count; ++i) wanted[i] = s->words[order[i]];
  gpu_read(got, device, s->count * 4);
  check_items(got, wanted, 4, s->count, what);
  free(got);
  free(wanted);
  free(order);
}

/* ---- iterators: by blocks alone, by two and by four */

/* Keys and values that are computed, and outputs that are scattered or changed on their way. */
static void check_iterators(size_t count) {
  scene s = open_scene(count);
  const uint64_t zero = 0;
  jig_iter in = words_at(s.in), out = words_at(s.out), values = jig_pointer(s.values_out, JIG_U32);
  const jig_merge_sort_args keys = {
      .keys_in = jig_iter_transform(&in, jig_op_source("return ~x;"), JIG_U32),
      .keys_out = jig_transform_output(&out, jig_op_source("return ~x;"), JIG_U32),
      .num_items = count,
      .compare = jig_op_source("return a > b;")};
  run_merge_sort(&keys);
  check_sorted(&s, s.out, "computed keys");
  const jig_merge_sort_args pairs = {
      .keys_in = in,
      .keys_out = jig_discard(JIG_U32),
      .values_in = jig_counting(&zero, JIG_U64),
      .values_out = jig_transform_output(&values, jig_op_source("return uint32_t(x);"), JIG_U64),
      .num_items = count};
  run_merge_sort(&pairs);
  size_t *order = stable_order(s.words, 4, count, rising);
  uint32_t *got = malloc(count * 4);
  gpu_read(got, s.values_out, count * 4);
  for (size_t i = 0; i < count; ++i) ck_assert_uint_eq(got[i], (uint32_t)order[i]);
  free(got);
  free(order);
  close_scene(&s);
}

static merge_sort_marks word_marks(void) {
  const scene none = {0};
  const jig_merge_sort_args args = keys_of(&none);
  return merge_sort_marks_of(&args);
}

START_TEST(iterators) {
  check_iterators(700);
  check_iterators(COUNT);
  check_iterators(word_marks().four_from + 9);
}
END_TEST

START_TEST(short_forms) {
  scene s = open_scene(COUNT);
  OK(jig_merge_sort_keys(NULL, NULL, NULL, words_at(s.in), words_at(s.out), COUNT, (jig_op){0}, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  check_sorted(&s, s.out, "keys");
  OK(jig_merge_sort_pairs(NULL, NULL, NULL, words_at(s.in), words_at(s.out), words_at(s.values_in),
                          words_at(s.values_out), COUNT, (jig_op){0}, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  check_sorted(&s, s.values_out, "values");
  close_scene(&s);
}
END_TEST

/* ---- temp storage */

START_TEST(temp_storage) {
  scene s = open_scene(COUNT);
  jig_merge_sort_args args = pairs_of(&s);
  size_t bytes = 0, less;
  OK(jig_merge_sort(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 8);
  less = bytes - 1;
  FAILS(jig_merge_sort(NULL, storage, &less, &args, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL, "needed");
  OK(jig_merge_sort(NULL, storage, &bytes, &args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  check_sorted(&s, s.out, "storage that is not aligned");
  args.num_items = 0;
  args.keys_in = args.keys_out = args.values_in = args.values_out = words_at(NULL);
  OK(jig_merge_sort(NULL, storage, &bytes, &args, NULL));
  gpu_free(storage);
  close_scene(&s);
}
END_TEST

/* ---- what is refused */

#define REFUSED(args, part) \
  FAILS(jig_merge_sort(NULL, NULL, NULL, &(args), NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_overlaps_is_refused) {
  scene s = open_scene(COUNT);
  jig_merge_sort_args args = keys_of(&s);
  args.keys_out = words_at(s.in + 1);
  REFUSED(args, "jig_merge_sort: keys_out overlaps keys_in");
  args = pairs_of(&s);
  args.values_out = args.keys_in;
  REFUSED(args, "jig_merge_sort: values_out overlaps keys_in");
  args = pairs_of(&s);
  args.values_out = args.keys_out;
  REFUSED(args, "overlaps");
  args = pairs_of(&s);
  args.keys_out = args.values_in;
  REFUSED(args, "jig_merge_sort: keys_out overlaps values_in");
  args = pairs_of(&s);
  args.values_out = words_at(s.values_in + 3);
  REFUSED(args, "jig_merge_sort: values_out overlaps values_in");
  args = keys_of(&s);
  size_t bytes = (size_t)1 << 20;
  FAILS(jig_merge_sort(NULL, s.out, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "overlaps d_temp_storage");
  close_scene(&s);
}
END_TEST

START_TEST(what_is_missing_or_wrong_is_refused) {
  scene s = open_scene(64);
  FAILS(jig_merge_sort(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_merge_sort: args");
  jig_merge_sort_args args = keys_of(&s);
  args.keys_in = words_at(NULL);
  REFUSED(args, "jig_merge_sort: keys_in: the pointer is NULL");
  args = keys_of(&s);
  args.keys_out = jig_pointer((char *)s.out + 1, JIG_U32);
  REFUSED(args, "jig_merge_sort: keys_out: pointer");
  args = keys_of(&s);
  args.keys_out = jig_pointer(s.out, JIG_I32);
  REFUSED(args, "keys_out: its type must be that of keys_in, u32, not i32");
  args = pairs_of(&s);
  args.values_out = (jig_iter)JIG_ZERO;
  REFUSED(args, "values_out: missing");
  args = keys_of(&s);
  args.keys_in = args.keys_out = jig_pointer(s.in, jig_opaque(4, 4));
  REFUSED(args, "keys_in: '<' is not defined for");
  args = keys_of(&s);
  args.compare = JIG_PLUS;
  REFUSED(args, "compare: 'plus' tells no order");
  args = keys_of(&s);
  args.compare = jig_op_with_state(jig_op_source("return a < b + state;"), NULL, JIG_I32);
  REFUSED(args, "jig_merge_sort: compare");
  args.compare = jig_op_source("return a <;");
  FAILS(jig_merge_sort(NULL, NULL, NULL, &args, NULL), JIG_ERROR_COMPILE, "a <");
  close_scene(&s);
}
END_TEST

/* ---- graphs */

static CUgraphExec capture(const jig_merge_sort_args *args, void *storage, size_t bytes,
                           CUstream stream) {
  gpu_begin_capture(stream);
  OK(jig_merge_sort(NULL, storage, &bytes, args, stream));
  return gpu_end_capture(stream);
}

START_TEST(graphs_are_replayed_with_other_input) {
  const size_t counts[] = {100, COUNT, word_marks().four_from + 100};
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    scene s = open_scene(counts[c]);
    const jig_merge_sort_args args = pairs_of(&s);
    size_t bytes = 0;
    OK(jig_merge_sort(NULL, NULL, &bytes, &args, NULL));
    void *storage = gpu_alloc(bytes, 0);
    CUgraphExec exec = capture(&args, storage, bytes, stream);
    for (unsigned round = 0; round < 3; ++round) {
      fill(&s, 50 + round);
      gpu_replay(exec, stream);
      check_sorted(&s, s.out, "replay");
      check_sorted(&s, s.values_out, "values of a replay");
    }
    GPU(gpu()->cuGraphExecDestroy(exec));
    gpu_free(storage);
    close_scene(&s);
  }
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(iterators),
      SUITE_TEST(short_forms),
      SUITE_TEST(temp_storage),
      SUITE_TEST(what_overlaps_is_refused),
      SUITE_TEST(what_is_missing_or_wrong_is_refused),
      SUITE_TEST(graphs_are_replayed_with_other_input),
  };
  return SUITE_RUN("device/merge_sort_calls", tests, true);
}
