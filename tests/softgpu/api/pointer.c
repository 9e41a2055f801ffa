/* What is known about a pointer. */
#include <stddef.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/range.h"

/* The size of an attribute's value; 0: there is no such attribute here. */
static size_t size_of(CUpointer_attribute which) {
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return 8;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: /* the real driver's booleans have four bytes, too */
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return 4;
    default:
      return 0;
  }
}

static uint64_t value_of(CUpointer_attribute which, const allocation *a, uint64_t address) {
  const range_note *note = range_note_of(a);
  const bool is_host = a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_REGISTERED;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return note != NULL ? (uint64_t)(uintptr_t)note->owner : 0;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return address;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return is_host || a->kind == ALLOCATION_MANAGED ? address : 0;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return a->serial;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return a->kind == ALLOCATION_MANAGED;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return (uint64_t)a->device;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return a->address;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return a->size;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return 1;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return note != NULL ? (uint64_t)(uintptr_t)note->pool : 0;
    default:
      return 0;
  }
}

static void store(void *to, size_t size, uint64_t value) {
  if (size == 8) *(uint64_t *)to = value;
  if (size == 4) *(uint32_t *)to = (uint32_t)value;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr pointer) {
  work_lock();
  CUresult result = api_ready();
  const allocation *a = result == CUDA_SUCCESS ? memory_find(pointer) : NULL;
  const size_t size = size_of(which);
  if (result == CUDA_SUCCESS && (data == NULL || a == NULL || size == 0))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && which == CU_POINTER_ATTRIBUTE_HOST_POINTER &&
      value_of(which, a, pointer) == 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) store(data, size, value_of(which, a, pointer));
  return api_end(result);
}

/* Knows nothing of other pointers, and that is no error. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *which, void **data,
                                CUdeviceptr pointer) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS && (which == NULL || data == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count && result == CUDA_SUCCESS; ++i) {
    if (size_of(which[i]) == 0) result = CUDA_ERROR_INVALID_VALUE;
  }
  if (result != CUDA_SUCCESS) return api_end(result);
  const allocation *a = memory_find(pointer);
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t nothing =
        which[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? (uint32_t)CU_DEVICE_INVALID : 0;
    store(data[i], size_of(which[i]), a != NULL ? value_of(which[i], a, pointer) : nothing);
  }
  return api_end(CUDA_SUCCESS);
}

/* All operations are synchronous enough. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute which, CUdeviceptr pointer) {
  work_lock();
  CUresult result = api_ready();
  if (result == CUDA_SUCCESS &&
      (value == NULL || which != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || memory_find(pointer) == NULL))
    result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result);
}
