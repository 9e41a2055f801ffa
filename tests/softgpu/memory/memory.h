/* The memory that the software GPU's programs may touch: one reserved range of host addresses, in which a
 * device address is the host address of the same byte, with a byte of shadow for each byte.
 *
 * Addresses are not used twice, so what was freed is known as such until the process ends. */
#ifndef SOFTGPU_MEMORY_MEMORY_H
#define SOFTGPU_MEMORY_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum allocation_kind {
  ALLOCATION_DEVICE,  /* cuMemAlloc */
  ALLOCATION_ASYNC,   /* cuMemAllocAsync */
  ALLOCATION_HOST,    /* cuMemHostAlloc: the host may write it at any time, so all of it counts as set */
  ALLOCATION_MANAGED, /* likewise */
  ALLOCATION_REGISTERED, /* the user's own host memory (cuMemHostRegister), outside the range; likewise */
  ALLOCATION_VARIABLE,   /* a module's .global and .const variables */
  ALLOCATION_HEAP,       /* malloc() in device code */
} allocation_kind;

typedef struct allocation {
  uint64_t address, size;
  allocation_kind kind;
  int device;
  unsigned serial;     /* counts from 1 */
  const char *name;    /* of a variable, or NULL; a copy */
  bool read_only;      /* for programs: .const variables */
  atomic_bool freed;   /* the record stays */
  atomic_bool all_set; /* every byte has been set: the shadow does not matter, and may say otherwise */
} allocation;

enum { SHADOW_SET = 0xff, SHADOW_UNSET = 0, MEMORY_PAGE_SHIFT = 12, MEMORY_DEVICES = 64 };

/* Where things are; constant once memory_begin() has run. */
extern struct memory_arena {
  uint64_t base, size;
  uint8_t *shadow;                  /* of the byte at base */
  _Atomic uint32_t *pages;          /* serial of the allocation that each page belongs to; 0: none */
  _Atomic(allocation *) *by_serial; /* table, large enough for all; its first entry is NULL */
} memory_arena;

bool memory_begin(void); /* once per process, further calls do nothing; false: no address space */

/* On pages of its own, of which the first is where it begins. NULL: no address space is left, or no
 * memory. Zero-sized requests are the caller's business, and so is the size of the device:
 * memory_in_use() is what to compare with it. What the memory holds at first is undefined for programs
 * (and zero in fact). */
allocation *memory_allocate(uint64_t size, allocation_kind kind, int device, const char *name);
/* The user's own memory made known; NULL if it overlaps what is known already. */
allocation *memory_register(void *host, uint64_t size, int device);
/* Marks as freed and gives the pages back to the system; the record stays. Freed device memory can still
 * be read and written without a fault (the check may have come just before), freed host memory cannot. */
void memory_release(allocation *a);
/* Bytes in live allocations that take a device's memory: not those of HOST and REGISTERED. */
uint64_t memory_in_use(int device);

/* The live allocation that holds the byte; NULL if there is none. */
allocation *memory_find(uint64_t address);
/* Whether the process can touch all of it. */
bool memory_is_mapped(uint64_t address, uint64_t bytes);
/* For messages: the allocation, live or freed, whose bytes or pages hold the address, or the nearest one
 * below or above within a megabyte; NULL if there is none near. */
allocation *memory_nearest(uint64_t address);

/* The allocation that holds all of [address, address + size), live; NULL otherwise. */
static inline allocation *memory_holding(uint64_t address, uint64_t size) {
  const uint64_t offset = address - memory_arena.base;
  if (offset < memory_arena.size) {
    const uint32_t serial =
        atomic_load_explicit(&memory_arena.pages[offset >> MEMORY_PAGE_SHIFT], memory_order_relaxed);
    allocation *a = atomic_load_explicit(&memory_arena.by_serial[serial], memory_order_acquire);
    if (a == NULL || address - a->address >= a->size || size > a->size - (address - a->address) ||
        atomic_load_explicit(&a->freed, memory_order_relaxed))
      return NULL;
    return a;
  }
  allocation *a = memory_find(address);
  return a != NULL && size <= a->size - (address - a->address) ? a : NULL;
}

/* The shadow of a byte in the arena; NULL for registered memory, which counts as set. Look at all_set
 * too: where that is set, the shadow need not have been filled in. Mapped for the whole arena, so that a
 * shadow can be read and written wherever an address lies. */
static inline uint8_t *memory_shadow(uint64_t address) {
  const uint64_t offset = address - memory_arena.base;
  return offset < memory_arena.size ? memory_arena.shadow + offset : NULL;
}

/* Marks bytes within one allocation as set or not. Marking a whole allocation also sets all_set. Memory
 * that the host may write stays set. */
void memory_mark(allocation *a, uint64_t address, uint64_t size, bool set);
/* Copies bytes and their shadow between any two places, either of which may be plain host memory (which
 * counts as set) and which may overlap. Both ranges have been checked by the caller. */
void memory_copy(void *to, const void *from, uint64_t size);

/* The bytes alone. Aligned words arrive at once, whole. The places to fill are aligned to the element, of
 * 1, 2 or 4 bytes. */
void memory_move(void *to, const void *from, uint64_t size);
void memory_fill(void *to, uint32_t value, unsigned element, uint64_t count);

/* Calls visit for each allocation that is live, in order of serial. It may release. */
void memory_each(void (*visit)(allocation *a, void *data), void *data);
const char *allocation_kind_name(allocation_kind kind); /* "allocated by cuMemAlloc" ... */

#endif
