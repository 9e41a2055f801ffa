/* Conversion between types: PTX ISA, cvt and cvt.pack. In the tables, ?1 is the result's type and $ the
 * source's. */
#include <math.h>
#include <string.h>

#include "ptx_support.h"

static const value_type *to_of(const ptx_case *c) {
  return value_type_of(c->choice[0]);
}

/* ---- integers to integers; the registers may be wider than the types */

static uint64_t between_integers(const ptx_case *c) {
  const value_type *to = to_of(c);
  __int128 value = ptx_integer(c->type, c->a);
  if (ptx_has(c, ".sat")) {
    value = value < ptx_least(to) ? ptx_least(to) : value > ptx_most(to) ? ptx_most(to) : value;
  }
  value = ptx_integer(to, (uint64_t)value); /* cut; extended to the register's width, whatever that is */
  return (uint64_t)value & (UINT64_MAX >> (64 - 8 * c->result->size));
}

#define SMALL_INTEGERS "u8 s8 u16 s16"
#define LARGE_INTEGERS "u32 s32 u64 s64"
#define NOT_BYTES "u16 s16 " LARGE_INTEGERS
#define INTEGERS SMALL_INTEGERS " " LARGE_INTEGERS

/* .sat is legal where the result's type lacks some of the source's values. */
static bool is_legal(const ptx_case *c) {
  return ptx_least(to_of(c)) > ptx_least(c->type) || ptx_most(to_of(c)) < ptx_most(c->type);
}

START_TEST(integers) {
  static const ptx_row rows[] = {
      PTX_ROW("cvt.?1.$ %d, %a;", "?1 $", INTEGERS, INTEGERS, between_integers),
      /* results in wider registers */
      PTX_ROW("cvt.?1.$ %d, %a;", "b32 $", INTEGERS, SMALL_INTEGERS, between_integers),
      PTX_ROW("cvt.?1.$ %d, %a;", "b64 $", INTEGERS, INTEGERS, between_integers),
      /* sources from wider registers */
      PTX_ROW("cvt.?1.$ %d, %a;", "b32 b32", SMALL_INTEGERS, SMALL_INTEGERS, between_integers),
      PTX_ROW("cvt.?1.$ %d, %a;", "b64 b64", INTEGERS, INTEGERS, between_integers),
      {.text = "cvt.sat.?1.$ %d, %a;",
       .operands = "?1 $",
       .types = INTEGERS,
       .choices = INTEGERS,
       .model = between_integers,
       .is_legal = is_legal},
      {.text = "cvt.sat.?1.$ %d, %a;",
       .operands = "b32 $",
       .types = INTEGERS,
       .choices = SMALL_INTEGERS,
       .model = between_integers,
       .is_legal = is_legal},
      {.text = "cvt.sat.?1.$ %d, %a;",
       .operands = "b64 b64",
       .types = INTEGERS,
       .choices = INTEGERS,
       .model = between_integers,
       .is_legal = is_legal},
  };
  PTX_ROWS("integers", rows);
}
END_TEST

/* ---- integers to floating point */

static uint64_t from_integer(const ptx_case *c) {
  const number_format *f = ptx_format(to_of(c));
  const uint64_t bits = number_round(f, (long double)ptx_integer(c->type, c->a), rounding_of(c->text));
  return ptx_has(c, ".sat") ? number_saturate(f, bits) : bits;
}

#define ROUNDINGS ".rn .rz .rm .rp"

START_TEST(integers_to_floats) {
  static const ptx_row rows[] = {
      PTX_ROW("cvt?2.?1.$ %d, %a;", "?1 $", INTEGERS, "f16 f32 f64 | " ROUNDINGS, from_integer),
      PTX_ROW("cvt?2.sat.?1.$ %d, %a;", "?1 $", INTEGERS, "f16 f32 f64 | .rn .rz", from_integer),
      PTX_ROW("cvt?2.?1.$ %d, %a;", "?1 $", NOT_BYTES, "bf16 | " ROUNDINGS, from_integer),
  };
  PTX_ROWS("integers_to_floats", rows);
}
END_TEST

/* ---- floating point to integers: out of range goes to the nearest limit */

