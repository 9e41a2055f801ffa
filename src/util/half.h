/* The 16-bit floating-point formats. */
#ifndef JIG_UTIL_HALF_H
#define JIG_UTIL_HALF_H

#include <stdint.h>

typedef struct half_format {
  int exponent_bits, mantissa_bits;
} half_format;

static const half_format format_f16 = {5, 10}, format_bf16 = {8, 7};

static inline int half_bias(half_format f) {
  return (1 << (f.exponent_bits - 1)) - 1;
}

/* All exponent bits set, no mantissa. */
static inline long half_infinity(half_format f) {
  return ((1L << f.exponent_bits) - 1) << f.mantissa_bits;
}

double half_to_double(uint16_t bits, half_format f);

#endif
