/* Arithmetic on f32 and f64: all roundings against exact integers, and what hardware (sm_90) makes of
 * special operands. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "exact.h"
#include "exec/float_form.h"
#include "suite.h"

/* ---- running an operation on a warp */

static _Alignas(64) uint64_t file[4][LANES];
static warp w = {.regs = (uint8_t *)file};

static insn operation(float_op op, rounding how, uint32_t modifiers, int sources, uint8_t size) {
  insn i = {.count = (uint8_t)(sources + 1), .dst_count = 1};
  i.arg[FLOAT_ARG_OP] = op;
  i.arg[FLOAT_ARG_HOW] = how;
  i.arg[FLOAT_ARG_MODIFIERS] = modifiers;
  for (uint32_t k = 0; k < 4; ++k) {
    i.op[k] = k * (uint32_t)sizeof *file;
    i.width[k] = size;
  }
  return i;
}

static uint64_t state = 1;
static uint64_t random_bits(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state ^ state >> 29;
}

/* ---- exact models */

typedef struct format {
  const char *name;
  uint8_t size;
  int precision, exponents; /* bits with the leading one; exponents of operands are from -this to this */
  insn_run *run;
} format;
static const format formats[] = {{"f32", 4, 24, 15, run_f32}, {"f64", 8, 53, 3, run_f64}};

/* x times 2^-unit; with `more`, what is exact lies between this and the next integer further from zero.
 */
static double rounded(const format *f, wide_integer x, bool more, int unit, rounding how) {
  const bool negative = x < 0;
  wide_integer kept = negative ? -x : x;
  int cut = 0;
  bool half = false, rest = more;
  for (; kept >> f->precision != 0; ++cut) {
    rest = rest || half;
    half = kept & 1;
    kept >>= 1;
  }
  const bool inexact = half || rest;
  const bool up = how == ROUND_RN ? half && (rest || (kept & 1) != 0)
                                  : inexact && how == (negative ? ROUND_RM : ROUND_RP);
  const double magnitude = ldexp((double)(kept + up), cut - unit);
  return negative ? -magnitude : magnitude;
}

static wide_integer root_of(wide_integer x) {
  wide_integer root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const wide_integer tried = root | (wide_integer)1 << bit;
    if (tried <= x / tried) root = tried;
  }
  return root;
}

static double model(const format *f, float_op op, rounding how, double a, double b, double c) {
  const int unit = f->precision - 1 + f->exponents; /* operands are multiples of 2^-unit */
  const wide_integer ia = integer_of(a, unit), ib = integer_of(b, unit);
  switch (op) {
    case FLOAT_ADD:
      return rounded(f, ia + ib, false, unit, how);
    case FLOAT_SUB:
      return rounded(f, ia - ib, false, unit, how);
    case FLOAT_MUL:
      return rounded(f, ia * ib, false, 2 * unit, how);
    case FLOAT_FMA:
      return rounded(f, ia * ib + integer_of(c, 2 * unit), false, 2 * unit, how);
    case FLOAT_DIV:
    case FLOAT_RCP: {
      int exponent;
      const wide_integer divisor = op == FLOAT_DIV ? ib : ia;
      const double dividend = frexp(op == FLOAT_DIV ? a : 1, &exponent);
      const wide_integer digits = integer_of(dividend, 125);
      const wide_integer quotient = digits / divisor;
      return rounded(f, quotient, digits % divisor != 0, 125 - unit - exponent, how);
    }
    default: {
      const int scale = 122 - 2 * f->exponents - unit % 2;
      const wide_integer square = integer_of(a, scale / 2 * 2), root = root_of(square);
      return rounded(f, root, root * root != square, scale / 2, how);
    }
  }
}

static double random_operand(const format *f, bool positive) {
  const double digits =
      (double)(random_bits() >> (64 - f->precision) | UINT64_C(1) << (f->precision - 1));
  const int exponent = (int)(random_bits() % (uint64_t)(2 * f->exponents + 1)) - f->exponents;
  const double x = ldexp(digits, exponent - f->precision + 1);
  return positive || random_bits() % 2 != 0 ? x : -x;
}

static double lane_of(const format *f, int reg, int lane) {
  return f->size == 4 ? (double)((const float *)(void *)file[reg])[lane]
                      : ((const double *)(void *)file[reg])[lane];
}

static void set_lane(const format *f, int reg, int lane, double x) {
  if (f->size == 4)
    ((float *)(void *)file[reg])[lane] = (float)x;
  else
    ((double *)(void *)file[reg])[lane] = x;
}

