#include "exec/convert.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "exec/bits.h"
#include "exec/half.h"

enum { NAN_FP8 = 0x7f };

/* ---- what types are */

static bool is_signed(ptx_type type) {
  return type == TYPE_S8 || type == TYPE_S16 || type == TYPE_S32 || type == TYPE_S64;
}
static bool is_integer(ptx_type type) {
  return is_signed(type) || type == TYPE_U8 || type == TYPE_U16 || type == TYPE_U32 || type == TYPE_U64;
}

/* Largest finite values. */
static double largest(ptx_type type) {
  switch (type) {
    case TYPE_E4M3:
      return 448;
    case TYPE_E5M2:
      return 57344;
    case TYPE_F16:
      return 65504;
    case TYPE_BF16:
      return 0x1.fep127;
    case TYPE_TF32:
      return 0x1.ffcp127;
    case TYPE_F32:
      return FLT_MAX;
    default:
      return DBL_MAX;
  }
}

/* ---- 8 bits */

static double e4m3_value(uint8_t bits) {
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  if ((bits & 0x7f) == NAN_FP8) return NAN;
  const double value = exponent == 0 ? ldexp(mantissa, -9) : ldexp(8 + mantissa, exponent - 10);
  return bits >> 7 ? -value : value;
}

/* A finite value within the range, as sign, exponent and mantissa of an 8-bit format. */
static uint8_t encode_fp8(double x, int mantissa_bits, int bias, rounding how) {
  const int least = 1 - bias; /* exponent of the normal numbers */
  const double r = fabs(round_to_precision(x, mantissa_bits + 1, least - mantissa_bits, how));
  const uint8_t sign = signbit(x) ? 0x80 : 0;
  const int exponent = r == 0 || ilogb(r) < least ? least : ilogb(r);
  const int scaled =
      (int)ldexp(r, mantissa_bits - exponent); /* the implicit bit is in it, if there is one */
  return (uint8_t)(sign | (scaled + ((exponent - least) << mantissa_bits)));
}

/* ---- integers */

/* The double that rounds to all formats of at most 32 bits as the integer does: exact, or else too long
 * for them, with a last bit that says that something follows. */
static double integer_value(uint64_t bits, bool negative) {
  uint64_t magnitude = negative ? 0 - bits : bits;
  if (magnitude >> 53 != 0)
    magnitude = (magnitude & ~UINT64_C(0xfff)) | ((magnitude & 0xfff) != 0 ? 0x800 : 0);
  return negative ? -(double)magnitude : (double)magnitude;
}

static double f64_of_integer(uint64_t bits, bool negative, rounding how) {
  if (how == ROUND_RN) return negative ? (double)(int64_t)bits : (double)bits;
  const uint64_t magnitude = negative ? 0 - bits : bits;
  const int excess = magnitude >> 53 == 0 ? 0 : 11 - __builtin_clzll(magnitude);
  uint64_t kept = magnitude >> excess;
  if (kept << excess != magnitude && how == (negative ? ROUND_RM : ROUND_RP)) ++kept;
  const double value = ldexp((double)kept, excess);
  return negative ? -value : value;
}

static uint64_t saturate_integer(uint64_t bits, bool negative, ptx_type to) {
  const int size = 8 * ptx_type_size(to);
  const uint64_t top = UINT64_MAX >> (is_signed(to) ? 65 - size : 64 - size);
  if (!negative) return bits > top ? top : bits;
  if (!is_signed(to)) return 0;
  return bits < ~top ? ~top : bits; /* both are negative */
}

/* Cuts to the type's width and extends again. */
static uint64_t wrap_integer(uint64_t bits, ptx_type to) {
  const int cut = 64 - 8 * ptx_type_size(to);
  return is_signed(to) ? (uint64_t)((int64_t)(bits << cut) >> cut) : bits << cut >> cut;
}

static uint64_t integer_of(const conversion *c, double x) {
  const int size = 8 * ptx_type_size(c->to);
  if (isnan(x)) {
    if (c->from != TYPE_F64 && size < 64) return 0;
    return wrap_integer(UINT64_C(1) << (size - 1), c->to);
  }
  x = round_integral(x, c->how);
  const int magnitude_bits = is_signed(c->to) ? size - 1 : size;
  const uint64_t top = UINT64_MAX >> (64 - magnitude_bits);
  if (x >= ldexp(1, magnitude_bits)) return top;
  if (x >= 0) return (uint64_t)x;
  if (!is_signed(c->to)) return 0;
  return x < -ldexp(1, magnitude_bits) ? ~top : (uint64_t)(int64_t)x;
}

/* ---- floating-point numbers */

static double flushed(double x) {
  return fabs(x) < FLT_MIN ? copysign(0, x) : x;
}

