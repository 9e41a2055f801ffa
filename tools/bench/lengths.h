/* Lengths of segments that the host makes. */
#ifndef JIG_BENCH_LENGTHS_H
#define JIG_BENCH_LENGTHS_H

#include <stdint.h>

#define LENGTHS_SEED 88172645463325252U

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

#endif
