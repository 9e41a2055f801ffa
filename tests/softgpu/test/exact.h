/* Floating-point numbers as exact integers, for models. */
#ifndef SOFTGPU_TEST_EXACT_H
#define SOFTGPU_TEST_EXACT_H

#include <math.h>

__extension__ typedef __int128 wide_integer;

/* In units of 2^-scale, cut to whole ones; the caller knows that it fits. */
static inline wide_integer integer_of(double x, int scale) {
  int exponent;
  const double fraction = frexp(x, &exponent);
  const wide_integer digits = (wide_integer)ldexp(fraction, 53);
  const int shift = exponent - 53 + scale;
  if (shift >= 0) return digits * ((wide_integer)1 << shift);
  return shift > -64 ? digits / ((wide_integer)1 << -shift) : 0;
}

#endif
