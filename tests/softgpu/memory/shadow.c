/* What has been set: memory_mark() and memory_copy(). */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/memory.h"

enum { PAGE = 1 << MEMORY_PAGE_SHIFT, MANY_PAGES = 16 * PAGE };

/* For the change from all_set to a shadow that says so. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_all_set(const allocation *a) {
  return atomic_load_explicit(&a->all_set, memory_order_acquire);
}

static bool is_host_memory(const allocation *a) {
  return a->kind == ALLOCATION_HOST || a->kind == ALLOCATION_MANAGED || a->kind == ALLOCATION_REGISTERED;
}

/* From here on the shadow counts. */
static void fill_in_shadow(allocation *a) {
  if (!is_all_set(a)) return;
  (void)pthread_mutex_lock(&lock);
  if (is_all_set(a)) {
    memset(memory_shadow(a->address), SHADOW_SET, a->size);
    atomic_store_explicit(&a->all_set, false, memory_order_release);
  }
  (void)pthread_mutex_unlock(&lock);
}

static void unset_whole(allocation *a) {
  (void)pthread_mutex_lock(&lock);
  /* Fresh pages are SHADOW_UNSET, and take no memory. */
  const uint64_t size = (a->size + PAGE - 1) / PAGE * PAGE;
  if (size < MANY_PAGES || madvise(memory_shadow(a->address), size, MADV_DONTNEED) != 0) {
    memset(memory_shadow(a->address), SHADOW_UNSET, a->size);
  }
  atomic_store_explicit(&a->all_set, false, memory_order_release);
  (void)pthread_mutex_unlock(&lock);
}

void memory_mark(allocation *a, uint64_t address, uint64_t size, bool set) {
  if (is_host_memory(a) || size == 0) return;
  const bool whole = address == a->address && size == a->size;
  if (set) {
    if (is_all_set(a)) return;
    if (whole) {
      atomic_store_explicit(&a->all_set, true, memory_order_release);
    } else {
      memset(memory_shadow(address), SHADOW_SET, size);
    }
  } else if (whole) {
    unset_whole(a);
  } else {
    fill_in_shadow(a);
    memset(memory_shadow(address), SHADOW_UNSET, size);
  }
}

static bool shadow_says_set(const uint8_t *shadow, uint64_t size) {
  /* All are equal to the first one, and that is set. */
  return shadow[0] == SHADOW_SET && memcmp(shadow, shadow + 1, size - 1) == 0;
}

/* The allocation in the arena whose shadow belongs to the bytes; NULL for memory that counts as set. */
static allocation *owner(const void *at, uint64_t size) {
  const uint64_t address = (uint64_t)(uintptr_t)at;
  if (memory_shadow(address) == NULL) return NULL;
  allocation *a = memory_holding(address, size);
  return a == NULL || is_host_memory(a) ? NULL : a;
}

void memory_copy(void *to, const void *from, uint64_t size) {
  if (size == 0) return;
  memory_move(to, from, size);
  allocation *target = owner(to, size), *source = owner(from, size);
  if (target == NULL) return;
  const uint64_t address = (uint64_t)(uintptr_t)to;
  const uint8_t *shadow = memory_shadow((uint64_t)(uintptr_t)from);
  if (source == NULL || is_all_set(source) || shadow_says_set(shadow, size)) {
    memory_mark(target, address, size, true);
  } else {
    fill_in_shadow(target);
    memmove(memory_shadow(address), shadow, size);
  }
}
