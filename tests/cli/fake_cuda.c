/* A CUDA driver with nothing behind it, for jig run where there is no GPU: memory is the host's, and a
 * kernel copies the first item of its input to its output, and finds it at index 7. That is enough to see
 * how files are read and results printed, that every call's result is checked and that all is given back.
 *
 *   FAKE_DEVICES=0        there is no device
 *   FAKE_FAIL=cuMemAlloc  that call fails
 *   FAKE_REFUSE=cubin     no machine code is good enough for the device; "all": and no PTX either
 *   FAKE_UNFIT=<text>     nor is code that begins with this,
 *   FAKE_DAMAGED=<text>   and this is no code at all
 *   FAKE_KERNELS=0        kernels do nothing, nor do fills
 *   FAKE_SM=75            the device's compute capability, by default 90; FAKE_MULTIPROCESSORS=132: how
 *                         many it has, by default 4
 *   FAKE_CAPTURING=1      streams are being captured
 *   FAKE_VARIABLE=17      how large variables are, by default 9 bytes
 *   FAKE_WAIT=<file>      it is not there before that file is, which has ten seconds
 *
 * What is still there when the context goes is told on standard error. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { MAX_BLOCKS = 64 };

static struct {
  char *start;
  size_t size;
} blocks[MAX_BLOCKS];
static int objects; /* streams, events and modules */
static char kernel[64];

static CUresult answer(const char *call) {
  const char *failing = getenv("FAKE_FAIL");
  return failing != NULL && strcmp(failing, call) == 0 ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

/* A call that does what `action` says, unless it is to fail. */
#define FAKE(function, parameters, action)           \
  CUresult CUDAAPI function parameters {             \
    if (answer(#function)) return answer(#function); \
    action;                                          \
    return CUDA_SUCCESS;                             \
  }

/* ---- devices and contexts */

static int number_of(const char *variable, int otherwise) {
  const char *number = getenv(variable);
  return number != NULL ? atoi(number) : otherwise;
}

static int attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return number_of("FAKE_MULTIPROCESSORS", 4);
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return number_of("FAKE_SM", 90) / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return number_of("FAKE_SM", 90) % 10;
    default:
      return 0;
  }
}

static void tell_leaks(void) {
  int left = objects;
  for (int i = 0; i < MAX_BLOCKS; ++i) left += blocks[i].start != NULL;
  if (left > 0) fprintf(stderr, "fake CUDA: %d things leaked\n", left);
}

static int wait_for_file(void) {
  const char *file = getenv("FAKE_WAIT");
  for (int i = 0; file != NULL && access(file, F_OK) != 0; ++i) {
    if (i == 1000) return 0;
    usleep(10000);
  }
  return 1;
}

FAKE(cuInit, (unsigned flags), return wait_for_file() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY)
FAKE(cuDriverGetVersion, (int *version), *version = 13000)
FAKE(cuGetErrorName, (CUresult e, const char **name), *name = "CUDA_ERROR_FAKE")
FAKE(cuGetErrorString, (CUresult e, const char **text), *text = "as told")
FAKE(cuDeviceGetCount, (int *count), *count = number_of("FAKE_DEVICES", 1))
FAKE(cuDeviceGet, (CUdevice * device, int ordinal), *device = ordinal)
FAKE(cuDeviceGetName, (char *name, int size, CUdevice device), snprintf(name, (size_t)size, "Fake"))
FAKE(cuDeviceGetAttribute, (int *value, CUdevice_attribute which, CUdevice d), *value = attribute(which))
FAKE(cuCtxGetCurrent, (CUcontext * context), *context = (CUcontext)&objects)
FAKE(cuCtxGetDevice, (CUdevice * device), *device = 0)
FAKE(cuCtxSetCurrent, (CUcontext context), )
FAKE(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), *context = (CUcontext)&objects)
FAKE(cuDevicePrimaryCtxRelease, (CUdevice device), tell_leaks())

/* ---- memory */

static CUresult take_block(CUdeviceptr *block, size_t size) {
  int i = 0;
  while (i < MAX_BLOCKS && blocks[i].start != NULL) ++i;
  if (i == MAX_BLOCKS || (blocks[i].start = calloc(1, size)) == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  blocks[i].size = size;
  *block = (CUdeviceptr)(uintptr_t)blocks[i].start;
  return CUDA_SUCCESS;
}

static int block_at(const void *start) {
  int i = 0;
  while (i < MAX_BLOCKS && (blocks[i].start != start || start == NULL)) ++i;
  return i;
}

static CUresult give_block(CUdeviceptr block) {
  int i = block_at((void *)(uintptr_t)block);
  if (i == MAX_BLOCKS) return CUDA_ERROR_INVALID_VALUE;
  free(blocks[i].start);
  blocks[i].start = NULL;
  return CUDA_SUCCESS;
}

FAKE(cuMemAlloc, (CUdeviceptr * block, size_t size), return take_block(block, size))
FAKE(cuMemFree, (CUdeviceptr block), return give_block(block))
FAKE(cuMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t size, CUstream stream),
     memcpy((void *)(uintptr_t)to, from, size))
