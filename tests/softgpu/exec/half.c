#include "exec/half.h"

#include <stdbool.h>
#include <string.h>

#include "exec/bits.h"

enum { F64_MANTISSA = 52, F64_BIAS = 1023, F64_TOP_EXPONENT = 0x7ff };

/* ---- to wider ones */

static inline float widened_f16(uint16_t h) {
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = (uint32_t)(h & 0x7fff) << 13;
  /* Exponent and mantissa where a float has them are short by the difference of the biases, for
   * subnormals too; the multiplication makes up for it, exactly. Infinity and NaN come out short of all
   * ones. */
  const uint32_t scaled = bits_of_f32(f32_of_bits(magnitude) * 0x1p112f);
  const uint32_t all_ones = magnitude >= 0x7c00 << 13 ? 0x7f800000 : 0;
  return f32_of_bits(sign | scaled | all_ones);
}

float f16_to_f32(uint16_t h) {
  return widened_f16(h);
}

float bf16_to_f32(uint16_t h) {
  return f32_of_bits((uint32_t)h << 16);
}

void f16_to_f32_all(int n, float *to, const uint16_t *from) {
  for (int k = 0; k < n; ++k) to[k] = widened_f16(from[k]);
}

void bf16_to_f32_all(int n, float *to, const uint16_t *from) {
  for (int k = 0; k < n; ++k) to[k] = bf16_to_f32(from[k]);
}

/* ---- to narrower ones */

/* Whether a magnitude is to be rounded up: what was cut off is `rest`, `half` being half of the last
 * place. */
static inline bool rounds_up(rounding how, bool negative, bool odd, uint64_t rest, uint64_t half) {
  switch (how) {
    case ROUND_RN:
      return rest > half || (rest == half && odd);
    case ROUND_RNA:
      return rest >= half;
    case ROUND_RM:
      return rest != 0 && negative;
    case ROUND_RP:
      return rest != 0 && !negative;
    case ROUND_RZ:
      break;
  }
  return false;
}

/* To a format with so many bits of mantissa below the leading one and this exponent of its smallest
 * normal. */
static inline uint16_t narrow(double x, rounding how, int mantissa, int least) {
  const uint32_t infinity = 0x7fff >> mantissa << mantissa;
  const uint64_t bits = bits_of_f64(x);
  const uint16_t sign = (uint16_t)(bits >> 63 << 15);
  const int field = (int)(bits >> F64_MANTISSA) & F64_TOP_EXPONENT;
  const uint64_t fraction = bits & ((UINT64_C(1) << F64_MANTISSA) - 1);
  if (field == F64_TOP_EXPONENT) return fraction != 0 ? HALF_NAN : (uint16_t)(sign | infinity);
  if (field == 0 && fraction == 0) return sign;

  /* The value is significand * 2^(exponent - F64_MANTISSA). The bits that are kept include the leading
   * one; added to the exponent field they count it up by one, which is right for normal numbers, and so
   * it is if rounding up carries out of the mantissa. Subnormal numbers lack both. */
  const uint64_t significand = field != 0 ? fraction | UINT64_C(1) << F64_MANTISSA : fraction;
  const int exponent = (field != 0 ? field : 1) - F64_BIAS;
  const int kept_exponent = exponent > least ? exponent : least;
  int cut = F64_MANTISSA - mantissa + kept_exponent - exponent;
  if (cut > 63) cut = 63; /* all of it, and less than half of the last place */
  const uint64_t kept = significand >> cut, rest = significand & ((UINT64_C(1) << cut) - 1);
  const bool up = rounds_up(how, sign != 0, kept & 1, rest, UINT64_C(1) << (cut - 1));
  const uint64_t magnitude = ((uint64_t)(kept_exponent - least) << mantissa) + kept + up;
  if (magnitude < infinity) return (uint16_t)(sign | magnitude);
  const bool finite = how == ROUND_RZ || (how == ROUND_RM && sign == 0) || (how == ROUND_RP && sign != 0);
  return (uint16_t)(sign | (finite ? infinity - 1 : infinity));
}

uint16_t f16_from_f64(double x, rounding how) {
  return narrow(x, how, 10, -14);
}

uint16_t bf16_from_f64(double x, rounding how) {
  return narrow(x, how, 7, -126);
}

/* A magnitude rounded to so many bits below the leading one, none of them below those of the least normal
 * number: added to a power of two that is so much larger, the sum keeps just these. */
static inline double nearest(uint64_t magnitude, int mantissa, int least) {
  const int64_t field = (int64_t)(magnitude >> F64_MANTISSA), lowest = F64_BIAS + least;
  const int64_t kept = field > lowest ? field : lowest;
  const double large = f64_of_bits((uint64_t)(kept + F64_MANTISSA - mantissa) << F64_MANTISSA);
  return (f64_of_bits(magnitude) + large) - large;
}

static inline uint64_t lesser(uint64_t a, uint64_t b) {
  return (int64_t)a < (int64_t)b ? a : b; /* both are below 2^63, and compare faster so */
}

#define POWER_OF_TWO(n) ((uint64_t)(F64_BIAS + (n)) << F64_MANTISSA)
#define F64_INFINITY ((int64_t)F64_TOP_EXPONENT << F64_MANTISSA)

/* The result's magnitude with the sign of what it came from; or NaN if that was one. */
static inline uint16_t with_sign(uint64_t from, uint32_t magnitude) {
  const uint32_t sign = (uint32_t)(from >> 48) & 0x8000;
  const int64_t beyond = F64_INFINITY - (int64_t)(from & INT64_MAX); /* negative: it is NaN */
  const uint32_t nan = (uint32_t)(beyond >> 63);
  return (uint16_t)(((sign | magnitude) & ~nan) | (HALF_NAN & nan));
}

/* Integer arithmetic wherever it will do: comparisons of floats may trap, which keeps loops from being
 * vectorised. What is too large for a format is brought down to where its infinity would be. */
static inline uint16_t nearest_f16(uint64_t bits) {
  const uint64_t magnitude = bits & INT64_MAX;
  const uint64_t rounded = bits_of_f64(nearest(lesser(magnitude, POWER_OF_TWO(17)), 10, -14));
  /* As in widened_f16(), the other way round. */
  const float scaled = (float)f64_of_bits(lesser(rounded, POWER_OF_TWO(16))) * 0x1p-112f;
  return with_sign(bits, bits_of_f32(scaled) >> 13);
}

static inline uint16_t nearest_bf16(uint64_t bits) {
  const uint64_t magnitude = bits & INT64_MAX;
  const float rounded = (float)nearest(lesser(magnitude, POWER_OF_TWO(129)), 7, -126);
  return with_sign(bits, bits_of_f32(rounded) >> 16);
}

void f16_from_f64_all(int n, uint16_t *to, const double *from) {
  for (int k = 0; k < n; ++k) to[k] = nearest_f16(bits_of_f64(from[k]));
}

void bf16_from_f64_all(int n, uint16_t *to, const double *from) {
  for (int k = 0; k < n; ++k) to[k] = nearest_bf16(bits_of_f64(from[k]));
}
