/* Half precision, sections 9.7.4 and 9.7.3: f16 and bf16, one or two in a register. Two of them are two
 * values one behind the other, so a register is an array of LANES or 2 * LANES values in any case.
 *
 * All is computed in double and rounded once. Products are exact there; sums are not always, and their
 * last bit is made to say so ("rounding to odd"), by which the second rounding comes out as if it were
 * the only one: a double has more than twice the bits, and two more. */
#include <math.h>
#include <string.h>

#include "exec/float_form.h"
#include "exec/half.h"

enum { MOST = 2 * LANES, HALF_SIGN = 0x8000, OOB_NAN = 0x7ff7 };

typedef struct half_form {
  bool is_f16;
  int n;
} half_form;

static half_form form_of(const insn *i) {
  const uint32_t type = i->arg[FLOAT_ARG_TYPE];
  return (half_form){.is_f16 = type == TYPE_F16 || type == TYPE_F16X2,
                     .n = i->width[0] == 4 ? 2 * LANES : LANES};
}

/* ---- bits */

static uint16_t flushed(half_form f, uint16_t h) {
  const uint16_t exponent = f.is_f16 ? 0x7c00 : 0x7f80;
  return (h & exponent) == 0 ? h & HALF_SIGN : h;
}

static bool is_nan(half_form f, uint16_t h) {
  return (h & 0x7fff) > (f.is_f16 ? 0x7c00 : 0x7f80);
}

/* The value by which hardware marks what lies out of bounds, in both formats and with either sign. */
static bool is_oob(uint16_t h) {
  return (h & 0x7fff) == OOB_NAN;
}

static void widen(half_form f, float *to, const uint16_t *from) {
  (f.is_f16 ? f16_to_f32_all : bf16_to_f32_all)(f.n, to, from);
}

static void narrow(half_form f, uint16_t *to, const double *from) {
  (f.is_f16 ? f16_from_f64_all : bf16_from_f64_all)(f.n, to, from);
}

static uint16_t finished(half_form f, uint16_t h, uint32_t modifiers) {
  const uint16_t one = f.is_f16 ? 0x3c00 : 0x3f80;
  if (is_nan(f, h)) return modifiers & FLOAT_SAT ? 0 : HALF_NAN;
  if (modifiers & FLOAT_FTZ) h = flushed(f, h);
  if ((modifiers & (FLOAT_SAT | FLOAT_RELU)) != 0 && (h & HALF_SIGN) != 0) return 0;
  return (modifiers & FLOAT_SAT) != 0 && h > one ? one : h;
}

static void put(warp *w, const insn *i, const uint16_t *r, uint32_t mask) {
  if (i->width[0] == 4)
    put_u32(REG(uint32_t, 0), r, mask);
  else
    put_u16(REG(uint16_t, 0), r, mask);
}

/* ---- arithmetic */

static void arithmetic(float_op op, int n, double *r, const float *a, const float *b, const float *c) {
  switch (op) {
    case FLOAT_ADD:
      FOR_VALUES(k, n) r[k] = sum_to_odd(a[k], b[k]);
      break;
    case FLOAT_SUB:
      FOR_VALUES(k, n) r[k] = sum_to_odd(a[k], -b[k]);
      break;
    case FLOAT_MUL:
      FOR_VALUES(k, n) r[k] = (double)a[k] * b[k];
      break;
    default:
      FOR_VALUES(k, n) r[k] = sum_to_odd((double)a[k] * b[k], c[k]);
  }
}

/* With .ftz, a result that became the least normal number is zero if it would be less with more exponents
 * to have. Of these operations, only those of f16 have .ftz. */
static void flush_tiny(int n, uint16_t *r, const double *exact) {
  FOR_VALUES(k, n) {
    if ((r[k] & 0x7fff) != 0x0400 || !(fabs(exact[k]) < 0x1p-14)) continue;
    const float scaled = f16_to_f32(f16_from_f64(exact[k] * 0x1p8, ROUND_RN));
    if (fabsf(scaled) < 0x1p-6f) r[k] &= HALF_SIGN;
  }
}

