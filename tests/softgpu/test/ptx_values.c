/* The types of operands, and the values they are tried with. */
#include <math.h>
#include <string.h>

#include "ptx_support.h"

static const value_type types[] = {
    {"pred", "pred", 1, 4, VALUE_PRED},   {"b8", "b16", 8, 2, VALUE_BITS},
    {"u8", "b16", 8, 2, VALUE_BITS},      {"s8", "b16", 8, 2, VALUE_SIGNED},
    {"b16", "b16", 16, 2, VALUE_BITS},    {"u16", "u16", 16, 2, VALUE_BITS},
    {"s16", "s16", 16, 2, VALUE_SIGNED},  {"b32", "b32", 32, 4, VALUE_BITS},
    {"u32", "u32", 32, 4, VALUE_BITS},    {"s32", "s32", 32, 4, VALUE_SIGNED},
    {"b64", "b64", 64, 8, VALUE_BITS},    {"u64", "u64", 64, 8, VALUE_BITS},
    {"s64", "s64", 64, 8, VALUE_SIGNED},  {"u16x2", "b32", 32, 4, VALUE_BITS},
    {"s16x2", "b32", 32, 4, VALUE_BITS},  {"n32", "u32", 32, 4, VALUE_SMALL},
    {"f16", "b16", 16, 2, VALUE_F16},     {"f16x2", "b32", 32, 4, VALUE_F16},
    {"bf16", "b16", 16, 2, VALUE_BF16},   {"bf16x2", "b32", 32, 4, VALUE_BF16},
    {"f32", "f32", 32, 4, VALUE_F32},     {"f64", "f64", 64, 8, VALUE_F64},
    {"tf32", "b32", 32, 4, VALUE_F32},    {"e4m3x2", "b16", 16, 2, VALUE_BITS},
    {"e5m2x2", "b16", 16, 2, VALUE_BITS},
};

const value_type *value_type_of(const char *name) {
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    if (strcmp(types[i].name, name) == 0) return &types[i];
  }
  ck_abort_msg("no type %s", name);
  return NULL;
}

const number_format *ptx_format(const value_type *t) {
  switch (t->class) {
    case VALUE_F16:
      return &F16;
    case VALUE_BF16:
      return &BF16;
    case VALUE_F32:
      return &F32;
    case VALUE_F64:
      return &F64;
    default:
      return NULL;
  }
}

/* ---- integers */

uint64_t ptx_cut(const value_type *t, uint64_t bits) {
  return t->bits == 64 ? bits : bits & ((UINT64_C(1) << t->bits) - 1);
}

int64_t ptx_signed(const value_type *t, uint64_t bits) {
  const unsigned unused = 64 - t->bits;
  return (int64_t)(bits << unused) >> unused;
}

__int128 ptx_integer(const value_type *t, uint64_t bits) {
  return t->class == VALUE_SIGNED ? (__int128)ptx_signed(t, bits) : (__int128)ptx_cut(t, bits);
}

uint64_t ptx_register(const value_type *t, __int128 value) {
  uint64_t bits = ptx_cut(t, (uint64_t)value);
  if (t->class == VALUE_SIGNED) bits = (uint64_t)ptx_signed(t, bits);
  return t->size == 8 ? bits : bits & ((UINT64_C(1) << 8 * t->size) - 1);
}

__int128 ptx_least(const value_type *t) {
  return t->class == VALUE_SIGNED ? -((__int128)1 << (t->bits - 1)) : 0;
}

__int128 ptx_most(const value_type *t) {
  return ((__int128)1 << (t->class == VALUE_SIGNED ? t->bits - 1 : t->bits)) - 1;
}

/* ---- edge values, the most telling first */

