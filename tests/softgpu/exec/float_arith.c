/* Arithmetic of section 9.7.3 that IEEE 754 defines to the bit, for f32 and f64. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "exec/bits.h"
#include "exec/float_form.h"
#include "exec/half.h"

static int mode_of(rounding how) {
  switch (how) {
    case ROUND_RZ:
      return FE_TOWARDZERO;
    case ROUND_RM:
      return FE_DOWNWARD;
    case ROUND_RP:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

/* Loops over all lanes that the compiler vectorises. They are in functions of their own, between
 * barriers, so that it moves nothing out of reach of the rounding that was set. */
#define DEFINE_ARITHMETIC(T, FMA, SQRT)                                                                 \
  static __attribute__((noinline)) void arithmetic_##T(float_op op, T *restrict r, const T *restrict a, \
                                                       const T *restrict b, const T *restrict c) {      \
    switch (op) {                                                                                       \
      case FLOAT_ADD:                                                                                   \
        FOR_LANES(l) r[l] = a[l] + b[l];                                                                \
        break;                                                                                          \
      case FLOAT_SUB:                                                                                   \
        FOR_LANES(l) r[l] = a[l] - b[l];                                                                \
        break;                                                                                          \
      case FLOAT_MUL:                                                                                   \
        FOR_LANES(l) r[l] = a[l] * b[l];                                                                \
        break;                                                                                          \
      case FLOAT_FMA:                                                                                   \
        FOR_LANES(l) r[l] = FMA(a[l], b[l], c[l]);                                                      \
        break;                                                                                          \
      case FLOAT_DIV:                                                                                   \
        FOR_LANES(l) r[l] = a[l] / b[l];                                                                \
        break;                                                                                          \
      case FLOAT_RCP:                                                                                   \
        FOR_LANES(l) r[l] = 1 / a[l];                                                                   \
        break;                                                                                          \
      default:                                                                                          \
        FOR_LANES(l) r[l] = SQRT(a[l]);                                                                 \
        break;                                                                                          \
    }                                                                                                   \
  }                                                                                                     \
  static void rounded_##T(float_op op, rounding how, T *r, const T *a, const T *b, const T *c) {        \
    if (how != ROUND_RN) (void)fesetround(mode_of(how));                                                \
    __asm__ volatile("" ::: "memory");                                                                  \
    arithmetic_##T(op, r, a, b, c);                                                                     \
    __asm__ volatile("" ::: "memory");                                                                  \
    if (how != ROUND_RN) (void)fesetround(FE_TONEAREST);                                                \
  }

DEFINE_ARITHMETIC(float, __builtin_fmaf, __builtin_sqrtf)
DEFINE_ARITHMETIC(double, __builtin_fma, __builtin_sqrt)

/* ---- f32: all but arithmetic proper */

static inline float f32_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#define F32_SIGN 0x80000000
#define F32_INFINITY 0x7f800000
#define F32_NAN 0x7fffffff

void f32_flush(int n, float *to, const float *from) {
  FOR_VALUES(k, n) {
    const uint32_t bits = bits_of_f32(from[k]);
    to[k] = f32_of((bits & F32_INFINITY) == 0 ? bits & F32_SIGN : bits);
  }
}

void f32_finish(int n, float *r, uint32_t modifiers) {
  if (modifiers & FLOAT_FTZ) f32_flush(n, r, r);
  if (modifiers & FLOAT_SAT) FOR_VALUES(k, n) r[k] = r[k] > 0 ? (r[k] < 1 ? r[k] : 1) : 0;
  FOR_VALUES(k, n) {
    const uint32_t bits = bits_of_f32(r[k]);
    r[k] = f32_of((bits & F32_NAN) > F32_INFINITY ? F32_NAN : bits);
  }
}

/* Numbers in their order, with -0 before +0, as integers in theirs. */
static inline int32_t f32_order(uint32_t bits) {
  return (int32_t)((bits & F32_SIGN) != 0 ? bits ^ F32_NAN : bits);
}

