#include "memory/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Addresses to try for, the largest that can be had: they are used up, never reused. */
static const uint64_t sizes[] = {(uint64_t)4 << 40,  (uint64_t)1 << 40,  (uint64_t)256 << 30,
                                 (uint64_t)64 << 30, (uint64_t)16 << 30, (uint64_t)4 << 30,
                                 (uint64_t)1 << 30,  (uint64_t)256 << 20};

enum {
  PAGE = 1 << MEMORY_PAGE_SHIFT,
  GAP = 16 * PAGE,       /* at least this much between neighbours belongs to nobody */
  LARGE = 1 << 16,       /* allocations from this size on are aligned to it */
  NEAR = 1 << 20,        /* memory_nearest() */
  MAX_RECORDS = 1 << 26, /* entries of by_serial at most */
};

/* The records are in one chain, so that a leak checker finds them from here: the tables are not memory
 * that it looks into. */
typedef struct record {
  allocation allocation;
  struct record *older;
  _Atomic(struct record *) next_registered;
  char name[];
} record;

struct memory_arena memory_arena;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint32_t max_records;
/* Serials given out; also says that their entries in by_serial are there. */
static _Atomic uint32_t record_count;
static _Atomic uint64_t in_use[MEMORY_DEVICES];

/* The live registered ones. Read without the lock: records stay where they are, and one that is taken out
 * of the list still leads on to the rest. */
static _Atomic(record *) registered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock: */
static record *newest;
static uint64_t next_address; /* where the next allocation may begin */
static uint64_t open_end;     /* up to where the system's pages of device memory are open */
static uint64_t host_begin;   /* where the lowest allocation of the host's begins, or would end */

