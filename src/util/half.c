#include "util/half.h"

#include <math.h>

double half_to_double(uint16_t bits, half_format f) {
  const long infinity = half_infinity(f), magnitude = bits & 0x7fff;
  const long mantissa = magnitude & ((1L << f.mantissa_bits) - 1),
             exponent = magnitude >> f.mantissa_bits;
  double value;
  if (magnitude >= infinity)
    value = magnitude == infinity ? (double)INFINITY : (double)NAN;
  else if (exponent == 0)
    value = ldexp((double)mantissa, 1 - half_bias(f) - f.mantissa_bits);
  else
    value = ldexp((double)(mantissa + (1L << f.mantissa_bits)),
                  (int)exponent - half_bias(f) - f.mantissa_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}
