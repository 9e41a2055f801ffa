/* The approximate functions of section 9.7.3. They are computed in double and rounded, which is within
 * the bounds that their sections give, so that hardware differs in the last bits:
 *
 *   div.approx, div.full  2 ulp
 *   rcp, sqrt             relative error 2^-23 (1 ulp)
 *   rsqrt                 relative error 2^-22.9
 *   sin, cos              absolute error 2^-20.5 within 2 pi of 0, 2^-14.7 within 100 pi; none beyond
 *   lg2                   absolute error 2^-22 within (0.5, 2), elsewhere relative 2^-22
 *   ex2                   relative error 2^-22
 *   tanh                  relative error 2^-11
 *
 * What they make of infinities, zeros and numbers out of their domain is as in those sections' tables. */
#include <math.h>
#include <string.h>

#include "exec/float_form.h"

/* Section "div": beyond this, the divisor's reciprocal underflows; infinity times zero is NaN then. */
static double div_approx(double a, double b) {
  if (!(fabs(b) > 0x1p126) || isinf(b) || isnan(a)) return a / b;
  return a * copysign(0, b);
}

static double function(float_op op, uint32_t modifiers, double a, double b) {
  switch (op) {
    case FLOAT_DIV:
      return modifiers & FLOAT_APPROX ? div_approx(a, b) : a / b;
    case FLOAT_RCP:
      return 1 / a;
    case FLOAT_SQRT:
      return sqrt(a);
    case FLOAT_RSQRT:
      return 1 / sqrt(a);
    case FLOAT_SIN:
      return sin(a);
    case FLOAT_COS:
      return cos(a);
    case FLOAT_LG2:
      return log2(a);
    case FLOAT_EX2:
      return exp2(a);
    default:
      return tanh(a);
  }
}

flow run_special_f32(warp *w, const insn *i, uint32_t mask) {
  const float_op op = (float_op)i->arg[FLOAT_ARG_OP];
  const uint32_t modifiers = i->arg[FLOAT_ARG_MODIFIERS];
  float r[LANES] = {0}, a[LANES], b[LANES];
  memcpy(a, REG(const float, 1), sizeof a);
  memcpy(b, REG(const float, i->count - 1), sizeof b);
  if (modifiers & FLOAT_FTZ) {
    f32_flush(LANES, a, a);
    f32_flush(LANES, b, b);
  }
  FOR_EACH(l, mask) r[l] = (float)function(op, modifiers, a[l], b[l]);
  f32_finish(LANES, r, modifiers);
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* ---- f64 */

#define F64_INFINITY UINT64_C(0x7ff0000000000000)
#define F64_SIGN UINT64_C(0x8000000000000000)
#define HIGH_HALF UINT64_C(0xffffffff00000000)
#define HIGH_NAN UINT64_C(0x7fffffff00000000)

/* Sections "rcp.approx.ftz.f64" and "rsqrt.approx.ftz.f64": of operand and result only the upper 32 bits
 * count, and subnormal ones are zero. */
static uint64_t of_high_half(float_op op, uint64_t a) {
  a &= (a & F64_INFINITY) == 0 ? F64_SIGN : HIGH_HALF;
  double x;
  memcpy(&x, &a, sizeof x);
  x = function(op, 0, x, 0);
  if (x != x) return HIGH_NAN;
  uint64_t r;
  memcpy(&r, &x, sizeof r);
  if ((r & F64_INFINITY) == F64_INFINITY) return r;
  r += UINT64_C(1) << 31; /* to nearest */
  return (r & F64_INFINITY) == 0 ? r & F64_SIGN : r & HIGH_HALF;
}

/* rsqrt.approx.f64 is not held to an error bound; this one is off by less than 2 ulp. */
flow run_special_f64(warp *w, const insn *i, uint32_t mask) {
  const float_op op = (float_op)i->arg[FLOAT_ARG_OP];
  uint64_t r[LANES] = {0};
  FOR_EACH(l, mask) {
    const double x = REG(const double, 1)[l], y = function(op, 0, x, 0);
    if (i->arg[FLOAT_ARG_MODIFIERS] & FLOAT_FTZ)
      r[l] = of_high_half(op, REG(const uint64_t, 1)[l]);
    else
      memcpy(&r[l], &y, sizeof r[l]);
  }
  put_u64(REG(uint64_t, 0), r, mask);
  return FLOW_NEXT;
}

const decode_row rows_special_function[] = {
    {"rsqrt", decode_float}, {"sin", decode_float},  {"cos", decode_float}, {"lg2", decode_float},
    {"ex2", decode_float},   {"tanh", decode_float}, {NULL, NULL},
};
