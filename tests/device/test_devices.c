/* Several GPUs in one process, with one engine for all of them. As many as there are: of the software
 * GPU, as many as are asked for here. */
#include <dlfcn.h>
#include <jig/jig.h>
#include <pthread.h>
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { COUNT = 200000, MAX_DEVICES = 8 };

static struct {
  int count;
  CUcontext contexts[MAX_DEVICES];
  jig_engine *engine;
  int32_t items[COUNT], sum;
} all;

static void setup(void) {
  (void)driver_devices(&all.count);
  all.count = all.count < MAX_DEVICES ? all.count : MAX_DEVICES;
  for (int d = 0; d < all.count; ++d) GPU(gpu()->cuDevicePrimaryCtxRetain(&all.contexts[d], d));
  OK(jig_engine_create(&all.engine, NULL));
  fill_random(JIG_KIND_I32, all.items, COUNT, 5);
  all.sum = 0;
  for (int i = 0; i < COUNT; ++i) all.sum = (int32_t)((uint32_t)all.sum + (uint32_t)all.items[i]);
}

static void teardown(void) {
  GPU(gpu()->cuCtxSetCurrent(all.contexts[0]));
  jig_engine_destroy(all.engine);
  for (int d = 0; d < all.count; ++d) GPU(gpu()->cuDevicePrimaryCtxRelease(d));
}

/* The sum, computed in the current context, in a stream of its own; no guards, as threads call this. */
static int32_t sum_here(void) {
  CUdeviceptr in, out;
  CUstream stream;
  int32_t result = 0;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  GPU(gpu()->cuMemAlloc(&in, sizeof all.items));
  GPU(gpu()->cuMemAlloc(&out, sizeof result));
  gpu_write((void *)(uintptr_t)in, all.items, sizeof all.items);
  OK(jig_reduce_sum(all.engine, NULL, NULL, jig_pointer((void *)(uintptr_t)in, JIG_I32),
                    jig_pointer((void *)(uintptr_t)out, JIG_I32), COUNT, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
  GPU(gpu()->cuMemcpyDtoH(&result, out, sizeof result));
  GPU(gpu()->cuMemFree(in));
  GPU(gpu()->cuMemFree(out));
  GPU(gpu()->cuStreamDestroy(stream));
  return result;
}

START_TEST(one_engine_serves_them_in_turn) {
  setup();
  for (int round = 0; round < 3; ++round) {
    for (int d = 0; d < all.count; ++d) {
      GPU(gpu()->cuCtxSetCurrent(all.contexts[d]));
      ck_assert_int_eq(sum_here(), all.sum);
    }
  }
  jig_engine_stats stats;
  OK(jig_engine_get_stats(all.engine, &stats));
  int kinds = 0;
  const device_info *devices = driver_devices(&all.count);
  for (int d = 0; d < all.count; ++d) kinds += devices[d].kind == d;
  ck_assert_uint_eq(stats.misses + stats.disk_hits, (uint64_t)kinds); /* a program for each kind */
  teardown();
}
END_TEST

static void *entry(const char *name) {
  void *library = dlopen(gpu()->path, RTLD_NOW), *found = library != NULL ? dlsym(library, name) : NULL;
  ck_assert_ptr_nonnull(found);
  return found;
}

/* A context may be where an earlier one was, in which kernels were resident. */
START_TEST(contexts_come_and_go) {
  CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);
  CUcontext own;
  setup();
  *(void **)&create = entry("cuCtxCreate_v2");
  *(void **)&destroy = entry("cuCtxDestroy_v2");
  for (int round = 0; round < 3; ++round) {
    GPU(gpu()->cuCtxSetCurrent(all.contexts[0]));
    for (int i = 0; i < 2; ++i) ck_assert_int_eq(sum_here(), all.sum);
    GPU(create(&own, 0, 0));
    for (int i = 0; i < 2; ++i) ck_assert_int_eq(sum_here(), all.sum);
    GPU(destroy(own));
  }
  teardown();
}
END_TEST

static void *sum_on(void *device) {
  GPU(gpu()->cuCtxSetCurrent(all.contexts[*(int *)device]));
  static _Thread_local int32_t wrong;
  for (int i = 0; i < 5; ++i) wrong += sum_here() != all.sum;
  return wrong == 0 ? NULL : device;
}

START_TEST(and_at_once_from_threads) {
  setup();
  pthread_t threads[2 * MAX_DEVICES];
  int devices[2 * MAX_DEVICES];
  for (int t = 0; t < 2 * all.count; ++t) {
    devices[t] = t % all.count;
    ck_assert_int_eq(pthread_create(&threads[t], NULL, sum_on, &devices[t]), 0);
  }
  for (int t = 0; t < 2 * all.count; ++t) {
    void *wrong;
    ck_assert_int_eq(pthread_join(threads[t], &wrong), 0);
    ck_assert_ptr_eq(wrong, NULL);
  }
  teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(one_engine_serves_them_in_turn),
      SUITE_TEST(contexts_come_and_go),
      SUITE_TEST(and_at_once_from_threads),
  };
  (void)setenv("JIG_SOFTGPU_DEVICES", "3", 0);
  return SUITE_RUN("device/devices", tests, true);
}