/* Section "min", its two-operand case. Integers all along, for loops to be vectorised. */
static inline uint32_t f32_pick(bool least, bool nan, uint32_t a, uint32_t b) {
  const bool no_a = (a & F32_NAN) > F32_INFINITY, no_b = (b & F32_NAN) > F32_INFINITY;
  const uint32_t less = f32_order(a) < f32_order(b) ? a : b, more = a ^ b ^ less;
  const uint32_t picked = least ? less : more;
  const uint32_t number = no_a ? b : (no_b ? a : picked);
  return nan && (no_a || no_b) ? F32_NAN : number;
}

void f32_min_max(float_op op, uint32_t modifiers, int n, float *r, const float *a, const float *b) {
  const bool least = op == FLOAT_MIN, nan = (modifiers & FLOAT_NAN) != 0;
  const uint32_t kept = modifiers & FLOAT_MAGNITUDE ? F32_NAN : UINT32_MAX;
  const uint32_t sign = modifiers & FLOAT_XORSIGN ? F32_SIGN : 0;
  FOR_VALUES(k, n) {
    const uint32_t x = bits_of_f32(a[k]), y = bits_of_f32(b[k]);
    r[k] = f32_of(f32_pick(least, nan, x & kept, y & kept) | ((x ^ y) & sign));
  }
}

#define F32_LEAST_NORMAL 0x00800000

/* Whether a result that became the least normal number would be less if exponents had no lower bound:
 * .ftz makes that zero. Products and quotients of floats are far enough from where that changes for a
 * double's rounding not to matter; sums of normal numbers are never there unless exactly. */
static bool f32_was_tiny(float_op op, rounding how, double a, double b, double c) {
  double exact;
  switch (op) {
    case FLOAT_MUL:
      exact = a * b;
      break;
    case FLOAT_FMA:
      exact = sum_to_odd(a * b, c);
      break;
    case FLOAT_DIV:
      exact = a / b;
      break;
    case FLOAT_RCP:
      exact = 1 / a;
      break;
    default:
      return false;
  }
  return fabsf(f32_from_f64(exact * 0x1p64, how)) < 0x1p-62f;
}

static void f32_arithmetic(const insn *i, int n, float *r, const float *const s[3]) {
  const float_op op = (float_op)i->arg[FLOAT_ARG_OP];
  const rounding how = (rounding)i->arg[FLOAT_ARG_HOW];
  for (int k = 0; k < n; k += LANES) rounded_float(op, how, r + k, s[0] + k, s[1] + k, s[2] + k);
  if ((i->arg[FLOAT_ARG_MODIFIERS] & FLOAT_FTZ) == 0) return;
  FOR_VALUES(k, n) {
    if (fabsf(r[k]) == f32_of(F32_LEAST_NORMAL) && f32_was_tiny(op, how, s[0][k], s[1][k], s[2][k]))
      r[k] = copysignf(0, r[k]);
  }
}

static void f32_compute(const insn *i, int n, float *r, const float *const s[3]) {
  const float_op op = (float_op)i->arg[FLOAT_ARG_OP];
  const uint32_t modifiers = i->arg[FLOAT_ARG_MODIFIERS];
  switch (op) {
    case FLOAT_ABS:
      FOR_VALUES(k, n) r[k] = fabsf(s[0][k]);
      break;
    case FLOAT_NEG:
      FOR_VALUES(k, n) r[k] = -s[0][k];
      break;
    case FLOAT_COPYSIGN:
      FOR_VALUES(k, n) r[k] = copysignf(s[1][k], s[0][k]);
      return; /* no arithmetic: a NaN stays what it is */
    case FLOAT_MIN:
    case FLOAT_MAX:
      f32_min_max(op, modifiers, n, r, s[0], s[1]);
      if (i->count == 4) f32_min_max(op, modifiers, n, r, r, s[2]);
      break;
    default:
      f32_arithmetic(i, n, r, s);
  }
  f32_finish(n, r, modifiers);
}