static void check_rounding(const format *f, float_op op, rounding how) {
  const int sources = op == FLOAT_FMA ? 3 : op == FLOAT_RCP || op == FLOAT_SQRT ? 1 : 2;
  const insn i = operation(op, how, 0, sources, f->size);
  for (int n = 0; n < 300; ++n) {
    for (int l = 0; l < LANES; ++l) {
      for (int k = 1; k <= 3; ++k) set_lane(f, k, l, random_operand(f, op == FLOAT_SQRT));
      /* Every fourth sum cancels. */
      if (l % 4 == 0 && op == FLOAT_FMA) set_lane(f, 3, l, -lane_of(f, 1, l) * lane_of(f, 2, l));
      if (fabs(lane_of(f, 3, l)) >= ldexp(1, f->exponents)) set_lane(f, 3, l, 1);
    }
    (void)f->run(&w, &i, UINT32_MAX);
    for (int l = 0; l < LANES; ++l) {
      const double a = lane_of(f, 1, l), b = lane_of(f, 2, l), c = lane_of(f, 3, l), r = lane_of(f, 0, l);
      const double expected = model(f, op, how, a, b, c);
      if (r != expected)
        ck_abort_msg("%s, operation %d, mode %d, of %a, %a, %a: %a, not %a", f->name, (int)op, (int)how,
                     a, b, c, r, expected);
    }
  }
}

START_TEST(results_are_rounded_once_by_mode) {
  for (size_t k = 0; k < sizeof formats / sizeof *formats; ++k)
    for (rounding how = ROUND_RN; how <= ROUND_RP; ++how)
      for (float_op op = FLOAT_ADD; op <= FLOAT_SQRT; ++op)
        if (op != FLOAT_MAD) check_rounding(&formats[k], op, how);
}
END_TEST

/* ---- special operands */

typedef struct special {
  float_op op;
  rounding how;
  uint32_t modifiers;
  int sources;
  uint64_t a, b, c, result;
} special;

enum { PRODUCT_SIGN = FLOAT_XORSIGN | FLOAT_MAGNITUDE };

static const special specials_f32[] = {
    {FLOAT_ADD, ROUND_RN, 0, 2, 0x7f812345, 0x3f800000, 0, 0x7fffffff},
    {FLOAT_ADD, ROUND_RN, 0, 2, 0x7f800000, 0xff800000, 0, 0x7fffffff},
    {FLOAT_ADD, ROUND_RM, 0, 2, 0x3f800000, 0xbf800000, 0, 0x80000000},
    {FLOAT_ADD, ROUND_RN, FLOAT_SAT, 2, 0x7fc00000, 0x3f800000, 0, 0},
    {FLOAT_ADD, ROUND_RN, FLOAT_SAT, 2, 0x80000000, 0x80000000, 0, 0},
    {FLOAT_ADD, ROUND_RN, FLOAT_SAT, 2, 0x3f800000, 0x3f800000, 0, 0x3f800000},
    {FLOAT_ADD, ROUND_RN, 0, 2, 0x00000001, 0x00000001, 0, 0x00000002},
    {FLOAT_ADD, ROUND_RN, FLOAT_FTZ, 2, 0x807fffff, 0x80000001, 0, 0x80000000},
    {FLOAT_ADD, ROUND_RZ, 0, 2, 0x7f7fffff, 0x7f7fffff, 0, 0x7f7fffff},
    {FLOAT_ADD, ROUND_RP, 0, 2, 0xff7fffff, 0xff7fffff, 0, 0xff7fffff},
    /* What is tiny before it is rounded to the bits of a subnormal number is flushed. */
    {FLOAT_MUL, ROUND_RN, FLOAT_FTZ, 2, 0x00800000, 0x3f7fffff, 0, 0},
    {FLOAT_MUL, ROUND_RN, FLOAT_FTZ, 2, 0x80800000, 0x3f7fffff, 0, 0x80000000},
    {FLOAT_MUL, ROUND_RN, FLOAT_FTZ, 2, 0x00800001, 0x3f7ffffe, 0, 0x00800000},
    {FLOAT_MUL, ROUND_RN, 0, 2, 0x00800000, 0x3f7fffff, 0, 0x00800000},
    {FLOAT_FMA, ROUND_RP, FLOAT_FTZ, 3, 0x00800000, 0x3f7fffff, 0x00000001, 0},
    {FLOAT_DIV, ROUND_RM, FLOAT_FTZ, 2, 0x80800000, 0x3f800001, 0, 0x80000000},
    {FLOAT_RCP, ROUND_RP, FLOAT_FTZ, 1, 0x7e800001, 0, 0, 0},
    {FLOAT_SQRT, ROUND_RN, 0, 1, 0xbf800000, 0, 0, 0x7fffffff},
    {FLOAT_SQRT, ROUND_RN, 0, 1, 0x80000000, 0, 0, 0x80000000},
    {FLOAT_ABS, ROUND_RN, 0, 1, 0xffc54321, 0, 0, 0x7fffffff},
    {FLOAT_NEG, ROUND_RN, 0, 1, 0xffc54321, 0, 0, 0x7fffffff},
    {FLOAT_COPYSIGN, ROUND_RN, 0, 2, 0x80000000, 0x7f812345, 0, 0xff812345},
    {FLOAT_MIN, ROUND_RN, 0, 2, 0x00000000, 0x80000000, 0, 0x80000000},
    {FLOAT_MAX, ROUND_RN, 0, 2, 0x80000000, 0x00000000, 0, 0x00000000},
    {FLOAT_MIN, ROUND_RN, 0, 2, 0x7fc12345, 0x3f800000, 0, 0x3f800000},
    {FLOAT_MIN, ROUND_RN, 0, 2, 0x7fc12345, 0xff854321, 0, 0x7fffffff},
    {FLOAT_MIN, ROUND_RN, FLOAT_NAN, 2, 0x3f800000, 0xffc54321, 0, 0x7fffffff},
    {FLOAT_MAX, ROUND_RN, PRODUCT_SIGN, 2, 0x3f800000, 0xc0400000, 0, 0xc0400000},
    {FLOAT_MIN, ROUND_RN, PRODUCT_SIGN, 2, 0xbf800000, 0xff800000, 0, 0x3f800000},
    {FLOAT_MIN, ROUND_RN, FLOAT_FTZ, 2, 0x80000001, 0x3f800000, 0, 0x80000000},
    /* Those of three operands are by the text: that hardware has them not. */
    {FLOAT_MIN, ROUND_RN, 0, 3, 0x40400000, 0x7fc00000, 0xbf800000, 0xbf800000},
    {FLOAT_MIN, ROUND_RN, FLOAT_NAN, 3, 0x40400000, 0x7fc00000, 0xbf800000, 0x7fffffff},
    {FLOAT_MAX, ROUND_RN, FLOAT_MAGNITUDE, 3, 0x3f800000, 0x3f000000, 0xc0400000, 0x40400000},
};