static double f32_value(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}

/* As GPUs do it, .ftz lets subnormals stay for f16, and leads through arithmetic, where all NaNs become
 * one. */
static double f32_value_ftz(uint32_t bits, ptx_type to) {
  const double x = f32_value(bits);
  if (isnan(x)) return f32_value(0x7fffffff);
  return to == TYPE_F16 ? x : flushed(x);
}

static double value_of(const conversion *c, uint64_t bits) {
  double x;
  switch (c->from) {
    case TYPE_F16:
      return (double)f16_to_f32((uint16_t)bits);
    case TYPE_BF16:
      return (double)bf16_to_f32((uint16_t)bits);
    case TYPE_E4M3:
      return e4m3_value((uint8_t)bits);
    case TYPE_E5M2: /* f16 without the low byte */
      return (double)f16_to_f32((uint16_t)(bits << 8));
    case TYPE_F32:
    case TYPE_TF32:
      return c->ftz ? f32_value_ftz((uint32_t)bits, c->to) : f32_value((uint32_t)bits);
    case TYPE_F64:
      memcpy(&x, &bits, sizeof x);
      return x;
    default:
      return integer_value(bits, is_signed(c->from) && (int64_t)bits < 0);
  }
}

/* Conversions from and to f64 keep what fits of a NaN and make it quiet; all others have one NaN. */
static uint64_t nan_of(const conversion *c, double x) {
  const bool kept = c->from == TYPE_F64 || c->to == TYPE_F64;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = kept ? bits | UINT64_C(1) << 51 : UINT64_MAX >> 1;
  switch (c->to) {
    case TYPE_F16:
      return (bits >> 48 & 0x8000) | 0x7c00 | (bits >> 42 & 0x3ff);
    case TYPE_BF16:
      return (bits >> 48 & 0x8000) | 0x7f80 | (bits >> 45 & 0x7f);
    case TYPE_E4M3:
    case TYPE_E5M2:
      return NAN_FP8;
    case TYPE_TF32:
      return 0x7fffe000;
    case TYPE_F32:
      return (bits >> 32 & 0x80000000) | 0x7f800000 | (bits >> 29 & 0x7fffff);
    default:
      return bits;
  }
}

static uint64_t f32_bits(const conversion *c, double x) {
  float f = f32_from_f64(x, c->how);
  if (c->ftz) f = (float)flushed((double)f);
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

/* .rna is arithmetic on the bits; of NaN, too, only the upper ones stay. */
static uint64_t tf32_of_f32_rna(const conversion *c, uint32_t bits) {
  const uint32_t exponent = 0x7f800000, low = 0x1fff;
  const uint32_t rounded = ((bits & exponent) == exponent ? bits : bits + (low + 1) / 2) & ~low;
  return c->satfinite && (rounded & exponent) == exponent ? rounded - (low + 1) : rounded;
}

static uint64_t float_of(const conversion *c, double x) {
  if (c->sat) x = x > 0 ? fmin(x, 1) : 0; /* NaN, too, becomes 0 */
  if (c->relu && x <= 0) x = 0;
  if (c->satfinite && fabs(x) > largest(c->to)) x = copysign(largest(c->to), x);
  if (c->integral) x = round_integral(x, c->how);
  if (isnan(x)) return nan_of(c, x);
  switch (c->to) {
    case TYPE_F16:
      return f16_from_f64(x, c->how);
    case TYPE_BF16:
      return bf16_from_f64(x, c->how);
    case TYPE_E4M3:
      return encode_fp8(x, 3, 7, c->how);
    case TYPE_E5M2:
      return encode_fp8(x, 2, 15, c->how);
    case TYPE_TF32:
      return f32_bits(c, round_overflow(round_to_precision(x, 11, -136, c->how), largest(c->to), c->how));
    case TYPE_F32:
      return f32_bits(c, x);
    default:
      return bits_of_f64(x);
  }
}

uint64_t convert(const conversion *c, uint64_t bits) {
  if (c->to == TYPE_TF32 && c->how == ROUND_RNA) return tf32_of_f32_rna(c, (uint32_t)bits);
  if (c->from == TYPE_BF16 && c->to == TYPE_F32 && !c->sat && !c->ftz) return bits << 16 & 0xffffffff;
  if (!is_integer(c->from)) {
    const double x = value_of(c, bits);
    return is_integer(c->to) ? integer_of(c, x) : float_of(c, x);
  }
  const bool negative = is_signed(c->from) && (int64_t)bits < 0;
  if (is_integer(c->to))
    return wrap_integer(c->sat ? saturate_integer(bits, negative, c->to) : bits, c->to);
  return float_of(
      c, c->to == TYPE_F64 ? f64_of_integer(bits, negative, c->how) : integer_value(bits, negative));
}
