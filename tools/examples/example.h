/* What the examples share: errors, the GPU, input, timing. Nothing here is particular to jig. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <cuda.h>
#include <jig/jig.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_JIG(call) check_jig((call), #call)
#define CHECK_CUDA(call) check_cuda((call), #call)

static inline void check_jig(jig_status status, const char *call) {
  if (status == JIG_SUCCESS) return;
  fprintf(stderr, "%s: %s\n%s\n", call, jig_status_name(status), jig_last_error());
  exit(EXIT_FAILURE);
}

static inline void check_cuda(CUresult result, const char *call) {
  const char *name = NULL;
  if (result == CUDA_SUCCESS) return;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS) name = "unknown error";
  fprintf(stderr, "%s: %s\n", call, name);
  exit(EXIT_FAILURE);
}

/* ---- the GPU and its memory */

static inline CUdevice open_gpu(void) {
  CUdevice device;
  CUcontext context;
  CHECK_CUDA(cuInit(0));
  CHECK_CUDA(cuDeviceGet(&device, 0));
  CHECK_CUDA(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_CUDA(cuCtxSetCurrent(context));
  return device;
}

static inline CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr memory;
  CHECK_CUDA(cuMemAlloc(&memory, bytes));
  return memory;
}

/* cuMemcpyHtoD returns before the items are there. What is in the default stream waits for them; streams
 * that are made with CU_STREAM_NON_BLOCKING do not. */
static inline CUdeviceptr copy_to_gpu(const void *items, size_t bytes) {
  CUdeviceptr memory = allocate(bytes);
  CHECK_CUDA(cuMemcpyHtoD(memory, items, bytes));
  CHECK_CUDA(cuStreamSynchronize(NULL));
  return memory;
}

/* Temp storage for several calls, one after the other. While it has no memory, they are asked how much
 * they take:
 *
 *     temp_storage temp = {0};
 *     ... CALL_JIG(&temp, jig_reduce, &args, stream); and others
 *     temp.memory = allocate(temp.bytes);
 *     ... the same calls again, which now launch */
typedef struct temp_storage {
  CUdeviceptr memory;
  size_t bytes;
} temp_storage;

#define CALL_JIG(temp, function, ...)                                                        \
  do {                                                                                       \
    size_t bytes_of_call = (temp)->bytes;                                                    \
    CHECK_JIG(function(NULL, (void *)(temp)->memory, &bytes_of_call, __VA_ARGS__));          \
    if ((temp)->memory == 0 && bytes_of_call > (temp)->bytes) (temp)->bytes = bytes_of_call; \
  } while (0)

/* ---- input */

/* The first argument, by default 2^20. */
static inline size_t count_from(int argc, char **argv) {
  char *end = NULL;
  if (argc < 2) return (size_t)1 << 20;
  const unsigned long long count = strtoull(argv[1], &end, 10);
  if (argc == 2 && argv[1][0] != '-' && *end == '\0' && count > 0 && count <= SIZE_MAX / 64)
    return (size_t)count;
  fprintf(stderr, "usage: %s [<number of items>]\n", argv[0]);
  exit(2);
}

static inline void *host_items(size_t count, size_t size) {
  void *items = calloc(count, size);
  if (items != NULL) return items;
  fprintf(stderr, "out of memory\n");
  exit(EXIT_FAILURE);
}

/* How many items a row has: 1024 or, where rows of those would leave items over, up to 1000, of which a
 * block's threads have no equal number each. */
static inline uint32_t row_length(size_t count) {
  return count % 1024 == 0 ? 1024 : count < 1000 ? (uint32_t)count : 1000;
}

/* Between -1 and 1, the same numbers at every run; multiples of 2^-23, which an f32 holds exactly. */
static inline double random_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (1 << 23) - 1;
}

/* ---- timing: what the GPU takes, not how fast this thread can launch
 *
 *     CUstream stream = begin_recording();
 *     for (int i = 0; i < RECORDED_CALLS; ++i) ... a call on `stream` ...
 *     double us = replay(stream); */

enum { RECORDED_CALLS = 20, REPLAYS = 10 };

static inline CUstream begin_recording(void) {
  CUstream stream;
  CHECK_CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK_CUDA(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  return stream;
}

/* Microseconds per recorded call. Frees the stream. */
static inline double replay(CUstream stream) {
  CUgraph graph;
  CUgraphExec recorded;
  CUevent begin, end;
  float ms;
  CHECK_CUDA(cuStreamEndCapture(stream, &graph));
  CHECK_CUDA(cuGraphInstantiateWithFlags(&recorded, graph, 0));
  CHECK_CUDA(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CHECK_CUDA(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK_CUDA(cuGraphLaunch(recorded, stream)); /* warms up */
  CHECK_CUDA(cuEventRecord(begin, stream));
  for (int i = 0; i < REPLAYS; ++i) CHECK_CUDA(cuGraphLaunch(recorded, stream));
  CHECK_CUDA(cuEventRecord(end, stream));
  CHECK_CUDA(cuEventSynchronize(end));
  CHECK_CUDA(cuEventElapsedTime(&ms, begin, end));
  CHECK_CUDA(cuEventDestroy(begin));
  CHECK_CUDA(cuEventDestroy(end));
  CHECK_CUDA(cuGraphExecDestroy(recorded));
  CHECK_CUDA(cuGraphDestroy(graph));
  CHECK_CUDA(cuStreamDestroy(stream));
  return (double)ms * 1000 / (REPLAYS * RECORDED_CALLS);
}

/* What the same takes by calls of jig's algorithms. */
static inline void report_calls(const char *calls, double us, double kernel_us) {
  printf("by %s: %.2f us, %.2f times as long\n", calls, us, us / kernel_us);
}

/* The last line of every example; returns the exit status. `bytes` is what a call reads. */
static inline int report(bool agrees, double us, size_t bytes) {
  printf("%s; %.2f us per call, %.1f GB/s\n", agrees ? "the CPU agrees" : "THE CPU DISAGREES", us,
         (double)bytes / us / 1000);
  return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
