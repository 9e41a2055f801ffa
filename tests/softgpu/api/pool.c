/* Memory that is allocated and freed in a stream's order. */
#include <stdlib.h>

#include "api/capture.h"
#include "api/handle.h"
#include "api/range.h"
#include "api/settings.h"

enum { MAX_DEVICES = 64 };

/* What is allocated is counted, and nothing is kept back: memory.h gives every address out once. Never
 * freed, as allocations refer to it. */
struct CUmemPoolHandle_st {
  int device;
  bool is_default;
  uint64_t threshold, used, most;
  int reuse[3]; /* the attributes, as they were set */
};

static struct CUmemPoolHandle_st defaults[MAX_DEVICES];
static CUmemoryPool current[MAX_DEVICES]; /* NULL: the default one */

static CUmemoryPool default_of(int device) {
  CUmemoryPool p = &defaults[device];
  if (p->is_default) return p;
  *p = (struct CUmemPoolHandle_st){.device = device, .is_default = true, .reuse = {1, 1, 1}};
  (void)handle_add(HANDLE_POOL, p);
  return p;
}

static CUmemoryPool current_of(int device) {
  return current[device] != NULL ? current[device] : default_of(device);
}

static CUresult begin(CUdevice device) {
  work_lock();
  CUresult result = api_ready();
  if (result != CUDA_SUCCESS) return result;
  return device >= 0 && device < settings_get()->devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* ---- pools */

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  CUresult result = begin(device);
  if (result == CUDA_SUCCESS && pool == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *pool = default_of(device);
  return api_end(result);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  CUresult result = begin(device);
  if (result == CUDA_SUCCESS && pool == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *pool = current_of(device);
  return api_end(result);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  CUresult result = begin(device);
  if (result == CUDA_SUCCESS) result = handle_check(HANDLE_POOL, pool);
  if (result == CUDA_SUCCESS && pool->device != device) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) current[device] = pool;
  return api_end(result);
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props) {
  if (pool == NULL || props == NULL || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  if (props->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return api_not_supported("a memory pool to be shared");
  CUresult result = begin(props->location.id);
  if (result != CUDA_SUCCESS) return api_end(result);
  CUmemoryPool p = calloc(1, sizeof *p);
  if (p == NULL || !handle_add(HANDLE_POOL, p)) {
    free(p);
    return api_end(CUDA_ERROR_OUT_OF_MEMORY);
  }
  *p = (struct CUmemPoolHandle_st){.device = props->location.id, .reuse = {1, 1, 1}};
  *pool = p;
  return api_end(CUDA_SUCCESS);
}

static CUresult begin_pool(CUmemoryPool pool) {
  work_lock();
  CUresult result = api_ready();
  return result == CUDA_SUCCESS ? handle_check(HANDLE_POOL, pool) : result;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  CUresult result = begin_pool(pool);
  if (result == CUDA_SUCCESS && pool->is_default) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  if (current[pool->device] == pool) current[pool->device] = NULL;
  handle_remove(pool);
  return api_end(CUDA_SUCCESS);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  (void)keep;
  return api_end(begin_pool(pool));
}

static CUresult access_attribute(CUmemoryPool pool, CUmemPool_attribute which, void *value, bool set) {
  uint64_t *number = value;
  switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: {
      int *kept = &pool->reuse[which - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
      if (set)
        *kept = *(int *)value;
      else
        *(int *)value = *kept;
      return CUDA_SUCCESS;
    }
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      if (set)
        pool->threshold = *number;
      else
        *number = pool->threshold;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      if (set && *number != 0) return CUDA_ERROR_INVALID_VALUE;
      if (set)
        pool->most = pool->used;
      else
        *number = pool->most;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      if (set) return CUDA_ERROR_INVALID_VALUE;
      *number = pool->used;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value) {
  CUresult result = begin_pool(pool);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? access_attribute(pool, which, value, true) : result);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value) {
  CUresult result = begin_pool(pool);
  if (result == CUDA_SUCCESS && value == NULL) result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result == CUDA_SUCCESS ? access_attribute(pool, which, value, false) : result);
}

/* All devices reach all memory. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  CUresult result = begin_pool(pool);
  return api_end(result == CUDA_SUCCESS && map == NULL && count > 0 ? CUDA_ERROR_INVALID_VALUE : result);
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location) {
  CUresult result = begin_pool(pool);
  if (result == CUDA_SUCCESS && (flags == NULL || location == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return api_end(result);
}

/* ---- allocations */

/* The address exists at once; what has been freed in streams may have to be waited for. */
static CUresult take(stream *s, uint64_t bytes, CUmemoryPool pool, allocation **a) {
  CUresult result = memory_take(bytes, ALLOCATION_ASYNC, s->owner, 0, a);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && s->capture == NULL) {
    context *c = s->owner;
    (void)context_wait(c);
    result = memory_take(bytes, ALLOCATION_ASYNC, c, 0, a);
  }
  if (result != CUDA_SUCCESS) return result;
  range_note_of(*a)->pool = pool; /* the note is there already */
  pool->used += (*a)->size;
  if (pool->used > pool->most) pool->most = pool->used;
  return CUDA_SUCCESS;
}

/* Other streams may use it only behind this. */
static CUresult submit_allocation(stream *s, const allocation *a) {
  task t = {.kind = TASK_RENEW, .call = "cuMemAllocAsync", .memory = {.address = a->address}};
  if (s->capture != NULL && !graph_add_memory(s->capture->graph, a->address))
    return CUDA_ERROR_OUT_OF_MEMORY;
  return stream_submit(s, &t, false);
}

static CUresult allocate(CUdeviceptr *pointer, uint64_t bytes, CUmemoryPool pool, CUstream handle) {
  stream *s;
  allocation *a = NULL;
  CUresult result = api_begin_stream(handle, &s);
  if (result == CUDA_SUCCESS && pool != NULL) result = handle_check(HANDLE_POOL, pool);
  if (result == CUDA_SUCCESS && pointer == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && s->capture != NULL && s->capture->is_invalid)
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (result == CUDA_SUCCESS && s->capture == NULL) result = capture_check_unsafe();
  if (result == CUDA_SUCCESS) result = capture_check_legacy(s);
  if (result == CUDA_SUCCESS && bytes == 0) {
    *pointer = 0;
    return api_end(result);
  }
  if (result == CUDA_SUCCESS)
    result = take(s, bytes, pool != NULL ? pool : current_of(s->owner->device), &a);
  if (result == CUDA_SUCCESS) result = submit_allocation(s, a);
  if (result == CUDA_SUCCESS) *pointer = a->address;
  return api_end(result);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream handle) {
  return allocate(pointer, bytes, NULL, handle);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool, CUstream handle) {
  return pool != NULL ? allocate(pointer, bytes, pool, handle) : CUDA_ERROR_INVALID_VALUE;
}

void pool_forget(const allocation *a) {
  const range_note *note = range_note_of(a);
  if (note != NULL && note->pool != NULL) note->pool->used -= a->size;
}

static CUresult give_back(stream *s, uint64_t address) {
  task t = {.kind = graph_owns(address) ? TASK_RENEW : TASK_FREE,
            .call = "cuMemFreeAsync",
            .memory = {.address = address}};
  if (s->capture != NULL) {
    if (t.kind == TASK_FREE) return CUDA_ERROR_INVALID_VALUE; /* a graph frees what it allocated */
    return capture_task(s, &t, false, CU_GRAPH_NODE_TYPE_MEM_FREE, NULL, NULL);
  }
  const allocation *a = range_to_free("cuMemFreeAsync", address, 1u << ALLOCATION_ASYNC);
  if (a == NULL) return CUDA_ERROR_INVALID_VALUE;
  if (t.kind == TASK_FREE) {
    range_note_of(a)->is_freeing = true;
    pool_forget(a);
  }
  return stream_submit(s, &t, false);
}

/* After errors, too, so that leaks that are told are leaks. */
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  if (s == NULL || !s->owner->alive || pointer == 0) return api_end(result);
  const CUresult given = give_back(s, pointer);
  return api_end(result == CUDA_SUCCESS ? given : result);
}
