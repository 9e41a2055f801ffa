/* 128-bit content hashes (XXH3). Not cryptographic: whoever relies on one also compares what was hashed,
 * or hashes nothing an adversary chooses. */
#ifndef JIG_UTIL_HASH_H
#define JIG_UTIL_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct hash128 {
  uint64_t low, high;
} hash128;

enum { HASH_HEX_SIZE = 33 };

static inline hash128 hash_bytes(const void *bytes, size_t length) {
  XXH128_hash_t h = XXH3_128bits(bytes, length);
  return (hash128){h.low64, h.high64};
}

static inline bool hash_equal(hash128 a, hash128 b) {
  return a.low == b.low && a.high == b.high;
}

/* 32 hex digits and a NUL; the most significant digit first. */
static inline void hash_hex(hash128 h, char hex[HASH_HEX_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 32; ++i) {
    uint64_t word = i < 16 ? h.high : h.low;
    hex[i] = digits[word >> (60 - 4 * (i % 16)) & 15];
  }
  hex[32] = '\0';
}

#endif
