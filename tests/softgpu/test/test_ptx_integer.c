/* Integer arithmetic: PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer
 * Arithmetic Instructions". */
#include <string.h>

#include "ptx_support.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;
#define ALL "u16 s16 u32 s32 u64 s64"

static wide a_of(const ptx_case *c) {
  return ptx_integer(c->of[0], c->a);
}
static wide b_of(const ptx_case *c) {
  return ptx_integer(c->of[1], c->b);
}
static wide c_of(const ptx_case *c) {
  return ptx_integer(c->of[2], c->c);
}
static uint64_t result(const ptx_case *c, wide value) {
  return ptx_register(c->result, value);
}
static wide clamp(const value_type *t, wide value) {
  return value < ptx_least(t) ? ptx_least(t) : value > ptx_most(t) ? ptx_most(t) : value;
}

/* ---- addition, multiplication */

static uint64_t add(const ptx_case *c) {
  return result(c, ptx_has(c, ".sat") ? clamp(c->type, a_of(c) + b_of(c)) : a_of(c) + b_of(c));
}
static uint64_t sub(const ptx_case *c) {
  return result(c, ptx_has(c, ".sat") ? clamp(c->type, a_of(c) - b_of(c)) : a_of(c) - b_of(c));
}
static uint64_t halves(uint32_t low, uint32_t high) {
  return (low & 0xffff) | high << 16;
}
static uint64_t add_halves(const ptx_case *c) {
  return halves((uint32_t)(c->a + c->b), (uint32_t)(c->a >> 16) + (uint32_t)(c->b >> 16));
}

/* The part of the exact product that an instruction takes. */
static wide product_part(const ptx_case *c) {
  const uwide product = (uwide)a_of(c) * (uwide)b_of(c);
  if (!ptx_has(c, ".hi")) return (wide)product;
  return c->type->class == VALUE_SIGNED ? (wide)product >> c->type->bits
                                        : (wide)(product >> c->type->bits);
}
static uint64_t mul(const ptx_case *c) {
  return result(c, product_part(c));
}
static uint64_t mad(const ptx_case *c) {
  const wide sum = (wide)((uwide)product_part(c) + (uwide)c_of(c));
  return result(c, ptx_has(c, ".sat") ? clamp(c->type, sum) : sum);
}

/* The 24-bit ones take the low 24 bits, .hi bits 16 to 47 of the product. */
static wide product_24(const ptx_case *c) {
  const wide a =
      c->type->class == VALUE_SIGNED ? (wide)((int32_t)(c->a << 8) >> 8) : (wide)(c->a & 0xffffff);
  const wide b =
      c->type->class == VALUE_SIGNED ? (wide)((int32_t)(c->b << 8) >> 8) : (wide)(c->b & 0xffffff);
  const wide part = ptx_has(c, ".hi") ? a * b >> 16 : a * b;
  return ptx_integer(c->type, (uint64_t)part);
}
static uint64_t mul24(const ptx_case *c) {
  return result(c, product_24(c));
}
static uint64_t mad24(const ptx_case *c) {
  const wide sum = product_24(c) + c_of(c);
  return result(c, ptx_has(c, ".sat") ? clamp(c->type, sum) : sum);
}

static uint64_t sad(const ptx_case *c) {
  const wide difference = a_of(c) - b_of(c);
  return result(c, c_of(c) + (difference < 0 ? -difference : difference));
}

static uint64_t add_constant(const ptx_case *c) {
  return result(c, a_of(c) - 7);
}
static uint64_t wide_constant(const ptx_case *c) {
  return result(c, a_of(c) * -3 + 0x7fff);
}