FAKE(cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t size, CUstream stream),
     memcpy(to, (void *)(uintptr_t)from, size))
FAKE(cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
     memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size))
FAKE(cuMemsetD8Async, (CUdeviceptr there, unsigned char byte, size_t size, CUstream stream),
     if (number_of("FAKE_KERNELS", 1) != 0) memset((void *)(uintptr_t)there, byte, size))

FAKE(cuMemsetD16Async, (CUdeviceptr there, unsigned short value, size_t count, CUstream stream), )
FAKE(cuMemHostAlloc, (void **block, size_t size, unsigned flags), *block = calloc(1, size))
FAKE(cuMemFreeHost, (void *block), free(block))
FAKE(cuMemGetInfo, (size_t * left, size_t *all), *left = *all = (size_t)1 << 30)

static int begins_with(const void *image, const char *variable) {
  const char *text = getenv(variable);
  return text != NULL && text[0] != '\0' && strncmp(image, text, strlen(text)) == 0;
}

static int is_refused(const void *image) {
  const char *refused = getenv("FAKE_REFUSE");
  if (refused == NULL) return 0;
  return strcmp(refused, "all") == 0 || memcmp(image, "\177ELF", 4) == 0;
}

/* ---- streams, events and modules: handles that are only counted */

#define TAKE(type, handle) ++objects, *(handle) = (type)&objects
FAKE(cuStreamCreate, (CUstream * stream, unsigned flags), TAKE(CUstream, stream))
FAKE(cuStreamDestroy, (CUstream stream), --objects)
FAKE(cuStreamSynchronize, (CUstream stream), )
FAKE(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), )
FAKE(cuCtxSynchronize, (void), )
FAKE(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), )
FAKE(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status),
     *status = number_of("FAKE_CAPTURING", 0) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                              : CU_STREAM_CAPTURE_STATUS_NONE)
FAKE(cuEventCreate, (CUevent * event, unsigned flags), TAKE(CUevent, event))
FAKE(cuEventDestroy, (CUevent event), --objects)
FAKE(cuEventRecord, (CUevent event, CUstream stream), )
FAKE(cuEventSynchronize, (CUevent event), )
FAKE(cuEventElapsedTime, (float *ms, CUevent from, CUevent to), *ms = 0.5f)
FAKE(cuModuleLoadData, (CUmodule * module, const void *image),
     if (is_refused(image) || begins_with(image, "FAKE_UNFIT")) return CUDA_ERROR_NO_BINARY_FOR_GPU;
     if (begins_with(image, "FAKE_DAMAGED")) return CUDA_ERROR_INVALID_PTX; TAKE(CUmodule, module))
FAKE(cuModuleUnload, (CUmodule module), --objects)
FAKE(cuModuleGetGlobal, (CUdeviceptr * variable, size_t *size, CUmodule module, const char *name),
     *size = (size_t)number_of("FAKE_VARIABLE", 9))
FAKE(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
     *function = (CUfunction)module;
     snprintf(kernel, sizeof kernel, "%s", name))
FAKE(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function),
     *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0)
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, CUfunction function, int threads, size_t shared_bytes), *blocks = 1)
/* As a large GPU has, where such clusters are allowed. */
FAKE(cuOccupancyMaxPotentialClusterSize, (int *blocks, CUfunction function, const CUlaunchConfig *config),
     *blocks = 16)
FAKE(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value), )

/* ---- kernels */

static void run_kernel(void **parameters) {
  if (number_of("FAKE_KERNELS", 1) == 0) return;
  const void *in = *(void **)parameters[0];
  void *out = *(void **)parameters[1];
  const int is_arg_reduce = strcmp(kernel, "jig_arg_reduce") == 0;
  const uint64_t items = *(uint64_t *)parameters[is_arg_reduce ? 4 : 5];
  const int block = block_at(out);
  if (items > 0 && block < MAX_BLOCKS) memcpy(out, in, blocks[block].size);
  if (!is_arg_reduce) return;
  unsigned char *index = *(unsigned char **)parameters[2];
  memset(index, 0, blocks[block_at(index)].size);
  *index = 7;
}

FAKE(cuLaunchKernel,
     (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
      unsigned shared, CUstream stream, void **parameters, void **extra),
     run_kernel(parameters))
FAKE(cuLaunchKernelEx,
     (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra),
     run_kernel(parameters))