static bool integer_edge(const value_type *t, size_t index, uint64_t *bits) {
  const unsigned n = 8 * t->size;
  const uint64_t ones = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1, top = UINT64_C(1) << (n - 1);
  const uint64_t edges[] = {
      0, 1, ones, top, top - 1, 2, ones - 1, top + 1, 3, 5, 7, ones / 3, ones / 3 * 2, 10, 0x7f, 0x80,
      /* those above are enough for triples */
      0xff, 0x100, ones - 2, ones - 9, top - 2, top + 2, top >> 1, (top >> 1) - 1, n, n - 1, n + 1, 31,
      33, 63, 65, UINT64_C(1) << n / 2, (UINT64_C(1) << n / 2) - 1, (UINT64_C(1) << n / 2) + 1,
      top >> n / 4, ones >> n / 4, UINT64_C(1) << (n / 2 - 1), ones ^ 0x7f, ones ^ 0x80, ones ^ 0xff,
      UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210), UINT64_C(0x00ff00ff00ff00ff),
      UINT64_C(0x8000800080008000), UINT64_C(0x7fff7fff7fff7fff), UINT64_C(0x80008000ffff7fff),
      UINT64_C(0x0001ffff00018000)};
  if (index >= COUNT_OF(edges)) return false;
  *bits = edges[index] & ones;
  return true;
}

static bool small_edge(size_t index, uint64_t *bits) {
  static const uint32_t edges[] = {0,  1,  31, 32, 33, 16, 63, 64,  8,   7,   255, 0xffffffff, 65,
                                   15, 17, 2,  3,  4,  5,  6,  9,   10,  12,  20,  24,         30,
                                   34, 40, 47, 48, 56, 62, 66, 100, 127, 128, 256, 0x80000000, 0x10001};
  if (index >= COUNT_OF(edges)) return false;
  *bits = edges[index];
  return true;
}

/* Edges of a format with m bits of mantissa and e of exponent, as bits; the same list serves all. */
static bool float_edge(unsigned m, unsigned e, size_t index, uint64_t *bits) {
  const uint64_t one_ulp = 1, unit = UINT64_C(1) << m, mask = unit - 1,
                 bias = (UINT64_C(1) << (e - 1)) - 1;
  const uint64_t infinity = (2 * bias + 1) << m, one = bias << m, sign = UINT64_C(1) << (m + e);
  const uint64_t half = unit >> 1, three = (bias + 1) << m | half;
  const uint64_t edges[] = {
      0, one, sign, infinity, infinity | half, sign | one, one_ulp, unit, infinity - 1, sign | infinity,
      one + 1, sign | (infinity - 1), sign | mask, one - 1, three, (bias - 1) << m,
      /* those above are enough for triples */
      sign | one_ulp, sign | unit, mask, half, unit + 1, sign | (one + 1), infinity | 1, infinity | mask,
      sign | infinity | half, sign | infinity | 1, infinity | half | 0x15, (bias + 1) << m, one | half,
      sign | one | half, (bias + 1) << m | unit >> 2, sign | (bias + 1) << m | unit >> 2,
      (bias + 1) << m | half | unit >> 2, (bias - 1) << m | half, (bias - 2) << m, (bias - m) << m,
      (bias - m - 1) << m, (bias - m - 1) << m | 1, (bias + m) << m, (bias + m) << m | 1,
      (bias + m - 1) << m | 1, (bias + m - 1) << m | 3, (bias + m + 1) << m,
      sign | (bias + m - 1) << m | 1, (bias + 7) << m, (bias + 7) << m | mask, sign | (bias + 7) << m,
      (bias + 8) << m | mask, half - 1,
      (bias + 1) << m | (0x921fb54442d18 & ((UINT64_C(1) << 52) - 1)) >> (52 - m), (2 * bias) << m,
      (bias / 2) << m, (bias + bias / 2) << m, (2 * bias - 1) << m, 2 * unit, 2 * unit - 1};
  if (index >= COUNT_OF(edges)) return false;
  *bits = edges[index];
  return true;
}