START_TEST(sums_and_products) {
  static const ptx_row rows[] = {
      PTX_ROW("add.$ %d, %a, %b;", "$ $ $", ALL, NULL, add),
      PTX_ROW("add.sat.s32 %d, %a, %b;", "$ $ $", "s32", NULL, add),
      PTX_ROW("sub.$ %d, %a, %b;", "$ $ $", ALL, NULL, sub),
      PTX_ROW("sub.sat.s32 %d, %a, %b;", "$ $ $", "s32", NULL, sub),
      PTX_ROW("add.$ %d, %a, %b;", "$ $ $", "u16x2 s16x2", NULL, add_halves),
      PTX_ROW("mul?1.$ %d, %a, %b;", "$ $ $", ALL, ".lo .hi", mul),
      PTX_ROW("mul.wide.$ %d, %a, %b;", "$2 $ $", "u16 s16 u32 s32", NULL, mul),
      PTX_ROW("mad?1.$ %d, %a, %b, %c;", "$ $ $ $", ALL, ".lo .hi", mad),
      PTX_ROW("mad.wide.$ %d, %a, %b, %c;", "$2 $ $ $2", "u16 s16 u32 s32", NULL, mad),
      PTX_ROW("mad.hi.sat.$ %d, %a, %b, %c;", "$ $ $ $", "s32", NULL, mad),
      PTX_ROW("mul24?1.$ %d, %a, %b;", "$ $ $", "u32 s32", ".lo .hi", mul24),
      PTX_ROW("mad24?1.$ %d, %a, %b, %c;", "$ $ $ $", "u32 s32", ".lo .hi", mad24),
      PTX_ROW("mad24.hi.sat.$ %d, %a, %b, %c;", "$ $ $ $", "s32", NULL, mad24),
      PTX_ROW("sad.$ %d, %a, %b, %c;", "$ $ $ $", ALL, NULL, sad),
      PTX_ROW("add.$ %d, %a, -7;", "$ $", ALL, NULL, add_constant),
      PTX_ROW("mad.wide.$ %d, %a, -3, 0x7fff;", "$2 $", "s16 s32", NULL, wide_constant),
      /* a guard and a register that is source and destination */
      PTX_ROW("mov.$b %d, %a; @%b add.$ %d, %d, -7; @!%b add.$ %d, -7, %d;", "$ $ pred", "u32 s64", NULL,
              add_constant),
  };
  PTX_ROWS("sums_and_products", rows);
}
END_TEST

/* ---- division, least and greatest, signs */

static uint64_t divide(const ptx_case *c) {
  return result(c, a_of(c) / b_of(c));
}
static uint64_t remainder_of(const ptx_case *c) {
  return result(c, a_of(c) % b_of(c));
}
static bool by_zero(const ptx_case *c) {
  return b_of(c) == 0;
}
static uint64_t least(const ptx_case *c) {
  const wide value = a_of(c) < b_of(c) ? a_of(c) : b_of(c);
  return result(c, ptx_has(c, ".relu") && value < 0 ? 0 : value);
}
static uint64_t greatest(const ptx_case *c) {
  const wide value = a_of(c) > b_of(c) ? a_of(c) : b_of(c);
  return result(c, ptx_has(c, ".relu") && value < 0 ? 0 : value);
}
/* min and max of two 16-bit numbers, element by element. */
static uint64_t of_halves(const ptx_case *c) {
  uint32_t parts[2];
  for (unsigned k = 0; k < 2; ++k) {
    const uint16_t a = (uint16_t)(c->a >> 16 * k), b = (uint16_t)(c->b >> 16 * k);
    const bool is_signed = strcmp(c->type->name, "s16x2") == 0;
    const int x = is_signed ? (int16_t)a : a, y = is_signed ? (int16_t)b : b;
    int value = (strncmp(c->text, "min", 3) == 0) == (x < y) ? x : y;
    if (ptx_has(c, ".relu") && value < 0) value = 0;
    parts[k] = (uint16_t)value;
  }
  return halves(parts[0], parts[1]);
}
static uint64_t absolute(const ptx_case *c) {
  return result(c, a_of(c) < 0 ? -a_of(c) : a_of(c));
}
static uint64_t negate(const ptx_case *c) {
  return result(c, -a_of(c));
}

START_TEST(division_order_and_sign) {
  static const ptx_row rows[] = {
      {"div.$ %d, %a, %b;", "$ $ $", ALL, NULL, divide, NULL, by_zero, NULL, false, NULL},
      {"rem.$ %d, %a, %b;", "$ $ $", ALL, NULL, remainder_of, NULL, by_zero, NULL, false, NULL},
      PTX_ROW("min.$ %d, %a, %b;", "$ $ $", ALL, NULL, least),
      PTX_ROW("max.$ %d, %a, %b;", "$ $ $", ALL, NULL, greatest),
      PTX_ROW("min.relu.s32 %d, %a, %b;", "$ $ $", "s32", NULL, least),
      PTX_ROW("max.relu.s32 %d, %a, %b;", "$ $ $", "s32", NULL, greatest),
      PTX_ROW("?1.$ %d, %a, %b;", "$ $ $", "u16x2 s16x2", "min max", of_halves),
      PTX_ROW("?1.relu.$ %d, %a, %b;", "$ $ $", "s16x2", "min max", of_halves),
      PTX_ROW("abs.$ %d, %a;", "$ $", "s16 s32 s64", NULL, absolute),
      PTX_ROW("neg.$ %d, %a;", "$ $", "s16 s32 s64", NULL, negate),
  };
  PTX_ROWS("division_order_and_sign", rows);
}
END_TEST

