/* Modules: images of code, loaded into a context. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/capture.h"
#include "api/code.h"
#include "api/handle.h"
#include "api/settings.h"

static CUmodule modules;

/* ---- images */

loaded *code_hold(loaded *l) {
  ++l->references;
  return l;
}

void code_drop(loaded *l) {
  if (l == NULL || --l->references > 0) return;
  module_unload(l->image);
  free(l);
}

/* Its presence tells jig to make no machine code. */
__attribute__((visibility("default"))) const char softgpuTakesPtxOnly = 1;

static CUresult kind_of_image(const void *image) {
  uint32_t magic;
  if (image == NULL) return CUDA_ERROR_INVALID_VALUE;
  if (memcmp(image, "\177ELF", 4) == 0) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  memcpy(&magic, image, sizeof magic);
  if (magic == 0x466243b1u || magic == 0xba55ed50u)
    return CUDA_ERROR_NO_BINARY_FOR_GPU; /* fat binaries */
  return strstr(image, ".version") != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

/* The user's log buffers, among the options; the size is an option of its own, and tells how much there
 * is afterwards. */
static void fill_log(const char *text, unsigned count, const CUjit_option *options, void **values,
                     CUjit_option buffer, CUjit_option size) {
  char *to = NULL;
  unsigned place = count;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == buffer) to = values[i];
    if (options[i] == size) place = i;
  }
  if (place == count) return;
  const size_t room = (size_t)(uintptr_t)values[place], length = strlen(text);
  const size_t fits = room == 0 ? 0 : length < room ? length : room - 1;
  if (to != NULL && room > 0) {
    memcpy(to, text, fits);
    to[fits] = '\0';
  }
  values[place] = (void *)(uintptr_t)fits;
}

/* As the assembler refuses it: a kernel that is alone, as of several it is not known here whose the
 * module's variables are. The log is malloc'ed. */
static bool has_too_much_shared(const module *m, char **log) {
  const kernel *k = module_kernel_count(m) == 1 ? module_kernel_at(m, 0) : NULL;
  char line[512];
  if (k == NULL || k->static_shared_bytes <= API_SHARED_DEFAULT) return false;
  (void)snprintf(line, sizeof line,
                 "ptxas error   : Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)\n",
                 k->name, k->static_shared_bytes, (unsigned)API_SHARED_DEFAULT);
  free(*log);
  *log = strdup(line);
  return true;
}

