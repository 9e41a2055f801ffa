#include "driver/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/library.h"
#include "util/error.h"
#include "util/log.h"

enum { MAX_DEVICES = 64 };

/* Found out once and never changed after. */
static struct {
  driver table;
  atomic_bool ready; /* last of all */
  jig_status status; /* why it is not */
  CUresult result;   /* of cuInit() */
  char problem[4096];
  device_info devices[MAX_DEVICES];
  int device_count;
  bool devices_alike;
} the;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
static const library_search search = {
    .what = "the CUDA driver",
    .variable = "JIG_DRIVER",
    .names = names,
    .advice = "Install NVIDIA's driver",
};

static void fail(jig_status status, const char *problem) {
  the.status = status;
  (void)snprintf(the.problem, sizeof the.problem, "%s", problem);
}

static bool has_libraries(const driver *cuda) {
  return cuda->cuLibraryLoadData != NULL && cuda->cuLibraryGetKernel != NULL &&
         cuda->cuLibraryGetGlobal != NULL && cuda->cuLibraryUnload != NULL &&
         cuda->cuKernelGetFunction != NULL && cuda->cuKernelGetAttribute != NULL &&
         cuda->cuKernelSetAttribute != NULL;
}

/* Takes the entry points; false, naming it, if a required one is missing. */
static bool take_symbols(void *handle, const char *path) {
  const char *missing = NULL;
#define SYMBOL_NAME(symbol) #symbol
#define TAKE(function) *(void **)&the.table.function = dlsym(handle, SYMBOL_NAME(function));
#define TAKE_REQUIRED(function) \
  TAKE(function)                \
  if (the.table.function == NULL) missing = SYMBOL_NAME(function);
  DRIVER_REQUIRED(TAKE_REQUIRED)
  DRIVER_OPTIONAL(TAKE)
  DRIVER_TOOLS(TAKE)
#undef TAKE
#undef TAKE_REQUIRED
  if (the.table.cuEventElapsedTime == NULL) { /* before 12.8 the same function had its first name */
    *(void **)&the.table.cuEventElapsedTime = dlsym(handle, "cuEventElapsedTime");
  }
  the.table.has_libraries = has_libraries(&the.table);
  the.table.takes_ptx_only = dlsym(handle, "softgpuTakesPtxOnly") != NULL;
  if (missing == NULL) return true;
  char problem[512];
  (void)snprintf(problem, sizeof problem, "%s has no %s: it is no CUDA driver, or one older than CUDA 11",
                 path != NULL ? path : "the CUDA driver", missing);
  fail(JIG_ERROR_NO_DRIVER, problem);
  return false;
}

static int attribute(CUdevice dev, CUdevice_attribute which) {
  int value = 0;
  (void)the.table.cuDeviceGetAttribute(&value, which, dev);
  return value;
}

static bool alike(const device_info *a, const device_info *b) {
  return a->sm == b->sm && a->multiprocessors == b->multiprocessors && strcmp(a->name, b->name) == 0;
}

