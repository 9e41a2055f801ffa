/* Arithmetic of counts and sizes that does not wrap. What does not fit is TOO_LARGE; so is every sum,
 * every multiple and what is aligned of that, so that it suffices to look at the end. */
#ifndef JIG_UTIL_INTEGER_H
#define JIG_UTIL_INTEGER_H

#include <stddef.h>
#include <stdint.h>

#define TOO_LARGE UINT64_MAX
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "a size is a count of bytes");

/* No object in memory has more bytes: C subtracts pointers. */
#define MOST_BYTES ((uint64_t)PTRDIFF_MAX)

static inline uint64_t sum_of(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? TOO_LARGE : sum;
}

static inline uint64_t product_of(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? TOO_LARGE : product;
}

static inline uint64_t ceil_div(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

static inline uint64_t min_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline uint64_t max_of(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The next multiple of a power of two. */
static inline size_t align_up(size_t bytes, size_t align) {
  size_t sum;
  return __builtin_add_overflow(bytes, align - 1, &sum) ? TOO_LARGE : sum & ~(align - 1);
}

#endif
