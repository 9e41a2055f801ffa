/* Device, managed and pinned memory. */
#include "api/api.h"
#include "api/capture.h"
#include "api/graph.h"
#include "api/range.h"
#include "api/settings.h"
#include "work/order.h"

CUresult memory_take(uint64_t bytes, allocation_kind kind, context *c, unsigned flags,
                     allocation **taken) {
  const uint64_t limit = settings_get()->memory, used = memory_in_use(c->device);
  const bool on_device = kind != ALLOCATION_HOST;
  *taken = NULL;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (on_device && (used > limit || bytes > limit - used)) return CUDA_ERROR_OUT_OF_MEMORY;
  allocation *a = memory_allocate(bytes, kind, c->device, NULL);
  range_note *note = a != NULL ? range_note_of(a) : NULL;
  if (note == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  *note = (range_note){.owner = c, .flags = flags};
  *taken = a;
  return CUDA_SUCCESS;
}

static CUresult begin(context **c) {
  CUresult result = api_begin(c);
  return result == CUDA_SUCCESS ? capture_check_unsafe() : result;
}

static CUresult allocate(const void *out, uint64_t bytes, allocation_kind kind, unsigned flags,
                         uint64_t *address) {
  context *c;
  allocation *a = NULL;
  CUresult result = begin(&c);
  if (result == CUDA_SUCCESS && out == NULL) result = CUDA_ERROR_INVALID_VALUE;
  const bool nothing = bytes == 0 && kind == ALLOCATION_HOST; /* which is no error */
  if (result == CUDA_SUCCESS && !nothing) result = memory_take(bytes, kind, c, flags, &a);
  if (a != NULL) *address = a->address;
  return api_end(result);
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  uint64_t address = 0;
  CUresult result = allocate(pointer, bytes, ALLOCATION_DEVICE, 0, &address);
  if (result == CUDA_SUCCESS) *pointer = address;
  return result;
}

CUresult cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                         unsigned element) {
  const size_t row = (width + 511) / 512 * 512;
  uint64_t address = 0;
  if (pitch == NULL || width == 0 || height == 0 || row < width || row > SIZE_MAX / height ||
      (element != 4 && element != 8 && element != 16))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = allocate(pointer, row * height, ALLOCATION_DEVICE, 0, &address);
  if (result != CUDA_SUCCESS) return result;
  *pointer = address;
  *pitch = row;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
  uint64_t address = 0;
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = allocate(pointer, bytes, ALLOCATION_MANAGED, flags, &address);
  if (result == CUDA_SUCCESS) *pointer = address;
  return result;
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  const unsigned known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  uint64_t address = 0;
  if ((flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = allocate(pointer, bytes, ALLOCATION_HOST, flags, &address);
  if (result == CUDA_SUCCESS) *pointer = (void *)(uintptr_t)address;
  return result;
}

CUresult cuMemAllocHost(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

/* ---- giving back. It is done after errors, too, so that leaks that are told are leaks. */

static CUresult give_back(const char *call, uint64_t address, unsigned kinds) {
  context *c;
  CUresult result = begin(&c);
  if (c == NULL || result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED || address == 0)
    return api_end(result);
  const allocation *first = memory_find(address);
  /* The real driver may wait for what is under way, and need not. Host memory would be gone under its
   * feet. */
  if (first != NULL && (first->kind == ALLOCATION_HOST || first->kind == ALLOCATION_MANAGED)) {
    context *owner = range_note_of(first)->owner;
    (void)context_wait(c);
    if (owner != NULL && owner != c) (void)context_wait(owner);
  }
  if (graph_owns(address)) return api_end(result);
  allocation *a = range_to_free(call, address, kinds);
  if (a == NULL) return api_end(result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE);
  order_free(call, a->address, a->size);
  pool_forget(a);
  memory_release(a);
  return api_end(result);
}

CUresult cuMemFree(CUdeviceptr pointer) {
  return give_back("cuMemFree", pointer,
                   1u << ALLOCATION_DEVICE | 1u << ALLOCATION_ASYNC | 1u << ALLOCATION_MANAGED);
}

CUresult cuMemFreeHost(void *pointer) {
  return give_back("cuMemFreeHost", (uint64_t)(uintptr_t)pointer, 1u << ALLOCATION_HOST);
}

/* What is left goes with its context, as the real driver has it; pools stay. After errors the program had
 * no way to free it. */
static void end_with(allocation *a, void *data) {
  const context *c = data;
  const range_note *note = range_note_of(a);
  if (note == NULL || note->owner != c || a->kind == ALLOCATION_ASYNC) return;
  if (context_error(c) == CUDA_SUCCESS) range_tell_leak(a);
  memory_release(a);
}

void memory_end_all(context *c) {
  memory_each(end_with, c);
}

/* ---- the program's own memory */

CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags) {
  context *c;
  CUresult result = begin(&c);
  if (result == CUDA_SUCCESS && (pointer == NULL || bytes == 0)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = range_check_any("cuMemHostRegister", "the memory", (uint64_t)(uintptr_t)pointer, bytes);
  if (result != CUDA_SUCCESS) return api_end(result);
  allocation *a = memory_register(pointer, bytes, c->device);
  range_note *note = a != NULL ? range_note_of(a) : NULL;
  if (note == NULL) return api_end(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  *note = (range_note){.owner = c, .flags = flags};
  return api_end(CUDA_SUCCESS);
}

CUresult cuMemHostUnregister(void *pointer) {
  context *c;
  CUresult result = begin(&c);
  if (c == NULL || result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) return api_end(result);
  (void)context_wait(c);
  allocation *a = memory_find((uint64_t)(uintptr_t)pointer);
  if (a == NULL || a->kind != ALLOCATION_REGISTERED)
    return api_end(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  if (a->address != (uint64_t)(uintptr_t)pointer) return api_end(CUDA_ERROR_INVALID_VALUE);
  memory_release(a);
  return api_end(result);
}

static CUresult begin_host(void *pointer, allocation **a) {
  context *c;
  CUresult result = api_begin(&c);
  *a = result == CUDA_SUCCESS ? memory_find((uint64_t)(uintptr_t)pointer) : NULL;
  const bool fits = *a != NULL && ((*a)->kind == ALLOCATION_HOST || (*a)->kind == ALLOCATION_REGISTERED ||
                                   (*a)->kind == ALLOCATION_MANAGED);
  return result != CUDA_SUCCESS || fits ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *pointer, unsigned flags) {
  allocation *a;
  CUresult result = begin_host(pointer, &a);
  if (result == CUDA_SUCCESS && (device == NULL || flags != 0)) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *device = (CUdeviceptr)(uintptr_t)pointer;
  return api_end(result);
}

CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  allocation *a;
  CUresult result = begin_host(pointer, &a);
  if (result == CUDA_SUCCESS && flags == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  const range_note *note = range_note_of(a);
  *flags = (note != NULL ? note->flags : 0) | CU_MEMHOSTALLOC_DEVICEMAP;
  return api_end(CUDA_SUCCESS);
}

/* ---- how much there is, and where */

CUresult cuMemGetInfo(size_t *available, size_t *total) {
  context *c;
  CUresult result = api_begin(&c);
  if (result == CUDA_SUCCESS && (available == NULL || total == NULL)) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  const uint64_t used = memory_in_use(c->device);
  *total = settings_get()->memory;
  *available = used < *total ? *total - used : 0;
  return api_end(CUDA_SUCCESS);
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
  context *c;
  CUresult result = api_begin(&c);
  const allocation *a = result == CUDA_SUCCESS ? memory_find(pointer) : NULL;
  if (result == CUDA_SUCCESS && a == NULL) result = CUDA_ERROR_NOT_FOUND;
  if (a != NULL && base != NULL) *base = a->address;
  if (a != NULL && size != NULL) *size = a->size;
  return api_end(result);
}

/* Managed memory is where everybody can reach it. */
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUmemLocation location, unsigned flags,
                            CUstream handle) {
  stream *s;
  CUresult result = api_begin_stream(handle, &s);
  (void)location;
  if (result == CUDA_SUCCESS && flags != 0) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) result = range_check("cuMemPrefetchAsync", "the memory", pointer, bytes);
  if (result == CUDA_SUCCESS && memory_find(pointer)->kind != ALLOCATION_MANAGED)
    result = CUDA_ERROR_INVALID_VALUE;
  return api_end(result);
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  context *c;
  CUresult result = api_begin(&c);
  (void)location;
  (void)advice;
  if (result == CUDA_SUCCESS) result = range_check("cuMemAdvise", "the memory", pointer, bytes);
  return api_end(result);
}
