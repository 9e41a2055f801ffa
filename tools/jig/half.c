#include "half.h"

#include <math.h>

static int bias_of(half_format f) {
  return (1 << (f.exponent_bits - 1)) - 1;
}

/* All exponent bits set, no mantissa. */
static long infinity_of(half_format f) {
  return ((1L << f.exponent_bits) - 1) << f.mantissa_bits;
}

uint16_t half_from_double(double value, half_format f) {
  const unsigned sign = signbit(value) ? 0x8000u : 0;
  const long infinity = infinity_of(f);
  if (isnan(value)) return (uint16_t)(sign | (unsigned)(infinity | 1L << (f.mantissa_bits - 1)));
  if (isinf(value)) return (uint16_t)(sign | (unsigned)infinity);
  const double magnitude = fabs(value);
  const int smallest = 1 - bias_of(f); /* the exponent of the smallest normal value, and of all below */
  int exponent;
  (void)frexp(magnitude, &exponent);
  --exponent; /* magnitude is 1.xxx times two to that power */
  if (magnitude == 0 || exponent < smallest) exponent = smallest;
  if (exponent > bias_of(f)) return (uint16_t)(sign | (unsigned)infinity);
  /* In units of the last place. The leading one, if there is one, adds itself to the exponent, and so
   * does what rounding carries. */
  const long units = lrint(ldexp(magnitude, f.mantissa_bits - exponent));
  return (uint16_t)(sign | (unsigned)(((long)(exponent - smallest) << f.mantissa_bits) + units));
}

double half_to_double(uint16_t bits, half_format f) {
  const long infinity = infinity_of(f), magnitude = bits & 0x7fff;
  const long mantissa = magnitude & ((1L << f.mantissa_bits) - 1),
             exponent = magnitude >> f.mantissa_bits;
  double value;
  if (magnitude >= infinity)
    value = magnitude == infinity ? (double)INFINITY : (double)NAN;
  else if (exponent == 0)
    value = ldexp((double)mantissa, 1 - bias_of(f) - f.mantissa_bits);
  else
    value =
        ldexp((double)(mantissa + (1L << f.mantissa_bits)), (int)exponent - bias_of(f) - f.mantissa_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}
