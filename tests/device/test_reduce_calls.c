/* The rules around a call: temp storage, allocation, threads, big inputs. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"
#include "words.h"

static uint32_t sum_words(const uint32_t *words, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

/* ---- temp storage */

START_TEST(size_never_shrinks_and_is_bounded) {
  void *some = gpu_alloc(16, 0);
  jig_reduce_args args = {.in = jig_pointer(some, JIG_F32), .out = jig_pointer(some, JIG_F32)};
  size_t previous = 0;
  for (uint64_t n = 0; n < (uint64_t)1 << 40; n = n < 5000 ? n + 1 : n + n / 7) {
    size_t bytes = 0;
    args.num_items = n;
    OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
    ck_assert_uint_ge(bytes, 1);
    ck_assert_uint_ge(bytes, previous);
    ck_assert_uint_le(bytes, 16384);
    previous = bytes;
  }
  gpu_free(some);
}
END_TEST

START_TEST(storage_of_any_alignment_and_content) {
  enum { COUNT = 400001 };
  uint32_t *host = random_words(COUNT, 8), *device = gpu_copy(host, COUNT * 4, 0), *out = gpu_alloc(4, 0),
           result;
  for (size_t offset = 0; offset < 20; ++offset) {
    run_reduce(
        &(jig_reduce_args){
            .in = jig_pointer(device, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = COUNT},
        offset);
    gpu_read(&result, out, 4);
    ck_assert_uint_eq(result, sum_words(host, COUNT));
  }
  gpu_free(device);
  gpu_free(out);
  free(host);
}
END_TEST

START_TEST(storage_is_used_again_in_stream_order) {
  enum { COUNT = 3000000, CALLS = 3000 };
  uint32_t *host = random_words(COUNT, 9), *device = gpu_copy(host, COUNT * 4, 0),
           *out = gpu_alloc(CALLS * 4, 0);
  jig_reduce_args args = {
      .in = jig_pointer(device, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = COUNT};
  size_t bytes = 0, counts[CALLS];
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  uint64_t seed = 10;
  for (size_t i = 0; i < CALLS; ++i) {
    counts[i] = next_random(&seed) % (i % 3 == 0 ? COUNT : 50000);
    args.out = jig_pointer(out + i, JIG_U32);
    args.num_items = counts[i];
    OK(jig_reduce(NULL, storage, &bytes, &args, NULL));
  }
  uint32_t *results = malloc(CALLS * 4), *sums = malloc((COUNT + 1) * 4);
  gpu_read(results, out, CALLS * 4);
  sums[0] = 0;
  for (size_t i = 0; i < COUNT; ++i) sums[i + 1] = sums[i] + host[i];
  for (size_t i = 0; i < CALLS; ++i) ck_assert_uint_eq(results[i], sums[counts[i]]);
  gpu_free(storage);
  gpu_free(device);
  gpu_free(out);
  free(results);
  free(sums);
  free(host);
}
END_TEST

START_TEST(wrong_storage_is_refused) {
  enum { COUNT = 1 << 20 };
  uint32_t *device = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(4, 0);
  jig_reduce_args args = {
      .in = jig_pointer(device, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = COUNT};
  size_t bytes = 0, less;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  less = bytes - 1;
  FAILS(jig_reduce(NULL, storage, &less, &args, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
        "temp_storage_bytes");
  FAILS(jig_reduce(NULL, storage, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "d_temp_storage");
  FAILS(jig_reduce(NULL, device + 5, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "in overlaps d_temp_storage");
  args.out = jig_pointer((char *)storage + 4, JIG_U32);
  FAILS(jig_reduce(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "out overlaps d_temp_storage");
  ck_assert(gpu_is_untouched(storage, bytes));
  gpu_free(storage);
  gpu_free(device);
  gpu_free(out);
}
END_TEST

START_TEST(output_may_lie_within_the_input) {
  enum { COUNT = 1000000 };
  uint32_t *host = random_words(COUNT, 11), result;
  for (size_t place = 0; place < COUNT; place += COUNT / 3) {
    uint32_t *device = gpu_copy(host, COUNT * 4, 0);
    run_reduce(&(jig_reduce_args){.in = jig_pointer(device, JIG_U32),
                                  .out = jig_pointer(device + place, JIG_U32),
                                  .num_items = COUNT},
               0);
    gpu_read(&result, device + place, 4);
    ck_assert_uint_eq(result, sum_words(host, COUNT));
    gpu_free(device);
  }
  free(host);
}
END_TEST

/* ---- an init that is computed on the GPU */

START_TEST(init_may_be_read_on_the_gpu) {
  enum { COUNT = 100003 };
  uint32_t *host = random_words(COUNT, 5), result[2] = {0, 7};
  uint32_t *in = gpu_copy(host, COUNT * 4, 0), *out = gpu_copy(result, sizeof result, 0);
  const uint32_t sum = sum_words(host, COUNT);
  jig_reduce_args args = {.in = jig_pointer(in, JIG_U32),
                          .out = jig_pointer(out, JIG_U32),
                          .num_items = COUNT,
                          .init_in = jig_pointer(out + 1, JIG_U32)};
  run_reduce(&args, 0);
  gpu_read(result, out, sizeof result);
  ck_assert_uint_eq(result[0], sum + 7);
  args.init_in = args.out; /* so that calls add up */
  run_reduce(&args, 0);
  gpu_read(result, out, sizeof result);
  ck_assert_uint_eq(result[0], 2 * sum + 7);
  args.num_items = 0;
  args.init_in = jig_pointer(out + 1, JIG_U32);
  run_reduce(&args, 0);
  gpu_read(result, out, sizeof result);
  ck_assert_uint_eq(result[0], 7);
  /* It is the first operand, and there is a result without items for an operator of the caller's, too. */
  args.op = jig_op_source("return a;");
  run_reduce(&args, 0);
  args.num_items = COUNT;
  gpu_write(out, &sum, 4);
  run_reduce(&args, 0);
  gpu_read(result, out, sizeof result);
  ck_assert_uint_eq(result[0], 7);
  gpu_free(in);
  gpu_free(out);
  free(host);
}
END_TEST

START_TEST(the_type_of_an_init_on_the_gpu_counts) {
  const int32_t items[3] = {1, 2, 3};
  const double init = 0.5;
  double result = 0;
  void *in = gpu_copy(items, sizeof items, 0), *first = gpu_copy(&init, sizeof init, 0);
  const jig_iter base = jig_pointer(first, JIG_F64);
  reduce_to_host(
      (jig_reduce_args){.in = jig_pointer(in, JIG_I32),
                        .num_items = 3,
                        .init_in = jig_iter_transform(&base, jig_op_source("return 2 * x;"), JIG_F64)},
      JIG_F64, &result);
  ck_assert_double_eq(result, 7);
  gpu_free(in);
  gpu_free(first);
}
END_TEST

START_TEST(wrong_inits_on_the_gpu_are_refused) {
  uint32_t words[2] = {1, 2}, *device = gpu_copy(words, sizeof words, 0);
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  jig_reduce_args args = {.in = jig_pointer(device, JIG_U32),
                          .out = jig_pointer(device + 1, JIG_U32),
                          .num_items = 1,
                          .init = words,
                          .init_in = jig_pointer(device, JIG_U32)};
  size_t bytes = 0;
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "by init_in, too");
  args.init = NULL;
  args.init_in = jig_pointer(device, pair);
  args.accum_type = JIG_U32;
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "init_in: its type");
  args.init_in = jig_pointer(NULL, JIG_U32);
  FAILS(jig_reduce(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "init_in: the pointer is NULL");
  args.init_in = jig_discard(JIG_U32);
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "init_in: an input");
  void *temp = gpu_alloc(1 << 20, 0);
  args.init_in = jig_pointer(temp, JIG_U32);
  bytes = 1 << 20;
  FAILS(jig_reduce(NULL, temp, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "init_in overlaps");
  gpu_free(temp);
  gpu_free(device);
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
static void *refuse(void *user, size_t bytes, CUstream stream) {
  (void)user, (void)bytes, (void)stream;
  return NULL;
}

START_TEST(one_call_allocates_and_gives_back) {
  enum { COUNT = 500000 };
  uint32_t *host = random_words(COUNT, 12), *device = gpu_copy(host, COUNT * 4, 0),
           *out = gpu_alloc(4, 0), result;
  jig_reduce_args args = {
      .in = jig_pointer(device, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = COUNT};
  OK(jig_reduce(NULL, NULL, NULL, &args, NULL));
  gpu_read(&result, out, 4);
  ck_assert_uint_eq(result, sum_words(host, COUNT));
  OK(jig_reduce_max(NULL, NULL, NULL, args.in, args.out, COUNT, NULL));
  int calls = 0;
  jig_engine *engine;
  jig_engine_config config = {.allocate = take, .release = release, .allocator_user = &calls};
  OK(jig_engine_create(&engine, &config));
  OK(jig_reduce_sum(engine, NULL, NULL, args.in, args.out, COUNT, NULL));
  ck_assert_int_eq(calls, 1);
  ck_assert_uint_eq(taken, released);
  gpu_read(&result, out, 4);
  ck_assert_uint_eq(result, sum_words(host, COUNT));
  jig_engine_destroy(engine);
  config.allocate = refuse;
  OK(jig_engine_create(&engine, &config));
  FAILS(jig_reduce_sum(engine, NULL, NULL, args.in, args.out, COUNT, NULL), JIG_ERROR_OUT_OF_MEMORY,
        "temp storage");
  jig_engine_destroy(engine);
  gpu_free(device);
  gpu_free(out);
  free(host);
}
END_TEST

/* ---- threads */

enum { THREADS = 8, THREAD_CALLS = 150, THREAD_ITEMS = 1000000 };
typedef struct worker {
  pthread_t thread;
  const uint32_t *host, *device;
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
  w->wrong = gpu()->cuCtxSetCurrent(w->context) != CUDA_SUCCESS ||
             gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
             gpu()->cuMemAlloc(&out, 4) != CUDA_SUCCESS ||
             gpu()->cuMemAlloc(&storage, 16384) != CUDA_SUCCESS;
  for (int i = 0; i < THREAD_CALLS && w->wrong == 0; ++i) {
    const size_t count = next_random(&w->seed) % THREAD_ITEMS;
    size_t bytes = 16384;
    uint32_t result = 0, wanted = 0;
    for (size_t k = 0; k < count; ++k) wanted ^= w->host[k];
    const jig_reduce_args args = {.in = jig_pointer(w->device, JIG_U32),
                                  .out = jig_pointer((void *)(uintptr_t)out, JIG_U32),
                                  .num_items = count,
                                  .op = i % 2 == 0 ? JIG_BIT_XOR : jig_op_source("return a ^ b;"),
                                  .init = i % 2 == 0 ? NULL : &result};
    w->wrong += jig_reduce(w->engine, (void *)(uintptr_t)storage, &bytes, &args, stream) != JIG_SUCCESS;
    w->wrong += gpu()->cuMemcpyDtoHAsync(&result, out, 4, stream) != CUDA_SUCCESS;
    w->wrong += gpu()->cuStreamSynchronize(stream) != CUDA_SUCCESS || result != wanted;
  }
  (void)gpu()->cuMemFree(out);
  (void)gpu()->cuMemFree(storage);
  (void)gpu()->cuStreamDestroy(stream);
  return NULL;
}

START_TEST(many_threads_share_an_engine) {
  uint32_t *host = random_words(THREAD_ITEMS, 15), *device = gpu_copy(host, THREAD_ITEMS * 4, 0);
  jig_engine *engine;
  worker workers[THREADS];
  OK(jig_engine_create(&engine, NULL));
  for (int i = 0; i < THREADS; ++i) {
    workers[i] = (worker){.host = host, .device = device, .engine = engine, .seed = 100 + (uint64_t)i};
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
}
END_TEST

/* ---- more than 2^32 items in memory */

START_TEST(more_items_than_32_bits_count) {
  const size_t count = ((size_t)1 << 32) + 12345;
  if (!gpu_begin_large("device/reduce_calls: more_items_than_32_bits_count", count + ((size_t)1 << 28)))
    return;
  CUdeviceptr big;
  GPU(gpu()->cuMemAlloc(&big, count));
  gpu_fill((void *)(uintptr_t)big, 1, count);
  const uint8_t three = 3, least = 0;
  gpu_write((void *)(uintptr_t)(big + count - 1), &three, 1);
  gpu_write((void *)(uintptr_t)(big + count - 7), &least, 1);
  uint64_t sum;
  const jig_iter in = jig_pointer((void *)(uintptr_t)big, JIG_U8);
  const bool in_order = test_seed() % 2 == 1; /* both take minutes where there is no GPU */
  reduce_to_host((jig_reduce_args){.in = in,
                                   .num_items = count,
                                   .accum_type = JIG_U64,
                                   .op = in_order ? jig_op_source("return a + b;") : JIG_PLUS},
                 JIG_U64, &sum);
  ck_assert_uint_eq(sum, count + 1);
  int64_t index, *out = gpu_alloc(8, 0);
  run_arg_reduce(
      &(jig_arg_reduce_args){.in = in, .index_out = jig_pointer(out, JIG_I64), .num_items = count}, 0);
  gpu_read(&index, out, 8);
  ck_assert_int_eq(index, (int64_t)count - 7);
  gpu_free(out);
  GPU(gpu()->cuMemFree(big));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(size_never_shrinks_and_is_bounded),     SUITE_TEST(storage_of_any_alignment_and_content),
      SUITE_TEST(storage_is_used_again_in_stream_order), SUITE_TEST(wrong_storage_is_refused),
      SUITE_TEST(output_may_lie_within_the_input),       SUITE_TEST(init_may_be_read_on_the_gpu),
      SUITE_TEST(the_type_of_an_init_on_the_gpu_counts), SUITE_TEST(wrong_inits_on_the_gpu_are_refused),
      SUITE_TEST(one_call_allocates_and_gives_back),     SUITE_TEST(many_threads_share_an_engine),
      SUITE_TEST(more_items_than_32_bits_count),
  };
  return SUITE_RUN("device/reduce_calls", tests, true);
}
