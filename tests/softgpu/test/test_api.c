/* The software GPU's driver interface: what waits for what, what a failed kernel leaves behind, and wrong
 * arguments. On a GPU everything here is skipped, as some of it is wrong on purpose. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api_support.h"

/* ---- order */

START_TEST(streams_run_in_order_and_beside_each_other) {
  scene s = open_scene();
  const uint32_t one = 1;
  wait_and_store(&s, s.wait, s.a, word(&s, 0), 7);
  add(&s, s.a, word(&s, 0), 1);
  GIVES(CALL(cuStreamQuery)(s.a), CUDA_ERROR_NOT_READY);
  /* The flag comes by the other stream's copy, while the kernel waits for it. */
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)s.flag, &one, 4, s.b));
  GPU(gpu()->cuStreamSynchronize(s.a));
  GIVES(CALL(cuStreamQuery)(s.a), CUDA_SUCCESS);
  ck_assert_uint_eq(read_word(&s, 0), 8);
  close_scene(&s);
}
END_TEST

START_TEST(events_order_streams_and_tell_the_time) {
  scene s = open_scene();
  CUevent before, after;
  float ms = -1;
  GPU(gpu()->cuEventCreate(&before, CU_EVENT_DEFAULT));
  GPU(gpu()->cuEventCreate(&after, CU_EVENT_DEFAULT));
  GIVES(CALL(cuEventQuery)(after), CUDA_SUCCESS);
  GIVES(gpu()->cuEventElapsedTime(&ms, before, after), CUDA_ERROR_INVALID_HANDLE);
  GPU(gpu()->cuEventRecord(before, s.a));
  wait_and_store(&s, s.wait, s.a, word(&s, 0), 5);
  GPU(gpu()->cuEventRecord(after, s.a));
  GPU(CALL(cuStreamWaitEvent)(s.b, after, 0));
  add(&s, s.b, word(&s, 0), 1);
  GIVES(CALL(cuEventQuery)(after), CUDA_ERROR_NOT_READY);
  GIVES(CALL(cuStreamQuery)(s.b), CUDA_ERROR_NOT_READY);
  GIVES(gpu()->cuEventElapsedTime(&ms, before, after), CUDA_ERROR_NOT_READY);
  atomic_store(s.flag, 1);
  GPU(gpu()->cuEventSynchronize(after));
  GPU(gpu()->cuEventElapsedTime(&ms, before, after));
  ck_assert_msg(ms > 0 && ms < 1e6f, "%g ms", (double)ms);
  GPU(gpu()->cuStreamSynchronize(s.b));
  ck_assert_uint_eq(read_word(&s, 0), 6);
  GPU(gpu()->cuEventDestroy(before));
  GPU(gpu()->cuEventDestroy(after));
  close_scene(&s);
}
END_TEST

START_TEST(the_legacy_stream_waits_for_blocking_ones_and_they_for_it) {
  scene s = open_scene();
  CUstream blocking;
  GPU(gpu()->cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  wait_and_store(&s, s.wait, blocking, word(&s, 0), 1);
  add(&s, NULL, word(&s, 0), 10);
  add(&s, blocking, word(&s, 0), 100);
  store(&s, s.a, word(&s, 1), 3); /* waits for none of them */
  GPU(gpu()->cuStreamSynchronize(s.a));
  GIVES(CALL(cuStreamQuery)(NULL), CUDA_ERROR_NOT_READY);
  GIVES(CALL(cuStreamQuery)(blocking), CUDA_ERROR_NOT_READY);
  atomic_store(s.flag, 1);
  GPU(gpu()->cuStreamSynchronize(NULL));
  ck_assert_uint_eq(read_word(&s, 0), 111);
  ck_assert_uint_eq(read_word(&s, 1), 3);
  GPU(gpu()->cuStreamDestroy(blocking));
  close_scene(&s);
}
END_TEST

static void CUDA_CB note(void *data) {
  const driver *d = gpu();
  int *seen = data;
  CUdeviceptr none;
  *seen = d->cuMemAlloc(&none, 4) == CUDA_ERROR_NOT_PERMITTED ? 1 : -1;
}

START_TEST(host_functions_have_their_turn) {
  scene s = open_scene();
  int seen = 0;
  wait_and_store(&s, s.wait, s.a, word(&s, 0), 1);
  GPU(CALL(cuLaunchHostFunc)(s.a, note, &seen));
  atomic_store(s.flag, 1);
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_int_eq(seen, 1);
  close_scene(&s);
}
END_TEST

START_TEST(programmatic_launches_begin_early) {
  scene s = open_scene();
  launch_pair(&s, s.a);
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 1), 7);
  close_scene(&s);
}
END_TEST