static void compute(const insn *i, half_form f, uint16_t *r, const uint16_t *const s[3]) {
  const float_op op = (float_op)i->arg[FLOAT_ARG_OP];
  const uint32_t modifiers = i->arg[FLOAT_ARG_MODIFIERS];
  float wide[3][MOST], picked[MOST];
  double exact[MOST];
  switch (op) {
    case FLOAT_ABS:
      FOR_VALUES(k, f.n) r[k] = s[0][k] & 0x7fff;
      return;
    case FLOAT_NEG:
      FOR_VALUES(k, f.n) r[k] = s[0][k] ^ HALF_SIGN;
      return;
    case FLOAT_MIN:
    case FLOAT_MAX:
      for (int k = 0; k < 2; ++k) widen(f, wide[k], s[k]);
      f32_min_max(op, modifiers, f.n, picked, wide[0], wide[1]);
      FOR_VALUES(k, f.n) exact[k] = picked[k];
      narrow(f, r, exact);
      return;
    default:
      for (int k = 0; k < 3; ++k) widen(f, wide[k], s[k]);
      arithmetic(op, f.n, exact, wide[0], wide[1], wide[2]);
      narrow(f, r, exact);
      if (modifiers & FLOAT_FTZ) flush_tiny(f.n, r, exact);
  }
}

flow run_half(warp *w, const insn *i, uint32_t mask) {
  const half_form f = form_of(i);
  const uint32_t modifiers = i->arg[FLOAT_ARG_MODIFIERS];
  uint16_t r[MOST], without_subnormals[3][MOST];
  const uint16_t *s[3];
  for (int k = 0; k < 3; ++k) {
    s[k] = k + 1 < i->count ? REG(const uint16_t, k + 1) : s[0];
    if ((modifiers & FLOAT_FTZ) == 0) continue;
    FOR_VALUES(v, f.n) without_subnormals[k][v] = flushed(f, s[k][v]);
    s[k] = without_subnormals[k];
  }
  compute(i, f, r, s);
  FOR_VALUES(k, f.n) r[k] = finished(f, r[k], modifiers);
  if (modifiers & FLOAT_OOB) FOR_VALUES(k, f.n) r[k] = is_oob(s[0][k]) || is_oob(s[1][k]) ? 0 : r[k];
  put(w, i, r, mask);
  return FLOW_NEXT;
}

/* ---- ex2, tanh
 *
 * Sections "Half Precision Floating Point Instructions: ex2" and ": tanh" bound the relative error of ex2
 * by 2^-9.9 (f16) and 2^-7 (bf16), the absolute one of tanh by 2^-10.987 (f16) and 2^-8 (bf16). These are
 * the nearest values. */
flow run_special_half(warp *w, const insn *i, uint32_t mask) {
  const half_form f = form_of(i);
  const uint32_t modifiers = i->arg[FLOAT_ARG_MODIFIERS];
  const uint16_t *a = REG(const uint16_t, 1);
  uint16_t r[MOST];
  float wide[MOST];
  double exact[MOST];
  widen(f, wide, a);
  FOR_VALUES(k, f.n) {
    const double x = (modifiers & FLOAT_FTZ) != 0 && flushed(f, a[k]) != a[k] ? 0 : wide[k];
    exact[k] = i->arg[FLOAT_ARG_OP] == FLOAT_EX2 ? exp2(x) : tanh(x);
  }
  narrow(f, r, exact);
  FOR_VALUES(k, f.n) r[k] = finished(f, r[k], modifiers);
  put(w, i, r, mask);
  return FLOW_NEXT;
}

/* All these opcodes have forms for wider types as well: they are in rows_float and rows_special_function,
 * or come by decode_float_arith(). */
const decode_row rows_half[] = {{NULL, NULL}};
