/* The CUDA driver, opened at run time: one table of entry points, and the devices there are. */
#ifndef JIG_DRIVER_DRIVER_H
#define JIG_DRIVER_DRIVER_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include <jig/status.h>

/* The entry points in use; cuda.h says what they do, and maps each name to the symbol's current version.
 * A driver without one of the first list is refused. Those of the second may be missing (most came with
 * 11.2 to 12.0) and are then NULL. The third list is for the tools and tests. */
#define DRIVER_REQUIRED(X)                       \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetAttribute)                        \
  X(cuCtxGetCurrent)                             \
  X(cuCtxSetCurrent)                             \
  X(cuCtxGetDevice)                              \
  X(cuModuleLoadData)                            \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuModuleGetGlobal)                           \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuLaunchKernel)                              \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuMemsetD8Async)                             \
  X(cuMemcpyDtoDAsync)                           \
  X(cuStreamSynchronize)                         \
  X(cuStreamIsCapturing)                         \
  X(cuThreadExchangeStreamCaptureMode)
#define DRIVER_OPTIONAL(X)              \
  X(cuLibraryLoadData)                  \
  X(cuLibraryUnload)                    \
  X(cuLibraryGetKernel)                 \
  X(cuLibraryGetGlobal)                 \
  X(cuKernelGetFunction)                \
  X(cuKernelGetAttribute)               \
  X(cuKernelSetAttribute)               \
  X(cuFuncLoad)                         \
  X(cuCtxGetId)                         \
  X(cuLaunchKernelEx)                   \
  X(cuOccupancyMaxActiveClusters)       \
  X(cuOccupancyMaxPotentialClusterSize) \
  X(cuStreamCreate)                     \
  X(cuStreamDestroy)                    \
  X(cuStreamBeginCapture)               \
  X(cuStreamEndCapture)                 \
  X(cuGraphExecUpdate)                  \
  X(cuGraphDestroy)                     \
  X(cuMemAllocAsync)                    \
  X(cuMemFreeAsync)
#define DRIVER_TOOLS(X)          \
  X(cuDeviceTotalMem)            \
  X(cuDevicePrimaryCtxRetain)    \
  X(cuDevicePrimaryCtxRelease)   \
  X(cuStreamWaitEvent)           \
  X(cuEventCreate)               \
  X(cuEventDestroy)              \
  X(cuEventRecord)               \
  X(cuEventSynchronize)          \
  X(cuEventElapsedTime)          \
  X(cuMemAlloc)                  \
  X(cuMemFree)                   \
  X(cuMemcpyHtoD)                \
  X(cuMemcpyDtoH)                \
  X(cuMemcpyHtoDAsync)           \
  X(cuMemcpyDtoHAsync)           \
  X(cuMemsetD8)                  \
  X(cuMemsetD16Async)            \
  X(cuMemGetInfo)                \
  X(cuMemHostAlloc)              \
  X(cuMemFreeHost)               \
  X(cuGraphInstantiateWithFlags) \
  X(cuGraphLaunch)               \
  X(cuGraphExecDestroy)          \
  X(cuCtxSynchronize)

typedef struct driver {
#define DRIVER_MEMBER(function) __typeof__(function) *function;
  DRIVER_REQUIRED(DRIVER_MEMBER)
  DRIVER_OPTIONAL(DRIVER_MEMBER)
  DRIVER_TOOLS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
  int version;         /* 12040 is 12.4 */
  const char *path;    /* of the library; may be NULL */
  bool has_libraries;  /* programs can be loaded as such, which serve every context */
  bool takes_ptx_only; /* it says so, as the software GPU does: no machine code is made for it */
} driver;

/* The driver, opened and started (cuInit) by whoever asks first; NULL with the error set if that did not
 * work, which is tried once. Lives as long as the process. */
const driver *driver_get(void);

/* Sets the error of a failed driver call, with CUDA's own name for it: "<what>: CUDA_ERROR_... (...)".
 * JIG_ERROR_OUT_OF_MEMORY, JIG_ERROR_NO_DEVICE or JIG_ERROR_CUDA. */
jig_status driver_error(CUresult result, const char *what);

/* The same of waiting for work, whose own failure this may be. Elsewhere driver_error() says of a
 * kernel's fault that it is earlier work's. */
jig_status driver_work_error(CUresult result, const char *what);

/* One GPU, as far as programs depend on it. */
typedef struct device_info {
  int sm; /* 90 is compute capability 9.0 */
  int multiprocessors;
  int kind; /* equal for devices that are alike in all of this */
  char name[96];
} device_info;

/* The devices that the driver shows, in its order, found out once. NULL with the error set if there is
 * none. */
const device_info *driver_devices(int *count);

/* The calling thread's current context; JIG_ERROR_NO_DEVICE if there is none. Once there is a driver. */
jig_status driver_current_context(CUcontext *context);

/* What that context is told apart by, also from one that has ended; 0 if that is not known. */
uint64_t driver_context_id(void);

/* The device of the calling thread's current context. Asks the driver only where devices differ. */
jig_status driver_current_device(const device_info **device);

#endif
