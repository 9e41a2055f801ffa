#include "jit/program.h"

#include <string.h>

#include "util/error.h"

/* Programmatic stream serialisation: the kernel is launched when all blocks of the stream's previous
 * kernel have exited, or say that it may be, and waits (griddepcontrol.wait) until that has completed and
 * its writes are visible. From SM 90, for which the code must have been made, as PTX for older GPUs does
 * not wait; capturing it into graphs needs CUDA 12.3. */
static bool can_overlap(const driver *cuda, const arch *target) {
  return cuda->cuLaunchKernelEx != NULL && target->sm >= 90 && cuda->version >= 12030;
}

static bool is_refusal(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_NOT_FOUND: /* it lacks the kernel */
      return true;
    default:
      return false;
  }
}

static CUresult load_library(const artifact *a, const char *name, program *p) {
  CUkernel kernel;
  CUresult result = p->cuda->cuLibraryLoadData(&p->library, a->payload, NULL, NULL, 0, NULL, NULL, 0);
  if (result != CUDA_SUCCESS) return result;
  result = p->cuda->cuLibraryGetKernel(&kernel, p->library, name);
  p->kernel = (CUfunction)kernel;
  return result;
}

static CUresult load_module(const artifact *a, const char *name, program *p) {
  CUresult result = p->cuda->cuModuleLoadData(&p->module, a->payload);
  return result != CUDA_SUCCESS ? result : p->cuda->cuModuleGetFunction(&p->kernel, p->module, name);
}

/* Loading is among what a thread may not do while it, or in the global mode anybody, captures a stream;
 * nothing that is captured depends on it. */
static CUstreamCaptureMode exchange_capture_mode(const driver *cuda, CUstreamCaptureMode mode) {
  (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}

/* Asking for a library's kernel as a function of the current context loads it there. */
static CUresult make_resident(const program *p) {
  CUfunction function;
  if (p->library == NULL) return CUDA_SUCCESS;
  CUresult result = p->cuda->cuKernelGetFunction(&function, (CUkernel)p->kernel);
  if (result != CUDA_SUCCESS || p->cuda->cuFuncLoad == NULL) return result;
  return p->cuda->cuFuncLoad(function);
}

jig_status program_make_resident(const program *p) {
  const CUstreamCaptureMode mode = exchange_capture_mode(p->cuda, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUresult result = make_resident(p);
  (void)exchange_capture_mode(p->cuda, mode);
  return result == CUDA_SUCCESS ? JIG_SUCCESS : driver_error(result, "loading a kernel");
}

static CUresult load(const artifact *a, const char *name, program *p) {
  CUresult result = driver_has_libraries(p->cuda) ? load_library(a, name, p) : load_module(a, name, p);
  return result == CUDA_SUCCESS ? make_resident(p) : result;
}

jig_status program_load(const artifact *a, const char *kernel, const device_info *dev, program *p,
                        bool *refused) {
  *p = (program){.tuning = a->tuning, .multiprocessors = dev->multiprocessors};
  *refused = false;
  p->cuda = driver_get();
  if (p->cuda == NULL) return JIG_ERROR_NO_DRIVER;
  p->can_overlap = can_overlap(p->cuda, &a->target);
  const CUstreamCaptureMode mode = exchange_capture_mode(p->cuda, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUresult result = load(a, kernel, p);
  (void)exchange_capture_mode(p->cuda, mode);
  if (result == CUDA_SUCCESS) return JIG_SUCCESS;
  *refused = is_refusal(result);
  program_unload(p);
  return driver_error(result, "loading a program");
}

void program_unload(program *p) {
  if (p->library != NULL) (void)p->cuda->cuLibraryUnload(p->library);
  if (p->module != NULL) (void)p->cuda->cuModuleUnload(p->module);
  p->library = NULL;
  p->module = NULL;
}

jig_status program_launch(const program *p, launch_shape shape, void **parameters, CUstream stream) {
  const unsigned threads = policy_threads(&p->tuning);
  CUresult result;
  if (shape.overlap && p->can_overlap) {
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                   .value.programmaticStreamSerializationAllowed = 1};
    CUlaunchConfig config = {.gridDimX = shape.grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream,
                             .attrs = &attribute,
                             .numAttrs = 1};
    result = p->cuda->cuLaunchKernelEx(&config, p->kernel, parameters, NULL);
  } else {
    result =
        p->cuda->cuLaunchKernel(p->kernel, shape.grid, 1, 1, threads, 1, 1, 0, stream, parameters, NULL);
  }
  return result == CUDA_SUCCESS ? JIG_SUCCESS : driver_error(result, "launching a kernel");
}
