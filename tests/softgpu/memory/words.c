/* Bytes moved and set by words, each of them at once: a program may be polling one meanwhile. */
#include <string.h>
#include <sys/mman.h>

#include "memory/memory.h"

typedef uint64_t __attribute__((may_alias)) word;
typedef uint32_t __attribute__((may_alias)) half_word;

static bool is_aligned(const void *at, uint64_t unit) {
  return (uint64_t)(uintptr_t)at % unit == 0;
}

void memory_move(void *to, const void *from, uint64_t size) {
  unsigned char *t = to;
  const unsigned char *f = from;
  const uint64_t forwards = (uint64_t)(uintptr_t)to - (uint64_t)(uintptr_t)from;
  /* What is a word on one side alone cannot arrive whole; overlaps are rare. */
  if (forwards % sizeof(half_word) != 0 || forwards < size || -forwards < size) {
    memmove(to, from, size);
    return;
  }
  while (size > 0) {
    uint64_t unit = 1;
    if (is_aligned(t, sizeof(word)) && is_aligned(f, sizeof(word)) && size >= sizeof(word)) {
      const uint64_t words = size / sizeof(word);
      for (uint64_t i = 0; i < words; i++) {
        __atomic_store_n((word *)(void *)t + i,
                         __atomic_load_n((const word *)(const void *)f + i, __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED);
      }
      unit = words * sizeof(word);
    } else if (is_aligned(t, sizeof(half_word)) && size >= sizeof(half_word)) {
      __atomic_store_n((half_word *)(void *)t,
                       __atomic_load_n((const half_word *)(const void *)f, __ATOMIC_RELAXED),
                       __ATOMIC_RELAXED);
      unit = sizeof(half_word);
    } else {
      *t = *f;
    }
    t += unit;
    f += unit;
    size -= unit;
  }
}

/* Zeros are what fresh pages read as, which take neither time nor memory: so that gigabytes of input cost
 * nothing. */
enum { PAGE = 1 << MEMORY_PAGE_SHIFT, MANY_BYTES = 1 << 20 };
static bool drop_pages(unsigned char *at, uint64_t size) {
  if (size < MANY_BYTES || memory_shadow((uint64_t)(uintptr_t)at) == NULL) return false;
  const uint64_t before = -(uint64_t)(uintptr_t)at % PAGE, pages = (size - before) / PAGE * PAGE;
  if (madvise(at + before, pages, MADV_DONTNEED) != 0) return false;
  memset(at, 0, before);
  memset(at + before + pages, 0, size - before - pages);
  return true;
}

void memory_fill(void *to, uint32_t value, unsigned element, uint64_t count) {
  unsigned char *t = to;
  uint64_t size = element * count;
  uint64_t pattern = element == 1 ? value & 0xff : element == 2 ? value & 0xffff : value;
  for (unsigned bytes = element; bytes < sizeof pattern; bytes *= 2) pattern |= pattern << 8 * bytes;
  if (pattern == 0 && drop_pages(t, size)) return;
  while (size > 0) {
    uint64_t unit = element;
    if (is_aligned(t, sizeof(word)) && size >= sizeof(word)) {
      const uint64_t words = size / sizeof(word);
      for (uint64_t i = 0; i < words; i++)
        __atomic_store_n((word *)(void *)t + i, pattern, __ATOMIC_RELAXED);
      unit = words * sizeof(word);
    } else if (is_aligned(t, sizeof(half_word)) && size >= sizeof(half_word)) {
      __atomic_store_n((half_word *)(void *)t, (half_word)pattern, __ATOMIC_RELAXED);
      unit = sizeof(half_word);
    } else {
      memcpy(t, &pattern, element);
    }
    t += unit;
    size -= unit;
  }
}
