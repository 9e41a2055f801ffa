/* Lengths of segments that the host makes. */
#ifndef JIG_BENCH_LENGTHS_H
#define JIG_BENCH_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dU >> 11;
}

/* 1 to `most`, a power of two: as many of 1 to 2 as of 1000 to 2000. */
static inline uint64_t logarithmic_length(uint64_t *state, uint64_t most) {
  uint64_t bits = 0;
  while (most >> bits > 1) ++bits;
  const uint64_t power = (uint64_t)1 << next_random(state) % bits;
  return power + next_random(state) % power;
}

/* How long segment number `count` of `n` items is to be, of a case with such an `own`. */
typedef uint64_t segment_length(const void *own, uint64_t count, uint64_t n, uint64_t *state);

/* Writes where segments end, one after the other; how many there are. `ends` may be NULL. */
static inline uint64_t cut_segments(segment_length *length_of, const void *own, uint64_t n,
                                    uint32_t *ends) {
  uint64_t state = 88172645463325252U, count = 0, end = 0;
  while (end < n) {
    const uint64_t length = length_of(own, count, n, &state);
    end = end + length < n ? end + length : n;
    if (ends != NULL) ends[count] = (uint32_t)end;
    ++count;
  }
  return count;
}

#endif
