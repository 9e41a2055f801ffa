/* The rules around calls of algorithms by key: no items, aliasing, wrong arguments, allocation,
 * iterators, graphs that are replayed with other items, the same bits in every order. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* ---- everything that is called, over words */

/* Memory for calls of up to `count` items. */
typedef struct scene {
  size_t count;
  uint32_t *keys, *values, *first, *second, *number; /* the device's */
} scene;

static scene new_scene(size_t count) {
  return (scene){count,
                 gpu_alloc(count * 4, 0),
                 gpu_alloc(count * 4, 0),
                 gpu_alloc(count * 4, 0),
                 gpu_alloc(count * 4, 0),
                 gpu_alloc(4, 0)};
}

static void free_scene(scene *s) {
  gpu_free(s->keys);
  gpu_free(s->values);
  gpu_free(s->first);
  gpu_free(s->second);
  gpu_free(s->number);
}

typedef enum which { SCAN, REDUCE, ENCODE, RUNS, WHICH_COUNT } which;

static jig_scan_by_key_args scan_args(const scene *s, size_t count) {
  return (jig_scan_by_key_args){.keys_in = jig_pointer(s->keys, JIG_U32),
                                .values_in = jig_pointer(s->values, JIG_U32),
                                .values_out = jig_pointer(s->first, JIG_U32),
                                .num_items = count};
}

static jig_reduce_by_key_args reduce_args(const scene *s, size_t count) {
  return (jig_reduce_by_key_args){.keys_in = jig_pointer(s->keys, JIG_U32),
                                  .unique_out = jig_pointer(s->first, JIG_U32),
                                  .values_in = jig_pointer(s->values, JIG_U32),
                                  .aggregates_out = jig_pointer(s->second, JIG_U32),
                                  .num_runs_out = jig_pointer(s->number, JIG_U32),
                                  .num_items = count};
}

static jig_run_length_encode_args encode_args(const scene *s, size_t count) {
  return (jig_run_length_encode_args){.in = jig_pointer(s->keys, JIG_U32),
                                      .unique_out = jig_pointer(s->first, JIG_U32),
                                      .lengths_out = jig_pointer(s->second, JIG_U32),
                                      .num_runs_out = jig_pointer(s->number, JIG_U32),
                                      .num_items = count};
}

static jig_non_trivial_runs_args runs_args(const scene *s, size_t count) {
  return (jig_non_trivial_runs_args){.in = jig_pointer(s->keys, JIG_U32),
                                     .offsets_out = jig_pointer(s->first, JIG_U32),
                                     .lengths_out = jig_pointer(s->second, JIG_U32),
                                     .num_runs_out = jig_pointer(s->number, JIG_U32),
                                     .num_items = count};
}

static jig_status call_any(which w, const scene *s, size_t count, jig_engine *engine, void *storage,
                           size_t *bytes, CUstream stream) {
  const jig_scan_by_key_args scan = scan_args(s, count);
  const jig_reduce_by_key_args reduce = reduce_args(s, count);
  const jig_run_length_encode_args encode = encode_args(s, count);
  const jig_non_trivial_runs_args runs = runs_args(s, count);
  return w == SCAN     ? jig_scan_by_key(engine, storage, bytes, &scan, stream)
         : w == REDUCE ? jig_reduce_by_key(engine, storage, bytes, &reduce, stream)
         : w == ENCODE ? jig_run_length_encode(engine, storage, bytes, &encode, stream)
                       : jig_non_trivial_runs(engine, storage, bytes, &runs, stream);
}

/* Puts keys and values there, and compares what comes out with what the host makes of them. */
typedef struct expected {
  uint32_t *keys, *values, *first, *second, number;
} expected;

