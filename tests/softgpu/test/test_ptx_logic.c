/* Bits moved and combined: PTX ISA, "Logic and Shift Instructions", and mov, prmt. */
#include <string.h>

#include "ptx_support.h"

static bool bit(uint64_t value, unsigned k) {
  return (value >> k & 1) != 0;
}

static uint64_t logic(const ptx_case *c) {
  if (strncmp(c->text, "and", 3) == 0) return c->a & c->b;
  if (strncmp(c->text, "or", 2) == 0) return c->a | c->b;
  if (strncmp(c->text, "xor", 3) == 0) return c->a ^ c->b;
  return ptx_cut(c->type, ~c->a);
}
static uint64_t cnot(const ptx_case *c) {
  return c->a == 0;
}
static uint64_t table_of(const ptx_case *c) {
  static const char digits[] = "0123456789abcdef";
  const unsigned table = (unsigned)(strchr(digits, c->choice[0][0]) - digits) << 4 |
                         (unsigned)(strchr(digits, c->choice[1][0]) - digits);
  uint64_t value = 0;
  for (unsigned k = 0; k < 32; ++k) {
    const unsigned row =
        (unsigned)bit(c->a, k) << 2 | (unsigned)bit(c->b, k) << 1 | (unsigned)bit(c->c, k);
    value |= (uint64_t)bit(table, row) << k;
  }
  return value;
}
static uint64_t table_and_predicate(const ptx_case *c) {
  const uint64_t value = table_of(c);
  const bool set = ptx_has(c, ".or") ? value != 0 || c->e != 0 : value != 0 && c->e != 0;
  return value ^ (uint64_t)set << 31;
}
static uint64_t only_predicate(const ptx_case *c) {
  const bool value = table_of(c) != 0, other = c->e == 0;
  return ptx_has(c, ".or") ? value || other : value && other;
}

#define HEX "0 1 2 3 4 5 6 7 8 9 a b c d e f"

START_TEST(bitwise) {
  static const ptx_row rows[] = {
      PTX_ROW("?1.$ %d, %a, %b;", "$ $ $", "pred b16 b32 b64", "and or xor", logic),
      PTX_ROW("not.$ %d, %a;", "$ $", "pred b16 b32 b64", NULL, logic),
      PTX_ROW("cnot.$ %d, %a;", "$ $", "b16 b32 b64", NULL, cnot),
      PTX_ROW("lop3.b32 %d, %a, %b, %c, 0x?1?2;", "b32 b32 b32 b32", NULL, HEX " | " HEX, table_of),
      {"lop3?3.b32 %d|%p0, %a, %b, %c, 0x?1?2, %e; selp.b32 %r0, 0x80000000, 0, %p0; xor.b32 %d, %d, "
       "%r0;",
       "b32 b32 b32 b32 pred", NULL, "0 8 9 e | 0 6 c | .or .and", table_and_predicate, NULL, NULL, "8.2",
       false, NULL},
      {"lop3?3.b32 _|%d, %a, %b, %c, 0x?1?2, !%e;", "pred b32 b32 b32 pred", NULL, "6 f | 0 e | .or .and",
       only_predicate, NULL, NULL, "8.2", false, NULL},
  };
  PTX_ROWS("bitwise", rows);
}
END_TEST

/* ---- shifts */

static uint64_t shift_left(const ptx_case *c) {
  return c->b >= c->type->bits ? 0 : ptx_cut(c->type, c->a << c->b);
}
static uint64_t shift_right(const ptx_case *c) {
  const __int128 value = ptx_integer(c->type, c->a);
  return ptx_register(c->type, value >> (c->b < c->type->bits ? c->b : c->type->bits));
}
static uint64_t funnel(const ptx_case *c) {
  const uint64_t both = c->b << 32 | c->a;
  const unsigned n = ptx_has(c, ".wrap") ? c->c & 31 : c->c < 32 ? (unsigned)c->c : 32;
  if (ptx_has(c, ".r")) return (uint32_t)(both >> n);
  return n == 32 ? c->a : (uint32_t)(both << n >> 32);
}
static uint64_t shift_by_constant(const ptx_case *c) {
  const ptx_case by_40 = {.type = c->type, .a = c->a, .b = 40};
  return c->text[2] == 'l' ? shift_left(&by_40) : shift_right(&by_40);
}

START_TEST(shifts) {
  static const ptx_row rows[] = {
      PTX_ROW("shl.$ %d, %a, %b;", "$ $ n32", "b16 b32 b64", NULL, shift_left),
      PTX_ROW("shr.$ %d, %a, %b;", "$ $ n32", "b16 b32 b64 u16 s16 u32 s32 u64 s64", NULL, shift_right),
      PTX_ROW("shl.$ %d, %a, 40;", "$ $", "b16 b32 b64", NULL, shift_by_constant),
      PTX_ROW("shr.$ %d, %a, 40;", "$ $", "u16 s16 u32 s32 u64 s64", NULL, shift_by_constant),
      PTX_ROW("shf?1?2.b32 %d, %a, %b, %c;", "b32 b32 b32 n32", NULL, ".l .r | .clamp .wrap", funnel),
  };
  PTX_ROWS("shifts", rows);
}
END_TEST

/* ---- bytes */

