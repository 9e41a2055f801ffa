/* Arithmetic of f16 and bf16, one or two at once: PTX ISA, "Half Precision Floating Point Instructions".
 */
#include <math.h>
#include <string.h>

#include "ptx_support.h"

/* One element of the operands; f is their format. */
typedef uint64_t element(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                         uint64_t third);

static uint64_t elements(const ptx_case *c, element *one) {
  const number_format *f = ptx_format(c->type);
  const uint64_t low = one(c, f, c->a & 0xffff, c->b & 0xffff, c->c & 0xffff);
  if (c->type->bits == 16) return low;
  return low | one(c, f, c->a >> 16, c->b >> 16, c->c >> 16) << 16;
}

/* ---- sums and products: exact in double, or rounded to odd, and then once */

static uint64_t flushed(const ptx_case *c, const number_format *f, uint64_t bits) {
  return ptx_has(c, ".ftz") ? number_flush(f, bits) : bits;
}
static uint64_t finish(const ptx_case *c, const number_format *f, double value) {
  uint64_t bits = ptx_has(c, ".ftz") ? number_round_flushed(f, (long double)value, ROUND_NEAREST)
                                     : number_round(f, (long double)value, ROUND_NEAREST);
  if (ptx_has(c, ".sat")) bits = number_saturate(f, bits);
  return ptx_has(c, ".relu") ? number_relu(f, bits) : bits;
}
static double value_of(const ptx_case *c, const number_format *f, uint64_t bits) {
  return number_value(f, flushed(c, f, bits));
}
static uint64_t add_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                        uint64_t third) {
  (void)third;
  return finish(c, f, odd_sum(value_of(c, f, a), value_of(c, f, b)));
}
static uint64_t sub_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                        uint64_t third) {
  (void)third;
  return finish(c, f, odd_sum(value_of(c, f, a), -value_of(c, f, b)));
}
static uint64_t mul_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                        uint64_t third) {
  (void)third;
  return finish(c, f, value_of(c, f, a) * value_of(c, f, b));
}
static uint64_t fma_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                        uint64_t third) {
  return finish(c, f, odd_sum(value_of(c, f, a) * value_of(c, f, b), value_of(c, f, third)));
}
static uint64_t add(const ptx_case *c) {
  return elements(c, add_one);
}
static uint64_t sub(const ptx_case *c) {
  return elements(c, sub_one);
}
static uint64_t mul(const ptx_case *c) {
  return elements(c, mul_one);
}
static uint64_t multiply_add(const ptx_case *c) {
  return elements(c, fma_one);
}

#define F16S "f16 f16x2"
#define BF16S "bf16 bf16x2"

START_TEST(sums_and_products) {
  static const ptx_row rows[] = {
      PTX_ROW("add?1?2?3.$ %d, %a, %b;", "$ $ $", F16S, "- .rn | - .ftz | - .sat", add),
      PTX_ROW("sub?1?2?3.$ %d, %a, %b;", "$ $ $", F16S, "- .rn | - .ftz | - .sat", sub),
      PTX_ROW("mul?1?2?3.$ %d, %a, %b;", "$ $ $", F16S, "- .rn | - .ftz | - .sat", mul),
      PTX_ROW("fma.rn?1?2.$ %d, %a, %b, %c;", "$ $ $ $", F16S, "- .ftz | - .sat .relu", multiply_add),
      PTX_ROW("add?1.$ %d, %a, %b;", "$ $ $", BF16S, "- .rn", add),
      PTX_ROW("sub?1.$ %d, %a, %b;", "$ $ $", BF16S, "- .rn", sub),
      PTX_ROW("mul?1.$ %d, %a, %b;", "$ $ $", BF16S, "- .rn", mul),
      PTX_ROW("fma.rn?1.$ %d, %a, %b, %c;", "$ $ $ $", BF16S, "- .relu", multiply_add),
  };
  PTX_ROWS("sums_and_products", rows);
}
END_TEST

/* ---- signs, least and greatest */

enum { SIGN = 0x8000 };

