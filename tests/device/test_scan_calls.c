/* The rules around a call of scan: temp storage, allocation, threads, errors. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"
#include "words.h"

/* sums[i] of the first i words, up to all of them. */
static uint32_t *sums_of(const uint32_t *words, size_t count) {
  uint32_t *sums = malloc((count + 1) * sizeof *sums);
  sums[0] = 0;
  for (size_t i = 0; i < count; ++i) sums[i + 1] = sums[i] + words[i];
  return sums;
}

static jig_scan_args words_args(const void *in, const void *out, size_t count) {
  return (jig_scan_args){
      .in = jig_pointer(in, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = count};
}

/* ---- the size of temp storage */

static size_t size_for(jig_scan_args args, uint64_t num_items) {
  size_t bytes = 0;
  args.num_items = num_items;
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  return bytes;
}

static void check_growth(jig_type type, jig_op op) {
  void *some = gpu_alloc(1024, 0), *other = gpu_alloc(1024, 16);
  const jig_scan_args args = {.in = jig_pointer(some, type), .out = jig_pointer(some, type), .op = op};
  const jig_scan_args moved = {.in = jig_pointer(other, type), .out = jig_pointer(NULL, type), .op = op};
  uint64_t seed = 3, n = 0;
  size_t previous = 0;
  for (int i = 0; i < 3000; ++i) {
    const size_t bytes = size_for(args, n);
    ck_assert_uint_ge(bytes, 1);
    ck_assert_msg(bytes >= previous, "%llu items need %zu bytes, fewer of them %zu",
                  (unsigned long long)n, bytes, previous);
    ck_assert_uint_eq(bytes, size_for(moved, n));
    /* A small part of what is scanned, but for what waves of small inputs need. */
    ck_assert_uint_le(bytes, 1024 * (64 + 2 * type.size) + n * type.size / 32 + 4096);
    previous = bytes;
    n += 1 + next_random(&seed) % (1 + n / 100);
  }
  gpu_free(some);
  gpu_free(other);
}

START_TEST(size_never_shrinks_and_is_bounded) {
  check_growth(JIG_U8, JIG_PLUS);
  check_growth(JIG_F32, JIG_PLUS);
  check_growth(jig_struct("big", "struct big { uint32_t w[16]; };", 64, 4), jig_op_source("return b;"));
}
END_TEST

START_TEST(storage_of_any_alignment_and_content) {
  const jig_scan_args like = words_args(NULL, NULL, 0);
  const scan_marks marks = scan_marks_of(&like);
  const size_t counts[] = {20001, scan_long_size(&marks, (size_t)-1)};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    const size_t count = counts[c];
    uint32_t *host = random_words(count, 8), *sums = sums_of(host, count), *got = malloc(count * 4),
             *device = gpu_copy(host, count * 4, 0);
    for (size_t offset = 0; offset < 20; offset += c + 1) {
      uint32_t *out = gpu_alloc(count * 4, 0);
      const jig_scan_args args = words_args(device, out, count);
      run_scan(&args, offset * 13 % 256);
      gpu_read(got, out, count * 4);
      check_items(got, sums + 1, 4, count, "storage at an odd address");
      gpu_free(out);
    }
    gpu_free(device);
    free(host);
    free(sums);
    free(got);
  }
}
END_TEST

