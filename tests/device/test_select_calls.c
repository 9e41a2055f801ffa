/* The rules around calls of select, unique and the partitions: nothing to select from, temp storage,
 * what may overlap, what is refused, their short forms, and graphs. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "select_support.h"
#include "suite.h"

enum { COUNT = 10007 };
static const jig_op even = {.kind = JIG_OP_SOURCE, .source = "return x % 2 == 0;"};

/* Words, of which even ones are selected, and where they go. */
typedef struct scene {
  size_t count;
  uint32_t *words, *in, *out, *other, *third;
  uint8_t *flags;
  uint64_t *number;
} scene;

static void fill(scene *s, uint64_t seed, unsigned mask) {
  uint8_t *flags = malloc(s->count + 1);
  fill_random(JIG_KIND_U32, s->words, s->count, seed);
  for (size_t i = 0; i < s->count; ++i) flags[i] = (s->words[i] &= mask) % 2 == 0;
  gpu_write(s->in, s->words, s->count * 4);
  gpu_write(s->flags, flags, s->count);
  free(flags);
}

static scene open_scene(size_t count) {
  scene s = {count,
             malloc(count * 4 + 1),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count * 4, 0),
             gpu_alloc(count, 0),
             gpu_alloc(16, 0)};
  fill(&s, 21, ~0u);
  return s;
}

static void close_scene(scene *s) {
  gpu_free(s->in);
  gpu_free(s->out);
  gpu_free(s->other);
  gpu_free(s->third);
  gpu_free(s->flags);
  gpu_free(s->number);
  free(s->words);
}

static jig_iter words_at(const uint32_t *pointer) {
  return jig_pointer(pointer, JIG_U32);
}

static jig_select_args select_args(const scene *s) {
  return (jig_select_args){.in = words_at(s->in),
                           .out = words_at(s->out),
                           .num_selected_out = jig_pointer(s->number, JIG_U64),
                           .num_items = s->count,
                           .op = even};
}
static jig_unique_args unique_args(const scene *s) {
  return (jig_unique_args){.in = words_at(s->in),
                           .out = words_at(s->out),
                           .num_selected_out = jig_pointer(s->number, JIG_U64),
                           .num_items = s->count};
}
static jig_partition_args partition_args(const scene *s) {
  return (jig_partition_args){.in = words_at(s->in),
                              .out = words_at(s->out),
                              .num_selected_out = jig_pointer(s->number, JIG_U64),
                              .num_items = s->count,
                              .op = even};
}
static jig_three_way_partition_args three_way_args(const scene *s) {
  return (jig_three_way_partition_args){.in = words_at(s->in),
                                        .first_out = words_at(s->out),
                                        .second_out = words_at(s->other),
                                        .unselected_out = words_at(s->third),
                                        .num_selected_out = jig_pointer(s->number, JIG_U64),
                                        .num_items = s->count,
                                        .first_op = even,
                                        .second_op = jig_op_source("return x % 4 == 1;")};
}

static size_t evens(const scene *s, uint32_t *kept) {
  size_t found = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (s->words[i] % 2 == 0) kept[found++] = s->words[i];
  return found;
}

/* The even words, close together, and how many there are; then all is poison again. */
static void check_evens(const scene *s, const char *what) {
  uint32_t *wanted = malloc(s->count * 4 + 1), *got = malloc(s->count * 4 + 1);
  const size_t found = evens(s, wanted);
  uint64_t counted;
  gpu_read(&counted, s->number, sizeof counted);
  ck_assert_msg(counted == found, "%s: %llu are counted, not %zu", what, (unsigned long long)counted,
                found);
  gpu_read(got, s->out, s->count * 4);
  check_items(got, wanted, 4, found, what);
  gpu_fill(s->out, 0xa5, s->count * 4);
  gpu_fill(s->number, 0xa5, 16);
  free(wanted);
  free(got);
}

/* ---- nothing to select from */

START_TEST(nothing_is_counted_of_no_items) {
  scene s = open_scene(64);
  jig_select_args select = select_args(&s);
  jig_unique_args unique = unique_args(&s);
  jig_partition_args partition = partition_args(&s);
  jig_three_way_partition_args three = three_way_args(&s);
  uint64_t counts[2];
  select.num_items = unique.num_items = partition.num_items = three.num_items = 0;
  select.in = select.out = unique.in = partition.out = words_at(NULL); /* never looked at */
  for (int k = 0; k < 4; ++k) {
    gpu_fill(s.number, 0xee, 16);
    if (k == 0) run_select(&select);
    if (k == 1) run_unique(&unique);
    if (k == 2) run_partition(&partition);
    if (k == 3) run_three_way(&three);
    gpu_read(counts, s.number, 16);
    ck_assert_uint_eq(counts[0], 0);
    ck_assert_uint_eq(counts[1], k == 3 ? 0 : 0xeeeeeeeeeeeeeeee);
  }
  ck_assert(gpu_is_untouched(s.out, 64 * 4));
  close_scene(&s);
}
END_TEST