static expected expect(which w, size_t count, uint32_t round) {
  expected e = {malloc(count * 4), malloc(count * 4), malloc(count * 4), malloc(count * 4), 0};
  uint64_t seed = round + 1;
  uint32_t start = 0;
  for (uint32_t i = 0; i <= count; ++i) {
    const bool head = i == 0 || i == count || next_random(&seed) >> 40 < (1u << 24) / (1 + 3 * round);
    if (i > 0 && head && w == REDUCE) e.first[e.number++] = e.keys[i - 1];
    if (i > 0 && head && w == ENCODE) e.first[e.number] = e.keys[start], e.second[e.number++] = i - start;
    if (i > 1 && head && w == RUNS && i - start > 1)
      e.first[e.number] = start, e.second[e.number++] = i - start;
    if (i == count) break;
    e.keys[i] = i == 0 ? round : e.keys[i - 1] + head;
    e.values[i] = (i + round) * 2654435761u;
    if (w == SCAN) e.first[i] = head ? e.values[i] : e.first[i - 1] + e.values[i];
    if (w == REDUCE) e.second[e.number] = head ? e.values[i] : e.second[e.number] + e.values[i];
    if (head) start = i;
  }
  return e;
}

static void upload(const scene *s, const expected *e, size_t count, CUstream stream) {
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)s->keys, e->keys, count * 4, stream));
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)s->values, e->values, count * 4, stream));
}

static void check(which w, const scene *s, expected *e, size_t count, CUstream stream, const char *what) {
  uint32_t *got = malloc(count * 4 + 4), number;
  GPU(gpu()->cuStreamSynchronize(stream));
  if (w != SCAN) {
    gpu_read(&number, s->number, 4);
    ck_assert_uint_eq(number, e->number);
  }
  const size_t results = w == SCAN ? count : e->number;
  gpu_read(got, s->first, results * 4);
  check_items(got, e->first, 4, results, what);
  if (w != SCAN) {
    gpu_read(got, s->second, results * 4);
    check_items(got, e->second, 4, results, what);
  }
  free(got);
  free(e->keys);
  free(e->values);
  free(e->first);
  free(e->second);
}

static const char *const names[] = {"scan by key", "reduce by key", "run-length encode",
                                    "non-trivial runs"};

/* ---- graphs: one block, a single wave, a look-back of several groups */

static CUgraphExec capture(which w, const scene *s, size_t count, void *storage, size_t bytes,
                           CUstream stream) {
  gpu_begin_capture(stream);
  OK(call_any(w, s, count, NULL, storage, &bytes, stream));
  return gpu_end_capture(stream);
}

START_TEST(no_replay_finds_what_the_one_before_left) {
  static const size_t counts[] = {700, 30011, 800003};
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (which w = 0; w < WHICH_COUNT; ++w) {
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      const size_t count = counts[c];
      scene s = new_scene(count);
      size_t bytes = 0;
      OK(call_any(w, &s, count, NULL, NULL, &bytes, NULL));
      void *storage = gpu_alloc(bytes, 40);
      CUgraphExec exec = capture(w, &s, count, storage, bytes, stream);
      for (uint32_t round = 0; round < 4; ++round) {
        expected e = expect(w, count, round);
        upload(&s, &e, count, stream);
        if (round == 2)
          OK(call_any(w, &s, count, NULL, storage, &bytes, stream));
        else
          GPU(gpu()->cuGraphLaunch(exec, stream));
        check(w, &s, &e, count, stream, names[w]);
      }
      GPU(gpu()->cuGraphExecDestroy(exec));
      gpu_free(storage);
      free_scene(&s);
    }
  }
  GPU(gpu()->cuStreamDestroy(stream));
}
END_TEST

/* ---- temp storage */

