#include "exec/rounding.h"

#include <float.h>
#include <math.h>

double round_integral(double x, rounding how) {
  switch (how) {
    case ROUND_RN:
      return rint(x);
    case ROUND_RZ:
      return trunc(x);
    case ROUND_RM:
      return floor(x);
    case ROUND_RP:
      return ceil(x);
    case ROUND_RNA:
      return round(x);
  }
  return x;
}

double round_to_precision(double x, int precision, int least_exponent, rounding how) {
  if (!isfinite(x) || x == 0) return x;
  int unit = ilogb(x) - precision + 1;
  if (unit < least_exponent) unit = least_exponent;
  /* Both scalings are exact: the first gives less than 2^precision, perhaps with a fraction. */
  const double scaled = scalbn(x, -unit);
  return copysign(scalbn(round_integral(scaled, how), unit), x);
}

double round_overflow(double x, double largest, rounding how) {
  if (!(fabs(x) > largest) || isinf(x)) return x;
  const int up = how == ROUND_RN || how == ROUND_RNA || how == (x > 0 ? ROUND_RP : ROUND_RM);
  return copysign(up ? (double)INFINITY : largest, x);
}

float f32_from_f64(double x, rounding how) {
  if (how == ROUND_RN) return (float)x;
  return (float)round_overflow(round_to_precision(x, 24, -149, how), FLT_MAX, how);
}
