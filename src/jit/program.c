#include "jit/program.h"

#include <stdlib.h>
#include <string.h>

#include "jit/diagnose.h"
#include "jit/own_limits.h"
#include "jit/tuned.h"
#include "util/deep_call.h"
#include "util/error.h"

/* Blocks that a cluster may have on every GPU that has clusters. */
enum { PORTABLE_CLUSTER = 8 };

/* Whether there is programmatic dependent launch: the kernel is launched when all blocks of the stream's
 * previous kernel have exited, or say that it may be, and waits (griddepcontrol.wait) until that has
 * completed and its writes are visible. From SM 90, for which the code must have been made, as PTX for
 * older GPUs does not wait; capturing it into graphs needs CUDA 12.3. */
static bool can_pdl(const driver *cuda, const arch *target) {
  return cuda->cuLaunchKernelEx != NULL && target->sm >= 90 && cuda->version >= 12030;
}

static program_verdict verdict_of(CUresult result) {
  switch (result) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_NOT_FOUND: /* it lacks the kernel */
      return PROGRAM_DAMAGED;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: /* that of a newer compiler */
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_NOT_SUPPORTED:
      return PROGRAM_UNFIT;
    default:
      return PROGRAM_ACCEPTED;
  }
}

/* What the driver's own compiler says of PTX that it refuses. */
typedef struct jit_log {
  char text[1024];
} jit_log;

static CUresult load_library(const driver *cuda, const artifact *a, const char *name, loaded_kernel *k,
                             jit_log *log) {
  CUkernel kernel;
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log->text, (void *)(uintptr_t)sizeof log->text};
  const unsigned count = a->target.ptx ? 2 : 0;
  CUresult result =
      cuda->cuLibraryLoadData(&k->library, a->payload, options, values, count, NULL, NULL, 0);
  if (result != CUDA_SUCCESS) return result;
  result = cuda->cuLibraryGetKernel(&kernel, k->library, name);
  atomic_init(&k->function, (CUfunction)kernel);
  return result;
}

static CUresult load_module(const driver *cuda, const artifact *a, const char *name, loaded_kernel *k) {
  CUfunction function;
  CUresult result = cuda->cuModuleLoadData(&k->module, a->payload);
  if (result != CUDA_SUCCESS) return result;
  result = cuda->cuModuleGetFunction(&function, k->module, name);
  atomic_init(&k->function, function);
  return result;
}

/* Loading is among what a thread may not do while it, or in the global mode anybody, captures a stream;
 * nothing that is captured depends on it. */
static CUstreamCaptureMode exchange_capture_mode(const driver *cuda, CUstreamCaptureMode mode) {
  (void)cuda->cuThreadExchangeStreamCaptureMode(&mode);
  return mode;
}

/* ---- residence */

static CUresult set_attribute(const driver *cuda, const loaded_kernel *k, CUfunction_attribute which,
                              int value) {
  CUdevice device;
  if (!cuda->has_libraries) return cuda->cuFuncSetAttribute(k->function, which, value);
  CUresult result = cuda->cuCtxGetDevice(&device);
  if (result != CUDA_SUCCESS) return result;
  return cuda->cuKernelSetAttribute(which, value, (CUkernel)k->function, device);
}

/* More shared memory than every GPU has must be asked for, in every context. */
static CUresult allow_shared_bytes(const driver *cuda, const loaded_kernel *k) {
  if (k->shared_bytes == 0) return CUDA_SUCCESS;
  return set_attribute(cuda, k, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)k->shared_bytes);
}

/* How many of so many blocks of a cluster the current context has room for at once. Large clusters must
 * be asked for, in every context, too. */
