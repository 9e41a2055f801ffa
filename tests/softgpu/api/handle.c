#include "api/handle.h"

#include <stddef.h>
#include <stdlib.h>

static const char *const names[] = {
    [HANDLE_NONE] = "nothing",    [HANDLE_CONTEXT] = "context",       [HANDLE_STREAM] = "stream",
    [HANDLE_EVENT] = "event",     [HANDLE_MODULE] = "module",         [HANDLE_FUNCTION] = "function",
    [HANDLE_LIBRARY] = "library", [HANDLE_KERNEL] = "kernel",         [HANDLE_GRAPH] = "graph",
    [HANDLE_NODE] = "graph node", [HANDLE_EXEC] = "executable graph", [HANDLE_POOL] = "memory pool",
};

/* A hash table; what was removed leaves its place taken by HANDLE_NONE until the table is rebuilt. */
typedef struct slot {
  const void *handle;
  handle_kind kind;
} slot;
static slot *slots;
static size_t capacity, taken; /* a power of two; places that hold or held something */

static size_t place_of(const void *handle) {
  const uint64_t bits = (uint64_t)(uintptr_t)handle;
  return (size_t)((bits >> 4) * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);
}

static slot *find(const void *handle) {
  if (capacity == 0 || handle == NULL) return NULL;
  for (size_t i = place_of(handle); slots[i].handle != NULL; i = (i + 1) & (capacity - 1)) {
    if (slots[i].handle == handle) return &slots[i];
  }
  return NULL;
}

static void insert(handle_kind kind, const void *handle) {
  size_t i = place_of(handle);
  while (slots[i].handle != NULL) i = (i + 1) & (capacity - 1);
  slots[i] = (slot){.handle = handle, .kind = kind};
  ++taken;
}

static bool grow(void) {
  slot *old = slots;
  const size_t old_capacity = capacity;
  size_t live = 0;
  for (size_t i = 0; i < old_capacity; ++i) live += old[i].kind != HANDLE_NONE;
  const size_t wanted = live * 4 > 256 ? live * 4 : 256;
  size_t next = 256;
  while (next < wanted) next *= 2;
  slot *fresh = calloc(next, sizeof *fresh);
  if (fresh == NULL) return false;
  slots = fresh;
  capacity = next;
  taken = 0;
  for (size_t i = 0; i < old_capacity; ++i) {
    if (old[i].kind != HANDLE_NONE) insert(old[i].kind, old[i].handle);
  }
  free(old);
  return true;
}

bool handle_add(handle_kind kind, const void *handle) {
  slot *s = find(handle);
  if (s != NULL) {
    s->kind = kind;
    return true;
  }
  if (2 * (taken + 1) > capacity && !grow()) return false;
  insert(kind, handle);
  return true;
}

void handle_remove(const void *handle) {
  slot *s = find(handle);
  if (s != NULL) s->kind = HANDLE_NONE;
}

bool handle_is(handle_kind kind, const void *handle) {
  const slot *s = find(handle);
  return s != NULL && s->kind == kind;
}

CUresult handle_check(handle_kind kind, const void *handle) {
  if (handle_is(kind, handle)) return CUDA_SUCCESS;
  if (handle == NULL) return CUDA_ERROR_INVALID_HANDLE;
  return api_complain(CUDA_ERROR_INVALID_HANDLE, 0, "%p is no %s: it was destroyed, or never was one",
                      handle, names[kind]);
}