static long double whole(long double value, const ptx_case *c) {
  if (ptx_has(c, ".rni")) return rintl(value);
  if (ptx_has(c, ".rzi")) return truncl(value);
  return ptx_has(c, ".rmi") ? floorl(value) : ceill(value);
}
static uint64_t to_integer(const ptx_case *c) {
  const number_format *f = ptx_format(c->type);
  const value_type *to = to_of(c);
  const uint64_t bits = ptx_has(c, ".ftz") ? number_flush(f, c->a) : c->a;
  if (number_is_nan(f, bits)) {
    const bool is_wide = c->type->bits == 64 || to->bits == 64;
    return is_wide ? ptx_register(to, (__int128)1 << (to->bits - 1)) : 0;
  }
  const long double value = whole(number_value_wide(f, bits), c);
  if (value <= (long double)ptx_least(to)) return ptx_register(to, ptx_least(to));
  if (value >= (long double)ptx_most(to)) return ptx_register(to, ptx_most(to));
  return ptx_register(to, (__int128)value);
}

#define TO_WHOLE ".rni .rzi .rmi .rpi"

START_TEST(floats_to_integers) {
  static const ptx_row rows[] = {
      PTX_ROW("cvt?2.?1.$ %d, %a;", "?1 $", "f16 f32 f64", INTEGERS " | " TO_WHOLE, to_integer),
      PTX_ROW("cvt?2?3.?1.f32 %d, %a;", "?1 $", "f32", INTEGERS " | .rni .rmi .rpi | .ftz .sat .ftz.sat",
              to_integer),
      PTX_ROW("cvt?2.?1.$ %d, %a;", "?1 $", "bf16", NOT_BYTES " | " TO_WHOLE, to_integer),
  };
  PTX_ROWS("floats_to_integers", rows);
}
END_TEST

/* ---- floating point to floating point */

/* NaNs of f64 keep their sign and the upper bits of their payload, those of bf16 all bits. */
static uint64_t converted_nan(const ptx_case *c, const number_format *from, const number_format *to,
                              uint64_t source) {
  if (ptx_has(c, ".sat")) return 0;
  if (from == &BF16 && to == &F32) return source << 16;
  if (from != &F64 || to == &F64) return number_nan(to);
  const uint64_t sign = (source >> 63) << (to->mantissa + to->exponent);
  const uint64_t payload = (source & ((UINT64_C(1) << 52) - 1)) >> (52 - to->mantissa);
  return sign | (number_nan(to) & ~((UINT64_C(1) << to->mantissa) - 1)) | payload |
         UINT64_C(1) << (to->mantissa - 1);
}
static uint64_t between_floats(const ptx_case *c) {
  const number_format *from = ptx_format(c->type), *to = ptx_format(to_of(c));
  const bool flush = ptx_has(c, ".ftz");
  const uint64_t source = flush && from == &F32 ? number_flush(from, c->a) : c->a;
  if (number_is_nan(from, source)) return converted_nan(c, from, to, source);
  const long double value = number_value_wide(from, source);
  const rounding way = rounding_of(c->text);
  uint64_t bits = number_round(to, value, way);
  if (flush && to == &F32) bits = number_flush(to, bits); /* after rounding, other than in arithmetic */
  if (ptx_has(c, ".sat")) bits = number_saturate(to, bits);
  return ptx_has(c, ".relu") ? number_relu(to, bits) : bits;
}
/* To a whole number of the same format. */
static uint64_t to_whole(const ptx_case *c) {
  const number_format *f = ptx_format(c->type);
  const uint64_t source = ptx_has(c, ".ftz") ? number_flush(f, c->a) : c->a;
  const long double value = number_value_wide(f, source);
  const uint64_t bits = number_round(f, copysignl(whole(value, c), value), ROUND_NEAREST);
  return ptx_has(c, ".sat") ? number_saturate(f, bits) : bits;
}
static bool any_nan(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const number_format *f = ptx_format(c->result);
  return f == &F64 && number_is_nan(f, wanted) && number_is_nan(f, got);
}

