/* Floating-point arithmetic with defined rounding: PTX ISA, "Floating Point Instructions". */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx_support.h"

/* ---- f32: calculated in double, rounded to odd where that is not exact, and then once to f32 */

typedef double exact_f32(double a, double b, double c);

static double add_exact(double a, double b, double c) {
  (void)c;
  return odd_sum(a, b);
}
static double sub_exact(double a, double b, double c) {
  (void)c;
  return odd_sum(a, -b);
}
static double mul_exact(double a, double b, double c) {
  (void)c;
  return a * b;
}
static double fma_exact(double a, double b, double c) {
  return odd_sum(a * b, c);
}
static double div_exact(double a, double b, double c) {
  (void)c;
  return odd_quotient(a, b);
}
static double rcp_exact(double a, double b, double c) {
  (void)b, (void)c;
  return odd_quotient(1, a);
}
static double sqrt_exact(double a, double b, double c) {
  (void)b, (void)c;
  return odd_root(a);
}

/* Sums of numbers that cancel are +0, but -0 where everything is rounded downwards. */
static bool cancels(double a, double b, double sum) {
  return sum == 0 && signbit(a) != signbit(b);
}

static uint64_t f32(const ptx_case *c, exact_f32 *exact) {
  const bool flush = ptx_has(c, ".ftz");
  const uint64_t sources[] = {c->a, c->b, c->c};
  double v[3];
  for (size_t k = 0; k < 3; ++k)
    v[k] = number_value(&F32, flush ? number_flush(&F32, sources[k]) : sources[k]);
  const rounding way = rounding_of(c->text);
  double value = exact(v[0], v[1], v[2]);
  const bool is_zero_sum = (exact == add_exact && cancels(v[0], v[1], value)) ||
                           (exact == sub_exact && cancels(v[0], -v[1], value)) ||
                           (exact == fma_exact && cancels(v[0] * v[1], v[2], value));
  if (is_zero_sum) value = way == ROUND_DOWN ? -0.0 : 0.0;
  const uint64_t bits = flush ? number_round_flushed(&F32, (long double)value, way)
                              : number_round(&F32, (long double)value, way);
  return ptx_has(c, ".sat") ? number_saturate(&F32, bits) : bits;
}
static uint64_t add_f32(const ptx_case *c) {
  return f32(c, add_exact);
}
static uint64_t sub_f32(const ptx_case *c) {
  return f32(c, sub_exact);
}
static uint64_t mul_f32(const ptx_case *c) {
  return f32(c, mul_exact);
}
static uint64_t fma_f32(const ptx_case *c) {
  return f32(c, fma_exact);
}
static uint64_t div_f32(const ptx_case *c) {
  return f32(c, div_exact);
}
static uint64_t rcp_f32(const ptx_case *c) {
  return f32(c, rcp_exact);
}
static uint64_t sqrt_f32(const ptx_case *c) {
  return f32(c, sqrt_exact);
}

#define ROUNDINGS "- .rn .rz .rm .rp"
#define GIVEN ".rn .rz .rm .rp"

START_TEST(single_precision) {
  static const ptx_row rows[] = {
      PTX_ROW("add?1?2?3.$ %d, %a, %b;", "$ $ $", "f32", ROUNDINGS " | - .ftz | - .sat", add_f32),
      PTX_ROW("sub?1?2?3.$ %d, %a, %b;", "$ $ $", "f32", ROUNDINGS " | - .ftz | - .sat", sub_f32),
      PTX_ROW("mul?1?2?3.$ %d, %a, %b;", "$ $ $", "f32", ROUNDINGS " | - .ftz | - .sat", mul_f32),
      PTX_ROW("fma?1?2?3.$ %d, %a, %b, %c;", "$ $ $ $", "f32", GIVEN " | - .ftz | - .sat", fma_f32),
      PTX_ROW("mad?1?2?3.$ %d, %a, %b, %c;", "$ $ $ $", "f32", GIVEN " | - .ftz | - .sat", fma_f32),
      PTX_ROW("div?1?2.$ %d, %a, %b;", "$ $ $", "f32", GIVEN " | - .ftz", div_f32),
      PTX_ROW("rcp?1?2.$ %d, %a;", "$ $", "f32", GIVEN " | - .ftz", rcp_f32),
      PTX_ROW("sqrt?1?2.$ %d, %a;", "$ $", "f32", GIVEN " | - .ftz", sqrt_f32),
  };
  PTX_ROWS("single_precision", rows);
}
END_TEST

/* ---- f64: the host's own arithmetic in the rounding asked for */

typedef double host_f64(double a, double b, double c);

static double add_host(double a, double b, double c) {
  (void)c;
  return a + b;
}
static double sub_host(double a, double b, double c) {
  (void)c;
  return a - b;
}
static double mul_host(double a, double b, double c) {
  (void)c;
  return a * b;
}
static double div_host(double a, double b, double c) {
  (void)c;
  return a / b;
}
static double rcp_host(double a, double b, double c) {
  (void)b, (void)c;
  return 1 / a;
}
static double sqrt_host(double a, double b, double c) {
  (void)b, (void)c;
  return sqrt(a);
}

