/* Comparison and selection: PTX ISA, "Comparison and Selection Instructions" and "Half Precision
 * Comparison Instructions". */
#include <math.h>
#include <string.h>

#include "ptx_support.h"

/* ---- what a comparison says */

typedef enum order { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 } order;

static bool holds(const char *op, order o) {
  static const struct {
    const char *name;
    unsigned when;
  } ops[] = {{"eq", EQUAL},
             {"ne", LESS | GREATER},
             {"lt", LESS},
             {"le", LESS | EQUAL},
             {"gt", GREATER},
             {"ge", GREATER | EQUAL},
             {"lo", LESS},
             {"ls", LESS | EQUAL},
             {"hi", GREATER},
             {"hs", GREATER | EQUAL},
             {"equ", EQUAL | UNORDERED},
             {"neu", LESS | GREATER | UNORDERED},
             {"ltu", LESS | UNORDERED},
             {"leu", LESS | EQUAL | UNORDERED},
             {"gtu", GREATER | UNORDERED},
             {"geu", GREATER | EQUAL | UNORDERED},
             {"num", LESS | EQUAL | GREATER},
             {"nan", UNORDERED}};
  for (size_t i = 0; i < COUNT_OF(ops); ++i) {
    if (strcmp(ops[i].name, op) == 0) return (ops[i].when & o) != 0;
  }
  ck_abort_msg("no comparison %s", op);
  return false;
}

/* Element k of the operands, of the type that is compared. */
static order order_of(const ptx_case *c, const value_type *t, unsigned k) {
  const number_format *f = ptx_format(t);
  if (f == NULL) {
    const __int128 a = ptx_integer(t, c->a), b = ptx_integer(t, c->b);
    return a < b ? LESS : a == b ? EQUAL : GREATER;
  }
  const unsigned width = 1 + f->mantissa + f->exponent;
  uint64_t a = c->a >> k * width, b = c->b >> k * width;
  if (width < 64) a &= (UINT64_C(1) << width) - 1, b &= (UINT64_C(1) << width) - 1;
  if (ptx_has(c, ".ftz")) a = number_flush(f, a), b = number_flush(f, b);
  const double x = number_value(f, a), y = number_value(f, b);
  return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x == y ? EQUAL : GREATER;
}

/* ?1 is the comparison, ?2 the combination, ?3 a negation of %c. */
static bool combined(const ptx_case *c, bool compared) {
  const bool other = (c->c != 0) != (c->choice[2] != NULL && strcmp(c->choice[2], "!") == 0);
  if (strcmp(c->choice[1], ".and") == 0) return compared && other;
  if (strcmp(c->choice[1], ".or") == 0) return compared || other;
  if (strcmp(c->choice[1], ".xor") == 0) return compared != other;
  return compared;
}

/* ---- setp: p is bit 0 of the result, q bit 1 */

static uint64_t setp_one(const ptx_case *c) {
  return holds(c->choice[0], order_of(c, c->type, 0));
}
static uint64_t setp_two(const ptx_case *c) {
  const bool compared = holds(c->choice[0], order_of(c, c->type, 0));
  return (uint64_t)combined(c, compared) | (uint64_t)combined(c, !compared) << 1;
}
static uint64_t setp_other(const ptx_case *c) {
  return setp_two(c) >> 1;
}
static uint64_t setp_constant(const ptx_case *c) {
  const __int128 a = ptx_integer(c->type, c->a);
  return holds(c->choice[0], a < -5 ? LESS : a == -5 ? EQUAL : GREATER);
}
static uint64_t setp_halves(const ptx_case *c) {
  const bool low = holds(c->choice[0], order_of(c, c->type, 0));
  const bool high = holds(c->choice[0], order_of(c, c->type, 1));
  return (uint64_t)combined(c, low) | (uint64_t)combined(c, high) << 1;
}