/* Numbers at which conversions to other types change their ways. */
static const double limits[] = {0x1p15,
                                0x1p16,
                                0x1p31,
                                0x1p32,
                                0x1p63,
                                0x1p64,
                                127.5,
                                128.5,
                                255.5,
                                256,
                                32767.5,
                                65535.5,
                                65535,
                                65504,
                                65519,
                                65519.99,
                                65520,
                                65536,
                                2147483647.5,
                                2147483647,
                                4294967295.5,
                                0x1.fffffep30,
                                0x1.fffffep31,
                                0x1.fffffffffffffp62,
                                0x1.fffffffffffffp63,
                                0x1.000002p31,
                                0.1,
                                0.7,
                                1e-3,
                                1e10,
                                0x1p-14,
                                0x1p-15,
                                0x1p-24,
                                0x1p-25,
                                0x1.8p-25,
                                0x1.000002p-25,
                                0x1p-26,
                                0x1p-126,
                                0x1p-127,
                                0x1p-133,
                                0x1p-134,
                                0x1.8p-134,
                                0x1p-149,
                                0x1p-150,
                                0x1.000001p-150,
                                448,
                                464,
                                480,
                                57344,
                                61440,
                                0x1p-9,
                                0x1p-10,
                                0x1.8p-10,
                                0x1p-16,
                                0x1p-17,
                                0x1.01p0,
                                0x1.03p0,
                                0x1.010002p0,
                                0x1.002p0,
                                0x1.006p0,
                                0x1.002002p0,
                                0x1.fffffefp0,
                                0x1.0000010000001p0,
                                0x1.fffffffp127,
                                0x1.fffffefffffffp127,
                                0x1.fep127,
                                0x1.ffp127,
                                0x1.feffp127,
                                0x1.fffffffp-127,
                                0x1.fffffcp-127};

static bool limit_edge(const value_type *t, size_t index, uint64_t *bits) {
  const size_t which = index / 2;
  if (which >= COUNT_OF(limits)) return false;
  const double d = index % 2 == 0 ? limits[which] : -limits[which];
  const float f = (float)d;
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  *bits = word;
  if (t->class == VALUE_F64) memcpy(bits, &d, sizeof d);
  return true;
}

bool ptx_edge(const value_type *t, size_t index, uint64_t *bits) {
  uint64_t low, high;
  enum { FLOAT_EDGES = 56 };
  switch (t->class) {
    case VALUE_PRED:
      *bits = index;
      return index < 2;
    case VALUE_SMALL:
      return small_edge(index, bits);
    case VALUE_F16:
    case VALUE_BF16: {
      const unsigned m = t->class == VALUE_F16 ? 10 : 7, e = 15 - m;
      if (!float_edge(m, e, index, &low)) return false;
      (void)float_edge(m, e, (index * 7 + 5) % FLOAT_EDGES, &high);
      *bits = t->bits == 32 ? low | high << 16 : low;
      return true;
    }
    case VALUE_F32:
      return index < FLOAT_EDGES ? float_edge(23, 8, index, bits)
                                 : limit_edge(t, index - FLOAT_EDGES, bits);
    case VALUE_F64:
      return index < FLOAT_EDGES ? float_edge(52, 11, index, bits)
                                 : limit_edge(t, index - FLOAT_EDGES, bits);
    default:
      return integer_edge(t, index, bits);
  }
}

/* ---- random values */

/* Half of them anything, half with exponents near 1's, so that sums cancel and round. */
static uint64_t random_float(unsigned m, unsigned e, uint64_t *seed) {
  const uint64_t bits = next_random(seed) >> (63 - m - e);
  if (next_random(seed) >> 63 != 0) return bits;
  const uint64_t bias = (UINT64_C(1) << (e - 1)) - 1, spread = next_random(seed) % 25;
  const uint64_t exponents = ((UINT64_C(1) << e) - 1) << m;
  const uint64_t exponent = bias < 16 ? bias - 6 + spread / 2 : bias - 12 + spread;
  return (bits & ~exponents) | exponent << m;
}

uint64_t ptx_random(const value_type *t, uint64_t *seed) {
  const uint64_t any = next_random(seed);
  switch (t->class) {
    case VALUE_PRED:
      return any >> 63;
    case VALUE_SMALL:
      return any >> 60 == 0 ? any >> 4 & 0xffffffff : any >> 20 & 0x7f;
    case VALUE_F16:
    case VALUE_BF16: {
      const unsigned m = t->class == VALUE_F16 ? 10 : 7;
      const uint64_t low = random_float(m, 15 - m, seed);
      return t->bits == 32 ? low | random_float(m, 15 - m, seed) << 16 : low;
    }
    case VALUE_F32:
      return random_float(23, 8, seed);
    case VALUE_F64:
      return random_float(52, 11, seed);
    default: { /* of every magnitude */
      const uint64_t cut = any >> (64 - 8 * t->size), shift = next_random(seed) >> 58;
      const uint64_t less = shift < 8 * t->size ? cut >> shift : cut;
      return next_random(seed) >> 62 == 0 ? (0 - less) & (UINT64_MAX >> (64 - 8 * t->size)) : less;
    }
  }
}
