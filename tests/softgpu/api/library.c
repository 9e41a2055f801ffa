/* Libraries: images of code that are there in every context; each loads them when it is first asked. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/capture.h"
#include "api/code.h"
#include "api/handle.h"
#include "api/settings.h"

typedef struct instance {
  struct instance *next;
  context *owner;
  unsigned long long context_id; /* a primary context may end and begin again */
  CUmodule instance;
} instance;

struct CUlib_st {
  char *text;
  module *first; /* loaded to see whether it can be; the first context on its device takes it */
  int first_device;
  instance *instances;
  CUkernel kernels;
};

/* ---- instances */

static CUmodule find_instance(CUlibrary l, const context *c) {
  for (instance *i = l->instances; i != NULL; i = i->next) {
    if (i->owner == c && i->context_id == c->id) return i->instance;
  }
  return NULL;
}

/* Gives the lock up meanwhile, if it has to load. */
static CUresult module_in(CUlibrary l, context *c, CUmodule *found) {
  *found = find_instance(l, c);
  if (*found != NULL) return CUDA_SUCCESS;
  CUresult result = capture_check_unsafe();
  if (result != CUDA_SUCCESS) return result;
  module *image = NULL;
  if (l->first != NULL && l->first_device == c->device) {
    image = l->first;
    l->first = NULL;
  } else {
    work_unlock();
    image = code_load_image(l->text, c->device, 0, NULL, NULL, &result);
    work_lock();
    if (image == NULL) return result;
    *found = find_instance(l, c); /* another thread may have been quicker */
    if (*found != NULL) {
      module_unload(image);
      return CUDA_SUCCESS;
    }
  }
  instance *i = malloc(sizeof *i);
  *found = i != NULL ? code_add_module(c, image, l) : NULL;
  if (*found == NULL) {
    free(i);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *i = (instance){.next = l->instances, .owner = c, .context_id = c->id, .instance = *found};
  l->instances = i;
  return CUDA_SUCCESS;
}

static void take_over(CUkernel k, CUfunction f) {
  if (k->max_dynamic_shared >= 0) f->max_dynamic_shared = (unsigned)k->max_dynamic_shared;
  if (k->carveout >= 0) f->carveout = k->carveout;
  if (k->non_portable_cluster >= 0) f->non_portable_cluster = k->non_portable_cluster;
  if (k->cluster_policy >= 0) f->cluster_policy = k->cluster_policy;
}

CUresult code_function_of_kernel(CUkernel k, context *c, CUfunction *found) {
  CUmodule m;
  CUresult result = module_in(k->library, c, &m);
  if (result != CUDA_SUCCESS) return result;
  const CUfunction before = m->functions;
  result = code_find(m, k->name, found);
  if (result == CUDA_SUCCESS && m->functions != before) take_over(k, *found);
  return result;
}

CUresult code_function(CUfunction handle, context *c, CUfunction *found) {
  if (handle_is(HANDLE_KERNEL, handle)) return code_function_of_kernel((CUkernel)handle, c, found);
  *found = handle;
  return handle_check(HANDLE_FUNCTION, handle);
}

/* ---- loading */

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *jit_options,
                           void **jit_values, unsigned jit_count, CUlibraryOption *options, void **values,
                           unsigned count) {
  (void)options; /* where the image is kept is of no consequence here */
  (void)values;
  (void)count;
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && (library == NULL || image == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  const context *c = result == CUDA_SUCCESS ? context_in_use(NULL) : NULL;
  if (result == CUDA_SUCCESS && c != NULL) result = context_error(c);
  if (result == CUDA_SUCCESS) result = capture_check_unsafe();
  if (api_end(result) != CUDA_SUCCESS) return result;
  const int device = c != NULL ? c->device : 0;
  module *first = code_load_image(image, device, jit_count, jit_options, jit_values, &result);
  if (first == NULL) return result;
  CUlibrary l = calloc(1, sizeof *l);
  char *text = strdup(image);
  work_lock();
  if (l == NULL || text == NULL || !handle_add(HANDLE_LIBRARY, l)) {
    module_unload(first);
    free(l);
    free(text);
    return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  }
  *l = (struct CUlib_st){.text = text, .first = first, .first_device = device};
  *library = l;
  return api_end(CUDA_SUCCESS);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                               void **jit_values, unsigned jit_count, CUlibraryOption *options,
                               void **values, unsigned count) {
  char *text;
  CUresult result = code_read_file(path, &text);
  if (result == CUDA_SUCCESS)
    result = cuLibraryLoadData(library, text, jit_options, jit_values, jit_count, options, values, count);
  free(text);
  return result;
}

static CUresult begin(handle_kind kind, const void *handle) {
  work_lock();
  CUresult result = api_ready();
  return result == CUDA_SUCCESS ? handle_check(kind, handle) : result;
}

static void free_kernels(CUlibrary l) {
  while (l->kernels != NULL) {
    CUkernel k = l->kernels;
    l->kernels = k->next;
    handle_remove(k);
    free(k->name);
    free(k);
  }
}

CUresult cuLibraryUnload(CUlibrary l) {
  CUresult result = begin(HANDLE_LIBRARY, l);
  if (result == CUDA_SUCCESS) result = capture_check_unsafe();
  if (result != CUDA_SUCCESS) return api_end(result);
  handle_remove(l); /* nobody else finds it from here on */
  free_kernels(l);
  while (l->instances != NULL) {
    instance *i = l->instances;
    l->instances = i->next;
    if (i->owner->alive && i->owner->id == i->context_id) {
      const CUresult error = context_wait(i->owner);
      if (result == CUDA_SUCCESS) result = error;
      if (handle_is(HANDLE_MODULE, i->instance) && i->owner->id == i->context_id)
        code_end_module(i->instance);
    }
    free(i);
  }
  if (l->first != NULL) module_unload(l->first);
  free(l->text);
  free(l);
  return api_end(result);
}

/* ---- kernels */

/* Any of the images tells which kernels there are; one of them exists. */
static const module *any_image(CUlibrary l) {
  if (l->first != NULL) return l->first;
  for (instance *i = l->instances; i != NULL; i = i->next) {
    if (i->owner->alive && i->owner->id == i->context_id) return i->instance->code->image;
  }
  CUresult result;
  l->first = code_load_image(l->text, 0, 0, NULL, NULL, &result);
  l->first_device = 0;
  return l->first;
}

static CUresult kernel_of(CUlibrary l, const char *name, CUkernel *found) {
  for (*found = l->kernels; *found != NULL; *found = (*found)->next) {
    if (strcmp((*found)->name, name) == 0) return CUDA_SUCCESS;
  }
  const module *image = any_image(l);
  if (image == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  if (module_kernel(image, name) == NULL) return CUDA_ERROR_NOT_FOUND;
  CUkernel k = calloc(1, sizeof *k);
  char *copy = strdup(name);
  if (k == NULL || copy == NULL || !handle_add(HANDLE_KERNEL, k)) {
    free(k);
    free(copy);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *k = (struct CUkern_st){.library = l,
                          .name = copy,
                          .max_dynamic_shared = -1,
                          .carveout = -1,
                          .non_portable_cluster = -1,
                          .cluster_policy = -1,
                          .next = l->kernels};
  l->kernels = k;
  *found = k;
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name) {
  CUresult result = begin(HANDLE_LIBRARY, l);
  if (result == CUDA_SUCCESS && (k == NULL || name == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = kernel_of(l, name, k);
  return api_end(result);
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary l) {
  CUresult result = begin(HANDLE_LIBRARY, l);
  if (result == CUDA_SUCCESS && count == NULL) result = CUDA_ERROR_INVALID_VALUE;
  const module *image = result == CUDA_SUCCESS ? any_image(l) : NULL;
  if (image != NULL) *count = (unsigned)module_kernel_count(image);
  return api_end(result);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary l) {
  CUresult result = begin(HANDLE_LIBRARY, l);
  if (result == CUDA_SUCCESS && kernels == NULL) result = CUDA_ERROR_INVALID_VALUE;
  const module *image = result == CUDA_SUCCESS ? any_image(l) : NULL;
  const size_t all = image != NULL ? module_kernel_count(image) : 0;
  for (size_t i = 0; i < all && i < count && result == CUDA_SUCCESS; ++i) {
    result = kernel_of(l, module_kernel_at(image, i)->name, &kernels[i]);
  }
  return api_end(result);
}

/* In the current context. */
static CUresult begin_in_context(handle_kind kind, const void *handle, context **c) {
  CUresult result = api_begin(c);
  return result == CUDA_SUCCESS ? handle_check(kind, handle) : result;
}

CUresult cuLibraryGetModule(CUmodule *m, CUlibrary l) {
  context *c;
  CUresult result = begin_in_context(HANDLE_LIBRARY, l, &c);
  if (result == CUDA_SUCCESS && m == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? module_in(l, c, m) : result);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary l, const char *name) {
  CUmodule m;
  CUresult result = cuLibraryGetModule(&m, l);
  return result == CUDA_SUCCESS ? cuModuleGetGlobal(address, bytes, m, name) : result;
}

CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) {
  context *c;
  CUresult result = begin_in_context(HANDLE_KERNEL, k, &c);
  if (result == CUDA_SUCCESS && f == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? code_function_of_kernel(k, c, f) : result);
}

CUresult cuKernelGetLibrary(CUlibrary *l, CUkernel k) {
  CUresult result = begin(HANDLE_KERNEL, k);
  if (result == CUDA_SUCCESS && l == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *l = k->library;
  return api_end(result);
}

CUresult cuKernelGetName(const char **name, CUkernel k) {
  CUresult result = begin(HANDLE_KERNEL, k);
  if (result == CUDA_SUCCESS && name == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *name = k->name;
  return api_end(result);
}

CUresult cuKernelGetParamInfo(CUkernel k, size_t index, size_t *offset, size_t *size) {
  CUresult result = begin(HANDLE_KERNEL, k);
  if (result == CUDA_SUCCESS && offset == NULL) result = CUDA_ERROR_INVALID_VALUE;
  const module *image = result == CUDA_SUCCESS ? any_image(k->library) : NULL;
  const kernel *code = image != NULL ? module_kernel(image, k->name) : NULL;
  if (result == CUDA_SUCCESS && (code == NULL || index >= code->param_count))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  *offset = code->param_offsets[index];
  if (size != NULL) *size = code->param_sizes[index];
  return api_end(CUDA_SUCCESS);
}

/* ---- attributes: those of a function that is as every function of the kernel begins */

static CUresult begin_as_function(CUkernel k, CUdevice device, struct CUfunc_st *f) {
  CUresult result = begin(HANDLE_KERNEL, k);
  if (result == CUDA_SUCCESS && (device < 0 || device >= settings_get()->devices))
    result = CUDA_ERROR_INVALID_DEVICE;
  const module *image = result == CUDA_SUCCESS ? any_image(k->library) : NULL;
  const kernel *code = image != NULL ? module_kernel(image, k->name) : NULL;
  if (code == NULL) return result != CUDA_SUCCESS ? result : CUDA_ERROR_NOT_FOUND;
  const unsigned fixed = code->static_shared_bytes;
  *f = (struct CUfunc_st){
      .code = code,
      .max_dynamic_shared = fixed < API_SHARED_DEFAULT ? API_SHARED_DEFAULT - fixed : 0,
      .carveout = -1};
  take_over(k, f);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which, CUkernel k, CUdevice device) {
  struct CUfunc_st f;
  CUresult result = begin_as_function(k, device, &f);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? code_attribute(&f, which, value) : result);
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value, CUkernel k, CUdevice device) {
  struct CUfunc_st f;
  CUresult result = begin_as_function(k, device, &f);
  if (result == CUDA_SUCCESS) result = code_set_attribute(&f, which, value);
  if (result != CUDA_SUCCESS) return api_end(result);
  k->max_dynamic_shared = (int)f.max_dynamic_shared;
  k->carveout = f.carveout;
  k->non_portable_cluster = f.non_portable_cluster;
  k->cluster_policy = f.cluster_policy;
  for (instance *i = k->library->instances; i != NULL; i = i->next) {
    if (!i->owner->alive || i->owner->id != i->context_id || i->owner->device != device) continue;
    CUfunction there;
    if (code_find(i->instance, k->name, &there) == CUDA_SUCCESS) take_over(k, there);
  }
  return api_end(CUDA_SUCCESS);
}

CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache config, CUdevice device) {
  (void)config;
  (void)device;
  return api_end(begin(HANDLE_KERNEL, k));
}
