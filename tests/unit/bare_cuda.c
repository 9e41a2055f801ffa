/* A CUDA driver that does nothing at all, for counting what calls cost: of what is enqueued, and of all
 * else that it is asked, it only counts how often. Programs are loaded as libraries. */
#include <cuda.h>
#include <stdint.h>
#include <string.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"

unsigned long bare_enqueued, bare_queries;
unsigned long bare_context = 1; /* the current one's id */

static int thing; /* what handles point to */

#define BARE(function, parameters, action) \
  CUresult CUDAAPI function parameters {   \
    ++bare_queries;                        \
    action;                                \
    return CUDA_SUCCESS;                   \
  }
#define BARE_WORK(function, parameters)  \
  CUresult CUDAAPI function parameters { \
    ++bare_enqueued;                     \
    return CUDA_SUCCESS;                 \
  }

static int attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 132;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    default:
      return 0;
  }
}

BARE(cuInit, (unsigned flags), )
BARE(cuDriverGetVersion, (int *version), *version = 13000)
BARE(cuGetErrorName, (CUresult e, const char **name), *name = "CUDA_ERROR_BARE")
BARE(cuGetErrorString, (CUresult e, const char **text), *text = "as told")
BARE(cuDeviceGetCount, (int *count), *count = 1)
BARE(cuDeviceGet, (CUdevice * device, int ordinal), *device = ordinal)
BARE(cuDeviceGetName, (char *name, int size, CUdevice device), strncpy(name, "Bare", (size_t)size))
BARE(cuDeviceGetAttribute, (int *value, CUdevice_attribute which, CUdevice d), *value = attribute(which))
BARE(cuCtxGetCurrent, (CUcontext * context), *context = (CUcontext)&thing)
BARE(cuCtxGetId, (CUcontext context, unsigned long long *id), *id = bare_context)
BARE(cuCtxGetDevice, (CUdevice * device), *device = 0)
BARE(cuCtxSetCurrent, (CUcontext context), )
BARE(cuStreamSynchronize, (CUstream stream), )
BARE(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), )
BARE(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status),
     *status = CU_STREAM_CAPTURE_STATUS_NONE)
BARE(cuModuleLoadData, (CUmodule * module, const void *image), *module = (CUmodule)&thing)
BARE(cuModuleUnload, (CUmodule module), )
BARE(cuModuleGetGlobal, (CUdeviceptr * variable, size_t *size, CUmodule module, const char *name),
     *size = 9)
BARE(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
     *function = (CUfunction)&thing)
BARE(cuFuncGetAttribute, (int *value, CUfunction_attribute which, CUfunction function), *value = 1024)
BARE(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute which, int value), )
BARE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, CUfunction function, int threads, size_t shared_bytes), *blocks = 1)
BARE(cuLibraryLoadData,
     (CUlibrary * library, const void *code, CUjit_option *options, void **values, unsigned count,
      CUlibraryOption *others, void **other_values, unsigned other_count),
     *library = (CUlibrary)&thing)
BARE(cuLibraryUnload, (CUlibrary library), )
BARE(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name),
     *kernel = (CUkernel)&thing)
BARE(cuLibraryGetGlobal, (CUdeviceptr * variable, size_t *size, CUlibrary library, const char *name),
     *size = 9)
BARE(cuKernelGetFunction, (CUfunction * function, CUkernel kernel), *function = (CUfunction)kernel)
BARE(cuKernelGetAttribute, (int *value, CUfunction_attribute which, CUkernel kernel, CUdevice device),
     *value = 1024)
BARE(cuKernelSetAttribute, (CUfunction_attribute which, int value, CUkernel kernel, CUdevice device), )
BARE(cuOccupancyMaxPotentialClusterSize, (int *size, CUfunction function, const CUlaunchConfig *config),
     *size = 16)
BARE(cuFuncLoad, (CUfunction function), )

BARE_WORK(cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))
BARE_WORK(cuMemsetD8Async, (CUdeviceptr there, unsigned char byte, size_t size, CUstream stream))
BARE_WORK(cuMemFreeAsync, (CUdeviceptr there, CUstream stream))
BARE_WORK(cuLaunchKernel,
          (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
           unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra))
BARE_WORK(cuLaunchKernelEx,
          (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *there, size_t size, CUstream stream) {
  ++bare_enqueued;
  *there = (CUdeviceptr)1 << 51;
  return CUDA_SUCCESS;
}