/* ---- bits */

static bool bit(uint64_t value, unsigned k) {
  return (value >> k & 1) != 0;
}
static uint64_t popc(const ptx_case *c) {
  unsigned count = 0;
  for (unsigned k = 0; k < c->type->bits; ++k) count += bit(c->a, k);
  return count;
}
static uint64_t clz(const ptx_case *c) {
  unsigned count = 0;
  while (count < c->type->bits && !bit(c->a, c->type->bits - 1 - count)) count++;
  return count;
}
/* The highest bit that differs from the sign. */
static uint64_t bfind(const ptx_case *c) {
  const bool sign = c->type->class == VALUE_SIGNED && bit(c->a, c->type->bits - 1);
  for (int k = (int)c->type->bits - 1; k >= 0; --k) {
    if (bit(c->a, (unsigned)k) != sign)
      return ptx_has(c, ".shiftamt") ? c->type->bits - 1 - (unsigned)k : (unsigned)k;
  }
  return UINT32_MAX;
}
static uint64_t brev(const ptx_case *c) {
  uint64_t reversed = 0;
  for (unsigned k = 0; k < c->type->bits; ++k)
    reversed |= (uint64_t)bit(c->a, k) << (c->type->bits - 1 - k);
  return reversed;
}
static uint64_t bfe(const ptx_case *c) {
  const unsigned msb = c->type->bits - 1, position = c->b & 0xff, length = c->c & 0xff;
  const unsigned last = position + length - 1 < msb ? position + length - 1 : msb;
  const bool sign = c->type->class == VALUE_SIGNED && length > 0 && bit(c->a, last);
  uint64_t value = 0;
  for (unsigned k = 0; k <= msb; ++k)
    value |= (uint64_t)(k < length && position + k <= msb ? bit(c->a, position + k) : sign) << k;
  return value;
}
static uint64_t bfi(const ptx_case *c) {
  const unsigned position = c->c & 0xff, length = c->e & 0xff;
  uint64_t value = c->b;
  for (unsigned k = 0; k < length && position + k < c->type->bits; ++k) {
    value &= ~(UINT64_C(1) << (position + k));
    value |= (uint64_t)bit(c->a, k) << (position + k);
  }
  return value;
}
/* The offset-th set bit from base upwards, or downwards if offset is negative; base itself for 0. */
static uint64_t fns(const ptx_case *c) {
  const uint32_t mask = (uint32_t)c->a, base = (uint32_t)c->b;
  int offset = (int32_t)c->c;
  if (offset == 0) return bit(mask, base) ? base : UINT32_MAX;
  for (int k = (int)base; k >= 0 && k<32; k += offset> 0 ? 1 : -1) {
    if (!bit(mask, (unsigned)k)) continue;
    if (offset == 1 || offset == -1) return (unsigned)k;
    offset -= offset > 0 ? 1 : -1;
  }
  return UINT32_MAX;
}
static bool bad_search(const ptx_case *c) {
  return c->b > 31 || (uint32_t)c->c == 0x80000000;
}
/* Positions and lengths above 255 are not defined. */
static bool bad_field(const ptx_case *c) {
  return c->c > 255 || (c->text[2] == 'e' ? c->b : c->e) > 255;
}
static uint64_t szext(const ptx_case *c) {
  const bool wrap = ptx_has(c, ".wrap");
  if (!wrap && (uint32_t)c->b > 31) return c->a;
  const unsigned n = c->b & 31;
  const uint64_t low = c->a & ((UINT64_C(1) << n) - 1);
  const bool sign = c->type->class == VALUE_SIGNED && n > 0 && bit(c->a, n - 1);
  return (sign ? low | ~((UINT64_C(1) << n) - 1) : low) & UINT32_MAX;
}
static uint64_t bmsk(const ptx_case *c) {
  const bool wrap = ptx_has(c, ".wrap");
  const uint64_t first = wrap ? c->a & 31 : c->a, length = wrap ? c->b & 31 : c->b;
  uint64_t mask = 0;
  for (uint64_t k = 0; k < 32; ++k) mask |= (uint64_t)(k >= first && k - first < length) << k;
  return mask;
}

