/* Floating-point keys with NaNs, infinities and both zeros among them: by the default, JIG_LESS and
 * JIG_GREATER NaNs come last, and what is equal keeps its order, to the bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "suite.h"

static const jig_type_kind kinds[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};

/* ---- keys */

/* The bits of infinity. */
static uint64_t infinity(jig_type_kind kind) {
  switch (kind) {
    case JIG_KIND_F16:
      return 0x7c00;
    case JIG_KIND_BF16:
      return 0x7f80;
    case JIG_KIND_F32:
      return 0x7f800000;
    default:
      return 0x7ff0000000000000;
  }
}

/* A NaN of any sign and payload, quiet or not. */
static uint64_t a_nan(jig_type key, uint64_t *seed) {
  const uint64_t exponent = infinity(key.kind), payload = (exponent & -exponent) - 1;
  const uint64_t sign = (next_random(seed) >> 40 & 1) << (8 * key.size - 1);
  const uint64_t bits = next_random(seed) & payload;
  return sign | exponent | (bits != 0 ? bits : 1);
}

/* Few different numbers, so that many are equal: both zeros, both infinities, the least and others. */
static uint64_t a_number(jig_type key, uint64_t *seed) {
  const uint64_t r = next_random(seed) >> 33, sign = (r & 1) << (8 * key.size - 1);
  uint64_t bits = 0;
  switch (r >> 1 & 7) {
    case 0:
    case 1:
      return sign;
    case 2:
      return sign | infinity(key.kind);
    case 3:
      return sign | 1;
    default:
      put_float(key.kind, &bits, 0, (double)(r >> 8 & 63) / 4 + 0.25);
      return sign | bits;
  }
}

typedef enum nan_pattern {
  NAN_NONE,
  NAN_FIRST,
  NAN_LAST,
  NAN_RARE, /* one in a thousand */
  NAN_TENTH,
  NAN_HALF,
  NAN_ALL,
  NAN_BUT_ONE,
  NAN_RUNS, /* hundreds in a row, and then as many numbers */
  NAN_PATTERNS
} nan_pattern;

static bool is_nan_at(nan_pattern pattern, size_t i, size_t count, uint64_t *seed) {
  const uint64_t r = (next_random(seed) >> 30) % 1000;
  switch (pattern) {
    case NAN_FIRST:
      return i == 0;
    case NAN_LAST:
      return i + 1 == count;
    case NAN_RARE:
      return r == 0;
    case NAN_TENTH:
      return r < 100;
    case NAN_HALF:
      return r < 500;
    case NAN_ALL:
      return true;
    case NAN_BUT_ONE:
      return i != count / 2;
    case NAN_RUNS:
      return i / 300 % 2 == 0;
    default:
      return false;
  }
}

static void *keys_of(jig_type key, nan_pattern pattern, size_t count) {
  uint64_t seed = 41 + count + (uint64_t)pattern;
  char *keys = malloc((count + 1) * key.size);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = is_nan_at(pattern, i, count, &seed) ? a_nan(key, &seed) : a_number(key, &seed);
    memcpy(keys + i * key.size, &bits, key.size);
  }
  return keys;
}

/* ---- the other order, with NaNs last all the same */

#define FALLING(kind)                                                                        \
  static int falling_##kind(const void *a, const void *b) {                                  \
    const double x = get_float(JIG_KIND_##kind, a, 0), y = get_float(JIG_KIND_##kind, b, 0); \
    return isnan(x) || isnan(y) ? !!isnan(x) - !!isnan(y) : x == y ? 0 : x > y ? -1 : 1;     \
  }
FALLING(F16)
FALLING(BF16)
FALLING(F32)
FALLING(F64)

static key_order falling(jig_type_kind kind) {
  return kind == JIG_KIND_F16    ? falling_F16
         : kind == JIG_KIND_BF16 ? falling_BF16
         : kind == JIG_KIND_F32  ? falling_F32
                                 : falling_F64;
}

typedef struct order_case {
  jig_op op;
  bool falls;
} order_case;
static const order_case orders[] = {{JIG_ZERO, false},
                                    {JIG_WELL_KNOWN_OP(JIG_OP_LESS), false},
                                    {JIG_WELL_KNOWN_OP(JIG_OP_GREATER), true}};

/* ---- sorts */