flow run_f32(warp *w, const insn *i, uint32_t mask) {
  const int n = i->width[0] == 8 ? 2 * LANES : LANES;
  float r[2 * LANES], flushed[3][2 * LANES];
  const float *s[3] = {REG(const float, 1), REG(const float, 1), REG(const float, 1)};
  for (int k = 0; k + 1 < i->count; ++k) {
    s[k] = REG(const float, k + 1);
    if (i->arg[FLOAT_ARG_MODIFIERS] & FLOAT_FTZ) {
      f32_flush(n, flushed[k], s[k]);
      s[k] = flushed[k];
    }
  }
  f32_compute(i, n, r, s);
  if (n == LANES)
    put_u32(REG(uint32_t, 0), r, mask);
  else
    put_u64(REG(uint64_t, 0), r, mask);
  return FLOW_NEXT;
}

/* Section 9.7.5: the narrow operands are exact in f32. */
flow run_mixed(warp *w, const insn *i, uint32_t mask) {
  float r[LANES], wide[2][LANES];
  const float *s[3];
  for (int k = 0; k + 1 < i->count; ++k) {
    s[k] = REG(const float, k + 1);
    if (i->width[k + 1] == 4) continue;
    const uint16_t *narrow = REG(const uint16_t, k + 1);
    FOR_LANES(l)
    wide[k][l] = i->arg[FLOAT_ARG_TYPE] == TYPE_F16 ? f16_to_f32(narrow[l]) : bf16_to_f32(narrow[l]);
    s[k] = wide[k];
  }
  if (i->count == 3) s[2] = s[1];
  f32_compute(i, LANES, r, s);
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* ---- f64 */

#define F64_QUIET (UINT64_C(1) << 51)
#define F64_MADE_NAN UINT64_C(0xfff8000000000000)

/* Which NaN arithmetic results in, by what hardware does: one of the operands, quiet, or that which is
 * made of numbers. Signs stay, in abs, neg and sub too. */
static double f64_nan(float_op op, int sources, double a, double b, double c) {
  if (op == FLOAT_DIV && a != a) return f64_of_bits(bits_of_f64(a) | F64_QUIET);
  if (sources > 1 && b != b) return f64_of_bits(bits_of_f64(b) | F64_QUIET);
  if (sources > 2 && c != c) return f64_of_bits(bits_of_f64(c) | F64_QUIET);
  return f64_of_bits(a != a ? bits_of_f64(a) | F64_QUIET : F64_MADE_NAN);
}

static double f64_min_max(bool least, double x, double y) {
  if (x != x) return y;
  if (y != y) return x;
  if (x == y)
    return f64_of_bits(least ? bits_of_f64(x) | bits_of_f64(y) : bits_of_f64(x) & bits_of_f64(y));
  return (x < y) == least ? x : y;
}

flow run_f64(warp *w, const insn *i, uint32_t mask) {
  const float_op op = (float_op)i->arg[FLOAT_ARG_OP];
  const int sources = i->count - 1;
  double r[LANES];
  const double *a = REG(const double, 1);
  const double *b = sources > 1 ? REG(const double, 2) : a;
  const double *c = sources > 2 ? REG(const double, 3) : a;
  switch (op) {
    case FLOAT_ABS:
      FOR_LANES(l) r[l] = fabs(a[l]);
      break;
    case FLOAT_NEG:
      FOR_LANES(l) r[l] = -a[l];
      break;
    case FLOAT_COPYSIGN:
      FOR_LANES(l) r[l] = copysign(b[l], a[l]);
      put_u64(REG(uint64_t, 0), r, mask);
      return FLOW_NEXT; /* no arithmetic: a NaN stays what it is */
    case FLOAT_MIN:
    case FLOAT_MAX:
      FOR_LANES(l) r[l] = f64_min_max(op == FLOAT_MIN, a[l], b[l]);
      break;
    default:
      rounded_double(op, (rounding)i->arg[FLOAT_ARG_HOW], r, a, b, c);
  }
  FOR_LANES(l) {
    if (r[l] != r[l]) r[l] = f64_nan(op, sources, a[l], b[l], c[l]);
  }
  put_u64(REG(uint64_t, 0), r, mask);
  return FLOW_NEXT;
}