/* ---- the short forms, with temp storage from the driver */

START_TEST(short_forms) {
  scene s = open_scene(COUNT);
  const jig_iter in = words_at(s.in), out = words_at(s.out), other = words_at(s.other),
                 number = jig_pointer(s.number, JIG_U64), flags = jig_pointer(s.flags, JIG_U8);
  const jig_op none = JIG_ZERO;
  OK(jig_select_if(NULL, NULL, NULL, in, out, number, COUNT, even, NULL));
  check_evens(&s, "select_if");
  OK(jig_select_flagged(NULL, NULL, NULL, in, flags, out, number, COUNT, NULL));
  check_evens(&s, "select_flagged");
  OK(jig_select_flagged_if(NULL, NULL, NULL, in, in, out, number, COUNT, even, NULL));
  check_evens(&s, "select_flagged_if");
  OK(jig_partition_if(NULL, NULL, NULL, in, out, number, COUNT, even, NULL));
  check_evens(&s, "partition_if");
  OK(jig_partition_flagged(NULL, NULL, NULL, in, flags, out, number, COUNT, NULL));
  check_evens(&s, "partition_flagged");
  OK(jig_unique_by_key(NULL, NULL, NULL, in, in, other, out, number, COUNT,
                       jig_op_source("return b % 2 != 0;"), NULL));
  uint32_t first;
  gpu_read(&first, s.out, 4);
  ck_assert_uint_eq(first, s.words[0]);
  OK(jig_unique_by_key(NULL, NULL, NULL, in, in, other, out, number, COUNT, none, NULL));
  uint64_t counted;
  gpu_read(&counted, s.number, 8);
  ck_assert_uint_eq(counted, COUNT); /* random words of 32 bits: no equal neighbours with this seed */
  close_scene(&s);
}
END_TEST

/* ---- temp storage */

START_TEST(temp_storage_grows_slowly) {
  const jig_iter words = words_at(NULL);
  size_t previous = 0, three_previous = 0;
  for (uint64_t n = 0; n < (uint64_t)1 << 34; n += 1 + n / 7) {
    size_t bytes = 0, three_bytes = 0;
    const jig_select_args select = {
        .in = words, .out = words, .num_selected_out = words, .num_items = n, .op = even};
    const jig_three_way_partition_args three = {.in = words,
                                                .first_out = words,
                                                .second_out = words,
                                                .unselected_out = words,
                                                .num_selected_out = words,
                                                .num_items = n,
                                                .first_op = even,
                                                .second_op = even};
    OK(jig_select(NULL, NULL, &bytes, &select, NULL));
    OK(jig_three_way_partition(NULL, NULL, &three_bytes, &three, NULL));
    ck_assert_uint_ge(bytes, previous);
    ck_assert_uint_ge(three_bytes, three_previous);
    ck_assert_uint_le(bytes, 1024 * 128 + n * 4 / 500);
    ck_assert_uint_le(three_bytes, 1024 * 128 + n * 4 / 500);
    previous = bytes;
    three_previous = three_bytes;
  }
}
END_TEST

