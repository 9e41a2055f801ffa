/* The bits of floating-point numbers, and numbers of bits. */
#ifndef SOFTGPU_EXEC_BITS_H
#define SOFTGPU_EXEC_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* As single-precision instructions give them: there is one NaN. */
static inline uint32_t canonical_bits_of_f32(float x) {
  return x != x ? UINT32_C(0x7fffffff) : bits_of_f32(x);
}

static inline float f32_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t bits_of_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double f64_of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#endif
