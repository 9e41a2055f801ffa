/* Digests of items that do not depend on their order: sums of a number for each, so that a large array's
 * is the sum of its pieces'. */
#ifndef JIG_BENCH_DIGEST_H
#define JIG_BENCH_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Inlined with a constant size, which makes a plain load of memcpy(). */
static inline uint64_t digest_sized(const char *items, size_t size, uint64_t count, uint64_t group) {
  const uint64_t salt = group * 0x94d049bb133111ebU;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t x = 0;
    memcpy(&x, items + i * size, size);
    x += salt;
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15U;
    sum += (x ^ x >> 29) * 0xbf58476d1ce4e5b9U;
  }
  return sum;
}

/* Of `count` items of up to 8 bytes, which belong to a group: in another one they have other numbers. */
static inline uint64_t digest_items(const void *items, size_t size, uint64_t count, uint64_t group) {
  if (size == 1) return digest_sized(items, 1, count, group);
  if (size == 2) return digest_sized(items, 2, count, group);
  if (size == 4) return digest_sized(items, 4, count, group);
  return digest_sized(items, 8, count, group);
}

#endif
