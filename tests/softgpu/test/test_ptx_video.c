/* Parts of words added, compared and so on: PTX ISA, "Scalar Video Instructions" and "SIMD Video
 * Instructions". */
#include <string.h>

#include "ptx_support.h"

/* Of a word: the `bits` from `shift` on. */
static int64_t take(uint64_t word, unsigned shift, unsigned bits, bool is_signed) {
  const uint64_t part = (word >> shift) & ((UINT64_C(1) << bits) - 1);
  return is_signed && (part >> (bits - 1) & 1) != 0 ? (int64_t)part - (INT64_C(1) << bits)
                                                    : (int64_t)part;
}
static int64_t clamp(int64_t value, unsigned bits, bool is_signed) {
  const int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1,
                least = is_signed ? -most - 1 : 0;
  return value < least ? least : value > most ? most : value;
}
/* ?2 is the sources' types. */
static bool a_is_signed(const ptx_case *c) {
  return c->choice[1][0] == 's';
}
static bool b_is_signed(const ptx_case *c) {
  return strchr(c->choice[1], '.')[1] == 's';
}

static int64_t operate(const ptx_case *c, int64_t a, int64_t b) {
  const char *op = c->choice[0];
  const int64_t amount = ptx_has(c, ".wrap") ? b & 31 : (b < 0 || b > 32) ? 32 : b;
  if (strncmp(op, "add", 3) == 0) return a + b;
  if (strncmp(op, "sub", 3) == 0) return a - b;
  if (strncmp(op, "absdiff", 7) == 0) return a < b ? b - a : a - b;
  if (strncmp(op, "min", 3) == 0) return a < b ? a : b;
  if (strncmp(op, "max", 3) == 0) return a < b ? b : a;
  if (strncmp(op, "avrg", 4) == 0) return (a + b + (a + b >= 0)) >> 1;
  return strncmp(op, "shl", 3) == 0 ? (int64_t)((uint64_t)a << amount) : a >> amount;
}
/* ?1 is the operation, $ the result's type. */
static uint64_t one_word(const ptx_case *c) {
  const int64_t value = operate(c, take(c->a, 0, 32, a_is_signed(c)), take(c->b, 0, 32, b_is_signed(c)));
  return (uint32_t)((uint64_t)value + (ptx_has(c, ".add") ? c->c : 0));
}

static uint64_t compared(const ptx_case *c) {
  const int64_t a = take(c->a, 0, 32, a_is_signed(c)), b = take(c->b, 0, 32, b_is_signed(c));
  const char *op = c->choice[0];
  if (strcmp(op, "eq") == 0) return a == b;
  if (strcmp(op, "ne") == 0) return a != b;
  if (strcmp(op, "lt") == 0) return a < b;
  if (strcmp(op, "le") == 0) return a <= b;
  return strcmp(op, "gt") == 0 ? a > b : a >= b;
}

#define SOURCES_OF_ALL "u32.u32 u32.s32 s32.u32 s32.s32"

START_TEST(whole_words) {
  static const ptx_row rows[] = {
      PTX_ROW("v?1.$.?2 %d, %a, %b;", "b32 b32 b32", "u32 s32",
              "add sub absdiff min max | " SOURCES_OF_ALL, one_word),
      PTX_ROW("v?1.$.?2?3 %d, %a, %b, %c;", "b32 b32 b32 b32", "u32 s32",
              "add absdiff min | u32.u32 s32.s32 | .add", one_word),
      PTX_ROW("v?1.$.?2?3 %d, %a, %b;", "b32 b32 n32", "u32 s32",
              "shl shr | u32.u32 s32.u32 | .clamp .wrap", one_word),
  };
  PTX_ROWS("whole_words", rows);
}
END_TEST

START_TEST(comparisons) {
  static const ptx_row rows[] = {
      PTX_ROW("vset.?2.?1 %d, %a, %b;", "b32 b32 b32", NULL, "eq ne lt le gt ge | " SOURCES_OF_ALL,
              compared),
  };
  PTX_ROWS("comparisons", rows);
}
END_TEST

/* ---- all parts of a word at once; ?1 is the operation with the number of parts */

static uint64_t all_parts(const ptx_case *c) {
  const bool is_signed = c->type->class == VALUE_SIGNED;
  const unsigned count = (unsigned)(c->choice[0][strlen(c->choice[0]) - 1] - '0'), bits = 32 / count;
  uint64_t result = 0;
  int64_t sum = (int64_t)c->c;
  for (unsigned k = 0; k < count; ++k) {
    const unsigned shift = k * bits;
    int64_t value =
        operate(c, take(c->a, shift, bits, a_is_signed(c)), take(c->b, shift, bits, b_is_signed(c)));
    if (ptx_has(c, ".sat")) value = clamp(value, bits, is_signed);
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    result |= ((uint64_t)value & mask) << shift;
    sum += value;
  }
  return ptx_has(c, ".add") ? (uint32_t)sum : result;
}

START_TEST(all_parts_at_once) {
  static const ptx_row rows[] = {
      PTX_ROW("v?1.$.?2?3 %d, %a, %b, %c;", "b32 b32 b32 b32", "u32 s32",
              "add2 sub2 absdiff2 min2 max2 add4 sub4 absdiff4 min4 max4 | u32.u32 s32.s32 | - .sat",
              all_parts),
      PTX_ROW("v?1.$.?2 %d, %a, %b, %c;", "b32 b32 b32 b32", "u32", "avrg2 avrg4 | u32.u32", all_parts),
      PTX_ROW("v?1.$.?2?3 %d, %a, %b, %c;", "b32 b32 b32 b32", "u32",
              "absdiff2 absdiff4 | u32.u32 s32.s32 | .add", all_parts),
  };
  PTX_ROWS("all_parts_at_once", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(whole_words), SUITE_TEST(comparisons),
                                     SUITE_TEST(all_parts_at_once)};
  return PTX_SUITE_RUN("ptx/video", tests);
}