START_TEST(bit_operations) {
  static const ptx_row rows[] = {
      PTX_ROW("popc.$ %d, %a;", "u32 $", "b32 b64", NULL, popc),
      PTX_ROW("clz.$ %d, %a;", "u32 $", "b32 b64", NULL, clz),
      PTX_ROW("bfind?1.$ %d, %a;", "u32 $", "u32 s32 u64 s64", "- .shiftamt", bfind),
      PTX_ROW("brev.$ %d, %a;", "$ $", "b32 b64", NULL, brev),
      {"bfe.$ %d, %a, %b, %c;", "$ $ n32 n32", "u32 s32 u64 s64", NULL, bfe, NULL, bad_field, NULL, false,
       NULL},
      {"bfi.$ %d, %a, %b, %c, %e;", "$ $ $ n32 n32", "b32 b64", NULL, bfi, NULL, bad_field, NULL, false,
       NULL},
      {"fns.b32 %d, %a, %b, %c;", "b32 b32 n32 s32", NULL, NULL, fns, NULL, bad_search, NULL, false,
       NULL},
      {"fns.b32 %d, %a, %b, %c;", "b32 b32 n32 n32", NULL, NULL, fns, NULL, bad_search, NULL, false,
       NULL},
      PTX_ROW("szext?1.$ %d, %a, %b;", "$ $ n32", "u32 s32", ".clamp .wrap", szext),
      PTX_ROW("bmsk?1.b32 %d, %a, %b;", "b32 n32 n32", NULL, ".clamp .wrap", bmsk),
  };
  PTX_ROWS("bit_operations", rows);
}
END_TEST

/* ---- dot products; which operands are signed is the instruction's two types */

static int64_t element(const char *type, uint64_t bits, unsigned size, unsigned k) {
  const uint64_t part = bits >> size * k;
  if (size == 8) return type[0] == 's' ? (int8_t)part : (uint8_t)part;
  return type[0] == 's' ? (int16_t)part : (uint16_t)part;
}
static uint64_t dp4a(const ptx_case *c) {
  int64_t sum = (int64_t)c->c;
  for (unsigned k = 0; k < 4; ++k)
    sum += element(c->choice[0], c->a, 8, k) * element(c->choice[1], c->b, 8, k);
  return (uint32_t)sum;
}
static uint64_t dp2a(const ptx_case *c) {
  int64_t sum = (int64_t)c->c;
  const unsigned first = ptx_has(c, ".hi") ? 2 : 0;
  for (unsigned k = 0; k < 2; ++k)
    sum += element(c->choice[0], c->a, 16, k) * element(c->choice[1], c->b, 8, first + k);
  return (uint32_t)sum;
}

START_TEST(dot_products) {
  static const ptx_row rows[] = {
      PTX_ROW("dp4a.?1.?2 %d, %a, %b, %c;", "b32 b32 b32 b32", NULL, "u32 s32 | u32 s32", dp4a),
      PTX_ROW("dp2a?3.?1.?2 %d, %a, %b, %c;", "b32 b32 b32 b32", NULL, "u32 s32 | u32 s32 | .lo .hi",
              dp2a),
  };
  PTX_ROWS("dot_products", rows);
}
END_TEST

/* ---- carries: sums of numbers of twice the width, in two halves */