START_TEST(memory_is_freed_in_the_streams_order) {
  scene s = open_scene();
  CUdeviceptr p;
  GPU(gpu()->cuMemAllocAsync(&p, 4, s.a));
  wait_and_store(&s, s.wait, s.a, p, 9);
  GPU(CALL(cuMemcpyDtoDAsync)(word(&s, 2), p, 4, s.a));
  GPU(gpu()->cuMemFreeAsync(p, s.a));
  GIVES(gpu()->cuMemFreeAsync(p, s.a), CUDA_ERROR_INVALID_VALUE);
  atomic_store(s.flag, 1);
  GPU(gpu()->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 2), 9);
  GIVES(gpu()->cuMemsetD8(p, 0, 4), CUDA_ERROR_INVALID_VALUE);
  close_scene(&s);
}
END_TEST

static void *raise_later(void *data) {
  (void)usleep(20000);
  atomic_store((_Atomic uint32_t *)data, 1);
  return NULL;
}

/* The driver promises it of neither kind of memory. */
START_TEST(asynchronous_copies_to_the_host_come_back_at_once) {
  scene s = open_scene();
  pthread_t thread;
  void *pinned;
  GPU(gpu()->cuMemHostAlloc(&pinned, 4, 0));
  uint32_t pageable = 0, *values[] = {&pageable, pinned};
  *values[1] = 0;
  wait_and_store(&s, s.wait, s.a, word(&s, 0), 7);
  for (size_t i = 0; i < 2; ++i) GPU(gpu()->cuMemcpyDtoHAsync(values[i], word(&s, 0), 4, s.a));
  for (size_t i = 0; i < 2; ++i) ck_assert_uint_eq(*values[i], 0);
  ck_assert_int_eq(pthread_create(&thread, NULL, raise_later, (void *)(uintptr_t)s.flag), 0);
  GPU(gpu()->cuStreamSynchronize(s.a));
  for (size_t i = 0; i < 2; ++i) ck_assert_uint_eq(*values[i], 7);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  GPU(gpu()->cuMemFreeHost(pinned));
  close_scene(&s);
}
END_TEST