START_TEST(storage_is_allocated_or_refused) {
  enum { COUNT = 100000 };
  scene s = new_scene(COUNT);
  for (which w = 0; w < WHICH_COUNT; ++w) {
    expected e = expect(w, COUNT, 9);
    upload(&s, &e, COUNT, NULL);
    OK(call_any(w, &s, COUNT, NULL, NULL, NULL, NULL));
    check(w, &s, &e, COUNT, NULL, names[w]);
    size_t bytes = 0, previous = 0;
    for (size_t n = 0; n < (size_t)1 << 34; n = n * 3 / 2 + 1000) {
      OK(call_any(w, &s, n, NULL, NULL, &bytes, NULL));
      ck_assert_uint_ge(bytes, previous);
      previous = bytes;
    }
    OK(call_any(w, &s, COUNT, NULL, NULL, &bytes, NULL));
    FAILS(call_any(w, &s, COUNT, NULL, s.keys + 3, &bytes, NULL), JIG_ERROR_INVALID_ARGUMENT,
          "overlaps d_temp_storage");
    --bytes;
    FAILS(call_any(w, &s, COUNT, NULL, s.keys, &bytes, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
          "temp_storage_bytes");
    FAILS(call_any(w, &s, COUNT, NULL, s.keys, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "d_temp_storage");
  }
  free_scene(&s);
}
END_TEST

START_TEST(of_no_items_there_are_no_runs) {
  scene s = new_scene(16), nowhere = {0};
  nowhere.number = s.number;
  for (which w = 0; w < WHICH_COUNT; ++w) {
    for (int k = 0; k < 2; ++k) {
      uint32_t number = 77;
      gpu_write(s.number, &number, 4);
      OK(call_any(w, k == 0 ? &s : &nowhere, 0, NULL, NULL, NULL, NULL));
      GPU(gpu()->cuStreamSynchronize(NULL));
      gpu_read(&number, s.number, 4);
      ck_assert_uint_eq(number, w == SCAN ? 77 : 0);
    }
  }
  ck_assert(gpu_is_untouched(s.first, 64));
  ck_assert(gpu_is_untouched(s.second, 64));
  free_scene(&s);
}
END_TEST

/* ---- aliasing */

START_TEST(values_are_scanned_in_place) {
  enum { COUNT = 300007 };
  scene s = new_scene(COUNT);
  expected e = expect(SCAN, COUNT, 4);
  upload(&s, &e, COUNT, NULL);
  jig_scan_by_key_args args = scan_args(&s, COUNT);
  args.values_out = args.values_in;
  run_scan_by_key(&args, 0);
  scene moved = s;
  moved.first = s.values;
  check(SCAN, &moved, &e, COUNT, NULL, "in place");
  args.values_out = jig_pointer(s.values + 1, JIG_U32);
  args.num_items = COUNT - 1;
  FAILS(jig_scan_by_key(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "values_out overlaps values_in");
  free_scene(&s);
}
END_TEST

START_TEST(values_are_scanned_over_their_keys) {
  static const size_t counts[] = {1, 777, 70001, 300007}; /* by a block, a wave and more */
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    const size_t count = counts[i];
    scene s = new_scene(count);
    expected e = expect(SCAN, count, 4);
    upload(&s, &e, count, NULL);
    jig_scan_by_key_args args = scan_args(&s, count);
    args.values_out = args.keys_in;
    run_scan_by_key(&args, 0);
    scene moved = s;
    moved.first = s.keys;
    check(SCAN, &moved, &e, count, NULL, "over the keys");
    args.values_out = jig_pointer(s.keys + 1, JIG_U32);
    args.num_items = count - 1;
    if (count > 2)
      FAILS(jig_scan_by_key(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
            "values_out overlaps keys_in");
    free_scene(&s);
  }
}
END_TEST

START_TEST(runs_go_to_places_of_their_own) {
  scene s = new_scene(64);
  scene same = s;
  for (which w = REDUCE; w < WHICH_COUNT; ++w) {
    same.first = s.keys;
    FAILS(call_any(w, &same, 64, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, " overlaps ");
    same.first = s.second;
    FAILS(call_any(w, &same, 64, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, " overlaps ");
    same.first = s.first;
    same.number = s.keys + 63;
    FAILS(call_any(w, &same, 64, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
          "num_runs_out overlaps ");
    same.number = s.number;
  }
  free_scene(&s);
}
END_TEST

/* ---- errors */

#define REFUSED(function, args, part) \
  FAILS(function(NULL, NULL, NULL, &(args), NULL), JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(wrong_arguments_are_named) {
  scene s = new_scene(64);
  const jig_type plain = jig_struct("plain", "struct plain { int x; };", 4, 4);
  jig_scan_by_key_args scan = scan_args(&s, 64);
  scan.keys_in = jig_pointer(s.keys, plain);
  REFUSED(jig_scan_by_key, scan, "keys_in: '==' is not defined for struct plain");
  scan.equality = JIG_PLUS;
  REFUSED(jig_scan_by_key, scan, "equality: 'plus' makes plain of two");
  scan = scan_args(&s, 64);
  scan.keys_in.kind = JIG_ITER_NONE;
  REFUSED(jig_scan_by_key, scan, "jig_scan_by_key: keys_in");
  scan = scan_args(&s, 64);
  scan.op = jig_op_source("return b;");
  scan.mode = JIG_SCAN_EXCLUSIVE;
  REFUSED(jig_scan_by_key, scan, "init");
  jig_reduce_by_key_args reduce = reduce_args(&s, 64);
  reduce.num_runs_out = jig_pointer(s.number, JIG_F32);
  REFUSED(jig_reduce_by_key, reduce, "num_runs_out: it must be of an integer type");
  reduce = reduce_args(&s, 64);
  reduce.aggregates_out = jig_pointer(NULL, JIG_U32);
  REFUSED(jig_reduce_by_key, reduce, "jig_reduce_by_key: aggregates_out");
  reduce = reduce_args(&s, 64);
  reduce.unique_out = jig_pointer(s.first, plain);
  REFUSED(jig_reduce_by_key, reduce, "unique_out: the key type");
  jig_run_length_encode_args encode = encode_args(&s, 64);
  encode.lengths_out = jig_pointer(s.second, JIG_BOOL);
  REFUSED(jig_run_length_encode, encode, "lengths_out: it must be of an integer type");
  encode = encode_args(&s, 64);
  encode.equality = jig_op_source("return a == b");
  FAILS(jig_run_length_encode(NULL, NULL, NULL, &encode, NULL), JIG_ERROR_COMPILE, "equality");
  jig_non_trivial_runs_args runs = runs_args(&s, 64);
  runs.in = jig_pointer((char *)s.keys + 1, JIG_U32);
  REFUSED(jig_non_trivial_runs, runs, "jig_non_trivial_runs: in");
  FAILS(jig_scan_by_key(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  FAILS(jig_reduce_by_key(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  FAILS(jig_run_length_encode(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  FAILS(jig_non_trivial_runs(NULL, NULL, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  ck_assert(gpu_is_untouched(s.first, 256));
  free_scene(&s);
}
END_TEST

/* ---- iterators, and the functions named as in CUB */

START_TEST(from_and_into_iterators) {
  enum { COUNT = 20011, RUN = 12 };
  uint32_t *got = malloc(COUNT * 4), *wanted = malloc(COUNT * 4), *out = gpu_alloc(COUNT * 4, 0),
           *number = gpu_alloc(4, 0);
  const jig_iter count = jig_counting(NULL, JIG_U32), to = jig_pointer(out, JIG_U32);
  const jig_iter keys = jig_iter_transform(&count, jig_op_source("return x / 12;"), JIG_U32);
  const jig_iter backward = jig_iter_reverse(&to, COUNT);
  for (uint32_t i = 0; i < COUNT; ++i)
    wanted[COUNT - 1 - i] = i - i % RUN + (i % RUN > 0 ? wanted[COUNT - i] : 0) + i % RUN;
  OK(jig_inclusive_sum_by_key(NULL, NULL, NULL, keys, count, backward, COUNT, NULL));
  gpu_read(got, out, COUNT * 4);
  check_items(got, wanted, 4, COUNT, "jig_inclusive_sum_by_key(), backward");
  const uint32_t start = 100;
  for (uint32_t i = 0; i < COUNT; ++i) wanted[i] = i % RUN == 0 ? 100 : wanted[i - 1] + i - 1;
  OK(jig_exclusive_scan_by_key(NULL, NULL, NULL, keys, count, to, JIG_PLUS, &start, JIG_U32, COUNT,
                               NULL));
  gpu_read(got, out, COUNT * 4);
  check_items(got, wanted, 4, COUNT, "jig_exclusive_scan_by_key()");
  OK(jig_exclusive_sum_by_key(NULL, NULL, NULL, keys, count, to, COUNT, NULL));
  for (uint32_t i = 0; i < COUNT; ++i) wanted[i] -= 100;
  gpu_read(got, out, COUNT * 4);
  check_items(got, wanted, 4, COUNT, "jig_exclusive_sum_by_key()");
  OK(jig_inclusive_scan_by_key(NULL, NULL, NULL, keys, count, to, JIG_MAX, COUNT, NULL));
  for (uint32_t i = 0; i < COUNT; ++i) wanted[i] = i;
  gpu_read(got, out, COUNT * 4);
  check_items(got, wanted, 4, COUNT, "jig_inclusive_scan_by_key()");
  /* The number of runs backward, keys and lengths doubled. */
  const uint32_t runs = (COUNT + RUN - 1) / RUN;
  const jig_iter doubled = jig_transform_output(&to, jig_op_source("return 2 * x;"), JIG_U32);
  const jig_reduce_by_key_args reduce = {.keys_in = keys,
                                         .unique_out = jig_discard(JIG_U32),
                                         .values_in = count,
                                         .aggregates_out = doubled,
                                         .num_runs_out = jig_pointer(number, JIG_I32),
                                         .num_items = COUNT,
                                         .op = JIG_MIN};
  run_reduce_by_key(&reduce, 0);
  for (uint32_t i = 0; i < runs; ++i) wanted[i] = 2 * RUN * i;
  gpu_read(got, out, runs * 4);
  check_items(got, wanted, 4, runs, "smallest ones, doubled");
  gpu_read(got, number, 4);
  ck_assert_uint_eq(*got, runs);
  gpu_free(out);
  gpu_free(number);
  free(got);
  free(wanted);
}
END_TEST

/* ---- the same bits, in whatever order blocks come */

START_TEST(sums_of_floats_are_the_same_every_time) {
  enum { COUNT = 600000, TIMES = 3 };
  key_list list = new_keys(JIG_KIND_I32, COUNT, 40000);
  float *items = malloc(COUNT * 4), *got[TIMES];
  uint64_t seed = 3;
  for (size_t i = 0; i < COUNT; ++i) items[i] = (float)(next_random(&seed) >> 40) * 1e-3F - 7e3F;
  void *keys = gpu_copy(list.keys, COUNT * 4, 0), *in = gpu_copy(items, COUNT * 4, 0);
  for (int k = 0; k < TIMES; ++k) {
    void *out = gpu_alloc(COUNT * 4, 0);
    const jig_scan_by_key_args args = {.keys_in = jig_pointer(keys, JIG_I32),
                                       .values_in = jig_pointer(in, JIG_F32),
                                       .values_out = jig_pointer(out, JIG_F32),
                                       .num_items = COUNT};
    run_scan_by_key(&args, 0);
    got[k] = malloc(COUNT * 4);
    gpu_read(got[k], out, COUNT * 4);
    if (k > 0) check_items(got[k], got[0], 4, COUNT, "the same sums again");
    gpu_free(out);
  }
  for (int k = 0; k < TIMES; ++k) free(got[k]);
  gpu_free(keys);
  gpu_free(in);
  free(items);
  free_keys(&list);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(no_replay_finds_what_the_one_before_left),
      SUITE_TEST(storage_is_allocated_or_refused),
      SUITE_TEST(of_no_items_there_are_no_runs),
      SUITE_TEST(values_are_scanned_over_their_keys),
      SUITE_TEST(values_are_scanned_in_place),
      SUITE_TEST(runs_go_to_places_of_their_own),
      SUITE_TEST(wrong_arguments_are_named),
      SUITE_TEST(from_and_into_iterators),
      SUITE_TEST(sums_of_floats_are_the_same_every_time),
  };
  return SUITE_RUN("device/by_key_calls", tests, true);
}