static void *reserve(uint64_t size, int protection) {
  void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

static void unreserve(void *at, uint64_t size) {
  if (at != NULL) (void)munmap(at, size);
}

/* ThreadSanitizer has room for little, and ends the process instead of refusing. */
extern void __tsan_init(void) __attribute__((weak));
static uint64_t largest(void) {
  return __tsan_init != NULL ? (uint64_t)256 << 30 : UINT64_MAX;
}

static bool reserve_all(uint64_t size) {
  const uint64_t pages = size >> MEMORY_PAGE_SHIFT;
  max_records = pages < MAX_RECORDS ? (uint32_t)pages : MAX_RECORDS;
  void *data = reserve(size, PROT_NONE);
  void *shadow = reserve(size, PROT_READ | PROT_WRITE);
  void *owners = reserve(pages * sizeof *memory_arena.pages, PROT_READ | PROT_WRITE);
  void *records = reserve(max_records * sizeof *memory_arena.by_serial, PROT_READ | PROT_WRITE);
  if (data == NULL || shadow == NULL || owners == NULL || records == NULL) {
    unreserve(data, size);
    unreserve(shadow, size);
    unreserve(owners, pages * sizeof *memory_arena.pages);
    unreserve(records, max_records * sizeof *memory_arena.by_serial);
    return false;
  }
  memory_arena = (struct memory_arena){.base = (uint64_t)(uintptr_t)data,
                                       .size = size,
                                       .shadow = shadow,
                                       .pages = owners,
                                       .by_serial = records};
  return true;
}

static void begin(void) {
  size_t i = 0;
  while (i < sizeof sizes / sizeof *sizes && (sizes[i] > largest() || !reserve_all(sizes[i]))) i++;
  if (i == sizeof sizes / sizeof *sizes) return;
  /* Nothing lies at the very beginning, so that there is a gap before the first allocation too. */
  open_end = next_address = memory_arena.base + GAP;
  host_begin = memory_arena.base + memory_arena.size - GAP;
}

bool memory_begin(void) {
  (void)pthread_once(&once, begin);
  return memory_arena.size != 0;
}

static void *pointer(uint64_t address) {
  return (void *)(uintptr_t)address;
}

static uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/* Memory that the host writes behind our back. */
static bool always_set(const allocation *a) {
  return a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_MANAGED || a->kind == ALLOCATION_REGISTERED;
}

/* Faults are of use in memory that the host touches: each such allocation is open alone, with closed
 * pages on either side. Device memory is checked before it is touched; the gaps within it are left open,
 * as the system has a limit on the number of separate ranges: so that it is one, it grows from the
 * arena's beginning, and the host's from the end. */
static bool is_closed_around(const allocation *a) {
  return a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_MANAGED;
}

static _Atomic uint64_t *usage(const allocation *a) {
  const bool counts = a->kind != ALLOCATION_HOST && a->kind != ALLOCATION_REGISTERED && a->device >= 0 &&
                      a->device < MEMORY_DEVICES;
  return counts ? &in_use[a->device] : NULL;
}

/* A record that nobody else knows yet, with the next serial. */
static record *new_record(uint64_t size, allocation_kind kind, int device, const char *name) {
  const size_t length = name != NULL ? strlen(name) + 1 : 0;
  record *r = calloc(1, sizeof *r + length);
  if (r == NULL) return NULL;
  allocation *a = &r->allocation;
  a->size = size;
  a->kind = kind;
  a->device = device;
  if (name != NULL) {
    memcpy(r->name, name, length);
    a->name = r->name;
  }
  atomic_init(&a->all_set, always_set(a));
  return r;
}

/* Under the lock; the address is known by now. */
static bool publish(record *r) {
  const uint32_t serial = atomic_load_explicit(&record_count, memory_order_relaxed) + 1;
  if (serial >= max_records) return false;
  r->allocation.serial = serial;
  r->older = newest;
  newest = r;
  atomic_store_explicit(&memory_arena.by_serial[serial], &r->allocation, memory_order_release);
  atomic_store_explicit(&record_count, serial, memory_order_release);
  _Atomic uint64_t *use = usage(&r->allocation);
  if (use != NULL) atomic_fetch_add(use, r->allocation.size);
  return true;
}

/* Under the lock: addresses for the record, which are accessible then, up to *end. */
static bool open_pages(allocation *a, uint64_t *end) {
  const uint64_t unit = a->size >= LARGE ? LARGE : PAGE, room = host_begin - next_address;
  const uint64_t pages = round_up(a->size, PAGE);
  if (room < 2 * GAP + LARGE || pages > room - 2 * GAP - LARGE) return false;
  const bool alone = is_closed_around(a);
  a->address = alone ? (host_begin - GAP - pages) / unit * unit : round_up(next_address, unit);
  *end = a->address + pages;
  const uint64_t from = alone ? a->address : open_end;
  return mprotect(pointer(from), *end - from, PROT_READ | PROT_WRITE) == 0;
}

/* Under the lock. */
static bool place(record *r) {
  allocation *a = &r->allocation;
  uint64_t end;
  if (!open_pages(a, &end) || !publish(r)) return false;
  if (is_closed_around(a)) {
    host_begin = a->address;
  } else {
    next_address = end + GAP;
    open_end = end;
  }
  for (uint64_t at = a->address; at < end; at += PAGE) {
    atomic_store_explicit(&memory_arena.pages[(at - memory_arena.base) >> MEMORY_PAGE_SHIFT], a->serial,
                          memory_order_relaxed);
  }
  return true;
}

allocation *memory_allocate(uint64_t size, allocation_kind kind, int device, const char *name) {
  if (!memory_begin() || size == 0 || size > memory_arena.size) return NULL;
  record *r = new_record(size, kind, device, name);
  if (r == NULL) return NULL;
  (void)pthread_mutex_lock(&lock);
  const bool placed = place(r);
  (void)pthread_mutex_unlock(&lock);
  if (!placed) {
    free(r);
    return NULL;
  }
  return &r->allocation;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
  return a - b < b_size || b - a < a_size;
}

/* Under the lock. */
static bool add_registered(record *r) {
  const allocation *a = &r->allocation;
  record *first = atomic_load_explicit(&registered, memory_order_relaxed);
  for (record *i = first; i != NULL;
       i = atomic_load_explicit(&i->next_registered, memory_order_relaxed)) {
    if (overlap(i->allocation.address, i->allocation.size, a->address, a->size)) return false;
  }
  if (!publish(r)) return false;
  atomic_init(&r->next_registered, first);
  atomic_store_explicit(&registered, r, memory_order_release);
  return true;
}

allocation *memory_register(void *host, uint64_t size, int device) {
  const uint64_t address = (uint64_t)(uintptr_t)host;
  if (!memory_begin() || size == 0 || size > UINT64_MAX - address) return NULL;
  if (overlap(address, size, memory_arena.base, memory_arena.size)) return NULL;
  record *r = new_record(size, ALLOCATION_REGISTERED, device, NULL);
  if (r == NULL) return NULL;
  r->allocation.address = address;
  (void)pthread_mutex_lock(&lock);
  const bool added = add_registered(r);
  (void)pthread_mutex_unlock(&lock);
  if (!added) {
    free(r);
    return NULL;
  }
  return &r->allocation;
}

/* Under the lock. Who is looking at the record just now can still go on from it. */
static void drop_registered(const allocation *a) {
  _Atomic(record *) *link = &registered;
  record *i;
  while ((i = atomic_load_explicit(link, memory_order_relaxed)) != NULL && &i->allocation != a) {
    link = &i->next_registered;
  }
  if (i == NULL) return;
  record *next = atomic_load_explicit(&i->next_registered, memory_order_relaxed);
  atomic_store_explicit(link, next, memory_order_release);
}

void memory_release(allocation *a) {
  if (atomic_exchange(&a->freed, true)) return;
  _Atomic uint64_t *use = usage(a);
  if (use != NULL) atomic_fetch_sub(use, a->size);
  (void)pthread_mutex_lock(&lock);
  if (a->kind == ALLOCATION_REGISTERED) {
    drop_registered(a);
  } else {
    const uint64_t size = round_up(a->size, PAGE);
    if (is_closed_around(a)) {
      (void)mmap(pointer(a->address), size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    } else {
      (void)madvise(pointer(a->address), size, MADV_DONTNEED);
    }
    (void)madvise(memory_shadow(a->address), size, MADV_DONTNEED);
  }
  (void)pthread_mutex_unlock(&lock);
}

uint64_t memory_in_use(int device) {
  return device >= 0 && device < MEMORY_DEVICES ? atomic_load(&in_use[device]) : 0;
}

allocation *memory_find(uint64_t address) {
  if (address - memory_arena.base < memory_arena.size) return memory_holding(address, 1);
  for (record *r = atomic_load_explicit(&registered, memory_order_acquire); r != NULL;
       r = atomic_load_explicit(&r->next_registered, memory_order_acquire)) {
    allocation *a = &r->allocation;
    if (address - a->address < a->size && !atomic_load_explicit(&a->freed, memory_order_relaxed))
      return a;
  }
  return NULL;
}

bool memory_is_mapped(uint64_t address, uint64_t bytes) {
  enum { PAGES = 1024 };
  unsigned char there[PAGES];
  const uint64_t page = PAGE;
  uint64_t from = address & ~(page - 1);
  const uint64_t end = address + bytes;
  if (end < address) return false;
  while (from < end) {
    const uint64_t length = end - from < PAGES * page ? end - from : PAGES * page;
    if (mincore(pointer(from), length, there) != 0) return false;
    from += PAGES * page;
  }
  return true;
}

/* How far the address is from an allocation's bytes; 0: among them. */
static uint64_t distance(const allocation *a, uint64_t address) {
  if (address < a->address) return a->address - address;
  const uint64_t offset = address - a->address;
  return offset < a->size ? 0 : offset - a->size + 1;
}

static allocation *owner_of_page(uint64_t page) {
  if (page >= memory_arena.size >> MEMORY_PAGE_SHIFT) return NULL;
  const uint32_t serial = atomic_load_explicit(&memory_arena.pages[page], memory_order_relaxed);
  return atomic_load_explicit(&memory_arena.by_serial[serial], memory_order_acquire);
}

static allocation *nearest_in_arena(uint64_t address) {
  const uint64_t page = (address - memory_arena.base) >> MEMORY_PAGE_SHIFT;
  allocation *a = owner_of_page(page);
  for (uint64_t i = 1; a == NULL && i <= NEAR / PAGE; i++) {
    allocation *below = owner_of_page(page - i), *above = owner_of_page(page + i);
    a = below == NULL || (above != NULL && distance(above, address) < distance(below, address)) ? above
                                                                                                : below;
  }
  return a;
}

/* The latest of those that are equally far: what is live, where the memory was registered repeatedly. */
static allocation *nearest_registered(uint64_t address) {
  allocation *best = NULL;
  for (uint32_t serial = atomic_load_explicit(&record_count, memory_order_acquire); serial > 0;
       serial--) {
    allocation *a = atomic_load_explicit(&memory_arena.by_serial[serial], memory_order_acquire);
    if (a->kind != ALLOCATION_REGISTERED || distance(a, address) > NEAR) continue;
    if (best == NULL || distance(a, address) < distance(best, address)) best = a;
  }
  return best;
}

allocation *memory_nearest(uint64_t address) {
  return address - memory_arena.base < memory_arena.size ? nearest_in_arena(address)
                                                         : nearest_registered(address);
}

void memory_each(void (*visit)(allocation *a, void *data), void *data) {
  const uint32_t count = atomic_load_explicit(&record_count, memory_order_acquire);
  for (uint32_t serial = 1; serial <= count; serial++) {
    allocation *a = atomic_load_explicit(&memory_arena.by_serial[serial], memory_order_acquire);
    if (!atomic_load_explicit(&a->freed, memory_order_relaxed)) visit(a, data);
  }
}

const char *allocation_kind_name(allocation_kind kind) {
  switch (kind) {
    case ALLOCATION_DEVICE:
      return "allocated by cuMemAlloc";
    case ALLOCATION_ASYNC:
      return "allocated by cuMemAllocAsync";
    case ALLOCATION_HOST:
      return "allocated by cuMemHostAlloc";
    case ALLOCATION_MANAGED:
      return "allocated by cuMemAllocManaged";
    case ALLOCATION_REGISTERED:
      return "registered by cuMemHostRegister";
    case ALLOCATION_VARIABLE:
      return "of a module's variable";
    case ALLOCATION_HEAP:
      return "allocated by malloc in device code";
  }
  return "of an unknown kind";
}