static unsigned room_for_cluster(const driver *cuda, const loaded_kernel *k, unsigned wanted) {
  int room = 1;
  const CUlaunchConfig config = {.gridDimX = wanted,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = policy_threads(&k->tuning),
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .sharedMemBytes = k->shared_bytes};
  if (cuda->cuLaunchKernelEx == NULL || cuda->cuOccupancyMaxPotentialClusterSize == NULL) return 1;
  if (wanted > PORTABLE_CLUSTER)
    (void)set_attribute(cuda, k, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (cuda->cuOccupancyMaxPotentialClusterSize(&room, k->function, &config) != CUDA_SUCCESS) return 1;
  while (wanted > (unsigned)room && wanted > 1) wanted /= 2;
  return wanted;
}

static void fit_cluster(const driver *cuda, loaded_kernel *k) {
  unsigned wanted = atomic_load(&k->max_cluster);
  if (wanted <= 1) return;
  const unsigned room = room_for_cluster(cuda, k, wanted);
  while (wanted > room && !atomic_compare_exchange_weak(&k->max_cluster, &wanted, room)) continue;
}

/* Asking for a library's kernel as a function of the current context loads it there. */
static CUresult make_resident(const driver *cuda, loaded_kernel *k) {
  CUfunction function;
  CUresult result = allow_shared_bytes(cuda, k);
  if (result != CUDA_SUCCESS) return result;
  fit_cluster(cuda, k);
  /* How large its clusters are is said by each launch. What has no clusters does not take this. */
  if (k->own != NULL)
    (void)set_attribute(cuda, k, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  if (!cuda->has_libraries) return CUDA_SUCCESS;
  result = cuda->cuKernelGetFunction(&function, (CUkernel)k->function);
  if (result != CUDA_SUCCESS || cuda->cuFuncLoad == NULL) return result;
  return cuda->cuFuncLoad(function);
}

static CUresult make_all_resident(program *p) {
  const CUstreamCaptureMode mode = exchange_capture_mode(p->cuda, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUresult result = CUDA_SUCCESS;
  const kernel_set loaded = atomic_load(&p->loaded);
  for (int i = 0; i < p->count && result == CUDA_SUCCESS; ++i)
    if (kernel_set_has(loaded, i)) result = make_resident(p->cuda, &p->kernels[i]);
  (void)exchange_capture_mode(p->cuda, mode);
  return result;
}

static void unload(const program *p, CUlibrary *library, CUmodule *module) {
  if (*library != NULL) (void)p->cuda->cuLibraryUnload(*library);
  if (*module != NULL) (void)p->cuda->cuModuleUnload(*module);
  *library = NULL;
  *module = NULL;
}

/* What was loaded before stays, as long as this fails or anybody may launch it. */
static CUresult load(program *p, const artifact *a, loaded_kernel *k, jit_log *log) {
  const driver *cuda = p->cuda;
  const char *name = a->name;
  loaded_kernel fresh = {.tuning = k->tuning, .shared_bytes = k->shared_bytes};
  atomic_init(&fresh.max_cluster, atomic_load(&k->max_cluster));
  CUresult result =
      cuda->has_libraries ? load_library(cuda, a, name, &fresh, log) : load_module(cuda, a, name, &fresh);
  if (result == CUDA_SUCCESS && spec_own_kernel(p->s) != NULL) result = own_limits_read(cuda, a, &fresh);
  if (result == CUDA_SUCCESS) result = make_resident(cuda, &fresh);
  if (result != CUDA_SUCCESS) {
    unload(p, &fresh.library, &fresh.module);
    own_limits_free(&fresh);
    return result;
  }
  k->first_library = k->library;
  k->first_module = k->module;
  k->library = fresh.library;
  k->module = fresh.module;
  if (fresh.own != NULL) k->own = fresh.own; /* others may read it meanwhile */
  atomic_store(&k->max_cluster, atomic_load(&fresh.max_cluster));
  atomic_store(&k->function, atomic_load(&fresh.function));
  return CUDA_SUCCESS;
}

static void note_tier(program *p, const artifact *a, int kernel) {
  CUcontext context = NULL;
  if (!a->linked) {
    atomic_fetch_and(&p->linked, ~kernel_set_of(kernel));
    return;
  }
  (void)p->cuda->cuCtxGetCurrent(&context);
  CUcontext before = atomic_exchange(&p->linked_in, context);
  if (before != NULL && before != context) atomic_store(&p->stays_linked, true);
  atomic_fetch_or(&p->linked, kernel_set_of(kernel));
}

static CUresult load_all(program *p, const artifacts *all, program_refusal *refusal, jit_log *log) {
  const CUstreamCaptureMode mode = exchange_capture_mode(p->cuda, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUresult result = CUDA_SUCCESS;
  const kernel_set is_new = all->built & ~atomic_load(&p->loaded);
  for (int i = 0; i < p->count && result == CUDA_SUCCESS; ++i) {
    if (!kernel_set_has(all->built, i)) continue;
    result = load(p, &all->of[i], &p->kernels[i], log);
    refusal->kernel = i;
    if (result == CUDA_SUCCESS) note_tier(p, &all->of[i], i);
  }
  if (result != CUDA_SUCCESS) atomic_fetch_and(&p->linked, ~is_new);
  for (int i = 0; i < p->count && result != CUDA_SUCCESS; ++i)
    if (kernel_set_has(is_new, i)) {
      unload(p, &p->kernels[i].library, &p->kernels[i].module);
      own_limits_free(&p->kernels[i]);
    }
  (void)exchange_capture_mode(p->cuda, mode);
  return result;
}

/* ---- the driver's own compiler */

/* What is to be done in a context: to load kernels, or to make resident what is loaded. */
typedef struct loading {
  program *p;
  const artifacts *all; /* NULL: they are loaded */
  program_refusal *refusal;
  CUcontext context;
  CUresult result;
  jit_log log;
} loading;

static void run_loading(loading *l) {
  l->result = l->all != NULL ? load_all(l->p, l->all, l->refusal, &l->log) : make_all_resident(l->p);
}

static jig_status run_loading_there(void *argument) {
  loading *l = argument;
  l->result = l->p->cuda->cuCtxSetCurrent(l->context);
  if (l->result == CUDA_SUCCESS) run_loading(l);
  return JIG_SUCCESS;
}

/* Where the driver has to compile, in a thread that has the stack for it. */
static jig_status run_loading_deep(loading *l) {
  l->result = l->p->cuda->cuCtxGetCurrent(&l->context);
  return l->result == CUDA_SUCCESS ? deep_call(run_loading_there, l) : JIG_SUCCESS;
}

static jig_status start_loading(loading *l) {
  if (atomic_load(&l->p->is_ptx)) return run_loading_deep(l);
  run_loading(l);
  return JIG_SUCCESS;
}

/* Kernels that are loaded one after the other need not be resident in the same contexts. */
static void note_loaded(program *p, kernel_set built) {
  const uint64_t here = driver_context_id();
  (void)pthread_mutex_lock(&p->residence);
  if (atomic_load(&p->loaded) != 0 && atomic_load(&p->resident_in) != here)
    atomic_store(&p->resident_in, 0);
  else
    atomic_store(&p->resident_in, here);
  atomic_fetch_or(&p->loaded, built);
  (void)pthread_mutex_unlock(&p->residence);
}

/* Its kernels will not be replaced by what would not be resident here. */
static void note_use_elsewhere(program *p) {
  CUcontext context = NULL;
  if (p->cuda->cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != atomic_load(&p->linked_in)) {
    atomic_store(&p->stays_linked, true);
    atomic_store(&p->better, 0);
  }
}

jig_status program_make_resident(program *p) {
  loading l = {.p = p};
  const uint64_t here = driver_context_id();
  if (here != 0 && atomic_load(&p->resident_in) == here) return JIG_SUCCESS; /* warm calls end here */
  if (atomic_load(&p->linked) != 0) note_use_elsewhere(p);
  (void)pthread_mutex_lock(&p->residence);
  jig_status status = start_loading(&l);
  if (status == JIG_SUCCESS && l.result == CUDA_SUCCESS) atomic_store(&p->resident_in, here);
  (void)pthread_mutex_unlock(&p->residence);
  if (status != JIG_SUCCESS || l.result == CUDA_SUCCESS) return status;
  return driver_error(l.result, "loading a kernel");
}

void program_plan(program *p, const spec *s, const arch *target, const device_info *dev,
                  const wisdom *tuned_by) {
  tuning_told told = tuned_of(tuned_by, s, target->sm);
  *p = (program){
      .count = algorithm_kernel_count(s),
      .s = s,
      .target = *target,
      .tuned_by = told.count > 0 ? tuned_by : NULL,
      .multiprocessors = spec_is_gpu_to_gpu(s) ? GPU_TO_GPU_MULTIPROCESSORS : dev->multiprocessors,
      .cuda = driver_get()};
  (void)pthread_mutex_init(&p->residence, NULL);
  p->can_pdl = p->cuda != NULL && can_pdl(p->cuda, target);
  for (int i = 0; i < p->count; ++i) {
    const kernel_row *row = algorithm_kernel(s, i, target->sm);
    loaded_kernel *k = &p->kernels[i];
    k->parameters = row->parameters;
    k->tuning = kernel_policy(row, s, target->sm, &told);
    k->shared_bytes = (unsigned)policy_value(&k->tuning, "shared_bytes", 0);
    atomic_init(&k->max_cluster, (unsigned)policy_value(&k->tuning, "cluster", 1));
  }
}

static bool has_ptx(const artifacts *all) {
  for (int i = 0; i < ALGORITHM_MAX_KERNELS; ++i)
    if (kernel_set_has(all->built, i) && all->of[i].target.ptx) return true;
  return false;
}

jig_status program_load(const artifacts *all, program *p, program_refusal *refusal) {
  *refusal = (program_refusal){PROGRAM_ACCEPTED, 0};
  if (p->cuda == NULL) return JIG_ERROR_NO_DRIVER;
  if (has_ptx(all)) atomic_store(&p->is_ptx, true);
  loading l = {.p = p, .all = all, .refusal = refusal};
  jig_status status = start_loading(&l);
  if (status == JIG_SUCCESS && l.result == CUDA_SUCCESS) {
    note_loaded(p, all->built);
    return JIG_SUCCESS;
  }
  atomic_store(&p->resident_in, 0); /* some may have been replaced */
  /* Other code would fare no better. */
  if (status == JIG_SUCCESS && spec_own_kernel(p->s) != NULL && diagnose_shared(l.log.text))
    return error_of_driver(JIG_ERROR_COMPILE, (int)l.result);
  if (status == JIG_SUCCESS) refusal->verdict = verdict_of(l.result);
  return status != JIG_SUCCESS ? status : driver_error(l.result, "loading a program");
}

static CUresult find_variable(const driver *cuda, const loaded_kernel *k, const char *name,
                              size_t *size) {
  CUdeviceptr address;
  return k->library != NULL ? cuda->cuLibraryGetGlobal(&address, size, k->library, name)
                            : cuda->cuModuleGetGlobal(&address, size, k->module, name);
}

/* The variable has a byte more, as there may be no fields. */
jig_status program_field_bytes(program *p, size_t *bytes) {
  size_t size = atomic_load(&p->variable_bytes);
  if (size == 0) {
    const CUstreamCaptureMode mode = exchange_capture_mode(p->cuda, CU_STREAM_CAPTURE_MODE_RELAXED);
    const kernel_set loaded = atomic_load(&p->loaded);
    const loaded_kernel *any = &p->kernels[__builtin_ctz(loaded)];
    const CUresult result = find_variable(p->cuda, any, "jig_field_bytes", &size);
    (void)exchange_capture_mode(p->cuda, mode);
    if (result != CUDA_SUCCESS)
      return driver_error(result, "asking a program for the size of its fields");
    atomic_store(&p->variable_bytes, size);
  }
  *bytes = size - 1;
  return JIG_SUCCESS;
}

void program_unload(program *p) {
  for (int i = 0; i < p->count; ++i) {
    unload(p, &p->kernels[i].library, &p->kernels[i].module);
    unload(p, &p->kernels[i].first_library, &p->kernels[i].first_module);
  }
}

void program_free(program *p) {
  for (int i = 0; i < p->count; ++i) {
    if (p->built[i] != NULL) artifact_free(p->built[i]);
    free(p->built[i]);
    own_limits_free(&p->kernels[i]);
  }
  (void)pthread_mutex_destroy(&p->residence);
  free(p);
}

static _Thread_local uint64_t launched_clusters;

uint64_t program_take_clusters(void) {
  const uint64_t clusters = launched_clusters;
  launched_clusters = 0;
  return clusters;
}

jig_status program_launch(const program *p, int kernel, launch_shape shape, void **parameters,
                          CUstream stream) {
  const loaded_kernel *k = &p->kernels[kernel];
  const unsigned threads = shape.threads != 0 ? shape.threads : policy_threads(&k->tuning);
  const unsigned shared_bytes = shape.shared_bytes != 0 ? shape.shared_bytes : k->shared_bytes;
  CUlaunchAttribute attributes[2];
  unsigned count = 0;
  CUresult result;
  if (shape.pdl && p->can_pdl)
    attributes[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                              .value.programmaticStreamSerializationAllowed = 1};
  if (shape.cluster > 1) {
    attributes[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                              .value.clusterDim = {shape.cluster, 1, 1}};
    launched_clusters = launched_clusters * 64 + shape.cluster;
  }
  if (count > 0) {
    CUlaunchConfig config = {.gridDimX = shape.grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = shared_bytes,
                             .hStream = stream,
                             .attrs = attributes,
                             .numAttrs = count};
    result = p->cuda->cuLaunchKernelEx(&config, k->function, parameters, NULL);
  } else {
    result = p->cuda->cuLaunchKernel(k->function, shape.grid, 1, 1, threads, 1, 1, shared_bytes, stream,
                                     parameters, NULL);
  }
  return result == CUDA_SUCCESS ? JIG_SUCCESS : driver_error(result, "launching a kernel");
}
