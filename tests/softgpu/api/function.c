/* Functions: kernels in a context. */
#include "api/api.h"
#include "api/code.h"
#include "api/handle.h"
#include "api/settings.h"

/* The current context is needed only for kernels that were cast. */
static CUresult begin(CUfunction handle, CUfunction *f) {
  context *c;
  CUresult result = api_begin(&c);
  if (result != CUDA_SUCCESS) return result;
  result = code_function(handle, c, f);
  return result == CUDA_SUCCESS ? context_error((*f)->owner->owner) : result;
}

unsigned code_shared_limit(const struct CUfunc_st *f) {
  const unsigned raised = f->code->static_shared_bytes + f->max_dynamic_shared;
  return raised > API_SHARED_DEFAULT ? raised : API_SHARED_DEFAULT;
}

unsigned code_cluster_limit(const struct CUfunc_st *f) {
  enum { PORTABLE = 8, LIMIT = 16 };
  return f->non_portable_cluster || f->code->required_cluster[0] != 0 ? LIMIT : PORTABLE;
}

CUresult code_attribute(CUfunction f, CUfunction_attribute which, int *value) {
  const kernel *k = f->code;
  const int sm = settings_get()->sm;
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = (int)k->max_threads;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = (int)k->static_shared_bytes;
      break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = (int)k->constant_bytes;
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = (int)k->local_bytes;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = (int)k->registers;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = sm;
      break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = 0;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = (int)f->max_dynamic_shared;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = f->carveout;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = 0;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = (int)k->required_cluster[which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = f->non_portable_cluster;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = f->cluster_policy;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult code_set_attribute(CUfunction f, CUfunction_attribute which, int value) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || (unsigned)value + f->code->static_shared_bytes > API_SHARED_LIMIT)
        return CUDA_ERROR_INVALID_VALUE;
      f->max_dynamic_shared = (unsigned)value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
      f->carveout = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      f->non_portable_cluster = value != 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      if (value < 0 || value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
        return CUDA_ERROR_INVALID_VALUE;
      f->cluster_policy = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return api_not_supported("setting a kernel's required cluster");
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction handle) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? code_attribute(f, which, value) : result);
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  return api_end(result == CUDA_SUCCESS ? code_set_attribute(f, which, value) : result);
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  CUfunction f;
  (void)config; /* a hint */
  return api_end(begin(handle, &f));
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  CUfunction f;
  (void)config; /* of effect on old GPUs only */
  return api_end(begin(handle, &f));
}

CUresult cuFuncGetModule(CUmodule *m, CUfunction handle) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && m == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *m = f->owner;
  return api_end(result);
}

CUresult cuFuncGetName(const char **name, CUfunction handle) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && name == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *name = f->code->name;
  return api_end(result);
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && (offset == NULL || index >= f->code->param_count))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  *offset = f->code->param_offsets[index];
  if (size != NULL) *size = f->code->param_sizes[index];
  return api_end(CUDA_SUCCESS);
}

/* Everything is loaded at once. */
CUresult cuFuncLoad(CUfunction handle) {
  CUfunction f;
  return api_end(begin(handle, &f));
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle) {
  CUfunction f;
  CUresult result = begin(handle, &f);
  if (result == CUDA_SUCCESS && state == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return api_end(result);
}