/* Without the lock: it takes its time. */
module *code_load_image(const void *image, int device, unsigned count, CUjit_option *options,
                        void **values, CUresult *result) {
  char *log = NULL;
  module *m = NULL;
  *result = kind_of_image(image);
  if (*result == CUDA_SUCCESS && count > 0 && (options == NULL || values == NULL))
    *result = CUDA_ERROR_INVALID_VALUE;
  if (*result != CUDA_SUCCESS) return NULL;
  m = module_load(image, settings_get()->sm, device, result, &log);
  if (m == NULL && *result == CUDA_SUCCESS) *result = CUDA_ERROR_OUT_OF_MEMORY;
  if (m != NULL && has_too_much_shared(m, &log)) {
    module_unload(m);
    m = NULL;
    *result = CUDA_ERROR_INVALID_PTX;
  }
  fill_log(m == NULL && log != NULL ? log : "", count, options, values, CU_JIT_ERROR_LOG_BUFFER,
           CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  fill_log(m != NULL && log != NULL ? log : "", count, options, values, CU_JIT_INFO_LOG_BUFFER,
           CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
  free(log);
  return m;
}

CUresult code_read_file(const char *path, char **text) {
  *text = NULL;
  FILE *file = path != NULL ? fopen(path, "rbe") : NULL;
  if (file == NULL) return path != NULL ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  size_t length = 0, room = 1 << 16;
  char *bytes = malloc(room);
  while (bytes != NULL) {
    length += fread(bytes + length, 1, room - length - 1, file);
    if (length < room - 1) break;
    char *larger = realloc(bytes, room *= 2);
    if (larger == NULL) free(bytes);
    bytes = larger;
  }
  (void)fclose(file);
  if (bytes == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  memset(bytes + length, 0, length < 4 ? 5 - length : 1);
  *text = bytes;
  return CUDA_SUCCESS;
}

/* ---- modules */

CUmodule code_add_module(context *c, module *image, CUlibrary library) {
  CUmodule m = calloc(1, sizeof *m);
  loaded *l = calloc(1, sizeof *l);
  if (m == NULL || l == NULL || !handle_add(HANDLE_MODULE, m)) {
    free(m);
    free(l);
    module_unload(image);
    return NULL;
  }
  *l = (loaded){.image = image, .references = 1};
  *m = (struct CUmod_st){.owner = c, .library = library, .code = l, .next = modules};
  modules = m;
  return m;
}

void code_end_module(CUmodule m) {
  CUmodule *link = &modules;
  while (*link != m) link = &(*link)->next;
  *link = m->next;
  while (m->functions != NULL) {
    CUfunction f = m->functions;
    m->functions = f->next;
    handle_remove(f);
    free(f);
  }
  handle_remove(m);
  m->code->is_unloaded = true;
  code_drop(m->code);
  free(m);
}

void code_end_all(context *c) {
  for (CUmodule m = modules; m != NULL;) {
    CUmodule next = m->next;
    if (m->owner == c) code_end_module(m);
    m = next;
  }
}

static CUfunction new_function(CUmodule m, const kernel *k) {
  CUfunction f = calloc(1, sizeof *f);
  if (f == NULL || !handle_add(HANDLE_FUNCTION, f)) {
    free(f);
    return NULL;
  }
  const unsigned rest =
      k->static_shared_bytes < API_SHARED_DEFAULT ? API_SHARED_DEFAULT - k->static_shared_bytes : 0;
  *f = (struct CUfunc_st){
      .code = k, .owner = m, .max_dynamic_shared = rest, .carveout = -1, .next = m->functions};
  m->functions = f;
  return f;
}

CUresult code_find(CUmodule m, const char *name, CUfunction *found) {
  for (CUfunction f = m->functions; f != NULL; f = f->next) {
    if (strcmp(f->code->name, name) != 0) continue;
    *found = f;
    return CUDA_SUCCESS;
  }
  const kernel *k = module_kernel(m->code->image, name);
  if (k == NULL) return CUDA_ERROR_NOT_FOUND;
  *found = new_function(m, k);
  return *found != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- entry points */

CUresult cuModuleLoadDataEx(CUmodule *handle, const void *image, unsigned count, CUjit_option *options,
                            void **values) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS) result = capture_check_unsafe();
  if (result == CUDA_SUCCESS && handle == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (api_end(result) != CUDA_SUCCESS) return result;
  module *m = code_load_image(image, c->device, count, options, values, &result);
  if (m == NULL) return result;
  work_lock();
  *handle = code_add_module(c, m, NULL);
  return api_end(*handle != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuModuleLoadData(CUmodule *handle, const void *image) {
  return cuModuleLoadDataEx(handle, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *handle, const void *image) {
  return cuModuleLoadDataEx(handle, image, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *handle, const char *path) {
  char *text;
  CUresult result = code_read_file(path, &text);
  if (result == CUDA_SUCCESS) result = cuModuleLoadDataEx(handle, text, 0, NULL, NULL);
  free(text);
  return result;
}

static CUresult begin(CUmodule m) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_MODULE, m);
  return result == CUDA_SUCCESS ? context_error(m->owner) : result;
}

CUresult cuModuleUnload(CUmodule m) {
  CUresult result = begin(m);
  if (!handle_is(HANDLE_MODULE, m)) return api_end(result);
  if (m->library != NULL) return api_end(CUDA_ERROR_NOT_PERMITTED);
  if (result == CUDA_SUCCESS) result = capture_check_unsafe();
  if (result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) return api_end(result);
  (void)context_wait(m->owner);
  if (handle_is(HANDLE_MODULE, m)) code_end_module(m);
  return api_end(result);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && mode == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *mode = CU_MODULE_EAGER_LOADING;
  return result;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule m, const char *name) {
  CUresult result = begin(m);
  if (result == CUDA_SUCCESS && (function == NULL || name == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = code_find(m, name, function);
  return api_end(result);
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule m) {
  CUresult result = begin(m);
  if (result == CUDA_SUCCESS && count == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *count = (unsigned)module_kernel_count(m->code->image);
  return api_end(result);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule m) {
  CUresult result = begin(m);
  if (result == CUDA_SUCCESS && functions == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  const size_t all = module_kernel_count(m->code->image);
  for (size_t i = 0; i < all && i < count && result == CUDA_SUCCESS; ++i) {
    result = code_find(m, module_kernel_at(m->code->image, i)->name, &functions[i]);
  }
  return api_end(result);
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name) {
  CUresult result = begin(m);
  if (result == CUDA_SUCCESS && (name == NULL || (address == NULL && bytes == NULL)))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  uint64_t where, size;
  if (!module_variable(m->code->image, name, &where, &size)) return api_end(CUDA_ERROR_NOT_FOUND);
  if (address != NULL) *address = where;
  if (bytes != NULL) *bytes = size;
  return api_end(CUDA_SUCCESS);
}