static uint64_t neg_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                        uint64_t third) {
  (void)b, (void)third;
  return flushed(c, f, a) ^ SIGN;
}
static uint64_t abs_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                        uint64_t third) {
  (void)b, (void)third;
  return flushed(c, f, a) & ~(uint64_t)SIGN;
}
static uint64_t order_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                          uint64_t third) {
  (void)third;
  const bool by_magnitude = ptx_has(c, ".xorsign");
  const uint64_t sign = by_magnitude ? (a ^ b) & SIGN : 0;
  a = flushed(c, f, by_magnitude ? a & ~(uint64_t)SIGN : a);
  b = flushed(c, f, by_magnitude ? b & ~(uint64_t)SIGN : b);
  const bool nan_a = number_is_nan(f, a), nan_b = number_is_nan(f, b);
  if ((nan_a && nan_b) || (ptx_has(c, ".NaN") && (nan_a || nan_b))) return number_nan(f);
  if (nan_a || nan_b) return sign | (nan_a ? b : a);
  const double x = number_value(f, a), y = number_value(f, b);
  const bool a_is_less = x < y || (x == y && signbit(x) != 0); /* -0 is less than +0 */
  return sign | (a_is_less == (c->text[1] == 'i') ? a : b);
}
static uint64_t negate(const ptx_case *c) {
  return elements(c, neg_one);
}
static uint64_t absolute(const ptx_case *c) {
  return elements(c, abs_one);
}
static uint64_t lesser_or_greater(const ptx_case *c) {
  return elements(c, order_one);
}
/* Which NaN a change of sign gives is left open. */
static bool any_nan(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const number_format *f = ptx_format(c->type);
  for (unsigned k = 0; k < c->type->bits; k += 16) {
    const uint64_t g = got >> k & 0xffff, w = wanted >> k & 0xffff;
    if (g != w && !(number_is_nan(f, g) && number_is_nan(f, w))) return false;
  }
  return true;
}
#define NAN_ROW(text, operands, types, choices, model) \
  { text, operands, types, choices, model, any_nan, NULL, NULL, false, NULL }

START_TEST(signs_and_order) {
  static const ptx_row rows[] = {
      NAN_ROW("neg?1.$ %d, %a;", "$ $", F16S, "- .ftz", negate),
      NAN_ROW("abs?1.$ %d, %a;", "$ $", F16S, "- .ftz", absolute),
      NAN_ROW("neg.$ %d, %a;", "$ $", BF16S, NULL, negate),
      NAN_ROW("abs.$ %d, %a;", "$ $", BF16S, NULL, absolute),
      PTX_ROW("?1?2?3?4.$ %d, %a, %b;", "$ $ $", F16S, "min max | - .ftz | - .NaN | - .xorsign.abs",
              lesser_or_greater),
      PTX_ROW("?1?2?3.$ %d, %a, %b;", "$ $ $", BF16S, "min max | - .NaN | - .xorsign.abs",
              lesser_or_greater),
  };
  PTX_ROWS("signs_and_order", rows);
}
END_TEST

/* ---- special functions: the ISA bounds the error of tanh.approx by 2^-10.987 (f16) and 2^-8 (bf16,
 * which devices exceed by a little), absolutely, and that of ex2.approx by 2^-9.9 (f16) and 2^-7 (bf16),
 * relatively. Of subnormals, one unit is let pass. */

static double function(const ptx_case *c, double x) {
  return c->text[0] == 't' ? tanh(x) : exp2(x);
}
static uint64_t special_one(const ptx_case *c, const number_format *f, uint64_t a, uint64_t b,
                            uint64_t third) {
  (void)b, (void)third;
  return finish(c, f, function(c, value_of(c, f, a)));
}
static uint64_t special(const ptx_case *c) {
  return elements(c, special_one);
}
static bool within_bound(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const number_format *f = ptx_format(c->type);
  const bool is_tanh = c->text[0] == 't';
  const double bound = is_tanh ? (f == &BF16 ? 0x1.1p-8 : 0x1.03p-11) : f == &BF16 ? 0x1p-7 : 0x1.13p-10;
  for (unsigned k = 0; k < c->type->bits; k += 16) {
    const uint64_t g = got >> k & 0xffff, w = wanted >> k & 0xffff;
    if (g == w) continue;
    const double x = number_value(f, g), y = number_value(f, w);
    const double exact = function(c, value_of(c, f, c->a >> k & 0xffff));
    const double least = ldexp(1, f == &F16 ? -24 : -133);
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y)) return false;
    const double off = fabs(x - exact);
    if (off > (is_tanh ? bound : bound * fabs(exact)) && off > least) return false;
  }
  return true;
}

START_TEST(special_functions) {
  static const ptx_row rows[] = {
      {"tanh.approx.$ %d, %a;", "$ $", "f16 f16x2 bf16 bf16x2", NULL, special, within_bound, NULL, NULL,
       true, NULL},
      {"ex2.approx.$ %d, %a;", "$ $", F16S, NULL, special, within_bound, NULL, NULL, true, NULL},
      {"ex2.approx.ftz.$ %d, %a;", "$ $", BF16S, NULL, special, within_bound, NULL, NULL, true, NULL},
  };
  PTX_ROWS("special_functions", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(sums_and_products), SUITE_TEST(signs_and_order),
                                     SUITE_TEST(special_functions)};
  return PTX_SUITE_RUN("ptx/half", tests);
}
