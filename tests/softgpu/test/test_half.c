/* The 16-bit formats' conversions, against a model that knows each of their values, and sums and products
 * rounded once, against exact integers. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "exact.h"
#include "exec/float_form.h"
#include "exec/half.h"
#include "suite.h"

typedef struct format {
  const char *name;
  int mantissa, least; /* bits below the leading one; exponent of the least normal number */
  float (*widen)(uint16_t);
  uint16_t (*narrow)(double, rounding);
  void (*widen_all)(int, float *, const uint16_t *);
  void (*narrow_all)(int, uint16_t *, const double *);
  ptx_type type, packed;
} format;

static const format formats[] = {
    {"f16", 10, -14, f16_to_f32, f16_from_f64, f16_to_f32_all, f16_from_f64_all, TYPE_F16, TYPE_F16X2},
    {"bf16", 7, -126, bf16_to_f32, bf16_from_f64, bf16_to_f32_all, bf16_from_f64_all, TYPE_BF16,
     TYPE_BF16X2},
};
enum { FORMATS = 2, MODES = 5 };

/* Check's own assertions are too slow for so many. */
#define REQUIRE(condition, ...)                  \
  do {                                           \
    if (!(condition)) ck_abort_msg(__VA_ARGS__); \
  } while (false)

static uint64_t state = 1;
static uint64_t random_bits(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state ^ state >> 29;
}

static uint16_t infinity_of(const format *f) {
  return (uint16_t)(0x7fff >> f->mantissa << f->mantissa);
}

static bool is_nan(const format *f, uint16_t h) {
  return (h & 0x7fff) > infinity_of(f);
}

/* The value of a magnitude, of infinity's too: where it would be if it were a number. */
static double value_of(const format *f, uint16_t magnitude) {
  const int field = magnitude >> f->mantissa, fraction = magnitude & ((1 << f->mantissa) - 1);
  const int leading = field != 0 ? 1 << f->mantissa : 0;
  return ldexp(leading | fraction, (field != 0 ? field - 1 : 0) + f->least - f->mantissa);
}

/* ---- the model: which two values a number lies between, and which of them it is to be */

static uint16_t model(const format *f, double x, rounding how) {
  if (isnan(x)) return HALF_NAN;
  const uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = infinity_of(f);
  const double magnitude = fabs(x);
  if (isinf(x)) return sign | infinity;
  uint16_t below = 0, above = infinity;
  if (magnitude >= value_of(f, infinity)) below = infinity - 1;
  while (above - below > 1) {
    const uint16_t middle = (uint16_t)((below + above) / 2);
    *(magnitude >= value_of(f, middle) ? &below : &above) = middle;
  }
  const double from_below = magnitude - value_of(f, below), to_above = value_of(f, above) - magnitude;
  if (from_below == 0) return sign | below;
  bool up = how == (sign != 0 ? ROUND_RM : ROUND_RP);
  if (how == ROUND_RN) up = from_below > to_above || (from_below == to_above && (below & 1) != 0);
  if (how == ROUND_RNA) up = from_below >= to_above;
  return sign | (up ? above : below);
}

static void check_narrow(const format *f, double x) {
  for (int how = 0; how < MODES; ++how) {
    const uint16_t expected = model(f, x, (rounding)how), found = f->narrow(x, (rounding)how);
    REQUIRE(found == expected, "%s of %a, mode %d: %04x, not %04x", f->name, x, how, found, expected);
  }
  uint16_t nearest;
  f->narrow_all(1, &nearest, &x);
  REQUIRE(nearest == model(f, x, ROUND_RN), "%s of %a among many: %04x", f->name, x, nearest);
}

static void check_around(const format *f, double x) {
  const double all[] = {x, nextafter(x, 0), nextafter(x, INFINITY), x * (1 + 0x1p-30), x * (1 - 0x1p-30)};
  for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
    check_narrow(f, all[k]);
    check_narrow(f, -all[k]);
  }
}

START_TEST(every_value_comes_back) {
  for (int k = 0; k < FORMATS; ++k) {
    const format *f = &formats[k];
    for (uint32_t h = 0; h <= UINT16_MAX; ++h) {
      const uint16_t bits = (uint16_t)h, magnitude = h & 0x7fff;
      const float wide = f->widen(bits);
      float again;
      f->widen_all(1, &again, &bits);
      REQUIRE(memcmp(&wide, &again, sizeof wide) == 0, "%s %04x among many", f->name, h);
      const bool right = magnitude < infinity_of(f) ? fabs((double)wide) == value_of(f, magnitude)
                         : is_nan(f, bits)          ? isnan(wide)
                                                    : isinf(wide);
      REQUIRE(right && (signbit(wide) != 0) == h >> 15, "%s %04x is %a", f->name, h, (double)wide);
      for (int how = 0; how < MODES; ++how)
        REQUIRE(f->narrow(wide, (rounding)how) == (is_nan(f, bits) ? HALF_NAN : bits),
                "%s %04x does not come back", f->name, h);
    }
  }
}
END_TEST

START_TEST(nan_keeps_its_bits_when_widened) {
  uint32_t bits;
  float wide = f16_to_f32(0xfd55);
  memcpy(&bits, &wide, sizeof bits);
  ck_assert_uint_eq(bits, 0xffaaa000);
  wide = bf16_to_f32(0xffd5);
  memcpy(&bits, &wide, sizeof bits);
  ck_assert_uint_eq(bits, 0xffd50000);
}
END_TEST

START_TEST(ties_and_their_neighbours_are_rounded_by_mode) {
  for (int k = 0; k < FORMATS; ++k) {
    const format *f = &formats[k];
    for (uint16_t h = 0; h < infinity_of(f); ++h) {
      const double value = value_of(f, h), next = value_of(f, (uint16_t)(h + 1));
      check_around(f, value);
      check_around(f, value + (next - value) / 2);
    }
  }
}
END_TEST

