#include "ptx_number.h"

#include <math.h>
#include <string.h>

const number_format F16 = {10, 5, false}, BF16 = {7, 8, false}, F32 = {23, 8, false},
                    F64 = {52, 11, false}, TF32 = {10, 8, false}, E4M3 = {3, 4, true},
                    E5M2 = {2, 5, false};

rounding rounding_of(const char *text) {
  static const struct {
    const char *part;
    rounding way;
  } ways[] = {{".rna", ROUND_AWAY}, {".rz", ROUND_ZERO}, {".rm", ROUND_DOWN}, {".rp", ROUND_UP}};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    if (strstr(text, ways[i].part) != NULL) return ways[i].way;
  }
  return ROUND_NEAREST;
}

static int bias_of(const number_format *f) {
  return (1 << (f->exponent - 1)) - 1;
}
static uint64_t infinity_of(const number_format *f) {
  return ((UINT64_C(1) << f->exponent) - 1) << f->mantissa;
}
static uint64_t sign_of(const number_format *f) {
  return UINT64_C(1) << (f->mantissa + f->exponent);
}

uint64_t number_nan(const number_format *f) {
  return sign_of(f) - 1;
}

bool number_is_nan(const number_format *f, uint64_t bits) {
  const uint64_t magnitude = bits & (sign_of(f) - 1);
  return f->no_infinity ? magnitude == number_nan(f) : magnitude > infinity_of(f);
}

long double number_value_wide(const number_format *f, uint64_t bits) {
  const uint64_t magnitude = bits & (sign_of(f) - 1),
                 mantissa = magnitude & ((UINT64_C(1) << f->mantissa) - 1);
  const int exponent = (int)(magnitude >> f->mantissa);
  long double value;
  if (number_is_nan(f, bits)) return (long double)NAN;
  if (magnitude == infinity_of(f) && !f->no_infinity) {
    value = (long double)INFINITY;
  } else if (exponent == 0) {
    value = ldexpl((long double)mantissa, 1 - bias_of(f) - (int)f->mantissa);
  } else {
    value = ldexpl((long double)(mantissa | UINT64_C(1) << f->mantissa),
                   exponent - bias_of(f) - (int)f->mantissa);
  }
  return (bits & sign_of(f)) != 0 ? -value : value;
}

double number_value(const number_format *f, uint64_t bits) {
  return (double)number_value_wide(f, bits);
}

/* Whether a magnitude between two neighbours goes to the upper one. `rest` is its distance from the lower
 * one in units of theirs. */
static bool goes_up(long double rest, bool is_odd, bool negative, rounding way) {
  switch (way) {
    case ROUND_NEAREST:
      return rest > 0.5L || (rest == 0.5L && is_odd);
    case ROUND_AWAY:
      return rest >= 0.5L;
    case ROUND_DOWN:
      return rest > 0 && negative;
    case ROUND_UP:
      return rest > 0 && !negative;
    default:
      return false;
  }
}

uint64_t number_round(const number_format *f, long double value, rounding way) {
  if (isnan(value)) return number_nan(f);
  const bool negative = signbit(value) != 0;
  const uint64_t sign = negative ? sign_of(f) : 0;
  const uint64_t largest = f->no_infinity ? number_nan(f) - 1 : infinity_of(f) - 1;
  long double magnitude = fabsl(value);
  if (magnitude == 0) return sign;
  if (isinf(value)) return sign | (f->no_infinity ? number_nan(f) : infinity_of(f));
  int exponent;
  (void)frexpl(magnitude, &exponent); /* [0.5, 1) * 2^exponent */
  const int least = 1 - bias_of(f),
            power = (exponent - 1 < least ? least : exponent - 1) - (int)f->mantissa;
  const long double units = ldexpl(magnitude, -power), whole = floorl(units);
  uint64_t count = (uint64_t)whole;
  if (goes_up(units - whole, (count & 1) != 0, negative, way)) count++;
  /* Encodings go on from one exponent to the next, so that a carry needs no care. */
  uint64_t bits = count;
  if (exponent - 1 >= least) bits += (uint64_t)(exponent - 1 + bias_of(f) - 1) << f->mantissa;
  if (exponent - 1 > bias_of(f) + 1 || bits > largest) {
    const bool to_infinity = way == ROUND_NEAREST || way == ROUND_AWAY ||
                             (way == ROUND_DOWN ? negative
                              : way == ROUND_UP ? !negative
                                                : false);
    bits = to_infinity ? largest + 1 : largest;
  }
  return sign | bits;
}

uint64_t number_flush(const number_format *f, uint64_t bits) {
  return (bits & infinity_of(f)) == 0 ? bits & sign_of(f) : bits;
}

uint64_t number_round_flushed(const number_format *f, long double value, rounding way) {
  const bool is_small = fabsl(value) < ldexpl(1, 1 - bias_of(f));
  return number_round(f, is_small ? copysignl(0, value) : value, way);
}

uint64_t number_saturate(const number_format *f, uint64_t bits) {
  const uint64_t one = (uint64_t)bias_of(f) << f->mantissa;
  if (number_is_nan(f, bits) || (bits & sign_of(f)) != 0) return 0;
  return bits > one ? one : bits;
}

uint64_t number_relu(const number_format *f, uint64_t bits) {
  if (number_is_nan(f, bits)) return number_nan(f);
  return (bits & sign_of(f)) != 0 ? 0 : bits;
}

/* ---- rounding to odd */

/* `value` is the nearest double of an exact result, which is larger by something of the sign of `rest`.
 */
static double make_odd(double value, double rest) {
  if (rest == 0 || !isfinite(value) || isnan(rest)) return value;
  uint64_t bits = double_bits(value);
  if ((bits & 1) != 0) return value;
  if (value == 0) return value; /* cannot be: sums are never subnormal without being exact */
  const bool away = (rest > 0) == (value > 0);
  return as_double(away ? bits + 1 : bits - 1);
}

double odd_sum(double a, double b) {
  volatile double sum = a + b;
  if (!isfinite(sum)) return sum;
  volatile double part = sum - a, other = sum - part;
  volatile double rest_b = b - part, rest_a = a - other;
  return make_odd(sum, rest_a + rest_b);
}

double odd_quotient(double a, double b) {
  volatile double quotient = a / b;
  if (!isfinite(quotient) || quotient == 0 || isinf(b)) return quotient;
  const double rest = fma(-quotient, b, a); /* has the sign of a - quotient * b */
  return make_odd(quotient, b < 0 ? -rest : rest);
}

double odd_root(double a) {
  volatile double root = sqrt(a);
  if (!isfinite(root) || root == 0) return root;
  return make_odd(root, fma(-root, root, a));
}

/* ---- bits */

float as_float(uint64_t bits) {
  const uint32_t word = (uint32_t)bits;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint64_t float_bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