START_TEST(floats) {
  static const ptx_row rows[] = {
      PTX_ROW("cvt?2?3.?1.f64 %d, %a;", "?1 $", "f64", "f32 | " ROUNDINGS " | - .ftz .sat .ftz.sat",
              between_floats),
      PTX_ROW("cvt?2?3.?1.$ %d, %a;", "?1 $", "f32 f64", "f16 | " ROUNDINGS " | - .sat", between_floats),
      PTX_ROW("cvt?2.ftz?3.?1.f32 %d, %a;", "?1 $", "f32", "f16 | .rn .rz | - .sat", between_floats),
      PTX_ROW("cvt?2.?1.f16 %d, %a;", "?1 $", "f16", "f32 | - .ftz .sat", between_floats),
      {"cvt?2.?1.$ %d, %a;", "?1 $", "f16 f32", "f64 | - .sat", between_floats, any_nan, NULL, NULL,
       false, NULL},
      {"cvt.ftz.?1.f32 %d, %a;", "?1 $", "f32", "f64", between_floats, any_nan, NULL, NULL, false, NULL},
      PTX_ROW("cvt.?1.bf16 %d, %a;", "?1 $", "bf16", "f32", between_floats),
      {"cvt.?1.bf16 %d, %a;", "?1 $", "bf16", "f64", between_floats, any_nan, NULL, NULL, false, NULL},
      PTX_ROW("cvt?2.?1.$ %d, %a;", "?1 $", "f32", "bf16 | .rn .rz .rm .rp .rn.relu .rz.relu",
              between_floats),
      PTX_ROW("cvt?2.?1.$ %d, %a;", "?1 $", "f64 f16", "bf16 | " ROUNDINGS, between_floats),
      PTX_ROW("cvt?2.?1.bf16 %d, %a;", "?1 $", "bf16", "f16 | " ROUNDINGS, between_floats),
      PTX_ROW("cvt?2.?1.f32 %d, %a;", "?1 $", "f32", "f16 | .rn.relu .rz.relu", between_floats),
      /* whole numbers */
      PTX_ROW("cvt?1?2.$.$ %d, %a;", "$ $", "f16 f32", TO_WHOLE " | - .sat", to_whole),
      PTX_ROW("cvt?1.ftz?2.$.$ %d, %a;", "$ $", "f32", TO_WHOLE " | - .sat", to_whole),
      {"cvt?1?2.$.$ %d, %a;", "$ $", "f64", TO_WHOLE " | - .sat", to_whole, any_nan, NULL, NULL, false,
       NULL},
      PTX_ROW("cvt?1.$.$ %d, %a;", "$ $", "bf16", TO_WHOLE, to_whole),
      /* the same format */
      PTX_ROW("cvt?2.?1.f32 %d, %a;", "?1 $", "f32", "f32 | .sat .ftz.sat .ftz", between_floats),
      PTX_ROW("cvt.sat.?1.f16 %d, %a;", "?1 $", "f16", "f16", between_floats),
  };
  PTX_ROWS("floats", rows);
}
END_TEST

/* ---- two at once, and formats that have no registers of their own */

/* The nearest finite value instead of infinity. */
static uint64_t satfinite(const number_format *f, uint64_t bits) {
  const uint64_t magnitude = bits & number_nan(f),
                 infinity = number_nan(f) & ~((UINT64_C(1) << f->mantissa) - 1);
  if (f->no_infinity) return bits;
  return magnitude == infinity ? (bits & ~number_nan(f)) | (infinity - 1) : bits;
}
static uint64_t narrow(const ptx_case *c, const number_format *to, uint64_t source,
                       const number_format *from) {
  const long double value = number_value_wide(from, source);
  uint64_t bits = number_round(to, value, rounding_of(c->text));
  if (ptx_has(c, ".satfinite")) {
    bits = satfinite(to, bits);
    if (to->no_infinity && number_is_nan(to, bits) && !isnan(value)) bits--; /* to the largest number */
  }
  return ptx_has(c, ".relu") ? number_relu(to, bits) : bits;
}
/* Two f32: %a goes to the upper half. */
static uint64_t narrow_two(const ptx_case *c) {
  const number_format *to = ptx_format(c->result);
  return narrow(c, to, c->a, &F32) << 16 | narrow(c, to, c->b, &F32);
}
static const number_format *eight_bits(const char *name) {
  return strncmp(name, "e4m3", 4) == 0 ? &E4M3 : &E5M2;
}
static uint64_t to_eight_bits(const ptx_case *c) {
  const number_format *to = eight_bits(c->choice[0]);
  if (c->type->bits == 32 && c->type->class == VALUE_F16)
    return narrow(c, to, c->a >> 16, &F16) << 8 | narrow(c, to, c->a & 0xffff, &F16);
  return narrow(c, to, c->a, &F32) << 8 | narrow(c, to, c->b, &F32);
}
static uint64_t from_eight_bits(const ptx_case *c) {
  const number_format *from = eight_bits(c->choice[0]);
  return narrow(c, &F16, c->a >> 8, from) << 16 | narrow(c, &F16, c->a & 0xff, from);
}
/* A payload in the low bits alone is not seen. */
static bool hidden_nan(const ptx_case *c) {
  return number_is_nan(&F32, c->a) && (c->a & 0x7fe000) == 0;
}
/* The low 13 bits of what is a whole f32 are not defined by the ISA; devices clear them. */
static uint64_t to_tf32(const ptx_case *c) {
  return narrow(c, &TF32, c->a, &F32) << 13;
}
static bool tf32_nan(const ptx_case *c, uint64_t got, uint64_t wanted) {
  (void)c;
  return number_is_nan(&TF32, wanted >> 13) && number_is_nan(&F32, got);
}