static uint32_t value_of(CUdeviceptr address, CUstream stream) {
  uint32_t value = 77;
  GPU(gpu()->cuMemcpyDtoHAsync(&value, address, 4, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
  return value;
}

/* What the default stream's copies and memsets do arrives after all who do not wait for it. */
START_TEST(copies_are_late) {
  static const uint32_t one = 1, two = 2;
  scene s = open_scene();
  CUstream blocking;
  uint32_t *pinned;
  GPU(gpu()->cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  GPU(gpu()->cuMemHostAlloc((void **)&pinned, 4, 0));
  *pinned = 3;
  GPU(gpu()->cuMemcpyHtoD(word(&s, 0), &one, 4));
  ck_assert_uint_eq(value_of(word(&s, 0), s.a), 0);
  ck_assert_uint_eq(value_of(word(&s, 0), blocking), 1);
  GPU(gpu()->cuMemcpyHtoD(word(&s, 0), &two, 4));
  GPU(gpu()->cuMemsetD8(word(&s, 1), 0xff, 4));
  GPU(CALL(cuMemcpyDtoD)(word(&s, 2), word(&s, 0), 4));
  ck_assert_uint_eq(value_of(word(&s, 0), s.a), 1);
  ck_assert_uint_eq(value_of(word(&s, 1), s.a), 0);
  ck_assert_uint_eq(value_of(word(&s, 2), s.a), 0);
  GPU(gpu()->cuStreamSynchronize(NULL));
  ck_assert_uint_eq(value_of(word(&s, 0), s.a), 2);
  ck_assert_uint_eq(value_of(word(&s, 1), s.a), UINT32_MAX);
  ck_assert_uint_eq(value_of(word(&s, 2), s.a), 2);
  GPU(gpu()->cuMemcpyHtoD(word(&s, 0), pinned, 4)); /* that one is waited for */
  ck_assert_uint_eq(value_of(word(&s, 0), s.a), 3);
  GPU(gpu()->cuMemFreeHost(pinned));
  GPU(gpu()->cuStreamDestroy(blocking));
  close_scene(&s);
}
END_TEST

/* Nobody asks, and it happens all the same. */
START_TEST(work_gets_on_by_itself) {
  scene s = open_scene();
  store(&s, s.a, (CUdeviceptr)(uintptr_t)s.flag, 5);
  for (int i = 0; i < 10000 && atomic_load(s.flag) == 0; ++i) (void)usleep(1000);
  ck_assert_uint_eq(atomic_load(s.flag), 5);
  atomic_store(s.flag, 0);
  store(&s, s.a, (CUdeviceptr)(uintptr_t)s.flag, 6);
  for (int i = 0; i < 10000 && CALL(cuStreamQuery)(s.a) == CUDA_ERROR_NOT_READY; ++i) (void)usleep(1000);
  ck_assert_uint_eq(atomic_load(s.flag), 6);
  for (uint32_t i = 0; i < 3000; ++i) add(&s, s.b, word(&s, 3), 1);
  GPU(gpu()->cuStreamSynchronize(s.b));
  ck_assert_uint_eq(read_word(&s, 3), 3000);
  close_scene(&s);
}
END_TEST

START_TEST(streams_know_their_context) {
  scene s = open_scene();
  CUcontext before;
  GPU(gpu()->cuCtxGetCurrent(&before));
  GPU(gpu()->cuCtxSetCurrent(NULL));
  store(&s, s.a, word(&s, 0), 5);
  GPU(gpu()->cuStreamSynchronize(s.a));
  CUdeviceptr to = word(&s, 0);
  uint32_t value = 6;
  void *parameters[] = {&to, &value};
  GIVES(launch(s.store, NULL, parameters), CUDA_ERROR_INVALID_CONTEXT);
  GPU(gpu()->cuCtxSetCurrent(before));
  ck_assert_uint_eq(read_word(&s, 0), 5);
  close_scene(&s);
}
END_TEST

/* ---- errors */

START_TEST(errors_stay) {
  CUcontext before, own;
  int seen = 0;
  CUdeviceptr p;
  uint32_t value;
  GPU(gpu()->cuCtxGetCurrent(&before));
  GPU(CALL(cuCtxCreate)(&own, NULL, 0, 0));
  scene s = open_scene();
  wait_and_store(&s, s.wait, s.a, word(&s, 1), 1);
  store(&s, s.a, 0x1000, 1);
  store(&s, s.a, word(&s, 0), 1); /* is not executed */
  GPU(CALL(cuLaunchHostFunc)(s.a, note, &seen));
  atomic_store(s.flag, 1);
  GIVES(gpu()->cuStreamSynchronize(s.a), CUDA_ERROR_ILLEGAL_ADDRESS);
  ck_assert_int_eq(seen, 0);
  GIVES(gpu()->cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  GIVES(gpu()->cuMemAlloc(&p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  GIVES(gpu()->cuMemcpyDtoH(&value, word(&s, 0), 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  void *parameters[] = {&p, &value};
  GIVES(launch(s.store, s.b, parameters), CUDA_ERROR_ILLEGAL_ADDRESS);
  GIVES(gpu()->cuMemFree(s.memory), CUDA_ERROR_ILLEGAL_ADDRESS);
  GIVES(gpu()->cuMemFreeHost((void *)(uintptr_t)s.flag), CUDA_ERROR_ILLEGAL_ADDRESS);
  GPU(CALL(cuCtxDestroy)(own));
  GPU(gpu()->cuCtxSetCurrent(before));
  GPU(gpu()->cuCtxSynchronize()); /* the other context is as it was */
}
END_TEST

START_TEST(launches_are_checked) {
  scene s = open_scene();
  CUdeviceptr to = word(&s, 0);
  uint32_t value = 3;
  size_t bytes = 12;
  unsigned char buffer[12];
  void *parameters[] = {&to, &value};
  const driver *d = gpu();
  GIVES(d->cuLaunchKernel(s.store, 0, 1, 1, 1, 1, 1, 0, s.a, parameters, NULL), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuLaunchKernel(s.store, 1, 65536, 1, 1, 1, 1, 0, s.a, parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuLaunchKernel(s.store, 1, 1, 1, 1025, 1, 1, 0, s.a, parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuLaunchKernel(s.store, 1, 1, 1, 1, 1, 1, 49153, s.a, parameters, NULL),
        CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuLaunchKernel(s.store, 1, 1, 1, 1, 1, 1, 0, s.a, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
  GPU(CALL(cuFuncSetAttribute)(s.store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  GIVES(CALL(cuFuncSetAttribute)(s.store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449),
        CUDA_ERROR_INVALID_VALUE);
  GPU(d->cuLaunchKernel(s.store, 1, 1, 1, 1, 1, 1, 49153, s.a, parameters, NULL));
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT};
  const CUlaunchConfig config = {.gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  GIVES(d->cuLaunchKernelEx(&config, s.store, parameters, NULL), CUDA_ERROR_NOT_SUPPORTED);
  value = 77; /* and with the parameters in one piece */
  memcpy(buffer, &to, 8);
  memcpy(buffer + 8, &value, 4);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  GPU(d->cuLaunchKernel(s.store, 1, 1, 1, 1, 1, 1, 0, s.a, NULL, extra));
  GPU(d->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 0), 77);
  close_scene(&s);
}
END_TEST

/* What becomes of a launch of so many blocks by clusters of `size`. */
static CUresult launch_clusters(const scene *s, CUfunction f, unsigned blocks, unsigned size) {
  CUdeviceptr to = word(s, 0);
  uint32_t value = 3;
  void *parameters[] = {&to, &value};
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {size, 1, 1}};
  const CUlaunchConfig config = {.gridDimX = blocks,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1024,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .sharedMemBytes = 200000,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  int clusters = 0;
  const CUresult result = gpu()->cuLaunchKernelEx(&config, f, parameters, NULL);
  if (result == CUDA_SUCCESS) GPU(CALL(cuOccupancyMaxActiveClusters)(&clusters, f, &config));
  ck_assert_int_eq(clusters > 0, result == CUDA_SUCCESS);
  return result;
}

START_TEST(clusters_are_checked) {
  scene s = open_scene();
  CUlibrary l;
  CUkernel k;
  GPU(gpu()->cuLibraryLoadData(&l, api_ptx, NULL, NULL, 0, NULL, NULL, 0));
  GPU(gpu()->cuLibraryGetKernel(&k, l, "store"));
  const CUfunction functions[] = {s.store, (CUfunction)k};
  GPU(CALL(cuFuncSetAttribute)(s.store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200000));
  GPU(CALL(cuKernelSetAttribute)(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200000, k, 0));
  for (int i = 0; i < 2; ++i) {
    GPU(launch_clusters(&s, functions[i], 16, 8));
    GIVES(launch_clusters(&s, functions[i], 12, 8), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    GIVES(launch_clusters(&s, functions[i], 16, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    GIVES(launch_clusters(&s, functions[i], 16, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  }
  const CUfunction_attribute large = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
  GPU(CALL(cuFuncSetAttribute)(s.store, large, 1));
  GPU(CALL(cuKernelSetAttribute)(large, 1, k, 0));
  for (int i = 0; i < 2; ++i) {
    GPU(launch_clusters(&s, functions[i], 32, 16));
    GIVES(launch_clusters(&s, functions[i], 17, 17), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  }
  GPU(gpu()->cuCtxSynchronize());
  GPU(gpu()->cuLibraryUnload(l));
  close_scene(&s);
}
END_TEST

START_TEST(copies_stay_within_allocations) {
  scene s = open_scene();
  CUdeviceptr p;
  uint32_t words[64] = {0};
  const driver *d = gpu();
  GIVES(d->cuMemcpyHtoD(s.memory, words, 65), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuMemcpyDtoH(words, s.memory + 60, 8), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)words, words, 4, s.a), CUDA_ERROR_INVALID_VALUE);
  GIVES(CALL(cuMemcpy)(s.memory, 0x1000, 4), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuMemsetD8(s.memory + 1, 0, 64), CUDA_ERROR_INVALID_VALUE);
  GIVES(CALL(cuMemsetD32)(s.memory + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  GPU(d->cuMemAlloc(&p, 16));
  GIVES(d->cuMemFree(p + 4), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuMemFreeAsync(p, s.a), CUDA_ERROR_INVALID_VALUE);
  GPU(d->cuMemFree(p));
  GIVES(d->cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuMemcpyDtoH(words, p, 4), CUDA_ERROR_INVALID_VALUE);
  GPU(d->cuMemFree(0));
  CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = words,
                        .srcPitch = 16,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = s.memory,
                        .dstPitch = 32,
                        .WidthInBytes = 16,
                        .Height = 2};
  for (uint32_t i = 0; i < 8; ++i) words[i] = i + 1;
  GPU(CALL(cuMemcpy2D)(&rows));
  ck_assert_uint_eq(read_word(&s, 3), 4);
  ck_assert_uint_eq(read_word(&s, 4), 0);
  ck_assert_uint_eq(read_word(&s, 8), 5);
  rows.Height = 3;
  GIVES(CALL(cuMemcpy2D)(&rows), CUDA_ERROR_INVALID_VALUE);
  close_scene(&s);
}
END_TEST

START_TEST(nothing_can_be_allocated) {
  scene s = open_scene();
  CUdeviceptr p = 1;
  void *host = &p;
  GIVES(gpu()->cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
  GPU(gpu()->cuMemAllocAsync(&p, 0, s.a));
  GPU(gpu()->cuMemFreeAsync(p, s.a));
  GPU(gpu()->cuMemHostAlloc(&host, 0, 0));
  GPU(gpu()->cuMemFreeHost(host));
  close_scene(&s);
}
END_TEST

/* The system has a limit on separate ranges of addresses. */
START_TEST(host_and_device_memory_are_allocated_in_turn) {
  for (int i = 0; i < 40000; ++i) {
    CUdeviceptr p;
    void *host;
    GPU(gpu()->cuMemAlloc(&p, 4));
    GPU(gpu()->cuMemHostAlloc(&host, 4, 0));
    *(uint32_t *)host = 1;
    GPU(gpu()->cuMemFreeHost(host));
    GPU(gpu()->cuMemFree(p));
  }
}
END_TEST

START_TEST(memory_ends_with_its_context) {
  CUcontext before, own;
  CUdeviceptr p;
  size_t available, afterwards, total;
  GPU(gpu()->cuCtxGetCurrent(&before));
  GPU(gpu()->cuMemGetInfo(&available, &total));
  GPU(CALL(cuCtxCreate)(&own, NULL, 0, 0));
  GPU(gpu()->cuMemAlloc(&p, 1 << 20));
  GPU(CALL(cuCtxDestroy)(own));
  GPU(gpu()->cuCtxSetCurrent(before));
  GPU(gpu()->cuMemGetInfo(&afterwards, &total));
  ck_assert_uint_eq(afterwards, available);
  GIVES(gpu()->cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(primary_contexts_are_reset) {
  CUcontext before, second;
  CUdeviceptr p;
  unsigned flags;
  int active;
  GPU(gpu()->cuCtxGetCurrent(&before));
  GPU(gpu()->cuDevicePrimaryCtxRetain(&second, 1));
  GPU(gpu()->cuCtxSetCurrent(second));
  GPU(CALL(cuDevicePrimaryCtxReset)(1));
  GPU(CALL(cuDevicePrimaryCtxGetState)(1, &flags, &active));
  ck_assert_int_eq(active, 0);
  GIVES(gpu()->cuMemAlloc(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  GPU(gpu()->cuCtxSetCurrent(second));
  GIVES(gpu()->cuMemAlloc(&p, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  GPU(gpu()->cuDevicePrimaryCtxRetain(&second, 1));
  GPU(gpu()->cuMemAlloc(&p, 4));
  GPU(gpu()->cuMemFree(p));
  GPU(gpu()->cuDevicePrimaryCtxRelease(1));
  GPU(gpu()->cuDevicePrimaryCtxRelease(1));
  GIVES(gpu()->cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_CONTEXT);
  GPU(gpu()->cuCtxSetCurrent(before));
}
END_TEST

START_TEST(images_are_told_apart) {
  CUmodule m;
  CUlibrary l;
  char log[256] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  const driver *d = gpu();
  GIVES(d->cuModuleLoadData(&m, "\177ELF and so on"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  GIVES(d->cuModuleLoadData(&m, "nonsense"), CUDA_ERROR_INVALID_IMAGE);
  GIVES(d->cuLibraryLoadData(&l, ".version 8.0\n.target sm_90\n.address_size 64\nnonsense", options,
                             values, 2, NULL, NULL, 0),
        CUDA_ERROR_INVALID_PTX);
  ck_assert_str_ne(log, "");
}
END_TEST

START_TEST(libraries_have_kernels) {
  scene s = open_scene();
  CUlibrary l;
  CUkernel k;
  CUfunction f;
  int value;
  const driver *d = gpu();
  CUdeviceptr to = word(&s, 0);
  uint32_t seven = 7;
  void *parameters[] = {&to, &seven};
  GPU(d->cuLibraryLoadData(&l, api_ptx, NULL, NULL, 0, NULL, NULL, 0));
  GIVES(d->cuLibraryGetKernel(&k, l, "none"), CUDA_ERROR_NOT_FOUND);
  GPU(d->cuLibraryGetKernel(&k, l, "store"));
  GPU(CALL(cuKernelGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
  ck_assert_int_eq(value, 1024);
  GPU(d->cuKernelGetFunction(&f, k));
  GPU(d->cuFuncLoad(f));
  GPU(launch((CUfunction)k, s.a, parameters));
  GPU(d->cuStreamSynchronize(s.a));
  ck_assert_uint_eq(read_word(&s, 0), 7);
  GPU(d->cuLibraryUnload(l));
  GIVES(launch(f, s.a, parameters), CUDA_ERROR_INVALID_HANDLE);
  close_scene(&s);
}
END_TEST

START_TEST(wrong_handles_are_refused) {
  CUstream stream;
  CUevent event;
  int value;
  const driver *d = gpu();
  GPU(d->cuStreamCreate(&stream, 0));
  GPU(d->cuEventCreate(&event, 0));
  GPU(d->cuStreamDestroy(stream));
  GPU(d->cuEventDestroy(event));
  GIVES(d->cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  GIVES(d->cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE);
  GIVES(d->cuEventRecord(NULL, NULL), CUDA_ERROR_INVALID_HANDLE);
  GIVES(d->cuStreamCreate(&stream, 77), CUDA_ERROR_INVALID_VALUE);
  GIVES(d->cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99), CUDA_ERROR_INVALID_DEVICE);
  GIVES(d->cuCtxSetCurrent((CUcontext)(void *)&value), CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

static void *address_of(const char *name) {
  void *address;
  void (*function)(void) = ptx_function(name);
  memcpy(&address, &function, sizeof address);
  return address;
}

START_TEST(every_entry_point_is_there) {
  void *address = NULL;
  CUdriverProcAddressQueryResult status;
  CUarray array;
  const CUDA_ARRAY_DESCRIPTOR d = {.Width = 1, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
  GIVES(CALL(cuArrayCreate)(&array, &d), CUDA_ERROR_NOT_SUPPORTED);
  GPU(CALL(cuGetProcAddress)("cuMemAlloc", &address, 12000, 0, &status));
  ck_assert_ptr_eq(address, address_of("cuMemAlloc_v2"));
  GPU(CALL(cuGetProcAddress)("cuCtxCreate", &address, 12000, 0, &status));
  ck_assert_ptr_eq(address, address_of("cuCtxCreate_v3"));
  GPU(CALL(cuGetProcAddress)("cuLaunchKernel", &address, 12000,
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
  ck_assert_ptr_eq(address, address_of("cuLaunchKernel_ptsz"));
  GIVES(CALL(cuGetProcAddress)("cuNothing", &address, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
  ck_assert_int_eq(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  GIVES(CALL(cuGetProcAddress)("cuLibraryLoadData", &address, 11000, 0, &status), CUDA_ERROR_NOT_FOUND);
  ck_assert_int_eq(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}
END_TEST

/* ---- threads */

typedef struct thread_work {
  pthread_t thread;
  const scene *s;
  unsigned word;
} thread_work;

static void *run_thread(void *data) {
  const thread_work *w = data;
  const scene *s = w->s;
  CUcontext c;
  CUdevice device;
  GPU(gpu()->cuDeviceGet(&device, 0));
  GPU(gpu()->cuDevicePrimaryCtxRetain(&c, device));
  GPU(gpu()->cuCtxSetCurrent(c));
  for (int round = 0; round < 20; ++round) {
    CUstream stream;
    CUdeviceptr p;
    uint32_t value = 0;
    GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    GPU(gpu()->cuMemAllocAsync(&p, 4, stream));
    store(s, stream, p, 5);
    add(s, stream, p, 6);
    GPU(gpu()->cuMemcpyDtoHAsync(&value, p, 4, stream));
    GPU(gpu()->cuMemFreeAsync(p, stream));
    GPU(gpu()->cuStreamSynchronize(stream));
    ck_assert_uint_eq(value, 11);
    store(s, CU_STREAM_PER_THREAD, word(s, w->word), w->word);
    GPU(gpu()->cuStreamDestroy(stream));
  }
  GPU(gpu()->cuStreamSynchronize(CU_STREAM_PER_THREAD));
  GPU(gpu()->cuDevicePrimaryCtxRelease(device));
  return NULL;
}

START_TEST(threads_share_a_context) {
  enum { THREADS = 4 };
  thread_work work[THREADS];
  scene s = open_scene();
  for (unsigned i = 0; i < THREADS; ++i) {
    work[i] = (thread_work){.s = &s, .word = i + 1};
    ck_assert_int_eq(pthread_create(&work[i].thread, NULL, run_thread, &work[i]), 0);
  }
  for (unsigned i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(pthread_join(work[i].thread, NULL), 0);
    ck_assert_uint_eq(read_word(&s, i + 1), i + 1);
  }
  close_scene(&s);
}
END_TEST

/* Nobody else has the second device's context: it begins and ends all the time. */
static void *open_and_close(void *unused) {
  for (int round = 0; round < 100; ++round) {
    CUcontext c;
    CUdeviceptr p;
    CUstream stream;
    GPU(gpu()->cuDevicePrimaryCtxRetain(&c, 1));
    GPU(gpu()->cuCtxSetCurrent(c));
    GPU(gpu()->cuStreamCreate(&stream, 0));
    GPU(gpu()->cuMemAllocAsync(&p, 64, stream));
    GPU(CALL(cuMemsetD8)(p, 1, 64));
    GPU(gpu()->cuMemFreeAsync(p, CU_STREAM_PER_THREAD));
    GPU(gpu()->cuStreamSynchronize(CU_STREAM_PER_THREAD));
    GPU(gpu()->cuStreamDestroy(stream));
    GPU(gpu()->cuCtxSetCurrent(NULL));
    GPU(gpu()->cuDevicePrimaryCtxRelease(1));
  }
  return unused;
}

START_TEST(threads_begin_and_end_a_context) {
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
  for (int i = 0; i < THREADS; ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

static void *use_own_stream(void *data) {
  const scene *s = data;
  CUcontext c;
  GPU(gpu()->cuDevicePrimaryCtxRetain(&c, 0));
  GPU(gpu()->cuCtxSetCurrent(c));
  add(s, CU_STREAM_PER_THREAD, word(s, 0), 1);
  GPU(gpu()->cuDevicePrimaryCtxRelease(0));
  return NULL; /* the work goes on */
}

START_TEST(threads_end_before_their_work) {
  scene s = open_scene();
  for (unsigned i = 1; i <= 50; ++i) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, use_own_stream, &s), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_uint_eq(read_word(&s, 0), i); /* the legacy stream waits for it */
  }
  close_scene(&s);
}
END_TEST

/* ---- other processes */

START_TEST(children_have_no_driver) {
  CUdeviceptr p;
  int status;
  (void)fflush(NULL);
  const pid_t child = fork();
  if (child == 0) _exit(gpu()->cuMemAlloc(&p, 4) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(streams_run_in_order_and_beside_each_other),
      SUITE_TEST(events_order_streams_and_tell_the_time),
      SUITE_TEST(the_legacy_stream_waits_for_blocking_ones_and_they_for_it),
      SUITE_TEST(host_functions_have_their_turn),
      SUITE_TEST(programmatic_launches_begin_early),
      SUITE_TEST(memory_is_freed_in_the_streams_order),
      SUITE_TEST(asynchronous_copies_to_the_host_come_back_at_once),
      SUITE_TEST(copies_are_late),
      SUITE_TEST(work_gets_on_by_itself),
      SUITE_TEST(streams_know_their_context),
      SUITE_TEST(errors_stay),
      SUITE_TEST(launches_are_checked),
      SUITE_TEST(clusters_are_checked),
      SUITE_TEST(copies_stay_within_allocations),
      SUITE_TEST(nothing_can_be_allocated),
      SUITE_TEST(host_and_device_memory_are_allocated_in_turn),
      SUITE_TEST(memory_ends_with_its_context),
      SUITE_TEST(primary_contexts_are_reset),
      SUITE_TEST(images_are_told_apart),
      SUITE_TEST(libraries_have_kernels),
      SUITE_TEST(wrong_handles_are_refused),
      SUITE_TEST(every_entry_point_is_there),
      SUITE_TEST(threads_share_a_context),
      SUITE_TEST(threads_begin_and_end_a_context),
      SUITE_TEST(threads_end_before_their_work),
      SUITE_TEST(children_have_no_driver),
  };
  return API_RUN("softgpu/api", tests);
}
