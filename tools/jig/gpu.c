#include "gpu.h"

#include <stdint.h>
#include <string.h>

#include "report.h"

/* What is used here and may be missing from a library that is hardly a driver. */
#define GPU_FUNCTIONS(X)       \
  X(cuDevicePrimaryCtxRetain)  \
  X(cuDevicePrimaryCtxRelease) \
  X(cuCtxSetCurrent)           \
  X(cuStreamCreate)            \
  X(cuStreamDestroy)           \
  X(cuEventCreate)             \
  X(cuEventDestroy)            \
  X(cuEventRecord)             \
  X(cuEventSynchronize)        \
  X(cuEventElapsedTime)        \
  X(cuMemAlloc)                \
  X(cuMemFree)                 \
  X(cuMemcpyHtoDAsync)         \
  X(cuMemcpyDtoHAsync)

/* And where work and copies overlap. */
#define GPU_CHUNK_FUNCTIONS(X) \
  X(cuMemHostAlloc)            \
  X(cuMemFreeHost)             \
  X(cuMemGetInfo)              \
  X(cuMemsetD16Async)          \
  X(cuStreamWaitEvent)         \
  X(cuCtxSynchronize)

#define CHECK_FUNCTION(name) \
  if (cuda->name == NULL) return #name;
static const char *missing_function(const driver *cuda) {
  GPU_FUNCTIONS(CHECK_FUNCTION)
  return NULL;
}

static const char *missing_chunk_function(const driver *cuda) {
  GPU_CHUNK_FUNCTIONS(CHECK_FUNCTION)
  return NULL;
}
#undef CHECK_FUNCTION

static bool has_function(const char *missing) {
  if (missing != NULL) complain("the CUDA driver has no %s", missing);
  return missing == NULL;
}

bool gpu_has_chunks(const gpu *g) {
  return has_function(missing_chunk_function(g->cuda));
}

bool gpu_ok(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS) return true;
  (void)driver_error(result, call);
  complain("%s", jig_last_error());
  return false;
}