START_TEST(packed_floats) {
  static const ptx_row rows[] = {
      PTX_ROW("cvt?1.$.f32 %d, %a, %b;", "$ f32 f32", "f16x2 bf16x2", ".rn .rz .rn.relu .rz.relu",
              narrow_two),
      {"cvt?1.satfinite.$.f32 %d, %a, %b;", "$ f32 f32", "f16x2 bf16x2", ".rn .rz .rn.relu", narrow_two,
       NULL, NULL, "8.1", false, NULL},
      {"cvt.rn.satfinite?2.?1.f32 %d, %a, %b;", "?1 $ $", "f32", "e4m3x2 e5m2x2 | - .relu", to_eight_bits,
       NULL, NULL, "8.1", false, NULL},
      {"cvt.rn.satfinite?2.?1.f16x2 %d, %a;", "?1 $", "f16x2", "e4m3x2 e5m2x2 | - .relu", to_eight_bits,
       NULL, NULL, "8.1", false, NULL},
      {"cvt.rn?2.f16x2.?1 %d, %a;", "f16x2 ?1", NULL, "e4m3x2 e5m2x2 | - .relu", from_eight_bits, NULL,
       NULL, "8.1", false, NULL},
      {"cvt?1.tf32.f32 %d, %a;", "b32 $", "f32", ".rna .rn .rz .rn.relu .rz.relu", to_tf32, tf32_nan,
       hidden_nan, NULL, false, NULL},
      {"cvt.rna.satfinite.tf32.f32 %d, %a;", "b32 $", "f32", NULL, to_tf32, tf32_nan, hidden_nan, "8.1",
       false, NULL},
  };
  PTX_ROWS("packed_floats", rows);
}
END_TEST

/* ---- cvt.pack: two s32 to small integers, in front of what %c has */

static uint64_t pack(const ptx_case *c) {
  const bool is_signed = c->choice[0][0] == 's';
  const unsigned bits = (unsigned)(c->choice[0][1] == '1' ? 16 : c->choice[0][1] - '0');
  const int64_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1,
                least = is_signed ? -most - 1 : 0;
  int64_t values[2] = {(int32_t)c->a, (int32_t)c->b};
  for (size_t k = 0; k < 2; ++k)
    values[k] = values[k] < least ? least : values[k] > most ? most : values[k];
  const uint64_t mask = (UINT64_C(1) << bits) - 1;
  const uint64_t both = ((uint64_t)values[0] & mask) << bits | ((uint64_t)values[1] & mask);
  return bits == 16 ? both : (c->c << 2 * bits | both) & UINT32_MAX;
}

START_TEST(packed_integers) {
  static const ptx_row rows[] = {
      PTX_ROW("cvt.pack.sat.?1.s32 %d, %a, %b;", "b32 s32 s32", NULL, "u16 s16", pack),
      PTX_ROW("cvt.pack.sat.?1.s32.b32 %d, %a, %b, %c;", "b32 s32 s32 b32", NULL, "u8 s8 u4 s4 u2 s2",
              pack),
  };
  PTX_ROWS("packed_integers", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(integers),           SUITE_TEST(integers_to_floats),
                                     SUITE_TEST(floats_to_integers), SUITE_TEST(floats),
                                     SUITE_TEST(packed_floats),      SUITE_TEST(packed_integers)};
  return PTX_SUITE_RUN("ptx/convert", tests);
}