static uint64_t f64(const ptx_case *c, host_f64 *host) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  host_f64 *volatile opaque = host; /* called between the two changes of the mode */
  (void)fesetround(modes[rounding_of(c->text)]);
  const double value = opaque(as_double(c->a), as_double(c->b), as_double(c->c));
  (void)fesetround(FE_TONEAREST);
  return double_bits(value);
}
static uint64_t add_f64(const ptx_case *c) {
  return f64(c, add_host);
}
static uint64_t sub_f64(const ptx_case *c) {
  return f64(c, sub_host);
}
static uint64_t mul_f64(const ptx_case *c) {
  return f64(c, mul_host);
}
static uint64_t fma_f64(const ptx_case *c) {
  return f64(c, fma);
}
static uint64_t div_f64(const ptx_case *c) {
  return f64(c, div_host);
}
static uint64_t rcp_f64(const ptx_case *c) {
  return f64(c, rcp_host);
}
static uint64_t sqrt_f64(const ptx_case *c) {
  return f64(c, sqrt_host);
}
/* Which NaN is the ISA's to leave open, for f64 and for changes of sign. */
static bool any_nan(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const number_format *f = ptx_format(c->result);
  return number_is_nan(f, got) && number_is_nan(f, wanted);
}

#define NAN_ROW(text, operands, types, choices, model) \
  { text, operands, types, choices, model, any_nan, NULL, NULL, false, NULL }

START_TEST(double_precision) {
  static const ptx_row rows[] = {
      NAN_ROW("add?1.$ %d, %a, %b;", "$ $ $", "f64", ROUNDINGS, add_f64),
      NAN_ROW("sub?1.$ %d, %a, %b;", "$ $ $", "f64", ROUNDINGS, sub_f64),
      NAN_ROW("mul?1.$ %d, %a, %b;", "$ $ $", "f64", ROUNDINGS, mul_f64),
      NAN_ROW("fma?1.$ %d, %a, %b, %c;", "$ $ $ $", "f64", GIVEN, fma_f64),
      NAN_ROW("mad?1.$ %d, %a, %b, %c;", "$ $ $ $", "f64", GIVEN, fma_f64),
      NAN_ROW("div?1.$ %d, %a, %b;", "$ $ $", "f64", GIVEN, div_f64),
      NAN_ROW("rcp?1.$ %d, %a;", "$ $", "f64", GIVEN, rcp_f64),
      NAN_ROW("sqrt?1.$ %d, %a;", "$ $", "f64", GIVEN, sqrt_f64),
  };
  PTX_ROWS("double_precision", rows);
}
END_TEST

/* ---- signs, least and greatest, classes */

static uint64_t sign_bit(const ptx_case *c) {
  return UINT64_C(1) << (c->type->bits - 1);
}
static uint64_t flushed(const ptx_case *c, uint64_t bits) {
  return ptx_has(c, ".ftz") ? number_flush(ptx_format(c->type), bits) : bits;
}
static uint64_t negate(const ptx_case *c) {
  return flushed(c, c->a) ^ sign_bit(c);
}
static uint64_t absolute(const ptx_case *c) {
  return flushed(c, c->a) & ~sign_bit(c);
}
static uint64_t copy_sign(const ptx_case *c) {
  return (c->a & sign_bit(c)) | (c->b & ~sign_bit(c));
}
static uint64_t lesser_or_greater(const ptx_case *c) {
  const number_format *f = ptx_format(c->type);
  const bool by_magnitude = ptx_has(c, ".xorsign");
  const uint64_t sign = by_magnitude ? (c->a ^ c->b) & sign_bit(c) : 0;
  uint64_t a = flushed(c, c->a), b = flushed(c, c->b);
  if (by_magnitude) a &= ~sign_bit(c), b &= ~sign_bit(c);
  const bool nan_a = number_is_nan(f, a), nan_b = number_is_nan(f, b);
  if ((nan_a && nan_b) || (ptx_has(c, ".NaN") && (nan_a || nan_b))) return number_nan(f);
  if (nan_a || nan_b) return sign | (nan_a ? b : a);
  const double x = number_value(f, a), y = number_value(f, b);
  const bool a_is_less = x < y || (x == y && signbit(x) != 0); /* -0 is less than +0 */
  return sign | (a_is_less == (c->text[1] == 'i') ? a : b);
}
static bool is_of_class(const ptx_case *c) {
  const number_format *f = ptx_format(c->type);
  const double value = number_value(f, c->a);
  const bool subnormal = value != 0 && number_flush(f, c->a) != c->a;
  if (ptx_has(c, ".finite")) return isfinite(value) != 0;
  if (ptx_has(c, ".infinite")) return isinf(value) != 0;
  if (ptx_has(c, ".number")) return !isnan(value);
  if (ptx_has(c, ".notanumber")) return isnan(value) != 0;
  if (ptx_has(c, ".subnormal")) return subnormal;
  return isfinite(value) && !subnormal; /* zeros count as normal */
}
static uint64_t test_class(const ptx_case *c) {
  return is_of_class(c);
}

START_TEST(signs_order_and_classes) {
  static const ptx_row rows[] = {
      NAN_ROW("neg?1.$ %d, %a;", "$ $", "f32", "- .ftz", negate),
      NAN_ROW("abs?1.$ %d, %a;", "$ $", "f32", "- .ftz", absolute),
      NAN_ROW("neg.$ %d, %a;", "$ $", "f64", NULL, negate),
      NAN_ROW("abs.$ %d, %a;", "$ $", "f64", NULL, absolute),
      PTX_ROW("copysign.$ %d, %a, %b;", "$ $ $", "f32 f64", NULL, copy_sign),
      PTX_ROW("?1?2?3?4.$ %d, %a, %b;", "$ $ $", "f32", "min max | - .ftz | - .NaN | - .xorsign.abs",
              lesser_or_greater),
      NAN_ROW("?1.$ %d, %a, %b;", "$ $ $", "f64", "min max", lesser_or_greater),
      PTX_ROW("testp?1.$ %d, %a;", "pred $", "f32 f64",
              ".finite .infinite .number .notanumber .normal .subnormal", test_class),
  };
  PTX_ROWS("signs_order_and_classes", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(single_precision), SUITE_TEST(double_precision),
                                     SUITE_TEST(signs_order_and_classes)};
  return PTX_SUITE_RUN("ptx/float", tests);
}