static uint64_t carry_add(const ptx_case *c) {
  const uwide sum = (uwide)c->a + c->b;
  return ptx_cut(c->type, (uint64_t)sum);
}
static uint64_t carry_out(const ptx_case *c) {
  return (uint64_t)(((uwide)c->a + c->b) >> c->type->bits);
}
static uint64_t carry_sub(const ptx_case *c) {
  return c->a < c->b;
}
/* (c, a) + (e, b), the upper half, and what it carries: as far as it fits in one word, added to it */
static uint64_t sum_in_two(const ptx_case *c) {
  const uwide low = (uwide)c->a + c->b, high = (uwide)c->c + c->e + (low >> c->type->bits);
  return ptx_cut(c->type, ptx_cut(c->type, (uint64_t)high) ^ (uint64_t)(high >> c->type->bits) << 7);
}
static uint64_t difference_in_two(const ptx_case *c) {
  const bool borrow = c->a < c->b;
  const uwide taken = (uwide)c->e + borrow;
  const uint64_t high = ptx_cut(c->type, (uint64_t)(c->c - taken));
  return high ^ (uint64_t)(c->c < taken) << 7;
}
/* mad.cc of one half of a * b and c, then the carry */
static uint64_t mad_carry(const ptx_case *c) {
  return (uint64_t)(((uwide)ptx_cut(c->type, (uint64_t)product_part(c)) + c->c) >> c->type->bits);
}
static uint64_t mad_sum(const ptx_case *c) {
  return ptx_cut(c->type, (uint64_t)product_part(c) + c->c);
}
/* 1 + all ones leaves a carry, which is added to a half of the product and c. */
static uint64_t madc(const ptx_case *c) {
  const uwide sum = (uwide)ptx_cut(c->type, (uint64_t)product_part(c)) + c->c + 1;
  return ptx_cut(c->type, (uint64_t)sum ^ (uint64_t)(sum >> c->type->bits) << 7);
}

static uint64_t madc_sum(const ptx_case *c) {
  return ptx_cut(c->type, (uint64_t)product_part(c) + c->c + 1);
}

#define CARRIED "u32 s32 u64 s64"
/* the carry out, where other instructions leave it alone */
#define TAKE_CARRY(reg) "mul.lo.u32 %r6, %i, 3; addc.$ " reg ", 0, 0;"

START_TEST(carries) {
  static const ptx_row rows[] = {
      PTX_ROW("add.cc.$ %d, %a, %b;", "$ $ $", CARRIED, NULL, carry_add),
      PTX_ROW("{ .reg .$b %x; add.cc.$ %x, %a, %b; " TAKE_CARRY("%d") " }", "$ $ $", CARRIED, NULL,
              carry_out),
      PTX_ROW("{ .reg .$b %x; sub.cc.$ %x, %a, %b; subc.$ %x, 0, 0; neg.s?1 %d, %x; }", "$ $ $",
              "u32 s32", "32", carry_sub),
      PTX_ROW("{ .reg .$b %x; sub.cc.$ %x, %a, %b; subc.$ %x, 0, 0; neg.s?1 %d, %x; }", "$ $ $",
              "u64 s64", "64", carry_sub),
      PTX_ROW("{ .reg .$b %x; add.cc.$ %x, %a, %b; addc.cc.$ %d, %c, %e; " TAKE_CARRY(
                  "%x") " shl.$b %x, %x, 7; xor.$b %d, %d, %x; }",
              "$ $ $ $ $", CARRIED, NULL, sum_in_two),
      PTX_ROW(
          "{ .reg .$b %x; sub.cc.$ %x, %a, %b; subc.cc.$ %d, %c, %e; subc.$ %x, 0, 0; and.$b %x, %x, 128;"
          " xor.$b %d, %d, %x; }",
          "$ $ $ $ $", CARRIED, NULL, difference_in_two),
      PTX_ROW("mad?1.cc.$ %d, %a, %b, %c;", "$ $ $ $", CARRIED, ".lo .hi", mad_sum),
      PTX_ROW("{ .reg .$b %x; mad?1.cc.$ %x, %a, %b, %c; addc.$ %d, 0, 0; }", "$ $ $ $", CARRIED,
              ".lo .hi", mad_carry),
      PTX_ROW("{ .reg .$b %x; add.cc.$ %x, 1, -1; madc?1.cc.$ %d, %a, %b, %c; addc.$ %x, 0, 0;"
              " shl.$b %x, %x, 7; xor.$b %d, %d, %x; }",
              "$ $ $ $", CARRIED, ".lo .hi", madc),
      PTX_ROW("{ .reg .$b %x; add.cc.$ %x, 1, -1; madc?1.$ %d, %a, %b, %c; }", "$ $ $ $", CARRIED,
              ".lo .hi", madc_sum),
  };
  PTX_ROWS("carries", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(sums_and_products), SUITE_TEST(division_order_and_sign),
                                     SUITE_TEST(bit_operations), SUITE_TEST(dot_products),
                                     SUITE_TEST(carries)};
  return PTX_SUITE_RUN("ptx/integer", tests);
}
