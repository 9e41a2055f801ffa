/* Copies, memsets, kernels and frees that touch the same memory: nothing orders them, or something does.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planted.h"
#include "ptx_internal.h"

/* Each of 32 threads copies a word; one of the two is marked. */
#define READS "ld.global.u32 %r0, [%pi]; //!\nst.global.u32 [%po], %r0;\n"
#define WRITES "ld.global.u32 %r0, [%pi];\nst.global.u32 [%po], %r0; //!\n"
#define COPIES "ld.global.u32 %r0, [%pi];\nst.global.u32 [%po], %r0;\n"
#define COUNTS "red.global.add.u32 [%out], 1;\n"
#define ORDER "missing order"

enum { BYTES = 128, PLACES = 4 };

/* Memory in which all is set, and streams. */
static struct {
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr at[PLACES];
  unsigned char *host, *pinned;
  CUstream a, b, blocking; /* a and b wait for no others */
} s;

static CUstream new_stream(unsigned flags) {
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, flags));
  return stream;
}

static void open_stage(const planted_case *c) {
  void *pinned;
  s.module = planted_load(c, &s.kernel);
  for (int i = 0; i < PLACES; ++i) {
    GPU(gpu()->cuMemAlloc(&s.at[i], BYTES));
    gpu_fill((void *)(uintptr_t)s.at[i], 0, BYTES);
  }
  GPU(gpu()->cuMemHostAlloc(&pinned, BYTES, 0));
  s.pinned = pinned;
  s.host = calloc(1, BYTES);
  memset(s.pinned, 1, BYTES);
  s.a = new_stream(CU_STREAM_NON_BLOCKING);
  s.b = new_stream(CU_STREAM_NON_BLOCKING);
  s.blocking = new_stream(CU_STREAM_DEFAULT);
}

static void close_stage(void) {
  const CUresult result = gpu()->cuCtxSynchronize();
  planted_tell(result);
  if (result != CUDA_SUCCESS) return; /* the context is good for nothing more */
  for (int i = 0; i < PLACES; ++i) {
    if (s.at[i] != 0) GPU(gpu()->cuMemFree(s.at[i]));
  }
  GPU(gpu()->cuMemFreeHost(s.pinned));
  GPU(gpu()->cuStreamDestroy(s.a));
  GPU(gpu()->cuStreamDestroy(s.b));
  GPU(gpu()->cuStreamDestroy(s.blocking));
  GPU(gpu()->cuModuleUnload(s.module));
  free(s.host);
}

/* ---- what is queued */

static void launch_at(CUstream stream, CUdeviceptr from, CUdeviceptr to) {
  unsigned n = 0;
  void *parameters[] = {&from, &to, &n};
  GPU(gpu()->cuLaunchKernel(s.kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, NULL));
}

static void launch(CUstream stream, int from, int to) {
  launch_at(stream, s.at[from], s.at[to]);
}

static void wait_for(CUstream stream) {
  GPU(gpu()->cuStreamSynchronize(stream));
}