#define NAN_1 UINT64_C(0x7ff8000000000111)
#define NAN_2 UINT64_C(0xfff8000000000222)
#define SIGNALING_3 UINT64_C(0x7ff0000000000333)
#define QUIET_3 UINT64_C(0x7ff8000000000333)
#define ONE UINT64_C(0x3ff0000000000000)
#define INFINITE UINT64_C(0x7ff0000000000000)
#define MINUS (UINT64_C(1) << 63)
#define MADE UINT64_C(0xfff8000000000000)

static const special specials_f64[] = {
    {FLOAT_ADD, ROUND_RN, 0, 2, NAN_1, NAN_2, 0, NAN_2},
    {FLOAT_ADD, ROUND_RN, 0, 2, SIGNALING_3, ONE, 0, QUIET_3},
    {FLOAT_ADD, ROUND_RN, 0, 2, INFINITE, INFINITE | MINUS, 0, MADE},
    {FLOAT_SUB, ROUND_RN, 0, 2, ONE, NAN_1, 0, NAN_1},
    {FLOAT_MUL, ROUND_RZ, 0, 2, NAN_2, SIGNALING_3, 0, QUIET_3},
    {FLOAT_FMA, ROUND_RN, 0, 3, NAN_1, ONE, NAN_2, NAN_2},
    {FLOAT_FMA, ROUND_RN, 0, 3, NAN_1, SIGNALING_3, NAN_2, QUIET_3},
    {FLOAT_DIV, ROUND_RN, 0, 2, NAN_1, NAN_2, 0, NAN_1},
    {FLOAT_DIV, ROUND_RN, 0, 2, 0, 0, 0, MADE},
    {FLOAT_SQRT, ROUND_RN, 0, 1, ONE | MINUS, 0, 0, MADE},
    {FLOAT_ABS, ROUND_RN, 0, 1, NAN_2, 0, 0, NAN_2},
    {FLOAT_NEG, ROUND_RN, 0, 1, SIGNALING_3, 0, 0, QUIET_3},
    {FLOAT_COPYSIGN, ROUND_RN, 0, 2, MINUS, SIGNALING_3, 0, SIGNALING_3 | MINUS},
    {FLOAT_MIN, ROUND_RN, 0, 2, NAN_1, NAN_2, 0, NAN_2},
    {FLOAT_MIN, ROUND_RN, 0, 2, NAN_1, ONE, 0, ONE},
    {FLOAT_MIN, ROUND_RN, 0, 2, 0, MINUS, 0, MINUS},
    {FLOAT_MAX, ROUND_RN, 0, 2, MINUS, 0, 0, 0},
};