START_TEST(temp_storage_that_is_too_small) {
  scene s = open_scene(COUNT);
  const jig_select_args args = select_args(&s);
  size_t bytes = 0, less;
  OK(jig_select(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  less = bytes - 1;
  FAILS(jig_select(NULL, storage, &less, &args, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL, "needed");
  gpu_free(storage);
  close_scene(&s);
}
END_TEST

/* ---- what is refused */

#define REFUSED(call, args, part) \
  FAILS(call(NULL, NULL, NULL, &(args), NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_overlaps_is_refused) {
  scene s = open_scene(COUNT);
  jig_select_args select = select_args(&s);
  select.out = words_at(s.in + 5);
  REFUSED(jig_select, select, "jig_select: out overlaps in");
  select.out = words_at(s.in + 1);
  select.in = jig_iter_transform(&(jig_iter){.kind = JIG_ITER_POINTER, .type = JIG_U32, .pointer = s.in},
                                 jig_op_source("return x;"), JIG_U32);
  REFUSED(jig_select, select, "jig_select: out overlaps in");
  select = select_args(&s);
  select.flags = jig_pointer(s.out, JIG_U8); /* not item for item */
  REFUSED(jig_select, select, "jig_select: out overlaps flags");
  select = select_args(&s);
  select.num_selected_out = jig_pointer(s.in + 2, JIG_U64);
  REFUSED(jig_select, select, "jig_select: num_selected_out overlaps in");
  select.num_selected_out = jig_pointer(s.out, JIG_U64);
  REFUSED(jig_select, select, "overlaps");
  select = select_args(&s);
  select.out = jig_pointer(s.in, JIG_U64); /* not item for item */
  REFUSED(jig_select, select, "jig_select: out overlaps in");
  jig_unique_args unique = unique_args(&s);
  unique.out = jig_pointer(s.in, JIG_F32);
  REFUSED(jig_unique, unique, "jig_unique: out overlaps in");
  unique = unique_args(&s);
  unique.values_in = words_at(s.other);
  unique.values_out = words_at(s.other);
  REFUSED(jig_unique, unique, "jig_unique: values_out overlaps values_in");
  jig_partition_args partition = partition_args(&s);
  partition.out = partition.in;
  REFUSED(jig_partition, partition, "jig_partition: out overlaps in");
  partition = partition_args(&s);
  partition.num_selected_out = jig_pointer(s.out + COUNT / 2 * 2 - 2, JIG_U64);
  REFUSED(jig_partition, partition, "overlaps");
  jig_three_way_partition_args three = three_way_args(&s);
  three.second_out = three.first_out;
  REFUSED(jig_three_way_partition, three, "overlaps");
  three = three_way_args(&s);
  three.unselected_out = three.in;
  REFUSED(jig_three_way_partition, three, "unselected_out overlaps in");
  close_scene(&s);
}
END_TEST

START_TEST(what_is_missing_or_wrong_is_refused) {
  scene s = open_scene(64);
  FAILS(jig_select(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_select: args");
  FAILS(jig_unique(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_unique: args");
  FAILS(jig_partition(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_partition: args");
  FAILS(jig_three_way_partition(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_three_way_partition: args");
  jig_select_args select = select_args(&s);
  select.in = words_at(NULL);
  REFUSED(jig_select, select, "jig_select: in: the pointer is NULL");
  select = select_args(&s);
  select.num_selected_out = jig_pointer(NULL, JIG_I32);
  REFUSED(jig_select, select, "jig_select: num_selected_out: the pointer is NULL");
  select = select_args(&s);
  select.out = jig_pointer((char *)s.out + 1, JIG_U32);
  REFUSED(jig_select, select, "jig_select: out: pointer");
  select = select_args(&s);
  select.flags = jig_pointer(NULL, JIG_U8);
  REFUSED(jig_select, select, "jig_select: flags: the pointer is NULL");
  select = select_args(&s);
  select.op = jig_op_source("return x <;");
  FAILS(jig_select(NULL, NULL, NULL, &select, NULL), JIG_ERROR_COMPILE, "x <");
  jig_three_way_partition_args three = three_way_args(&s);
  three.unselected_out = words_at(NULL);
  REFUSED(jig_three_way_partition, three, "unselected_out: the pointer is NULL");
  close_scene(&s);
}
END_TEST

/* ---- graphs */

static CUgraphExec capture(const jig_select_args *args, void *storage, size_t bytes, CUstream stream) {
  gpu_begin_capture(stream);
  OK(jig_select(NULL, storage, &bytes, args, stream));
  return gpu_end_capture(stream);
}

START_TEST(graphs_are_replayed_with_other_input) {
  const jig_select_args any = {
      .in = words_at(NULL), .out = words_at(NULL), .num_selected_out = words_at(NULL), .op = even};
  char *text = NULL;
  OK(jig_select_spec(&any, &text));
  const scan_marks marks = select_marks_of(text);
  const size_t counts[] = {100, marks.alone + 3 * marks.row + 1, scan_long_size(&marks, (size_t)-1)};
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    scene s = open_scene(counts[c]);
    const jig_select_args args = select_args(&s);
    size_t bytes = 0;
    OK(jig_select(NULL, NULL, &bytes, &args, NULL));
    void *storage = gpu_alloc(bytes, 8);
    CUgraphExec exec = capture(&args, storage, bytes, stream);
    for (unsigned round = 0; round < 4; ++round) {
      fill(&s, 30 + round, round % 2 == 0 ? ~0u : ~0u << 1 | (round > 2));
      gpu_replay(exec, stream);
      check_evens(&s, "replay");
    }
    OK(jig_select(NULL, storage, &bytes, &args, stream));
    GPU(gpu()->cuStreamSynchronize(stream));
    check_evens(&s, "a call between");
    GPU(gpu()->cuGraphExecDestroy(exec));
    gpu_free(storage);
    close_scene(&s);
  }
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(nothing_is_counted_of_no_items),
      SUITE_TEST(short_forms),
      SUITE_TEST(temp_storage_grows_slowly),
      SUITE_TEST(temp_storage_that_is_too_small),
      SUITE_TEST(what_overlaps_is_refused),
      SUITE_TEST(what_is_missing_or_wrong_is_refused),
      SUITE_TEST(graphs_are_replayed_with_other_input),
  };
  return SUITE_RUN("device/select_calls", tests, true);
}