/* What is queued in `later` from now on comes after what is in `earlier` already. */
static void put_behind(CUstream earlier, CUstream later) {
  CUevent event;
  GPU(gpu()->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  GPU(gpu()->cuEventRecord(event, earlier));
  GPU(CALL(cuStreamWaitEvent)(later, event, 0));
  GPU(gpu()->cuEventDestroy(event));
}

/* Queued in stream a, from place 0 to 1; and the other parties, in the default stream. */
static void in_a(void) {
  launch(s.a, 0, 1);
}
static void htod(int place) {
  GPU(gpu()->cuMemcpyHtoD(s.at[place], s.host, BYTES));
}
static void memset_at(int place) {
  GPU(gpu()->cuMemsetD8(s.at[place], 1, BYTES));
}

#define CASE(name)                                 \
  static void name##_steps(void);                  \
  static void name(const struct planted_case *c) { \
    open_stage(c);                                 \
    name##_steps();                                \
    close_stage();                                 \
  }                                                \
  static void name##_steps(void)

/* ---- nothing orders these */

CASE(read_after_copy) {
  htod(0);
  in_a();
  wait_for(s.a);
}
CASE(write_after_copy) {
  htod(1);
  in_a();
}
CASE(copy_after_read) {
  in_a();
  htod(0);
}
CASE(one_byte_in_common) {
  GPU(gpu()->cuMemcpyHtoD(s.at[0] + BYTES - 1, s.host, 1));
  in_a();
}
CASE(read_after_memset) {
  memset_at(0);
  in_a();
}
CASE(rows_of_a_memset) { /* of 4 bytes, 32 apart */
  GPU(CALL(cuMemsetD2D8)(s.at[0] + 60, 32, 1, 4, 2));
  in_a();
}
CASE(device_copy) {
  GPU(CALL(cuMemcpyDtoD)(s.at[0], s.at[2], BYTES));
  in_a();
}
CASE(result_read_too_early) {
  in_a();
  GPU(gpu()->cuMemcpyDtoH(s.host, s.at[1], BYTES));
}
CASE(kernels_in_two_streams) {
  launch(s.a, 0, 1);
  launch(s.b, 1, 2);
}
CASE(kernels_in_two_streams_the_other_way_round) {
  launch(s.a, 0, 1);
  launch(s.b, 1, 2);
  wait_for(s.b);
  wait_for(s.a);
}
CASE(event_recorded_too_early) {
  put_behind(s.a, s.b);
  launch(s.a, 0, 1);
  launch(s.b, 1, 2);
}
CASE(copies_in_two_streams) {
  GPU(gpu()->cuMemcpyHtoDAsync(s.at[0], s.pinned, BYTES, s.a));
  GPU(CALL(cuMemcpyDtoDAsync)(s.at[1], s.at[0], BYTES, s.b));
}
CASE(waiting_for_another_stream) {
  memset_at(0);
  wait_for(s.b);
  in_a();
}
CASE(kernel_that_has_run) { /* by itself, but nobody knows */
  launch(s.a, 0, 1);
  (void)usleep(300000);
  launch(s.b, 1, 2);
}
CASE(graph_beside_a_copy) {
  CUgraph graph;
  CUgraphExec exec;
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  in_a();
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  htod(0);
  GPU(gpu()->cuGraphLaunch(exec, s.a));
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuGraphDestroy(graph));
}

