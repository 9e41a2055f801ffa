/* Threads that call algorithms of several kernels at once, with one engine. */
#include <check.h>
#include <jig/jig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { THREADS = 8, COUNT = 20000, K = 1000, SEGMENT = 100, STORAGE = 1 << 20 };

/* What all threads read. */
static void *words, *offsets;
static uint32_t sorted[COUNT], sorted_segments[COUNT], sums[COUNT];

typedef struct worker {
  pthread_t thread;
  jig_engine *engine;
  CUcontext context;
  CUstream stream;
  CUdeviceptr out, storage;
  int number, wrong;
} worker;

static jig_iter in_of(void) {
  return jig_pointer(words, JIG_U32);
}

static jig_iter out_of(const worker *w) {
  return jig_pointer((void *)(uintptr_t)w->out, JIG_U32);
}

/* ---- the calls: each leaves words in w->out */

static jig_status radix_sort(const worker *w, void *storage, size_t *bytes) {
  const jig_radix_sort_args args = {.keys_in = in_of(), .keys_out = out_of(w), .num_items = COUNT};
  return jig_radix_sort(w->engine, storage, bytes, &args, w->stream);
}

static jig_status merge_sort(const worker *w, void *storage, size_t *bytes) {
  const jig_merge_sort_args args = {.keys_in = in_of(), .keys_out = out_of(w), .num_items = COUNT};
  return jig_merge_sort(w->engine, storage, bytes, &args, w->stream);
}

static jig_status segmented_sort(const worker *w, void *storage, size_t *bytes) {
  const jig_segmented_sort_args args = {.keys_in = in_of(),
                                        .keys_out = out_of(w),
                                        .num_items = COUNT,
                                        .begin_offsets = jig_pointer(offsets, JIG_U32),
                                        .end_offsets = jig_pointer((uint32_t *)offsets + 1, JIG_U32),
                                        .num_segments = COUNT / SEGMENT};
  return jig_segmented_sort(w->engine, storage, bytes, &args, w->stream);
}

/* Of which a merge sort's program sorts what has been found. */
static jig_status top_k(const worker *w, void *storage, size_t *bytes) {
  const jig_top_k_args args = {.keys_in = in_of(),
                               .keys_out = out_of(w),
                               .num_items = COUNT,
                               .k = K,
                               .choice = JIG_TOP_K_MIN,
                               .is_sorted = 1};
  return jig_top_k(w->engine, storage, bytes, &args, w->stream);
}

static jig_status scan(const worker *w, void *storage, size_t *bytes) {
  const jig_scan_args args = {.in = in_of(), .out = out_of(w), .num_items = COUNT};
  return jig_scan(w->engine, storage, bytes, &args, w->stream);
}

static const struct {
  jig_status (*call)(const worker *w, void *storage, size_t *bytes);
  const uint32_t *wanted;
  size_t count;
} jobs[] = {{radix_sort, sorted, COUNT},
            {merge_sort, sorted, COUNT},
            {top_k, sorted, K},
            {segmented_sort, sorted_segments, COUNT},
            {scan, sums, COUNT}};

/* ---- the threads; by return value, as Check's assertions are for the main one */

static bool is_done(const worker *w, size_t job, uint32_t *got) {
  size_t bytes = 0;
  const size_t size = jobs[job].count * sizeof *got;
  return jobs[job].call(w, NULL, &bytes) == JIG_SUCCESS && bytes <= STORAGE &&
         jobs[job].call(w, (void *)(uintptr_t)w->storage, &bytes) == JIG_SUCCESS &&
         gpu()->cuMemcpyDtoHAsync(got, w->out, size, w->stream) == CUDA_SUCCESS &&
         gpu()->cuStreamSynchronize(w->stream) == CUDA_SUCCESS &&
         memcmp(got, jobs[job].wanted, size) == 0;
}