static void check_special(const special *s, size_t index, const format *f, uint32_t mask) {
  const uint64_t sources[] = {s->a, s->b, s->c};
  memset(file, 0x5a, sizeof file);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < LANES; ++l) memcpy((char *)file[k + 1] + l * f->size, &sources[k], f->size);
  const insn i = operation(s->op, s->how, s->modifiers, s->sources, f->size);
  (void)f->run(&w, &i, mask);
  for (int l = 0; l < LANES; ++l) {
    uint64_t found = 0, expected = f->size == 4 ? 0x5a5a5a5a : UINT64_C(0x5a5a5a5a5a5a5a5a);
    memcpy(&found, (const char *)file[0] + l * f->size, f->size);
    if (mask >> l & 1) expected = s->result;
    ck_assert_msg(found == expected, "%s, case %zu, lane %d: %llx, not %llx", f->name, index, l,
                  (unsigned long long)found, (unsigned long long)expected);
  }
}

START_TEST(special_operands_give_what_hardware_gives) {
  for (size_t k = 0; k < sizeof specials_f32 / sizeof *specials_f32; ++k)
    check_special(&specials_f32[k], k, &formats[0], k % 2 == 0 ? UINT32_MAX : 0x80f00f01);
  for (size_t k = 0; k < sizeof specials_f64 / sizeof *specials_f64; ++k)
    check_special(&specials_f64[k], k, &formats[1], k % 2 == 0 ? UINT32_MAX : 0x80f00f01);
}
END_TEST

START_TEST(two_floats_in_a_register_are_like_each_by_itself) {
  for (float_op op = FLOAT_ADD; op <= FLOAT_FMA; ++op) {
    uint32_t whole[2][LANES], parts[2][LANES];
    for (int k = 1; k <= 3; ++k)
      for (int l = 0; l < LANES; ++l) file[k][l] = random_bits() & UINT64_C(0xbfffffffbfffffff);
    uint64_t saved[4][LANES];
    memcpy(saved, file, sizeof saved);
    const insn packed = operation(op, ROUND_RP, FLOAT_FTZ, op == FLOAT_FMA ? 3 : 2, 8);
    (void)run_f32(&w, &packed, UINT32_MAX);
    memcpy(whole, file[0], sizeof whole);
    for (int half = 0; half < 2; ++half) {
      for (int k = 1; k <= 3; ++k)
        memcpy(file[k], (const uint32_t *)(void *)saved[k] + half * LANES, 4 * LANES);
      const insn single = operation(op, ROUND_RP, FLOAT_FTZ, op == FLOAT_FMA ? 3 : 2, 4);
      (void)run_f32(&w, &single, UINT32_MAX);
      memcpy(parts[half], file[0], sizeof parts[half]);
    }
    ck_assert_mem_eq(whole, parts, sizeof whole);
  }
}
END_TEST

START_TEST(mixed_precision_widens_the_narrow_operands) {
  insn i = operation(FLOAT_FMA, ROUND_RN, 0, 3, 4);
  i.width[1] = i.width[2] = 2;
  i.arg[FLOAT_ARG_TYPE] = TYPE_F16;
  for (int l = 0; l < LANES; ++l) {
    ((uint16_t *)(void *)file[1])[l] = 0x3e00; /* 1.5 */
    ((uint16_t *)(void *)file[2])[l] = 0xc000; /* -2 */
    ((float *)(void *)file[3])[l] = (float)l;
  }
  (void)run_mixed(&w, &i, UINT32_MAX);
  for (int l = 0; l < LANES; ++l) ck_assert_float_eq(((float *)(void *)file[0])[l], (float)l - 3);

  i = operation(FLOAT_SUB, ROUND_RN, FLOAT_SAT, 2, 4);
  i.width[1] = 2;
  i.arg[FLOAT_ARG_TYPE] = TYPE_BF16;
  for (int l = 0; l < LANES; ++l) {
    ((uint16_t *)(void *)file[1])[l] = 0x3f80; /* 1 */
    ((float *)(void *)file[2])[l] = (float)l / 4;
  }
  (void)run_mixed(&w, &i, UINT32_MAX);
  for (int l = 0; l < LANES; ++l)
    ck_assert_float_eq(((float *)(void *)file[0])[l], l < 4 ? 1 - (float)l / 4 : 0);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(results_are_rounded_once_by_mode),
      SUITE_TEST(special_operands_give_what_hardware_gives),
      SUITE_TEST(two_floats_in_a_register_are_like_each_by_itself),
      SUITE_TEST(mixed_precision_widens_the_narrow_operands),
  };
  return SUITE_RUN("softgpu/float", tests, false);
}