static merge_sort_marks marks_of(jig_type key) {
  const jig_iter keys = jig_pointer(NULL, key);
  return merge_sort_marks_of(&(jig_merge_sort_args){.keys_in = keys, .keys_out = keys});
}

static void check_sort(jig_type key, jig_type value, const order_case *o, nan_pattern pattern,
                       size_t count) {
  char what[64];
  (void)snprintf(what, sizeof what, "NaNs by pattern %d, %s", (int)pattern,
                 o->falls ? "falling" : "rising");
  void *keys = keys_of(key, pattern, count);
  check_merge_sort(&(merge_sort_case){.key = key,
                                      .value = value,
                                      .keys = keys,
                                      .count = count,
                                      .op = o->op,
                                      .order = o->falls ? falling(key.kind) : order_of_kind(key.kind),
                                      .in_place = count % 2 == 1,
                                      .what = what});
  free(keys);
}

/* As a defect was found: five keys of which two are NaNs. */
START_TEST(five_keys) {
  const float keys[] = {5, 9, NAN, NAN, 1};
  float got[5];
  void *in = gpu_copy(keys, sizeof keys, 0), *out = gpu_alloc(sizeof keys, 0);
  for (size_t i = 0; i < COUNT_OF(orders); ++i) {
    run_merge_sort(&(jig_merge_sort_args){.keys_in = jig_pointer(in, JIG_F32),
                                          .keys_out = jig_pointer(out, JIG_F32),
                                          .num_items = 5,
                                          .compare = orders[i].op});
    gpu_read(got, out, sizeof got);
    const float wanted[] = {1, 5, 9};
    for (int k = 0; k < 3; ++k) ck_assert(got[k] == wanted[orders[i].falls ? 2 - k : k]);
    ck_assert(isnan(got[3]) && isnan(got[4]));
  }
  gpu_free(in);
  gpu_free(out);
}
END_TEST

START_TEST(keys_by_every_order) {
  const jig_type none = JIG_ZERO;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const size_t tile = marks_of(key).small_tile;
    for (int p = 0; p < NAN_PATTERNS; ++p) {
      check_sort(key, none, &orders[0], (nan_pattern)p, 1 + (size_t)p % 3);
      check_sort(key, none, &orders[2], (nan_pattern)p, tile - 7);
      check_sort(key, none, &orders[p % 2], (nan_pattern)p, 3 * tile + 5);
    }
  }
}
END_TEST

START_TEST(every_size) {
  const jig_type none = JIG_ZERO;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const merge_sort_marks marks = marks_of(key);
    const size_t tile = marks.small_tile, merge = marks.merge_tile,
                 sizes[] = {2,        31,        33,           tile - 1,  tile,
                            tile + 1, merge + 1, 2 * tile - 1, 2 * merge, 4 * tile + 1};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i)
      check_sort(key, i % 3 == 1 ? JIG_U32 : none, &orders[i % 3], i % 2 ? NAN_TENTH : NAN_HALF,
                 sizes[i]);
  }
}
END_TEST

/* Large tiles, and passes by two and by four. */
START_TEST(many_keys) {
  const jig_type none = JIG_ZERO;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    const merge_sort_marks marks = marks_of(key);
    check_sort(key, none, &orders[k % 3], NAN_TENTH, marks.large_from + marks.large_tile + 1);
    check_sort(key, none, &orders[0], NAN_HALF, marks.four_from + 5 * marks.large_tile + 57);
    check_sort(key, none, &orders[2], NAN_RARE, marks.four_from + 3);
    check_sort(key, JIG_U16, &orders[(k + 1) % 3], (nan_pattern)(NAN_ALL + (int)k % 3),
               marks.four_from + 1000);
  }
}
END_TEST

START_TEST(pairs) {
  const jig_type values[] = {JIG_U32, JIG_U64, JIG_U8, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_type key = type_of(kinds[k]);
    for (size_t v = 0; v < COUNT_OF(values); ++v) { /* every two of key, value and order */
      const order_case *o = &orders[(k + v) % 2 == 0 ? 0 : 2];
      check_sort(key, values[v], o, NAN_TENTH, 5000);
      check_sort(key, values[v], o, NAN_RUNS, 3001);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(five_keys), SUITE_TEST(keys_by_every_order),
                                     SUITE_TEST(every_size), SUITE_TEST(many_keys), SUITE_TEST(pairs)};
  return SUITE_RUN("device/merge_sort_nans", tests, true);
}