/* Two threads each begin with the same job. */
static void *work(void *argument) {
  worker *w = argument;
  uint32_t *got = malloc(COUNT * sizeof *got);
  w->wrong = gpu()->cuCtxSetCurrent(w->context) != CUDA_SUCCESS ||
             gpu()->cuStreamCreate(&w->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
             gpu()->cuMemAlloc(&w->out, COUNT * sizeof *got) != CUDA_SUCCESS ||
             gpu()->cuMemAlloc(&w->storage, STORAGE) != CUDA_SUCCESS;
  for (size_t k = 0; k < 2 * COUNT_OF(jobs) && w->wrong == 0; ++k)
    w->wrong = !is_done(w, (k + (size_t)w->number / 2) % COUNT_OF(jobs), got);
  (void)gpu()->cuMemFree(w->out);
  (void)gpu()->cuMemFree(w->storage);
  (void)gpu()->cuStreamDestroy(w->stream);
  free(got);
  return NULL;
}

static int by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void fill(void) {
  static uint32_t host[COUNT], ends[COUNT / SEGMENT + 1];
  uint64_t seed = 3;
  for (uint32_t i = 0; i < COUNT; ++i) {
    host[i] = sorted[i] = sorted_segments[i] = (uint32_t)(next_random(&seed) >> 20);
    sums[i] = host[i] + (i > 0 ? sums[i - 1] : 0);
  }
  for (uint32_t s = 0; s < COUNT_OF(ends); ++s) ends[s] = s * SEGMENT;
  qsort(sorted, COUNT, sizeof *sorted, by_value);
  for (uint32_t s = 0; s < COUNT; s += SEGMENT)
    qsort(sorted_segments + s, SEGMENT, sizeof *sorted, by_value);
  words = gpu_copy(host, sizeof host, 0);
  offsets = gpu_copy(ends, sizeof ends, 0);
}

START_TEST(threads_call_at_once) {
  worker workers[THREADS];
  jig_engine *engine;
  OK(jig_engine_create(&engine, NULL));
  fill();
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker){.engine = engine, .number = i};
    GPU(gpu()->cuCtxGetCurrent(&workers[i].context));
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    ck_assert_int_eq(workers[i].wrong, 0);
  }
  jig_engine_stats stats;
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_uint_le(stats.misses + stats.disk_hits,
                    COUNT_OF(jobs) + 1); /* and that of top-k's merge sort */
  jig_engine_destroy(engine);
  gpu_free(words);
  gpu_free(offsets);
}
END_TEST

/* ---- a thread with little stack, which the operator would take much of */

typedef struct small_caller {
  CUcontext context;
  const char *body;
  uint32_t sum;
  jig_status status;
  char error[512];
} small_caller;

static void reduce_there(void *user) {
  small_caller *c = user;
  jig_engine *engine = NULL;
  GPU(gpu()->cuCtxSetCurrent(c->context));
  void *out = gpu_alloc(sizeof c->sum, 0);
  const jig_reduce_args args = {.in = jig_pointer(words, JIG_U32),
                                .out = jig_pointer(out, JIG_U32),
                                .num_items = COUNT,
                                .accum_type = JIG_U32,
                                .op = jig_op_source(c->body)};
  size_t bytes = STORAGE;
  c->status = jig_engine_create(&engine, &(jig_engine_config){.cache_dir = ""});
  if (c->status == JIG_SUCCESS) c->status = jig_reduce(engine, NULL, &bytes, &args, NULL);
  void *storage = gpu_alloc(bytes, 0);
  if (c->status == JIG_SUCCESS) c->status = jig_reduce(engine, storage, &bytes, &args, NULL);
  (void)snprintf(c->error, sizeof c->error, "%s", jig_last_error());
  gpu_read(&c->sum, out, sizeof c->sum);
  jig_engine_destroy(engine);
  gpu_free(storage);
  gpu_free(out);
}

START_TEST(callers_need_little_stack) {
  enum { DEPTH = 990 };
  char body[3 * DEPTH] = "return ";
  for (int i = 0; i < DEPTH; ++i) strcat(body, "(");
  strcat(body, "a");
  for (int i = 0; i < DEPTH; ++i) strcat(body, ")");
  strcat(body, " + b;");
  small_caller c = {.body = body};
  fill();
  GPU(gpu()->cuCtxGetCurrent(&c.context));
  run_with_stack(1 << 20, reduce_there, &c);
  ck_assert_msg(c.status == JIG_SUCCESS, "%s", c.error);
  ck_assert_uint_eq(c.sum, sums[COUNT - 1]);
  gpu_free(words);
  gpu_free(offsets);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(threads_call_at_once),
                                     SUITE_TEST(callers_need_little_stack)};
  return SUITE_RUN("device/threads", tests, true);
}
