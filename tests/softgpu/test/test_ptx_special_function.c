/* Approximations, within the bounds that the PTX ISA gives for them: div.full and div.approx 2 ulp; rcp 1
 * ulp; sqrt 2^-23 and rsqrt 2^-22.9, relatively; sin and cos 2^-20.5 within two turns; lg2 2^-22,
 * absolutely between 0.5 and 2 and relatively elsewhere; ex2 2^-22 and tanh 2^-11, relatively. */
#include <math.h>
#include <string.h>

#include "ptx_support.h"

static bool starts(const ptx_case *c, const char *opcode) {
  return strncmp(c->text, opcode, strlen(opcode)) == 0 && c->text[strlen(opcode)] == '.';
}
/* Without .ftz too, sources and results of some of them are flushed: subnormals are compared loosely. */
static double source(const ptx_case *c, uint64_t bits) {
  return number_value(&F32, ptx_has(c, ".ftz") ? number_flush(&F32, bits) : bits);
}
static double exact(const ptx_case *c) {
  const double a = source(c, c->a);
  if (starts(c, "div")) return a / source(c, c->b);
  if (starts(c, "rcp")) return 1 / a;
  if (starts(c, "rsqrt")) return 1 / sqrt(a);
  if (starts(c, "sqrt")) return sqrt(a);
  if (starts(c, "sin")) return sin(a);
  if (starts(c, "cos")) return cos(a);
  if (starts(c, "lg2")) return log2(a);
  if (starts(c, "ex2")) return exp2(a);
  return tanh(a);
}
static uint64_t model(const ptx_case *c) {
  const uint64_t bits = number_round(&F32, (long double)exact(c), ROUND_NEAREST);
  return ptx_has(c, ".ftz") ? number_flush(&F32, bits) : bits;
}

static double ulp_of(double value) {
  int exponent;
  (void)frexp(value, &exponent);
  return ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}
static double bound_of(const ptx_case *c, double value) {
  const double relative = fabs(value), a = source(c, c->a);
  if (starts(c, "div")) return 2 * ulp_of(value);
  if (starts(c, "rcp")) return ulp_of(value);
  if (starts(c, "sqrt")) return relative * 0x1p-23;
  if (starts(c, "rsqrt")) return relative * 0x1.13p-23;
  if (starts(c, "sin") || starts(c, "cos")) return 0x1.6ap-21;
  if (starts(c, "lg2")) return a > 0.5 && a < 2 ? 0x1p-22 : relative * 0x1p-22;
  return relative * (starts(c, "ex2") ? 0x1p-22 : 0x1p-11);
}
static bool within_bound(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const double x = number_value(&F32, got), y = exact(c);
  if (number_is_nan(&F32, got) || number_is_nan(&F32, wanted)) return false;
  if (number_flush(&F32, got) == number_flush(&F32, wanted))
    return !ptx_has(c, ".ftz"); /* both subnormal */
  if (isinf(x)) return fabs(y) >= 0x1.fffffcp127;
  return fabs(x - y) <= bound_of(c, y) + (ptx_has(c, ".ftz") ? 0 : 0x1p-149);
}

/* Where no bound is given. */
static bool beyond_two_turns(const ptx_case *c) {
  return fabs(source(c, c->a)) > 6.28 && isfinite(source(c, c->a));
}
/* div.approx is defined for divisors from 2^-126 to 2^126; results that overflow or underflow are left
 * out, as the quotient is a product with the reciprocal. */
static bool hard_division(const ptx_case *c) {
  const double b = fabs(source(c, c->b)), q = fabs(source(c, c->a) / source(c, c->b));
  if (isfinite(b) && b > 0 && (b < 0x1p-126 || b > 0x1p126)) return true;
  return isfinite(q) && q != 0 && (q < 0x1p-125 || q > 0x1p127);
}
static bool hard_full_division(const ptx_case *c) {
  const double q = fabs(source(c, c->a) / source(c, c->b));
  return isfinite(q) && q != 0 && (q < 0x1p-125 || q > 0x1p127);
}

#define BOUND_ROW(text, operands, skips) \
  { text, operands, "f32", "- .ftz", model, within_bound, skips, NULL, true, NULL }

START_TEST(single_precision) {
  static const ptx_row rows[] = {
      BOUND_ROW("div.approx?1.$ %d, %a, %b;", "$ $ $", hard_division),
      BOUND_ROW("div.full?1.$ %d, %a, %b;", "$ $ $", hard_full_division),
      BOUND_ROW("rcp.approx?1.$ %d, %a;", "$ $", NULL),
      BOUND_ROW("sqrt.approx?1.$ %d, %a;", "$ $", NULL),
      BOUND_ROW("rsqrt.approx?1.$ %d, %a;", "$ $", NULL),
      BOUND_ROW("sin.approx?1.$ %d, %a;", "$ $", beyond_two_turns),
      BOUND_ROW("cos.approx?1.$ %d, %a;", "$ $", beyond_two_turns),
      BOUND_ROW("lg2.approx?1.$ %d, %a;", "$ $", NULL),
      BOUND_ROW("ex2.approx?1.$ %d, %a;", "$ $", NULL),
      {"tanh.approx.$ %d, %a;", "$ $", "f32", NULL, model, within_bound, NULL, NULL, true, NULL},
  };
  PTX_ROWS("single_precision", rows);
}
END_TEST

/* ---- f64: about 20 bits of the mantissa; the lower word of rcp's and rsqrt.ftz's result is zero */

static double exact_f64(const ptx_case *c) {
  const uint64_t bits = ptx_has(c, ".ftz") ? number_flush(&F64, c->a) : c->a;
  return starts(c, "rcp") ? 1 / as_double(bits) : 1 / sqrt(as_double(bits));
}
static uint64_t model_f64(const ptx_case *c) {
  const uint64_t bits = double_bits(exact_f64(c));
  return ptx_has(c, ".ftz") ? number_flush(&F64, bits) : bits;
}
static bool roughly(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const double x = as_double(got), y = as_double(wanted);
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
  if (isinf(x) || isinf(y)) return x == y;
  return fabs(x - y) <=
         fabs(y) * (ptx_has(c, ".ftz") ? 0x1p-19 : 0x1p-50) + (fabs(y) < 0x1p-1020 ? 0x1p-1021 : 0);
}

/* Only the upper word is looked at, by which this is no NaN. */
static bool nan_by_lower_word(const ptx_case *c) {
  return isnan(as_double(c->a)) && (c->a >> 32 & 0x7fffffff) == 0x7ff00000;
}

START_TEST(double_precision) {
  static const ptx_row rows[] = {
      {"rcp.approx.ftz.f64 %d, %a;", "$ $", "f64", NULL, model_f64, roughly, nan_by_lower_word, NULL,
       true, NULL},
      {"rsqrt.approx.ftz.f64 %d, %a;", "$ $", "f64", NULL, model_f64, roughly, nan_by_lower_word, NULL,
       true, NULL},
      {"rsqrt.approx.f64 %d, %a;", "$ $", "f64", NULL, model_f64, roughly, nan_by_lower_word, NULL, true,
       NULL},
  };
  PTX_ROWS("double_precision", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(single_precision), SUITE_TEST(double_precision)};
  return PTX_SUITE_RUN("ptx/special_function", tests);
}
