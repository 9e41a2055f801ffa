/* Bytes moved and set by words, each of them at once: a program may be polling one meanwhile. */
#include <string.h>

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

void memory_fill(void *to, uint32_t value, unsigned element, uint64_t count) {
  unsigned char *t = to;
  uint64_t size = element * count;
  uint64_t pattern = element == 1 ? value & 0xff : element == 2 ? value & 0xffff : value;
  for (unsigned bytes = element; bytes < sizeof pattern; bytes *= 2) pattern |= pattern << 8 * bytes;
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
