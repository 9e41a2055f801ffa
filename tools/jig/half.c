#include "half.h"

#include <math.h>

uint16_t half_from_double(double value, half_format f) {
  const unsigned sign = signbit(value) ? 0x8000u : 0;
  const long infinity = half_infinity(f);
  if (isnan(value)) return (uint16_t)(sign | (unsigned)(infinity | 1L << (f.mantissa_bits - 1)));
  if (isinf(value)) return (uint16_t)(sign | (unsigned)infinity);
  const double magnitude = fabs(value);
  const int smallest = 1 - half_bias(f); /* the exponent of the smallest normal value, and of all below */
  int exponent;
  (void)frexp(magnitude, &exponent);
  --exponent; /* magnitude is 1.xxx times two to that power */
  if (magnitude == 0 || exponent < smallest) exponent = smallest;
  if (exponent > half_bias(f)) return (uint16_t)(sign | (unsigned)infinity);
  /* In units of the last place. The leading one, if there is one, adds itself to the exponent, and so
   * does what rounding carries. */
  const long units = lrint(ldexp(magnitude, f.mantissa_bits - exponent));
  return (uint16_t)(sign | (unsigned)(((long)(exponent - smallest) << f.mantissa_bits) + units));
}
