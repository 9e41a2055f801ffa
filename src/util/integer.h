/* Small arithmetic of sizes and counts. */
#ifndef JIG_UTIL_INTEGER_H
#define JIG_UTIL_INTEGER_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t ceil_div(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

static inline uint64_t min_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* The next multiple of a power of two. */
static inline size_t align_up(size_t bytes, size_t align) {
  return (bytes + align - 1) & ~(align - 1);
}

#endif