/* Two kernels in two branches of a graph, the second of which uses what the first writes. */
static void branches(bool in_order) {
  CUgraph graph;
  CUgraphExec exec;
  GPU(gpu()->cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  put_behind(s.a, s.b);
  launch(s.a, 0, 1);
  if (in_order) put_behind(s.a, s.b);
  launch(s.b, 1, 2);
  put_behind(s.b, s.a);
  GPU(gpu()->cuStreamEndCapture(s.a, &graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) GPU(gpu()->cuGraphLaunch(exec, s.a));
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuGraphDestroy(graph));
}
CASE(branches_of_a_graph) {
  branches(false);
}
CASE(freed_under_a_memset) {
  memset_at(3);
  GPU(gpu()->cuMemFree(s.at[3]));
  s.at[3] = 0;
}
CASE(freed_after_a_kernel_that_has_run) {
  launch(s.a, 0, 3);
  (void)usleep(300000);
  GPU(gpu()->cuMemFree(s.at[3]));
  s.at[3] = 0;
}
CASE(freed_under_a_kernel) {
  launch(s.a, 0, 3);
  GPU(gpu()->cuMemFree(s.at[3]));
  s.at[3] = 0;
}

/* Memory of stream a's, used in stream b. */
static void use_in_b(bool in_order, bool is_freed_in_order) {
  CUdeviceptr p;
  GPU(gpu()->cuMemAllocAsync(&p, BYTES, s.a));
  if (in_order) put_behind(s.a, s.b);
  launch_at(s.b, s.at[0], p);
  if (is_freed_in_order) put_behind(s.b, s.a);
  GPU(gpu()->cuMemFreeAsync(p, s.a));
}
CASE(allocated_in_another_stream) {
  use_in_b(false, true);
}
CASE(freed_in_another_stream) {
  use_in_b(true, false);
  (void)gpu()->cuStreamSynchronize(s.b);
}
CASE(freed_in_another_stream_before) {
  use_in_b(true, false);
  (void)gpu()->cuStreamSynchronize(s.a);
}
CASE(pinned_source_changed) {
  GPU(gpu()->cuMemcpyHtoDAsync(s.at[0], s.pinned, BYTES, s.a));
  s.pinned[5] = 9;
}
CASE(pageable_source_changed) {
  GPU(gpu()->cuMemcpyHtoDAsync(s.at[0], s.host, BYTES, s.a));
  s.host[BYTES - 1] = 9;
}
CASE(destination_changed) {
  GPU(gpu()->cuMemcpyDtoHAsync(s.host, s.at[0], BYTES, s.a));
  s.host[0] = 9;
}
CASE(two_devices) {
  CUcontext first, second;
  GPU(gpu()->cuCtxGetCurrent(&first));
  GPU(CALL(cuCtxCreate)(&second, NULL, 0, 1));
  CUstream there = new_stream(CU_STREAM_DEFAULT);
  GPU(CALL(cuMemcpyDtoDAsync)(s.at[1], s.at[0], BYTES, there));
  GPU(gpu()->cuCtxSetCurrent(first));
  launch(s.blocking, 1, 2); /* waits for the default stream of its own context only */
  GPU(gpu()->cuCtxSynchronize());
  GPU(CALL(cuCtxDestroy)(second));
  GPU(gpu()->cuCtxSetCurrent(first));
}

#define PLANTED(function, text, ...)                                                                    \
  {                                                                                                     \
    .name = "order: " #function, .body = text, .host = function, .kind = ORDER, .says = { __VA_ARGS__ } \
  }

const planted_case cases_order[] = {
    PLANTED(read_after_copy, READS, "read of 4 bytes", "cuMemcpyHtoD in the default stream, which writes",
            "by kernel test in stream", "(non-blocking)", "thread (0,0,0)"),
    PLANTED(write_after_copy, WRITES, "write of 4 bytes",
            "cuMemcpyHtoD in the default stream, which writes"),
    PLANTED(copy_after_read, READS, "cuMemcpyHtoD in the default stream, which writes"),
    PLANTED(one_byte_in_common, READS, "thread (31,0,0)", "at byte 127 of 128 bytes"),
    PLANTED(read_after_memset, READS, "cuMemsetD8 in the default stream, which writes"),
    PLANTED(rows_of_a_memset, READS, "thread (15,0,0)", "at byte 60 of"),
    PLANTED(device_copy, READS, "cuMemcpyDtoD in the default stream, which writes"),
    PLANTED(result_read_too_early, WRITES, "cuMemcpyDtoH in the default stream, which reads"),
    PLANTED(kernels_in_two_streams, COPIES, "kernel test in stream", "allocation 2"),
    PLANTED(kernels_in_two_streams_the_other_way_round, COPIES, "kernel test in stream"),
    PLANTED(event_recorded_too_early, COPIES, "kernel test in stream"),
    PLANTED(copies_in_two_streams, COPIES, "cuMemcpyHtoDAsync in stream", "cuMemcpyDtoDAsync in stream"),
    PLANTED(waiting_for_another_stream, READS, "cuMemsetD8 in the default stream, which writes"),
    PLANTED(kernel_that_has_run, COPIES, "kernel test in stream", "which writes"),
    PLANTED(graph_beside_a_copy, READS, "by kernel test in a graph in stream"),
    PLANTED(branches_of_a_graph, COPIES, "kernel test in a graph in stream"),
    PLANTED(freed_after_a_kernel_that_has_run, COPIES, "cuMemFree: the memory is used by kernel test"),
    {.name = "order: freed_under_a_memset",
     .host = freed_under_a_memset,
     .body = COPIES,
     .kind = ORDER,
     .result = CUDA_ERROR_ILLEGAL_ADDRESS,
     .says = {"cuMemFree: the memory is used by cuMemsetD8 in the default stream", "use after free"}},
    {.name = "order: freed_under_a_kernel",
     .host = freed_under_a_kernel,
     .body = WRITES,
     .kind = "use after free",
     .result = CUDA_ERROR_ILLEGAL_ADDRESS},
    PLANTED(allocated_in_another_stream, COPIES, "cuMemAllocAsync in stream"),
    PLANTED(freed_in_another_stream, COPIES, "cuMemFreeAsync in stream", "kernel test"),
    {.name = "order: freed_in_another_stream_before",
     .host = freed_in_another_stream_before,
     .body = WRITES,
     .kind = ORDER,
     .result = CUDA_ERROR_ILLEGAL_ADDRESS,
     .says = {"cuMemFreeAsync in stream", "use after free"}},
    PLANTED(pinned_source_changed, COPIES, "cuMemcpyHtoDAsync: the program has written to the 128 bytes",
            "still to be copied"),
    PLANTED(pageable_source_changed, COPIES, "still to be copied"),
    PLANTED(destination_changed, COPIES, "cuMemcpyDtoHAsync", "still to be filled"),
    {.name = "order: two_devices",
     .host = two_devices,
     .body = READS,
     .kind = ORDER,
     .says = {"cuMemcpyDtoDAsync in stream"},
     .settings = {"JIG_SOFTGPU_DEVICES=2"}},
};
const size_t cases_order_count = COUNT_OF(cases_order);

/* ---- something orders these */

CASE(waited_for) {
  htod(0);
  memset_at(1);
  wait_for(NULL);
  in_a();
  wait_for(s.a);
  htod(0);
  GPU(gpu()->cuMemcpyDtoH(s.host, s.at[1], BYTES));
}
CASE(context_waited_for) {
  memset_at(0);
  GPU(gpu()->cuCtxSynchronize());
  in_a();
  GPU(gpu()->cuCtxSynchronize());
  htod(1);
}
CASE(in_the_default_stream) {
  htod(0);
  launch(NULL, 0, 1);
  GPU(gpu()->cuMemcpyDtoH(s.host, s.at[1], BYTES));
  memset_at(0);
}
CASE(in_a_blocking_stream) {
  htod(0);
  launch(s.blocking, 0, 1);
  htod(0);
  launch(s.blocking, 0, 1);
  GPU(gpu()->cuMemcpyDtoH(s.host, s.at[1], BYTES));
}
CASE(behind_an_event) {
  launch(s.a, 0, 1);
  put_behind(s.a, s.b);
  launch(s.b, 1, 2);
  put_behind(s.b, NULL);
  memset_at(1);
}
CASE(behind_an_event_that_is_over) {
  memset_at(1);
  (void)usleep(300000);
  put_behind(NULL, s.b);
  launch(s.b, 1, 2);
}
CASE(event_waited_for) {
  CUevent event;
  GPU(gpu()->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  launch(s.a, 0, 1);
  GPU(gpu()->cuEventRecord(event, s.a));
  GPU(gpu()->cuEventSynchronize(event));
  launch(s.b, 1, 2);
  GPU(gpu()->cuEventDestroy(event));
}
CASE(asked_until_it_is_over) {
  launch(s.a, 0, 1);
  while (CALL(cuStreamQuery)(s.a) == CUDA_ERROR_NOT_READY) (void)usleep(1000);
  launch(s.b, 1, 2);
}
static void CUDA_CB raise_flag(void *flag) {
  *(volatile unsigned char *)flag = 1;
}
CASE(told_by_a_host_function) {
  launch(s.a, 0, 1);
  GPU(CALL(cuLaunchHostFunc)(s.a, raise_flag, s.host));
  while (*(volatile unsigned char *)s.host == 0) (void)usleep(1000);
  launch(s.b, 1, 2);
}
CASE(pinned_memory) {
  GPU(gpu()->cuMemcpyHtoD(s.at[0], s.pinned, BYTES));
  in_a();
  GPU(gpu()->cuMemcpyDtoHAsync(s.pinned, s.at[1], BYTES, s.a));
  GPU(gpu()->cuMemcpyHtoDAsync(s.at[0], s.pinned, BYTES, s.a));
}
CASE(neighbours) { /* the bytes differ */
  GPU(gpu()->cuMemcpyHtoD(s.at[2], s.host, BYTES / 2));
  launch_at(s.a, s.at[0], s.at[1]);
  GPU(CALL(cuMemcpyDtoDAsync)(s.at[2] + BYTES / 2, s.at[0], BYTES / 2, s.b));
}
CASE(both_read) {
  launch(s.a, 0, 1);
  launch(s.b, 0, 2);
  GPU(gpu()->cuMemcpyDtoH(s.host, s.at[0], BYTES));
}
CASE(both_count) {
  launch(s.a, 0, 1);
  launch(s.b, 0, 1);
}
CASE(joined_branches) {
  branches(true);
}
CASE(memory_of_a_stream) {
  use_in_b(true, true);
}
CASE(freed_when_it_is_over) {
  launch(s.a, 0, 3);
  wait_for(s.a);
  GPU(gpu()->cuMemFree(s.at[3]));
  s.at[3] = 0;
}

#define ORDERED(function, text) \
  { .name = "ordered: " #function, .body = text, .host = function }

const planted_case cases_ordered[] = {
    ORDERED(waited_for, COPIES),
    ORDERED(context_waited_for, COPIES),
    ORDERED(in_the_default_stream, COPIES),
    ORDERED(in_a_blocking_stream, COPIES),
    ORDERED(behind_an_event, COPIES),
    ORDERED(behind_an_event_that_is_over, COPIES),
    ORDERED(event_waited_for, COPIES),
    ORDERED(asked_until_it_is_over, COPIES),
    ORDERED(told_by_a_host_function, COPIES),
    ORDERED(pinned_memory, COPIES),
    ORDERED(neighbours, COPIES),
    ORDERED(both_read, COPIES),
    ORDERED(both_count, COUNTS),
    ORDERED(joined_branches, COPIES),
    ORDERED(memory_of_a_stream, COPIES),
    ORDERED(freed_when_it_is_over, COPIES),
};
const size_t cases_ordered_count = COUNT_OF(cases_ordered);