START_TEST(any_double_is_rounded_by_mode) {
  const double edges[] = {0x1p-1074, DBL_MIN, 0x1p-150, 0x1p-26,  DBL_MAX,
                          65519.999, 65520,   65536,    INFINITY, NAN};
  for (int k = 0; k < FORMATS; ++k) {
    for (size_t e = 0; e < sizeof edges / sizeof *edges; ++e) check_around(&formats[k], edges[e]);
    for (int n = 0; n < 200000; ++n) {
      uint64_t bits = random_bits();
      if (n % 2 != 0) bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (1023 - 30 + bits % 60) << 52;
      double x;
      memcpy(&x, &bits, sizeof x);
      check_narrow(&formats[k], x);
    }
  }
}
END_TEST

/* ---- arithmetic */

enum {
  UNIT = 54, /* what is computed with, and near what it results in, is multiples of 2^-UNIT */
  BF16_LARGE = (127 + 64) << 7, /* and less than this */
};

/* The value nearest to an integer times 2^-UNIT, -0 for none. */
static uint16_t nearest(const format *f, wide_integer x, bool negative_zero) {
  if (x == 0) return negative_zero ? 0x8000 : 0;
  const wide_integer magnitude = x < 0 ? -x : x;
  uint16_t below = 0, above = f->type == TYPE_F16 ? infinity_of(f) : BF16_LARGE;
  while (above - below > 1) {
    const uint16_t middle = (uint16_t)((below + above) / 2);
    *(magnitude >= integer_of(value_of(f, middle), UNIT) ? &below : &above) = middle;
  }
  const wide_integer from_below = magnitude - integer_of(value_of(f, below), UNIT);
  const wide_integer to_above = integer_of(value_of(f, above), UNIT) - magnitude;
  const bool up = from_below > to_above || (from_below == to_above && (below & 1) != 0);
  return (uint16_t)((x < 0 ? 0x8000 : 0) | (up ? above : below));
}

/* Numbers whose products are multiples of 2^-UNIT; f16 has no others. */
static uint16_t random_operand(const format *f) {
  const uint64_t bits = random_bits();
  const uint16_t sign = (uint16_t)(bits & 0x8000);
  if (f->type == TYPE_F16) return (bits & 0x7fff) < infinity_of(f) ? (uint16_t)bits : sign;
  const int exponent = (int)(bits >> 16 & 0xff) % 33 - 16;
  return (uint16_t)(sign | (uint64_t)(127 + exponent) << 7 | (bits & 0x7f));
}

static void check_lanes(const format *f, const float_op op, const uint16_t (*operands)[2 * LANES],
                        const uint16_t *r) {
  for (int k = 0; k < 2 * LANES; ++k) {
    const double a = f->widen(operands[0][k]), b = f->widen(operands[1][k]), c = f->widen(operands[2][k]);
    wide_integer exact = integer_of(a, UNIT / 2) * integer_of(b, UNIT / 2);
    bool negative_zero = signbit(a) != signbit(b);
    if (op == FLOAT_FMA) {
      negative_zero = negative_zero && exact == 0 && signbit(c);
      exact += integer_of(c, UNIT);
    } else if (op != FLOAT_MUL) {
      const double second = op == FLOAT_SUB ? -b : b;
      negative_zero = a == 0 && signbit(a) && signbit(second);
      exact = integer_of(a, UNIT) + integer_of(second, UNIT);
    }
    const uint16_t expected = nearest(f, exact, negative_zero);
    REQUIRE(r[k] == expected, "%s, operation %d on %a, %a, %a: %04x, not %04x", f->name, (int)op, a, b, c,
            r[k], expected);
  }
}

static void check_operation(const format *f, float_op op) {
  static _Alignas(64) uint16_t file[4][2 * LANES];
  warp w = {.regs = (uint8_t *)file};
  insn i = {.count = op == FLOAT_FMA ? 4 : 3, .dst_count = 1, .width = {4, 4, 4, 4}};
  i.arg[FLOAT_ARG_OP] = op;
  i.arg[FLOAT_ARG_TYPE] = f->packed;
  for (uint32_t k = 0; k < 4; ++k) i.op[k] = k * (uint32_t)sizeof *file;
  for (int n = 0; n < 1500; ++n) {
    for (int k = 0; k < 3 * 2 * LANES; ++k)
      file[1 + k / (2 * LANES)][k % (2 * LANES)] = random_operand(f);
    /* Some addends near what they are added to, for results of few bits and ties. */
    for (int k = 0; k < LANES; ++k)
      file[3][k] =
          f->narrow(-(double)f->widen(file[1][k]) * (double)f->widen(file[2][k]), ROUND_RZ) & 0xffff;
    for (int k = 0; k < LANES; ++k)
      if ((file[3][k] & 0x7fff) >= infinity_of(f)) file[3][k] = 0;
    (void)run_half(&w, &i, UINT32_MAX);
    check_lanes(f, op, (const uint16_t(*)[2 * LANES]) & file[1], file[0]);
  }
}

START_TEST(results_are_rounded_once) {
  for (int k = 0; k < FORMATS; ++k)
    for (float_op op = FLOAT_ADD; op <= FLOAT_FMA; ++op) check_operation(&formats[k], op);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_value_comes_back),
      SUITE_TEST(nan_keeps_its_bits_when_widened),
      SUITE_TEST(ties_and_their_neighbours_are_rounded_by_mode),
      SUITE_TEST(any_double_is_rounded_by_mode),
      SUITE_TEST(results_are_rounded_once),
  };
  return SUITE_RUN("softgpu/half", tests, false);
}
