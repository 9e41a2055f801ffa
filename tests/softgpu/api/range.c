#include "api/range.h"

#include <stdlib.h>
#include <string.h>

#include "api/settings.h"
#include "check/report.h"

typedef unsigned long long ull;

static bool in_arena(uint64_t address) {
  return address - memory_arena.base < memory_arena.size;
}

CUresult range_check(const char *call, const char *what, uint64_t address, uint64_t bytes) {
  if (memory_holding(address, bytes) != NULL) return CUDA_SUCCESS;
  const allocation *a = memory_find(address);
  if (a != NULL) {
    const ull beyond = address + bytes - (a->address + a->size);
    return api_complain(CUDA_ERROR_INVALID_VALUE, address,
                        "%s: %s: %llu bytes at %#llx reach %llu byte%s past the end of the allocation",
                        call, what, (ull)bytes, (ull)address, beyond, beyond == 1 ? "" : "s");
  }
  a = memory_nearest(address);
  const bool freed = a != NULL && atomic_load(&a->freed) && address - a->address < a->size;
  return api_complain(CUDA_ERROR_INVALID_VALUE, address, "%s: %s: %llu bytes at %#llx, %s", call, what,
                      (ull)bytes, (ull)address,
                      freed ? "which have been freed" : "which are no memory of a device's");
}

CUresult range_check_any(const char *call, const char *what, uint64_t address, uint64_t bytes) {
  if (in_arena(address)) return range_check(call, what, address, bytes);
  if (memory_is_mapped(address, bytes)) return CUDA_SUCCESS;
  return api_complain(CUDA_ERROR_INVALID_VALUE, address,
                      "%s: %s: %llu bytes at %#llx, which are no memory", call, what, (ull)bytes,
                      (ull)address);
}

bool range_is_pageable(uint64_t address) {
  return !in_arena(address) && memory_find(address) == NULL;
}

bool range_is_host(uint64_t address) {
  const allocation *a = memory_find(address);
  return a != NULL ? a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_REGISTERED : !in_arena(address);
}

bool range_is_device_only(uint64_t address) {
  const allocation *a = memory_find(address);
  return a != NULL && (a->kind == ALLOCATION_DEVICE || a->kind == ALLOCATION_ASYNC ||
                       a->kind == ALLOCATION_VARIABLE || a->kind == ALLOCATION_HEAP);
}

range_note *range_note_of(const allocation *a) {
  static range_note *notes;
  static size_t capacity;
  if (a->serial >= capacity) {
    size_t wanted = capacity > 0 ? capacity : 256;
    while (wanted <= a->serial) wanted *= 2;
    range_note *larger = realloc(notes, wanted * sizeof *larger);
    if (larger == NULL) return NULL;
    memset(larger + capacity, 0, (wanted - capacity) * sizeof *larger);
    notes = larger;
    capacity = wanted;
  }
  return &notes[a->serial];
}

allocation *range_to_free(const char *call, uint64_t address, unsigned kinds) {
  allocation *a = memory_find(address);
  if (a == NULL) {
    const allocation *near = memory_nearest(address);
    const bool freed = near != NULL && atomic_load(&near->freed) && near->address == address;
    (void)api_complain(CUDA_ERROR_INVALID_VALUE, address, "%s: %#llx %s", call, (ull)address,
                       freed ? "has been freed before" : "is no allocation");
    return NULL;
  }
  const range_note *note = range_note_of(a);
  const char *problem = a->address != address              ? "is in the middle of an allocation"
                        : (kinds >> a->kind & 1) == 0      ? "was not allocated for this call to free"
                        : note != NULL && note->is_freeing ? "is freed by cuMemFreeAsync already"
                                                           : NULL;
  if (problem == NULL) return a;
  (void)api_complain(CUDA_ERROR_INVALID_VALUE, address, "%s: %#llx %s (%s)", call, (ull)address, problem,
                     allocation_kind_name(a->kind));
  return NULL;
}

void range_tell_leak(const allocation *a) {
  const range_note *note = range_note_of(a);
  const bool can_leak = a->kind == ALLOCATION_DEVICE || a->kind == ALLOCATION_ASYNC ||
                        a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_MANAGED;
  if (!settings_get()->check_leaks || !can_leak || (note != NULL && note->is_freeing)) return;
  (void)report(REPORT_LEAK, NULL, "%llu bytes at %#llx, allocation %u on device %d, %s, were not freed",
               (ull)a->size, (ull)a->address, a->serial, a->device, allocation_kind_name(a->kind));
}