static void list_devices(void) {
  int count = 0;
  if (the.table.cuDeviceGetCount(&count) != CUDA_SUCCESS) return;
  the.device_count = count < MAX_DEVICES ? count : MAX_DEVICES;
  the.devices_alike = true;
  for (int i = 0; i < the.device_count; ++i) {
    device_info *d = &the.devices[i];
    CUdevice dev;
    if (the.table.cuDeviceGet(&dev, i) != CUDA_SUCCESS) continue;
    d->sm = 10 * attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    d->multiprocessors = attribute(dev, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    (void)the.table.cuDeviceGetName(d->name, (int)sizeof d->name, dev);
    d->kind = i;
    for (int j = 0; j < i && d->kind == i; ++j) {
      if (alike(&the.devices[j], d)) d->kind = the.devices[j].kind;
    }
    the.devices_alike &= d->kind == 0;
    log_info("device %d: %s, sm_%d, %d multiprocessors", i, d->name, d->sm, d->multiprocessors);
  }
}

static void open_driver(void) {
  library l = library_open(&search);
  if (l.handle == NULL) {
    fail(JIG_ERROR_NO_DRIVER, l.problem != NULL ? l.problem : "the CUDA driver was not found");
    library_close(&l);
    return;
  }
  if (!take_symbols(l.handle, l.path)) {
    library_close(&l);
    return;
  }
  the.table.path = l.path; /* kept, with the library, for the life of the process */
  CUresult result = the.table.cuInit(0);
  (void)the.table.cuDriverGetVersion(&the.table.version);
  the.result = result;
  if (result != CUDA_SUCCESS) {
    const char *name = NULL, *text = NULL;
    (void)the.table.cuGetErrorName(result, &name);
    (void)the.table.cuGetErrorString(result, &text);
    char problem[512];
    (void)snprintf(problem, sizeof problem, "the CUDA driver does not start: cuInit: %s (%s)",
                   name != NULL ? name : "unknown error", text != NULL ? text : "");
    fail(result == CUDA_ERROR_NO_DEVICE ? JIG_ERROR_NO_DEVICE : JIG_ERROR_NO_DRIVER, problem);
    return;
  }
  log_info("driver %d.%d: %s", the.table.version / 1000, the.table.version % 1000 / 10,
           the.table.path != NULL ? the.table.path : "libcuda");
  list_devices();
  atomic_store_explicit(&the.ready, true, memory_order_release);
}

const driver *driver_get(void) {
  if (atomic_load_explicit(&the.ready, memory_order_acquire)) return &the.table;
  (void)pthread_once(&once, open_driver);
  if (the.ready) return &the.table;
  (void)error_of_driver(error_set(the.status, "%s", the.problem), (int)the.result);
  return NULL;
}

/* After one of these nothing runs in the context any more, and every call says so again. */
static bool is_fault(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

static jig_status set_error(CUresult result, const char *what, const char *advice) {
  const char *name = NULL, *description = NULL;
  (void)the.table.cuGetErrorName(result, &name);
  (void)the.table.cuGetErrorString(result, &description);
  jig_status status = result == CUDA_ERROR_OUT_OF_MEMORY     ? JIG_ERROR_OUT_OF_MEMORY
                      : result == CUDA_ERROR_INVALID_CONTEXT ? JIG_ERROR_NO_DEVICE
                                                             : JIG_ERROR_CUDA;
  (void)error_set(status, "%s: %s (%s)%s", what, name != NULL ? name : "unknown error",
                  description != NULL ? description : "", advice);
  return error_of_driver(status, (int)result);
}

jig_status driver_error(CUresult result, const char *what) {
  return set_error(result, what,
                   result == CUDA_ERROR_INVALID_CONTEXT ? "; is a CUDA context current?"
                   : is_fault(result)                   ? "; earlier work in this context failed, and "
                                                          "nothing runs in it any more"
                                                        : "");
}

jig_status driver_work_error(CUresult result, const char *what) {
  return set_error(result, what, "");
}

const device_info *driver_devices(int *count) {
  if (driver_get() == NULL) return NULL;
  *count = the.device_count;
  if (the.device_count > 0) return the.devices;
  (void)error_set(JIG_ERROR_NO_DEVICE, "the CUDA driver shows no device");
  return NULL;
}

jig_status driver_current_context(CUcontext *context) {
  CUresult result = the.table.cuCtxGetCurrent(context);
  if (result == CUDA_SUCCESS && *context == NULL) result = CUDA_ERROR_INVALID_CONTEXT;
  return result == CUDA_SUCCESS ? JIG_SUCCESS : driver_error(result, "cuCtxGetCurrent");
}

/* Without it there are no libraries either, and programs are told apart by the handle. */
uint64_t driver_context_id(void) {
  CUcontext context = NULL;
  unsigned long long id = 0;
  if (the.table.cuCtxGetId != NULL) return the.table.cuCtxGetId(NULL, &id) == CUDA_SUCCESS ? id : 0;
  return the.table.cuCtxGetCurrent(&context) == CUDA_SUCCESS ? (uint64_t)(uintptr_t)context : 0;
}

jig_status driver_current_device(const device_info **device) {
  int count;
  *device = driver_devices(&count);
  if (*device == NULL) return the.ready ? JIG_ERROR_NO_DEVICE : the.status;
  if (the.devices_alike) return JIG_SUCCESS;
  CUdevice current;
  CUresult result = the.table.cuCtxGetDevice(&current);
  if (result != CUDA_SUCCESS) return driver_error(result, "cuCtxGetDevice");
  /* The driver's device handles are its ordinals. */
  *device = &(*device)[current >= 0 && current < count ? current : 0];
  return JIG_SUCCESS;
}