static bool make_objects(gpu *g, int device) {
  return gpu_ok(g->cuda->cuDeviceGet(&g->device, device), "cuDeviceGet") &&
         gpu_ok(g->cuda->cuDevicePrimaryCtxRetain(&g->context, g->device), "cuDevicePrimaryCtxRetain") &&
         gpu_ok(g->cuda->cuCtxSetCurrent(g->context), "cuCtxSetCurrent") &&
         gpu_ok(g->cuda->cuStreamCreate(&g->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate") &&
         gpu_ok(g->cuda->cuEventCreate(&g->before, CU_EVENT_DEFAULT), "cuEventCreate") &&
         gpu_ok(g->cuda->cuEventCreate(&g->after, CU_EVENT_DEFAULT), "cuEventCreate");
}

int gpu_open(gpu *g) {
  return gpu_open_device(g, 0);
}

int gpu_open_device(gpu *g, int device) {
  int count;
  *g = (gpu){.cuda = NULL};
  if (driver_devices(&count) == NULL) {
    complain("%s", jig_last_error());
    complain("without a GPU, --software runs it on the CPU");
    return EXIT_NO_DEVICE;
  }
  if (device >= count) {
    complain("there is no GPU %d: they are counted from 0, and there %s %d", device,
             count == 1 ? "is" : "are", count);
    return EXIT_NO_DEVICE;
  }
  if (!has_function(missing_function(driver_get()))) return EXIT_NO_DEVICE;
  g->cuda = driver_get();
  return make_objects(g, device) ? EXIT_OK : EXIT_FAILED;
}

/* Nothing can be done about what fails here: the context may be broken by then, which has been told. */
void gpu_close(gpu *g) {
  if (g->cuda == NULL) return;
  if (g->stream_count > 0) (void)g->cuda->cuCtxSynchronize(); /* where something failed half-way */
  for (int i = 0; i < g->stream_count; ++i) (void)g->cuda->cuStreamDestroy(g->streams[i]);
  for (int i = 0; i < g->event_count; ++i) (void)g->cuda->cuEventDestroy(g->events[i]);
  for (int i = 0; i < g->host_block_count; ++i) (void)g->cuda->cuMemFreeHost(g->host_blocks[i]);
  for (int i = 0; i < g->block_count; ++i) (void)g->cuda->cuMemFree(g->blocks[i]);
  if (g->after != NULL) (void)g->cuda->cuEventDestroy(g->after);
  if (g->before != NULL) (void)g->cuda->cuEventDestroy(g->before);
  if (g->stream != NULL) (void)g->cuda->cuStreamDestroy(g->stream);
  if (g->context != NULL) {
    (void)g->cuda->cuCtxSetCurrent(NULL);
    (void)g->cuda->cuDevicePrimaryCtxRelease(g->device);
  }
  *g = (gpu){.cuda = NULL};
}

void *gpu_alloc(gpu *g, size_t bytes) {
  CUdeviceptr block = 0;
  if (g->block_count == GPU_MAX_BLOCKS) {
    complain("more than %d blocks of device memory", (int)GPU_MAX_BLOCKS);
    return NULL;
  }
  if (!gpu_ok(g->cuda->cuMemAlloc(&block, bytes > 0 ? bytes : 1), "cuMemAlloc")) return NULL;
  g->blocks[g->block_count++] = block;
  return (void *)(uintptr_t)block;
}

void *gpu_alloc_host(gpu *g, size_t bytes) {
  void *block = NULL;
  if (g->host_block_count == GPU_MAX_OBJECTS) {
    complain("more than %d blocks of host memory", (int)GPU_MAX_OBJECTS);
    return NULL;
  }
  if (!gpu_ok(g->cuda->cuMemHostAlloc(&block, bytes > 0 ? bytes : 1, 0), "cuMemHostAlloc")) return NULL;
  g->host_blocks[g->host_block_count++] = block;
  return block;
}

bool gpu_add_stream(gpu *g, CUstream *stream) {
  if (g->stream_count == GPU_MAX_OBJECTS ||
      !gpu_ok(g->cuda->cuStreamCreate(stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"))
    return false;
  g->streams[g->stream_count++] = *stream;
  return true;
}

bool gpu_add_event(gpu *g, CUevent *event) {
  if (g->event_count == GPU_MAX_OBJECTS ||
      !gpu_ok(g->cuda->cuEventCreate(event, CU_EVENT_DEFAULT), "cuEventCreate"))
    return false;
  g->events[g->event_count++] = *event;
  return true;
}

bool gpu_free_memory(const gpu *g, size_t *bytes) {
  size_t total;
  return gpu_ok(g->cuda->cuMemGetInfo(bytes, &total), "cuMemGetInfo");
}

bool gpu_copy_in(const gpu *g, void *device, const void *host, size_t bytes, CUstream stream) {
  return bytes == 0 ||
         gpu_ok(g->cuda->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)device, host, bytes, stream),
                "cuMemcpyHtoDAsync");
}

bool gpu_copy_out(const gpu *g, void *host, const void *device, size_t bytes, CUstream stream) {
  return bytes == 0 ||
         gpu_ok(g->cuda->cuMemcpyDtoHAsync(host, (CUdeviceptr)(uintptr_t)device, bytes, stream),
                "cuMemcpyDtoHAsync");
}

bool gpu_record(const gpu *g, CUevent event, CUstream stream) {
  return gpu_ok(g->cuda->cuEventRecord(event, stream), "cuEventRecord");
}

bool gpu_order(const gpu *g, CUstream stream, CUevent after) {
  return gpu_ok(g->cuda->cuStreamWaitEvent(stream, after, 0), "cuStreamWaitEvent");
}

bool gpu_wait(const gpu *g, CUevent event) {
  return gpu_ok(g->cuda->cuEventSynchronize(event), "cuEventSynchronize");
}

bool gpu_elapsed(const gpu *g, CUevent from, CUevent to, double *ms) {
  float elapsed = 0;
  const bool ok = gpu_ok(g->cuda->cuEventElapsedTime(&elapsed, from, to), "cuEventElapsedTime");
  *ms += (double)elapsed;
  return ok;
}

static bool wait(const gpu *g) {
  return gpu_ok(g->cuda->cuStreamSynchronize(g->stream), "cuStreamSynchronize");
}

bool gpu_upload(const gpu *g, void *device, const void *host, size_t bytes) {
  return bytes == 0 || (gpu_copy_in(g, device, host, bytes, g->stream) && wait(g));
}

bool gpu_download(const gpu *g, void *host, const void *device, size_t bytes) {
  return bytes == 0 || (gpu_copy_out(g, host, device, bytes, g->stream) && wait(g));
}

bool gpu_clear(const gpu *g, void *device, size_t bytes) {
  if (bytes == 0) return true;
  return gpu_ok(g->cuda->cuMemsetD8Async((CUdeviceptr)(uintptr_t)device, 0, bytes, g->stream),
                "cuMemsetD8Async");
}

bool gpu_clock_start(const gpu *g) {
  return gpu_ok(g->cuda->cuEventRecord(g->before, g->stream), "cuEventRecord");
}

bool gpu_clock_stop(const gpu *g, double *ms) {
  float elapsed = 0;
  const bool ok =
      gpu_ok(g->cuda->cuEventRecord(g->after, g->stream), "cuEventRecord") &&
      gpu_ok(g->cuda->cuEventSynchronize(g->after), "cuEventSynchronize") &&
      gpu_ok(g->cuda->cuEventElapsedTime(&elapsed, g->before, g->after), "cuEventElapsedTime");
  *ms = (double)elapsed;
  return ok;
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double gpu_median(double *times, size_t count) {
  qsort(times, count, sizeof *times, compare);
  return (times[(count - 1) / 2] + times[count / 2]) / 2;
}