#define INTEGERS "u16 s16 u32 s32 u64 s64"
#define SIGNED_OPS "eq ne lt le gt ge"
#define FLOAT_OPS "eq ne lt le gt ge equ neu ltu leu gtu geu num nan"
#define COMBINATIONS ".and .or .xor | - !"
#define BOTH " selp.b32 %r0, 1, 0, %p0; selp.b32 %r1, 2, 0, %p1; or.b32 %d, %r0, %r1;"

START_TEST(predicates) {
  static const ptx_row rows[] = {
      PTX_ROW("setp.?1.$ %d, %a, %b;", "pred $ $", INTEGERS, SIGNED_OPS, setp_one),
      PTX_ROW("setp.?1.$ %d, %a, %b;", "pred $ $", "u16 u32 u64", "lo ls hi hs", setp_one),
      PTX_ROW("setp.?1.$ %d, %a, %b;", "pred $ $", "b16 b32 b64", "eq ne", setp_one),
      PTX_ROW("setp.?1.$ %d, %a, %b;", "pred $ $", "f32 f64 f16 bf16", FLOAT_OPS, setp_one),
      PTX_ROW("setp.?1.ftz.$ %d, %a, %b;", "pred $ $", "f32 f16", FLOAT_OPS, setp_one),
      PTX_ROW("setp.?1?2.$ %p0|%p1, %a, %b, ?3%c;" BOTH, "b32 $ $ pred", "s16 u32 s64",
              "eq lt ge | " COMBINATIONS, setp_two),
      PTX_ROW("setp.?1?2.$ %p0|%p1, %a, %b, ?3%c;" BOTH, "b32 $ $ pred", "f32 f64",
              "lt geu nan | " COMBINATIONS, setp_two),
      PTX_ROW("setp.?1?2.ftz.f32 %p0|%p1, %a, %b, ?3%c;" BOTH, "b32 $ $ pred", "f32", "gt leu | .and | -",
              setp_two),
      PTX_ROW("setp.?1?2.$ %p0|%p1, %a, %b;" BOTH, "b32 $ $", "u32 s32 f32 f64", "eq ne | -", setp_two),
      PTX_ROW("setp.?1?2.$ _|%d, %a, %b, ?3%c;", "pred $ $ pred", "s32", "le | .and | -", setp_other),
      PTX_ROW("setp.?1?2.$ %p0|%p1, %a, %b;" BOTH, "b32 $ $", "f16x2 bf16x2", FLOAT_OPS " | -",
              setp_halves),
      PTX_ROW("setp.?1?2.ftz.f16x2 %p0|%p1, %a, %b;" BOTH, "b32 $ $", "f16x2", "lt neu | -", setp_halves),
      PTX_ROW("setp.?1?2.$ %p0|%p1, %a, %b, ?3%c;" BOTH, "b32 $ $ pred", "f16x2 bf16x2",
              "eq gtu | " COMBINATIONS, setp_halves),
      PTX_ROW("setp.?1.$ %d, %a, -5;", "pred $", "s16 s32 s64", SIGNED_OPS, setp_constant),
  };
  PTX_ROWS("predicates", rows);
}
END_TEST

/* ---- set: all ones or 1.0 where it holds */

static uint64_t true_of(const char *type) {
  static const struct {
    const char *type;
    uint64_t bits;
  } trues[] = {{"f32", 0x3f800000}, {"f16", 0x3c00}, {"bf16", 0x3f80}, {"u16", 0xffff}, {"s16", 0xffff}};
  for (size_t i = 0; i < COUNT_OF(trues); ++i) {
    if (strcmp(trues[i].type, type) == 0) return trues[i].bits;
  }
  return UINT32_MAX;
}
/* ?1 comparison, ?2 combination, ?3 negation, ?4 the result's type. */
static uint64_t set(const ptx_case *c) {
  const bool compared = holds(c->choice[0], order_of(c, c->type, 0));
  return combined(c, compared) ? true_of(c->choice[3]) : 0;
}
static uint64_t set_halves(const ptx_case *c) {
  const bool low = combined(c, holds(c->choice[0], order_of(c, c->type, 0)));
  const bool high = combined(c, holds(c->choice[0], order_of(c, c->type, 1)));
  const bool is_float = strstr(c->choice[3], "f16x2") != NULL;
  const uint64_t yes = !is_float ? 0xffff : c->choice[3][0] == 'b' ? 0x3f80 : 0x3c00;
  return (low ? yes : 0) | (high ? yes << 16 : 0);
}

