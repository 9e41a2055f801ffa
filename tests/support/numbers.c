#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const jig_type_kind all_kinds[] = {
    JIG_KIND_I8,  JIG_KIND_I16, JIG_KIND_I32,  JIG_KIND_I64,  JIG_KIND_I128, JIG_KIND_U8,
    JIG_KIND_U16, JIG_KIND_U32, JIG_KIND_U64,  JIG_KIND_U128, JIG_KIND_F16,  JIG_KIND_BF16,
    JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_BOOL, JIG_KIND_NONE,
};

jig_type type_of(jig_type_kind kind) {
  static const char *const names[] = {
#define NAME(kind, name, cxx, size) [kind] = name,
      JIG_TYPE_MAP(NAME)
#undef NAME
  };
  return jig_type_from_name(names[kind]);
}

/* The same type's, for what is done a million times. */
static size_t size_of(jig_type_kind kind) {
  static const unsigned char sizes[] = {
#define SIZE(kind, name, cxx, size) [kind] = size,
      JIG_TYPE_MAP(SIZE)
#undef SIZE
  };
  return sizes[kind];
}

bool is_floating(jig_type_kind kind) {
  return kind == JIG_KIND_F16 || kind == JIG_KIND_BF16 || kind == JIG_KIND_F32 || kind == JIG_KIND_F64;
}

bool is_signed(jig_type_kind kind) {
  return kind >= JIG_KIND_I8 && kind <= JIG_KIND_I128;
}

uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * 0x2545f4914f6cdd1du;
}

void fill_random(jig_type_kind kind, void *items, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t low = next_random(&seed);
    if (kind == JIG_KIND_BOOL)
      put_integer(kind, items, i, (int128)(low >> 63));
    else if (is_floating(kind))
      put_float(kind, items, i, (double)((low >> 33) % 5) - 2);
    else
      put_integer(kind, items, i, (int128)((uint128)next_random(&seed) << 64 | low));
  }
}

/* ---- halves: a significand of so many bits and an exponent range, rounded by hand */

static uint16_t encode(double value, int fraction_bits, int min_exponent, int max_exponent) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  uint16_t infinity = (uint16_t)((max_exponent - min_exponent + 2) << fraction_bits);
  if (isnan(value)) return 0x7fff;
  double magnitude = fabs(value);
  if (isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  int exponent = ilogb(magnitude);
  if (exponent < min_exponent) exponent = min_exponent;
  /* In units of the last place; rint() rounds to nearest even. */
  double units = rint(ldexp(magnitude, fraction_bits - exponent));
  uint32_t bits = (uint32_t)units + (uint32_t)(exponent - min_exponent) * (1u << fraction_bits);
  return bits >= infinity ? sign | infinity : sign | (uint16_t)bits;
}

static double decode(uint16_t bits, int fraction_bits, int min_exponent, int max_exponent) {
  int biased = (bits & 0x7fff) >> fraction_bits;
  double fraction = bits & ((1 << fraction_bits) - 1), magnitude;
  if (biased == max_exponent - min_exponent + 2)
    magnitude = fraction == 0 ? INFINITY : NAN;
  else if (biased == 0)
    magnitude = ldexp(fraction, min_exponent - fraction_bits);
  else
    magnitude = ldexp(fraction + (1 << fraction_bits), min_exponent + biased - 1 - fraction_bits);
  return bits & 0x8000 ? -magnitude : magnitude;
}

enum {
  F16_FRACTION = 10,
  F16_MIN = -14,
  F16_MAX = 15,
  BF16_FRACTION = 7,
  BF16_MIN = -126,
  BF16_MAX = 127
};

double get_float(jig_type_kind kind, const void *items, size_t i) {
  const char *at = (const char *)items + i * size_of(kind);
  uint16_t half = 0;
  float single;
  double value = 0;
  if (kind == JIG_KIND_F16 || kind == JIG_KIND_BF16) memcpy(&half, at, sizeof half);
  switch (kind) {
    case JIG_KIND_F16:
      return decode(half, F16_FRACTION, F16_MIN, F16_MAX);
    case JIG_KIND_BF16:
      return decode(half, BF16_FRACTION, BF16_MIN, BF16_MAX);
    case JIG_KIND_F32:
      memcpy(&single, at, sizeof single);
      return (double)single;
    default:
      memcpy(&value, at, sizeof value);
      return value;
  }
}

void put_float(jig_type_kind kind, void *items, size_t i, double value) {
  char *at = (char *)items + i * size_of(kind);
  const float single = (float)value;
  uint16_t half;
  switch (kind) {
    case JIG_KIND_F16:
      half = encode(value, F16_FRACTION, F16_MIN, F16_MAX);
      memcpy(at, &half, sizeof half);
      break;
    case JIG_KIND_BF16:
      half = encode(value, BF16_FRACTION, BF16_MIN, BF16_MAX);
      memcpy(at, &half, sizeof half);
      break;
    case JIG_KIND_F32:
      memcpy(at, &single, sizeof single);
      break;
    default:
      memcpy(at, &value, sizeof value);
  }
}

int128 get_integer(jig_type_kind kind, const void *items, size_t i) {
  const char *at = (const char *)items + i * size_of(kind);
#define READ(type)                    \
  {                                   \
    type value;                       \
    memcpy(&value, at, sizeof value); \
    return (int128)value;             \
  }
  switch (kind) {
    case JIG_KIND_I8:
      READ(int8_t)
    case JIG_KIND_I16:
      READ(int16_t)
    case JIG_KIND_I32:
      READ(int32_t)
    case JIG_KIND_I64:
      READ(int64_t)
    default:
      break;
  }
  switch (size_of(kind)) { /* i128, and all that has no sign */
    case 1:
      READ(uint8_t)
    case 2:
      READ(uint16_t)
    case 4:
      READ(uint32_t)
    case 8:
      READ(uint64_t)
    default:
      READ(uint128)
  }
#undef READ
}

void put_integer(jig_type_kind kind, void *items, size_t i, int128 value) {
  const size_t size = size_of(kind);
  if (kind == JIG_KIND_BOOL) value = value != 0;
  memcpy((char *)items + i * size, &value, size);
}

const char *bits_of(const void *value, size_t size) {
  static char texts[8][2 + 2 * sizeof(uint128) + 1];
  static unsigned next;
  char *text = texts[next++ % COUNT_OF(texts)];
  (void)strcpy(text, "0x");
  for (size_t i = 0; i < size && i < sizeof(uint128); ++i) {
    (void)snprintf(text + 2 + 2 * i, 3, "%02x", ((const unsigned char *)value)[size - 1 - i]);
  }
  return text;
}