START_TEST(wrong_storage_is_refused) {
  enum { COUNT = 1 << 20 };
  uint32_t *device = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  jig_scan_args args = words_args(device, out, COUNT);
  size_t bytes = 0, less;
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  less = bytes - 1;
  FAILS(jig_scan(NULL, storage, &less, &args, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
        "temp_storage_bytes");
  FAILS(jig_scan(NULL, storage, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "d_temp_storage");
  FAILS(jig_scan(NULL, device + 5, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "in overlaps d_temp_storage");
  FAILS(jig_scan(NULL, out + 5, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "out overlaps d_temp_storage");
  args.init_in = jig_pointer((char *)storage + 8, JIG_U32);
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  FAILS(jig_scan(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "init_in overlaps d_temp_storage");
  ck_assert(gpu_is_untouched(storage, bytes));
  ck_assert(gpu_is_untouched(out, COUNT * 4));
  gpu_free(storage);
  gpu_free(device);
  gpu_free(out);
}
END_TEST

START_TEST(no_items_write_nothing) {
  uint32_t *in = gpu_alloc(64, 0), *out = gpu_alloc(64, 0), init = 3;
  jig_scan_args args = words_args(in, out, 0);
  for (int k = 0; k < 4; ++k) {
    args.mode = k % 2 == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE;
    args.init = k / 2 == 0 ? NULL : &init;
    run_scan(&args, 0);
    args.in = args.out = jig_pointer(NULL, JIG_U32); /* nor need they be anywhere */
    run_scan(&args, 0);
  }
  ck_assert(gpu_is_untouched(out, 64));
  gpu_free(in);
  gpu_free(out);
}
END_TEST

/* ---- one call for everything */

static size_t taken, released;
static void *take(void *user, size_t bytes, CUstream stream) {
  (void)stream;
  ++*(int *)user;
  taken += bytes;
  return gpu_alloc(bytes, 0);
}
static void release(void *user, void *pointer, size_t bytes, CUstream stream) {
  (void)user;
  GPU(gpu()->cuStreamSynchronize(stream));
  released += bytes;
  gpu_free(pointer);
}

START_TEST(one_call_allocates_and_gives_back) {
  enum { COUNT = 500000 };
  uint32_t *host = random_words(COUNT, 12), *sums = sums_of(host, COUNT), *got = malloc(COUNT * 4),
           *device = gpu_copy(host, COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0), first = 17;
  const jig_iter in = jig_pointer(device, JIG_U32), to = jig_pointer(out, JIG_U32);
  OK(jig_inclusive_sum(NULL, NULL, NULL, in, to, COUNT, NULL));
  gpu_read(got, out, COUNT * 4);
  check_items(got, sums + 1, 4, COUNT, "jig_inclusive_sum()");
  OK(jig_exclusive_sum(NULL, NULL, NULL, in, to, COUNT, NULL));
  gpu_read(got, out, COUNT * 4);
  check_items(got, sums, 4, COUNT, "jig_exclusive_sum()");
  int calls = 0;
  jig_engine *engine;
  jig_engine_config config = {.allocate = take, .release = release, .allocator_user = &calls};
  OK(jig_engine_create(&engine, &config));
  OK(jig_exclusive_scan(engine, NULL, NULL, in, to, JIG_PLUS, &first, JIG_U32, COUNT, NULL));
  ck_assert_int_eq(calls, 1);
  ck_assert_uint_eq(taken, released);
  for (size_t i = 0; i <= COUNT; ++i) sums[i] += first;
  gpu_read(got, out, COUNT * 4);
  check_items(got, sums, 4, COUNT, "jig_exclusive_scan()");
  OK(jig_inclusive_scan(engine, NULL, NULL, in, to, JIG_PLUS, &first, JIG_U32, COUNT, NULL));
  gpu_read(got, out, COUNT * 4);
  check_items(got, sums + 1, 4, COUNT, "jig_inclusive_scan()");
  jig_engine_destroy(engine);
  gpu_free(device);
  gpu_free(out);
  free(host);
  free(sums);
  free(got);
}
END_TEST

/* ---- one storage for calls of all sizes, types and algorithms, in stream order and without waiting */

enum { WORDS = 1 << 20, ROUNDS = 200 };
typedef enum which { SUMS, LONG_SUMS, LINES, REDUCE, LEAST, WHICH_COUNT } which;
static const char *const names[] = {"sums of u32", "xor scan of u64", "scan of 64-byte structs",
                                    "the sum of u32", "the arg-min of u32"};

static jig_scan_args scan_args(which w, const void *in, void *out, size_t count) {
  const jig_type type = w == SUMS        ? JIG_U32
                        : w == LONG_SUMS ? JIG_U64
                                         : jig_struct("line", "struct line { uint32_t w[16]; };", 64, 4);
  return (jig_scan_args){
      .in = jig_pointer(in, type),
      .out = jig_pointer(out, type),
      .num_items = count,
      .op = w == SUMS ? JIG_PLUS
            : w == LONG_SUMS
                ? JIG_BIT_XOR
                : jig_op_source("for (int i = 0; i < 16; ++i) a.w[i] += b.w[i];\nreturn a;")};
}

static jig_status call_any(which w, void *storage, size_t *bytes, const void *in, void *out, size_t count,
                           CUstream stream) {
  if (w == REDUCE)
    return jig_reduce_sum(NULL, storage, bytes, jig_pointer(in, JIG_U32), jig_pointer(out, JIG_U32),
                          count, stream);
  if (w == LEAST)
    return jig_arg_reduce(
        NULL, storage, bytes,
        &(jig_arg_reduce_args){
            .in = jig_pointer(in, JIG_U32), .index_out = jig_pointer(out, JIG_I64), .num_items = count},
        stream);
  const jig_scan_args args = scan_args(w, in, out, count);
  return jig_scan(NULL, storage, bytes, &args, stream);
}

/* What is right, of as many items as there are: a scan of fewer is the beginning of it. */
typedef struct tables {
  uint32_t *words, *sums, *lines;
  uint64_t *xors;
} tables;

static tables new_tables(void) {
  tables t = {.words = random_words(WORDS, 60), .lines = malloc(WORDS * 4), .xors = malloc(WORDS * 4)};
  t.sums = sums_of(t.words, WORDS);
  for (size_t i = 0; i < WORDS; ++i) t.lines[i] = t.words[i] + (i < 16 ? 0 : t.lines[i - 16]);
  memcpy(t.xors, t.words, WORDS * 4);
  for (size_t i = 1; i < WORDS / 2; ++i) t.xors[i] ^= t.xors[i - 1];
  return t;
}

static void free_tables(tables *t) {
  free(t->words);
  free(t->sums);
  free(t->lines);
  free(t->xors);
}

static bool is_right(const tables *t, which w, size_t count, const void *result) {
  uint64_t least = 0;
  switch (w) {
    case SUMS:
      return memcmp(result, t->sums + 1, count * 4) == 0;
    case LONG_SUMS:
      return memcmp(result, t->xors, count * 8) == 0;
    case LINES:
      return memcmp(result, t->lines, count * 64) == 0;
    case REDUCE:
      return memcmp(result, t->sums + count, 4) == 0;
    default:
      for (uint64_t i = 1; i < count; ++i) least = t->words[i] < t->words[least] ? i : least;
      return memcmp(result, &least, 8) == 0;
  }
}

typedef struct issued {
  which w;
  size_t count, place; /* of the result, in bytes */
} issued;

/* Draws the calls; how much memory their results take. */
static size_t draw_calls(issued calls[ROUNDS], uint64_t seed) {
  static const size_t item_words[] = {1, 2, 16, 1, 1};
  size_t bytes = 0;
  for (size_t i = 0; i < ROUNDS; ++i) {
    /* Each program follows each other one sooner or later. */
    const which w = (which)(next_random(&seed) % WHICH_COUNT);
    const uint64_t r = next_random(&seed);
    calls[i] = (issued){w, 1 + (r >> 8) % ((WORDS >> r % 10) / item_words[w]), bytes};
    bytes += w >= REDUCE ? 16 : (calls[i].count * item_words[w] * 4 + 15) / 16 * 16;
  }
  return bytes;
}

static void run_in_turn(const tables *t, size_t offset, CUstream stream) {
  issued calls[ROUNDS];
  const size_t size = draw_calls(calls, 61 + offset);
  char *in = gpu_copy(t->words, WORDS * 4, 0), *out = gpu_alloc(size, 0), *results = malloc(size);
  size_t most = 0, bytes = 0;
  for (size_t i = 0; i < ROUNDS; ++i) {
    OK(call_any(calls[i].w, NULL, &bytes, in, out, calls[i].count, stream));
    most = bytes > most ? bytes : most;
  }
  void *storage = gpu_alloc(most, offset);
  for (size_t i = 0; i < ROUNDS; ++i)
    OK(call_any(calls[i].w, storage, &most, in, out + calls[i].place, calls[i].count, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
  gpu_read(results, out, size);
  for (size_t i = 0; i < ROUNDS; ++i)
    ck_assert_msg(is_right(t, calls[i].w, calls[i].count, results + calls[i].place),
                  "call %zu in a row, %s of %zu, storage at offset %zu is wrong; before it %s of %zu", i,
                  names[calls[i].w], calls[i].count, offset, i > 0 ? names[calls[i - 1].w] : "nothing",
                  i > 0 ? calls[i - 1].count : 0);
  gpu_free(storage);
  gpu_free(out);
  gpu_free(in);
  free(results);
}

START_TEST(storage_is_used_again_in_stream_order) {
  tables t = new_tables();
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  run_in_turn(&t, 0, stream);
  run_in_turn(&t, 9, stream);
  GPU(gpu()->cuStreamDestroy(stream));
  free_tables(&t);
}
END_TEST

/* ---- errors */

static void refused(const jig_scan_args *args, jig_status status, const char *part) {
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_scan(NULL, storage, &bytes, args, NULL), status, part);
  ck_assert(gpu_is_untouched(storage, bytes));
  gpu_free(storage);
}

START_TEST(wrong_arguments_are_named) {
  uint32_t *some = gpu_alloc(4096, 0), init = 0;
  const jig_scan_args good = words_args(some, some + 512, 256);
  jig_scan_args args = good;
  size_t bytes;
  FAILS(jig_scan(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_scan: args: ");
  FAILS(jig_scan_spec(&args, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_scan_spec: spec: ");
  args.mode = (jig_scan_mode)2;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: mode: no such choice (2)");
  args.mode = (jig_scan_mode)-1;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: mode: no such choice (-1)");
  args = good;
  args.nan = (jig_nan)7;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: nan: no such choice (7)");
  args = good;
  args.init = &init;
  args.init_in = jig_pointer(some, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: init: it is given by value and by init_in");
  args = good;
  args.init_in = jig_pointer(NULL, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: init_in: the pointer is NULL");
  args = good;
  args.in = jig_pointer(NULL, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: in: the pointer is NULL");
  args = good;
  args.out = jig_pointer((char *)some + 2, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out: ");
  args = good;
  args.out = jig_counting(NULL, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out: ");
  args = good;
  args.out = (jig_iter)JIG_ZERO;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out: ");
  gpu_free(some);
}
END_TEST

START_TEST(what_cannot_be_is_refused) {
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  uint32_t *some = gpu_alloc(4096, 0);
  const jig_scan_args good = words_args(some, some + 512, 256);
  jig_scan_args args = good;
  args.mode = JIG_SCAN_EXCLUSIVE;
  args.op = jig_op_source("return a + b;");
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "init: an exclusive scan needs one");
  args.mode = JIG_SCAN_INCLUSIVE;
  args.in.type = pair;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "does not convert");
  args = good;
  args.init_in = jig_pointer(some, pair);
  args.accum_type = JIG_U32;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "init: its type: pair does not convert to u32");
  args = good;
  args.op = jig_op_source("return a + nothing;");
  refused(&args, JIG_ERROR_COMPILE, "operator:1:12: error: identifier \"nothing\" is undefined");
  args = good;
  args.out = jig_pointer(some + 1, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out overlaps in");
  args.out = jig_pointer(some + 255, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out overlaps in");
  args.out = jig_pointer(some, JIG_U64); /* the same place, and not item for item */
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out overlaps in");
  const jig_iter plain = jig_pointer(some, JIG_U32);
  args = good;
  args.in = jig_iter_reverse(&plain, 256);
  args.out = plain;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: out overlaps in");
  args = good;
  args.init_in = jig_pointer(some + 512 + 255, JIG_U32);
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "jig_scan: init_in: it lies within out");
  ck_assert(gpu_is_untouched(some, 4096));
  args.in = jig_iter_reverse(&plain, 256);
  args.out = jig_pointer(some + 256, JIG_U32); /* right behind it, and the init behind that */
  args.init_in = jig_pointer(some + 512, JIG_U32);
  run_scan(&args, 0);
  gpu_free(some);
}
END_TEST

/* Blocks are counted by 31 bits. */
START_TEST(more_tiles_than_a_launch_has_are_refused) {
  const jig_scan_args args = {
      .in = jig_counting(NULL, JIG_U64), .out = jig_discard(JIG_U64), .num_items = (uint64_t)1 << 50};
  size_t bytes = 0;
  FAILS(jig_scan(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_UNSUPPORTED, "jig_scan: num_items: ");
  ck_assert_uint_eq(bytes, 0);
  void *storage = gpu_alloc(4096, 0);
  bytes = 4096;
  FAILS(jig_scan(NULL, storage, &bytes, &args, NULL), JIG_ERROR_UNSUPPORTED, "jig_scan: num_items: ");
  ck_assert(gpu_is_untouched(storage, 4096));
  gpu_free(storage);
}
END_TEST

START_TEST(every_determinism_is_given) {
  float *some = gpu_alloc(4096, 0);
  gpu_fill(some, 0, 4096);
  jig_scan_args args = {.in = jig_pointer(some, JIG_F32),
                        .out = jig_pointer(some, JIG_F32),
                        .num_items = 1000,
                        .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  run_scan(&args, 0);
  args.op = jig_op_source("return a;");
  run_scan(&args, 0);
  args.op = JIG_MAX;
  run_scan(&args, 0);
  args.op = JIG_PLUS;
  args.in.type = args.out.type = JIG_I32;
  run_scan(&args, 0);
  args.determinism = (jig_determinism)9;
  refused(&args, JIG_ERROR_INVALID_ARGUMENT, "determinism: no such choice");
  gpu_free(some);
}
END_TEST

/* ---- threads */

enum { THREADS = 8, THREAD_CALLS = 40, THREAD_ITEMS = 300000 };
typedef struct worker {
  pthread_t thread;
  const uint32_t *sums, *device;
  jig_engine *engine;
  CUcontext context;
  uint64_t seed;
  int wrong;
} worker;

/* Checks by return value: Check's assertions are for the main thread. */
static void *work(void *argument) {
  worker *w = argument;
  CUstream stream;
  CUdeviceptr out, storage;
  enum { STORAGE = 1 << 18 };
  uint32_t *got = malloc(THREAD_ITEMS * 4);
  w->wrong = gpu()->cuCtxSetCurrent(w->context) != CUDA_SUCCESS ||
             gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
             gpu()->cuMemAlloc(&out, THREAD_ITEMS * 4) != CUDA_SUCCESS ||
             gpu()->cuMemAlloc(&storage, STORAGE) != CUDA_SUCCESS;
  for (int i = 0; i < THREAD_CALLS && w->wrong == 0; ++i) {
    const size_t count = 1 + next_random(&w->seed) % (THREAD_ITEMS - 1);
    size_t bytes = STORAGE;
    jig_scan_args args = words_args(w->device, (void *)(uintptr_t)out, count);
    if (i % 2 == 0) args.op = jig_op_source("return a + b; /* by many */");
    w->wrong += jig_scan(w->engine, (void *)(uintptr_t)storage, &bytes, &args, stream) != JIG_SUCCESS;
    w->wrong += gpu()->cuMemcpyDtoHAsync(got, out, count * 4, stream) != CUDA_SUCCESS;
    w->wrong += gpu()->cuStreamSynchronize(stream) != CUDA_SUCCESS;
    w->wrong += memcmp(got, w->sums + 1, count * 4) != 0;
  }
  (void)gpu()->cuMemFree(out);
  (void)gpu()->cuMemFree(storage);
  (void)gpu()->cuStreamDestroy(stream);
  free(got);
  return NULL;
}

START_TEST(many_threads_share_an_engine) {
  uint32_t *host = random_words(THREAD_ITEMS, 15), *device = gpu_copy(host, THREAD_ITEMS * 4, 0),
           *sums = sums_of(host, THREAD_ITEMS);
  jig_engine *engine;
  worker workers[THREADS];
  OK(jig_engine_create(&engine, NULL));
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker){.sums = sums, .device = device, .engine = engine, .seed = 100 + (uint64_t)i};
    GPU(gpu()->cuCtxGetCurrent(&workers[i].context));
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    ck_assert_int_eq(workers[i].wrong, 0);
  }
  jig_engine_stats stats;
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_uint_eq(stats.calls, THREADS * THREAD_CALLS);
  ck_assert_uint_le(stats.misses + stats.disk_hits, 2); /* each program was built once */
  jig_engine_destroy(engine);
  gpu_free(device);
  free(host);
  free(sums);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(size_never_shrinks_and_is_bounded),
      SUITE_TEST(storage_of_any_alignment_and_content),
      SUITE_TEST(wrong_storage_is_refused),
      SUITE_TEST(no_items_write_nothing),
      SUITE_TEST(one_call_allocates_and_gives_back),
      SUITE_TEST(storage_is_used_again_in_stream_order),
      SUITE_TEST(wrong_arguments_are_named),
      SUITE_TEST(what_cannot_be_is_refused),
      SUITE_TEST(more_tiles_than_a_launch_has_are_refused),
      SUITE_TEST(every_determinism_is_given),
      SUITE_TEST(many_threads_share_an_engine),
  };
  return SUITE_RUN("device/scan_calls", tests, true);
}