START_TEST(sets) {
  static const ptx_row rows[] = {
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "?4 $ $", INTEGERS, "eq ne lt ge | - | - | u32 s32 f32",
              set),
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "?4 $ $", "u16 u32 u64", "lo ls hi hs | - | - | u32 f32",
              set),
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "?4 $ $", "b16 b32 b64", "eq ne | - | - | u32 s32 f32",
              set),
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "?4 $ $", "f32 f64", FLOAT_OPS " | - | - | u32 s32 f32",
              set),
      PTX_ROW("set.?1?2.ftz.?4.f32 ?3 %d, %a, %b;", "?4 $ $", "f32", "lt equ | - | - | u32 s32 f32", set),
      PTX_ROW("set.?1?2.?4.$ %d, %a, %b, ?3%c;", "?4 $ $ pred", "s32 u64 f32 f64",
              "lt ne | " COMBINATIONS " | u32 f32", set),
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "?4 $ $", "f16 bf16",
              FLOAT_OPS " | - | - | u16 s16 u32 s32", set),
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "f16 $ $", "f16 s32 f32", "lt eq | - | - | f16", set),
      PTX_ROW("set.?1?2.?4.$ ?3 %d, %a, %b;", "bf16 $ $", "bf16 s32 f32", "lt | - | - | bf16", set),
      PTX_ROW("set.?1?2.?4.f16x2 ?3 %d, %a, %b;", "b32 $ $", "f16x2",
              FLOAT_OPS " | - | - | f16x2 u32 s32", set_halves),
      PTX_ROW("set.?1?2.?4.bf16x2 ?3 %d, %a, %b;", "b32 $ $", "bf16x2",
              FLOAT_OPS " | - | - | bf16x2 u32 s32", set_halves),
      PTX_ROW("set.?1?2.ftz.?4.f16x2 %d, %a, %b, ?3%c;", "b32 $ $ pred", "f16x2",
              "gt neu | " COMBINATIONS " | f16x2 u32", set_halves),
  };
  PTX_ROWS("sets", rows);
}
END_TEST

/* ---- selection */

static uint64_t selp(const ptx_case *c) {
  return c->c != 0 ? c->a : c->b;
}
static uint64_t slct(const ptx_case *c) {
  const value_type *t = c->of[2];
  if (t->class == VALUE_SIGNED) return ptx_signed(t, c->c) >= 0 ? c->a : c->b;
  const uint64_t bits = ptx_has(c, ".ftz") ? number_flush(&F32, c->c) : c->c;
  return as_float(bits) >= 0 ? c->a : c->b;
}
#define SELECTED "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"

START_TEST(selections) {
  static const ptx_row rows[] = {
      PTX_ROW("selp.$ %d, %a, %b, %c;", "$ $ $ pred", SELECTED, NULL, selp),
      PTX_ROW("slct.$.s32 %d, %a, %b, %c;", "$ $ $ s32", SELECTED, NULL, slct),
      PTX_ROW("slct?1.$.f32 %d, %a, %b, %c;", "$ $ $ f32", SELECTED, "- .ftz", slct),
  };
  PTX_ROWS("selections", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(predicates), SUITE_TEST(sets), SUITE_TEST(selections)};
  return PTX_SUITE_RUN("ptx/compare", tests);
}