static uint8_t byte_of(const ptx_case *c, unsigned k) {
  return (uint8_t)((c->b << 32 | c->a) >> 8 * (k & 7));
}
static uint64_t bytes(uint8_t b0, uint8_t b1, uint8_t b2, uint8_t b3) {
  return (uint64_t)b0 | (uint64_t)b1 << 8 | (uint64_t)b2 << 16 | (uint64_t)b3 << 24;
}
static uint64_t permute(const ptx_case *c) {
  uint8_t b[4];
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned selector = (unsigned)(c->c >> 4 * k & 15);
    b[k] = byte_of(c, selector);
    if ((selector & 8) != 0) b[k] = b[k] & 0x80 ? 0xff : 0;
  }
  return bytes(b[0], b[1], b[2], b[3]);
}
/* The table of the ISA: which bytes go to places 0 to 3 for each selector. */
static uint64_t permute_by_mode(const ptx_case *c) {
  static const struct {
    const char *mode;
    uint8_t from[4][4];
  } modes[] = {{".f4e", {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
               {".b4e", {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
               {".rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
               {".ecl", {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
               {".ecr", {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
               {".rc16", {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}};
  for (size_t i = 0; i < COUNT_OF(modes); ++i) {
    if (!ptx_has(c, modes[i].mode)) continue;
    const uint8_t *from = modes[i].from[c->c & 3];
    return bytes(byte_of(c, from[0]), byte_of(c, from[1]), byte_of(c, from[2]), byte_of(c, from[3]));
  }
  return 0;
}

START_TEST(permutations) {
  static const ptx_row rows[] = {
      PTX_ROW("prmt.b32 %d, %a, %b, %c;", "b32 b32 b32 b32", NULL, NULL, permute),
      PTX_ROW("prmt.b32?1 %d, %a, %b, %c;", "b32 b32 b32 b32", NULL, ".f4e .b4e .rc8 .ecl .ecr .rc16",
              permute_by_mode),
  };
  PTX_ROWS("permutations", rows);
}
END_TEST

/* ---- mov */

static uint64_t same(const ptx_case *c) {
  return c->a;
}
static uint64_t words_swapped(const ptx_case *c) {
  return (c->a & 0xffffffff) << 32 | c->a >> 32;
}
static uint64_t halves_swapped(const ptx_case *c) {
  return (c->a & 0xffff) << 16 | c->a >> 16;
}
static uint64_t halves_reversed(const ptx_case *c) {
  return (c->a & 0xffff) << 48 | (c->a >> 16 & 0xffff) << 32 | (c->a >> 32 & 0xffff) << 16 | c->a >> 48;
}
static uint64_t upper_word(const ptx_case *c) {
  return c->a >> 32;
}
static uint64_t low_half_twice(const ptx_case *c) {
  return (c->a & 0xffff) * 0x10001;
}
static uint64_t quads_mixed(const ptx_case *c) {
  return c->a ^ (c->b << 3);
}
static uint64_t constant(const ptx_case *c) {
  (void)c;
  return UINT64_C(0x123456789abcdef0);
}
static uint64_t two_and_a_half(const ptx_case *c) {
  return c->type->bits == 32 ? float_bits(2.5F) : double_bits(2.5);
}

START_TEST(moves) {
  static const ptx_row rows[] = {
      PTX_ROW("mov.$ %d, %a;", "$ $", "pred b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64", NULL, same),
      PTX_ROW("mov.b64 {%r0, %r1}, %a; mov.b64 %d, {%r1, %r0};", "b64 b64", NULL, NULL, words_swapped),
      PTX_ROW("mov.b32 {%h0, %h1}, %a; mov.b32 %d, {%h1, %h0};", "b32 b32", NULL, NULL, halves_swapped),
      PTX_ROW("mov.b64 {%h0, %h1, %h2, %h3}, %a; mov.b64 %d, {%h3, %h2, %h1, %h0};", "b64 b64", NULL,
              NULL, halves_reversed),
      PTX_ROW("mov.b64 {_, %d}, %a;", "b32 b64", NULL, NULL, upper_word),
      PTX_ROW("mov.b32 {%h0, _}, %a; mov.b32 %d, {%h0, %h0};", "b32 b32", NULL, NULL, low_half_twice),
      {"{ .reg .b128 %q; mov.b128 %q, {%a, %b}; mov.b128 {%w0, %w1}, %q; shl.b64 %w1, %w1, 3;"
       " xor.b64 %d, %w0, %w1; }",
       "b64 b64 b64", NULL, NULL, quads_mixed, NULL, NULL, "8.3", false, NULL},
      PTX_ROW("mov.b64 %d, 0x123456789abcdef0;", "b64 b64", NULL, NULL, constant),
      PTX_ROW("mov.?1 %d, 2.5;", "$ $", "f32", "f32", two_and_a_half),
      PTX_ROW("mov.?1 %d, 0f40200000;", "$ $", "f32", "f32", two_and_a_half),
      PTX_ROW("mov.?1 %d, 2.5;", "$ $", "f64", "f64", two_and_a_half),
      PTX_ROW("mov.?1 %d, 0d4004000000000000;", "$ $", "f64", "f64", two_and_a_half),
  };
  PTX_ROWS("moves", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(bitwise), SUITE_TEST(shifts), SUITE_TEST(permutations),
                                     SUITE_TEST(moves)};
  return PTX_SUITE_RUN("ptx/logic", tests);
}
