#include "tune_items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "struct_fields.h"
#include "util/half.h"

/* ---- making them */

/* SplitMix64 (Steele, Lea and Flood, 2014). */
uint64_t tune_random(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* A floating-point number's bits: with one of so many exponents from the first on. */
static uint64_t float_bits(uint64_t random, int mantissa, int sign, uint64_t first, uint64_t exponents,
                           bool has_sign) {
  const uint64_t mask = ((uint64_t)1 << mantissa) - 1;
  const uint64_t exponent = first + (random >> 58) % exponents;
  return (random & mask) | exponent << mantissa | (has_sign ? (random >> 57 & 1) << sign : 0);
}

static uint64_t number_bits(jig_type_kind kind, tune_kind how, uint64_t random) {
  const bool any = how != TUNE_SUMMANDS;
  switch (kind) {
    case JIG_KIND_F16:
      return any ? float_bits(random, 10, 15, 3, 26, true) : float_bits(random, 10, 15, 14, 2, false);
    case JIG_KIND_BF16:
      return any ? float_bits(random, 7, 15, 112, 32, true) : float_bits(random, 7, 15, 126, 2, false);
    case JIG_KIND_F32:
      return any ? float_bits(random, 23, 31, 112, 32, true) : float_bits(random, 23, 31, 126, 2, false);
    case JIG_KIND_F64:
      return any ? float_bits(random, 52, 63, 992, 64, true) : float_bits(random, 52, 63, 1022, 2, false);
    case JIG_KIND_BOOL:
      return random & 1;
    default:
      return random;
  }
}

static void put_number(const jig_type *type, tune_kind how, uint64_t below, uint64_t *state,
                       unsigned char *to) {
  uint64_t words[2] = {tune_random(state), 0};
  const bool is_flag = how == TUNE_FLAGS;
  if (how == TUNE_PLACES)
    words[0] %= below;
  else if (is_flag)
    words[0] &= 1;
  else
    words[0] = number_bits(type->kind, how, words[0]);
  if (type->size > sizeof words[0] && how != TUNE_PLACES && !is_flag) words[1] = tune_random(state);
  memcpy(to, words, type->size);
}

/* Of a struct its members, if they are known; of anything else bytes that are no NaN of any type. */
static void put_item(const jig_type *type, const struct_fields *fields, tune_kind how, uint64_t below,
                     uint64_t *state, unsigned char *to) {
  if (type->kind < JIG_KIND_STRUCT) {
    put_number(type, how, below, state, to);
  } else if (fields->count > 0) {
    memset(to, 0, type->size);
    for (int f = 0; f < fields->count; ++f) {
      const struct_field *field = &fields->fields[f];
      for (size_t i = 0; i < field->length; ++i)
        put_number(&field->type, how, below, state, to + field->offset + i * field->type.size);
    }
  } else {
    for (uint32_t i = 0; i < type->size; ++i) to[i] = tune_random(state) & 0x3f;
  }
}

void tune_fill(const jig_type *type, tune_kind kind, uint64_t below, uint64_t *state, void *items,
               uint64_t count) {
  unsigned char *to = items;
  struct_fields fields = {.count = 0};
  if (type->kind == JIG_KIND_STRUCT && !struct_fields_of(type, &fields)) fields.count = 0;
  for (uint64_t i = 0; i < count; ++i, to += type->size) {
    const bool repeats = kind == TUNE_RUNS && i > 0 && tune_random(state) % 8 != 0;
    if (repeats)
      memcpy(to, to - type->size, type->size);
    else
      put_item(type, &fields, kind == TUNE_RUNS ? TUNE_ANY : kind, below, state, to);
  }
}

static void put_between(const jig_type *type, double number, unsigned char *to) {
  const float single = (float)number;
  const int64_t whole = (int64_t)number;
  memset(to, whole < 0 ? 0xff : 0, type->size);
  if (type->kind == JIG_KIND_F64)
    memcpy(to, &number, sizeof number);
  else if (type->kind == JIG_KIND_F32)
    memcpy(to, &single, sizeof single);
  else
    memcpy(to, &whole, type->size < sizeof whole ? type->size : sizeof whole);
}

void tune_fill_between(const jig_type *type, double lower, double upper, uint64_t *state, void *items,
                       uint64_t count) {
  const bool is_half = type->kind == JIG_KIND_F16 || type->kind == JIG_KIND_BF16;
  unsigned char *to = items;
  if (is_half || type->kind >= JIG_KIND_STRUCT) {
    tune_fill(type, TUNE_ANY, 1, state, items, count);
    return;
  }
  for (uint64_t i = 0; i < count; ++i, to += type->size) {
    const double fraction = (double)(tune_random(state) >> 11) * 0x1p-53;
    put_between(type, floor((lower + fraction * (upper - lower)) * 0x1p20) * 0x1p-20, to);
  }
}

uint64_t *tune_lengths(uint64_t items, uint64_t average, uint64_t *state, uint64_t *count) {
  uint64_t *lengths = NULL, capacity = 0;
  *count = 0;
  for (uint64_t left = items; left > 0;) {
    if (*count == capacity) {
      capacity = capacity > 0 ? 2 * capacity : 64;
      uint64_t *more = realloc(lengths, capacity * sizeof *more);
      if (more == NULL) free(lengths);
      if (more == NULL) return NULL;
      lengths = more;
    }
    const uint64_t wanted = tune_random(state) % (2 * average + 1);
    lengths[*count] = wanted < left ? wanted : left;
    left -= lengths[(*count)++];
  }
  return lengths;
}

/* ---- comparing results */

static double double_at(const jig_type *type, const unsigned char *at) {
  uint16_t half;
  float single;
  double number = 0;
  if (type->kind == JIG_KIND_F64) {
    memcpy(&number, at, sizeof number);
  } else if (type->kind == JIG_KIND_F32) {
    memcpy(&single, at, sizeof single);
    number = (double)single;
  } else {
    memcpy(&half, at, sizeof half);
    number = half_to_double(half, type->kind == JIG_KIND_F16 ? format_f16 : format_bf16);
  }
  return number;
}

/* How much of a number two groupings may differ by; 0: its type is no floating-point one. */
static double closeness_of(const jig_type *type) {
  switch (type->kind) {
    case JIG_KIND_F16:
      return 8 * 0x1p-10;
    case JIG_KIND_BF16:
      return 8 * 0x1p-7;
    case JIG_KIND_F32:
      return 4096 * 0x1p-23;
    case JIG_KIND_F64:
      return 4096 * 0x1p-52;
    default:
      return 0;
  }
}

static bool are_close(const jig_type *type, const unsigned char *a, const unsigned char *b) {
  const double closeness = closeness_of(type);
  if (memcmp(a, b, type->size) == 0) return true;
  if (closeness == 0) return false;
  const double x = double_at(type, a), y = double_at(type, b);
  return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= closeness * fmax(fabs(x), fabs(y));
}

static bool is_close_item(const jig_type *type, const struct_fields *fields, const unsigned char *a,
                          const unsigned char *b) {
  if (type->kind < JIG_KIND_STRUCT) return are_close(type, a, b);
  for (int f = 0; f < fields->count; ++f) {
    const struct_field *field = &fields->fields[f];
    for (size_t i = 0; i < field->length; ++i) {
      const size_t at = field->offset + i * field->type.size;
      if (!are_close(&field->type, a + at, b + at)) return false;
    }
  }
  return fields->count > 0;
}

tune_likeness tune_compare(const jig_type *type, const void *one, const void *other, uint64_t count) {
  struct_fields fields = {.count = 0};
  if (memcmp(one, other, count * type->size) == 0) return TUNE_SAME;
  if (type->kind == JIG_KIND_STRUCT && !struct_fields_of(type, &fields)) fields.count = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const unsigned char *a = (const unsigned char *)one + i * type->size,
                        *b = (const unsigned char *)other + i * type->size;
    if (memcmp(a, b, type->size) != 0 && !is_close_item(type, &fields, a, b)) return TUNE_OTHER;
  }
  return TUNE_CLOSE;
}

static int by_bytes(const void *a, const void *b, void *size) {
  return memcmp(a, b, *(const uint32_t *)size);
}

void tune_order(const jig_type *type, void *items, uint64_t count, uint64_t each) {
  uint32_t size = type->size;
  for (uint64_t first = 0; first < count && each > 0; first += each)
    qsort_r((unsigned char *)items + first * size, count - first < each ? count - first : each, size,
            by_bytes, &size);
}
