/* Whether what a call names is memory, and what is remembered about memory beside memory.h. With the lock
 * held. */
#ifndef SOFTGPU_API_RANGE_H
#define SOFTGPU_API_RANGE_H

#include <stddef.h>

#include "api/context.h"
#include "memory/memory.h"

/* One allocation must hold all of it. Otherwise it is told in the call's name: CUDA_ERROR_INVALID_VALUE.
 */
CUresult range_check(const char *call, const char *what, uint64_t address, uint64_t bytes);
/* The same if it is known memory at all; the program's own, otherwise, which must be mapped. */
CUresult range_check_any(const char *call, const char *what, uint64_t address, uint64_t bytes);
/* Neither allocated here nor registered. */
bool range_is_pageable(uint64_t address);
/* That, or pinned. */
bool range_is_host(uint64_t address);
/* On a device, and nowhere else. */
bool range_is_device_only(uint64_t address);

typedef struct range_note {
  context *owner;
  unsigned flags;
  bool is_freeing;  /* that is queued already */
  bool is_of_graph; /* which gives it back */
  CUmemoryPool pool;
} range_note;

/* About an allocation; NULL without memory. Valid until the next call. */
range_note *range_note_of(const allocation *a);

/* New memory, with a note. */
CUresult memory_take(uint64_t bytes, allocation_kind kind, context *c, unsigned flags,
                     allocation **taken);

/* Of a context that ends. */
void memory_end_all(context *c);

/* The memory goes back to its pool, if it is of one. */
void pool_forget(const allocation *a);

/* Reports memory that nobody has freed, if it is of a kind that is to be freed. */
void range_tell_leak(const allocation *a);

/* The live allocation that begins at the address and is one of the kinds (1 << kind); otherwise told:
 * NULL. */
allocation *range_to_free(const char *call, uint64_t address, unsigned kinds);

#endif
