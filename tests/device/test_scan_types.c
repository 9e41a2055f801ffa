/* Scan over every built-in type: sums at sizes around every boundary of both kernels, at every
 * combination of alignments, against the host; the other operators; conversions; NaN. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "seed.h"
#include "suite.h"

/* ---- items, and all their sums. Floating-point items are the differences of small whole numbers, so
 * that the sum of any neighbours is one, and exact in every type. (A run's even and odd halves may be
 * summed apart: those sums are up to four times as large, and exact, too.) */

typedef struct series {
  jig_type type;
  size_t count;
  char *items; /* the host's */
  char *sums;  /* sums[i] of the first i items, in the items' type; sums[0] is 0 */
} series;

enum { HIGHEST = 30, LEVELS = 2 * HIGHEST + 1 };

static void fill_floating(series *s, uint64_t seed) {
  const jig_type_kind kind = s->type.kind;
  const size_t size = s->type.size;
  char codes[2 * LEVELS * 8];
  for (int i = 0; i < 2 * LEVELS; ++i) put_float(kind, codes, (size_t)i, i - LEVELS);
  put_float(kind, s->sums, 0, 0.0);
  int level = 0;
  for (size_t i = 0; i < s->count; ++i) {
    const int next = (int)((next_random(&seed) >> 33) % LEVELS) - HIGHEST;
    memcpy(s->items + i * size, codes + (size_t)(next - level + LEVELS) * size, size);
    memcpy(s->sums + (i + 1) * size, codes + (size_t)(next + LEVELS) * size, size);
    level = next;
  }
}

static void fill_integers(series *s, uint64_t seed) {
  const size_t size = s->type.size;
  const bool is_bool = s->type.kind == JIG_KIND_BOOL;
  uint128 sum = 0;
  memset(s->sums, 0, size);
  for (size_t i = 0; i < s->count; ++i) {
    uint128 item = (uint128)next_random(&seed) << 64;
    item |= next_random(&seed);
    /* Rarely true, so that it takes a while until there is a true one. */
    if (is_bool) item = (item >> 70) % 1000 == 0;
    sum = is_bool ? sum | item : sum + item;
    memcpy(s->items + i * size, &item, size);
    memcpy(s->sums + (i + 1) * size, &sum, size);
  }
}

static series new_series(jig_type type, size_t count) {
  series s = {type, count, malloc(count * type.size), malloc((count + 1) * type.size)};
  if (is_floating(type.kind))
    fill_floating(&s, 11 + (uint64_t)type.kind);
  else
    fill_integers(&s, 11 + (uint64_t)type.kind);
  return s;
}

static void free_series(series *s) {
  free(s->items);
  free(s->sums);
}

/* ---- sums of every type, which are folded in the type that C has for them */

/* Whether all ways of all kernels were gone, but a cluster's where there is none, and a single wave's
 * where that has no more room; the last is one of more than three groups of tiles. */
typedef struct reached {
  bool alone, cluster, single_wave, large;
} reached;

static void note(reached *r, const jig_scan_args *args) {
  if (args->num_items == 0) return;
  const chain_plan plan = scan_plan_for(args, args->num_items);
  r->alone |= plan.tiles == 0 && plan.shape.grid == 1;
  r->cluster |= plan.form == CHAIN_IS_CLUSTER && plan.shape.grid > 1;
  r->single_wave |= plan.form == CHAIN_IS_SINGLE_WAVE && plan.shape.grid > 1;
  r->large |= plan.tiles > 3 * 32;
}

/* The sum of bools is an int, and as a bool what is not 0 is true: then rather a bool throughout. */
static jig_scan_args sum_args(jig_type type) {
  jig_scan_args args = {.in = jig_pointer(NULL, type), .out = jig_pointer(NULL, type)};
  if (type.kind == JIG_KIND_BOOL) args.accum_type = JIG_BOOL;
  return args;
}

/* The first `size` sums, of items and into memory that many items off a vector's boundary. */
static void check_sums(const series *s, const void *const in[], size_t size, jig_scan_mode mode,
                       size_t in_offset, size_t out_offset, reached *r) {
  jig_scan_args args = sum_args(s->type);
  args.in = jig_pointer(in[in_offset], s->type);
  args.num_items = size;
  args.mode = mode;
  char what[128];
  (void)snprintf(what, sizeof what, "%s sum of %zu %s, %zu and %zu items off",
                 mode == JIG_SCAN_INCLUSIVE ? "inclusive" : "exclusive", size, jig_type_name(&s->type),
                 in_offset, out_offset);
  const char *wanted = s->sums + (mode == JIG_SCAN_INCLUSIVE ? s->type.size : 0);
  check_scan(args, s->type, out_offset * s->type.size, wanted, what);
  note(r, &args);
}

static void check_type(jig_type_kind kind, bool thoroughly) {
  enum { OFFSETS = 4 };
  static const size_t pairs[][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}, {3, 2}, {0, 2}};
  const jig_type type = type_of(kind);
  const jig_scan_args args = sum_args(type);
  const scan_marks marks = scan_marks_of(&args);
  size_t sizes[SCAN_MAX_SIZES], long_size = scan_long_size(&marks, (size_t)-1);
  const size_t last = (marks.single_wave / marks.group + 3) * marks.group + marks.tile;
  series s = new_series(type, last > long_size ? last : long_size);
  void *in[OFFSETS];
  for (size_t k = 0; k < OFFSETS; ++k) in[k] = gpu_copy(s.items, s.count * type.size, k * type.size);
  /* Exclusive ones differ in little: those of every other type. */
  const jig_scan_mode last_mode = kind % 2 == 0 ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE;
  for (jig_scan_mode mode = JIG_SCAN_INCLUSIVE; mode <= last_mode; ++mode) {
    reached r = {false, false, false, false};
    const size_t most = thoroughly && mode == JIG_SCAN_INCLUSIVE ? last : marks.single_wave + 1;
    const size_t count = scan_sizes(&marks, most, sizes);
    for (size_t i = 0; i < count; ++i) {
      const size_t *pair = pairs[i % COUNT_OF(pairs)];
      check_sums(&s, (const void *const *)in, sizes[i], mode, pair[0], pair[1], &r);
    }
    check_sums(&s, (const void *const *)in, long_size, mode, 0, 0, &r);
    check_sums(&s, (const void *const *)in, long_size - 1, mode, 0, 3, &r);
    ck_assert(r.alone && r.large);
    ck_assert(r.cluster || marks.cluster == marks.alone);
    ck_assert(r.single_wave || marks.single_wave == marks.cluster);
  }
  for (size_t k = 0; k < OFFSETS; ++k) gpu_free(in[k]);
  free_series(&s);
}

START_TEST(sums_of_signed_integers) {
  for (jig_type_kind kind = JIG_KIND_I8; kind <= JIG_KIND_I128; ++kind)
    if (kind == JIG_KIND_I32 || test_turn((unsigned)kind)) check_type(kind, kind == JIG_KIND_I32);
}
END_TEST

START_TEST(sums_of_unsigned_integers) {
  for (jig_type_kind kind = JIG_KIND_U8; kind <= JIG_KIND_U128; ++kind)
    if (kind == JIG_KIND_U128 || test_turn((unsigned)kind)) check_type(kind, kind == JIG_KIND_U128);
}
END_TEST

START_TEST(sums_of_floating_point_numbers_and_bools) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind)
    if ((is_floating(*kind) || *kind == JIG_KIND_BOOL) && test_turn((unsigned)*kind))
      check_type(*kind, false);
}
END_TEST

/* ---- the other operators, in one type each and without an init, so that they begin with the identity */

/* What an operator makes of two values, given as what is in their bytes. */
static void apply_u8_max(void *fold, const void *item) {
  if (*(const uint8_t *)item > *(uint8_t *)fold) *(uint8_t *)fold = *(const uint8_t *)item;
}
static void apply_i64_min(void *fold, const void *item) {
  if (*(const int64_t *)item < *(int64_t *)fold) *(int64_t *)fold = *(const int64_t *)item;
}
static void apply_u32_times(void *fold, const void *item) {
  *(uint32_t *)fold *= *(const uint32_t *)item;
}
static void apply_f64_times(void *fold, const void *item) {
  *(double *)fold *= *(const double *)item;
}
static void apply_i16_and(void *fold, const void *item) {
  *(int16_t *)fold &= *(const int16_t *)item;
}
static void apply_u64_or(void *fold, const void *item) {
  *(uint64_t *)fold |= *(const uint64_t *)item;
}
static void apply_u128_xor(void *fold, const void *item) {
  *(uint128 *)fold ^= *(const uint128 *)item;
}
static void apply_bool_and(void *fold, const void *item) {
  *(bool *)fold = *(bool *)fold && *(const bool *)item;
}
static void apply_bool_or(void *fold, const void *item) {
  *(bool *)fold = *(bool *)fold || *(const bool *)item;
}
static void apply_f32_max(void *fold, const void *item) {
  *(float *)fold = fmaxf(*(float *)fold, *(const float *)item);
}

typedef struct row {
  const char *name;
  jig_type type;
  jig_op op;
  void (*apply)(void *fold, const void *item);
  union {
    uint64_t bits[2];
    double d;
    float f;
  } identity;
} row;

/* Items that do not come to an end soon: masks with a bit that is rarely the other one, factors that are
 * odd, or 2 and 1/2 in turns. */
static void fill_for(const row *r, char *items, size_t count) {
  uint64_t seed = 23;
  fill_random(r->type.kind, items, count, 17);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t random = next_random(&seed);
    const uint64_t bit = random % 50 == 0 ? (uint64_t)1 << (random >> 58) : 0;
    if (r->op.kind == JIG_OP_BIT_AND) put_integer(r->type.kind, items, i, (int128) ~(bit & 0x7fff));
    if (r->op.kind == JIG_OP_BIT_OR) put_integer(r->type.kind, items, i, (int128)bit);
    if (r->op.kind == JIG_OP_LOGICAL_AND) items[i] = random % 5000 != 0;
    if (r->op.kind == JIG_OP_LOGICAL_OR) items[i] = random % 5000 == 0;
    if (r->op.kind == JIG_OP_MULTIPLIES && is_floating(r->type.kind))
      put_float(r->type.kind, items, i, i % 2 == 0 ? 2 : random % 2 == 0 ? 0.5 : -0.5);
    if (r->op.kind == JIG_OP_MULTIPLIES && !is_floating(r->type.kind)) items[i * r->type.size] |= 1;
  }
}

static void check_row(const row *r) {
  const size_t size = r->type.size;
  jig_scan_args args = {.in = jig_pointer(NULL, r->type), .out = jig_pointer(NULL, r->type), .op = r->op};
  const scan_marks marks = scan_marks_of(&args);
  const size_t counts[] = {1, 33, marks.row + 3, 7 * marks.row + 1, marks.single_wave + marks.tile + 1};
  const size_t most = counts[COUNT_OF(counts) - 1];
  char *items = malloc(most * size), *wanted = malloc(most * size), what[128];
  const scan_model model = {size, r->apply};
  fill_for(r, items, most);
  void *in = gpu_copy(items, most * size, 0);
  args.in = jig_pointer(in, r->type);
  for (args.mode = JIG_SCAN_INCLUSIVE; args.mode <= JIG_SCAN_EXCLUSIVE; ++args.mode) {
    scan_on_host(&model, args.mode, args.mode == JIG_SCAN_EXCLUSIVE ? &r->identity : NULL, items, most,
                 wanted);
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
      args.num_items = counts[i];
      (void)snprintf(what, sizeof what, "%s, mode %d", r->name, (int)args.mode);
      check_scan(args, r->type, 0, wanted, what);
    }
  }
  gpu_free(in);
  free(items);
  free(wanted);
}

START_TEST(other_operators_begin_with_their_identity) {
  const row rows[] = {
      {"max of u8", JIG_U8, JIG_MAX, apply_u8_max, {{0, 0}}},
      {"min of i64", JIG_I64, JIG_MIN, apply_i64_min, {{INT64_MAX, 0}}},
      {"product of u32", JIG_U32, JIG_MULTIPLIES, apply_u32_times, {{1, 0}}},
      {"product of f64", JIG_F64, JIG_MULTIPLIES, apply_f64_times, {.d = 1}},
      {"bit_and of i16", JIG_I16, JIG_BIT_AND, apply_i16_and, {{(uint64_t)-1, 0}}},
      {"bit_or of u64", JIG_U64, JIG_BIT_OR, apply_u64_or, {{0, 0}}},
      {"bit_xor of u128", JIG_U128, JIG_BIT_XOR, apply_u128_xor, {{0, 0}}},
      {"logical_and of bool", JIG_BOOL, JIG_LOGICAL_AND, apply_bool_and, {{1, 0}}},
      {"logical_or of bool", JIG_BOOL, JIG_LOGICAL_OR, apply_bool_or, {{0, 0}}},
      {"max of f32", JIG_F32, JIG_MAX, apply_f32_max, {.f = -INFINITY}},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) check_row(&rows[i]);
}
END_TEST

/* ---- conversions: items to accumulators, these to what is stored */

typedef struct conversion {
  jig_type in, accum, out; /* accum of kind none: jig's own choice, which is the next */
  jig_type folded;
  uint64_t modulus; /* of the items, so that floating-point sums stay exact; 0: any */
} conversion;

/* The sums that are wanted. Of random integers or, in floating-point types, small whole numbers. */
static void convert_sums(const conversion *c, const char *items, size_t count, char *wanted) {
  char accum[16] = {0};
  for (size_t i = 0; i < count; ++i) {
    const jig_type_kind in = c->in.kind, folded = c->folded.kind, out = c->out.kind;
    if (is_floating(folded)) {
      const double item = is_floating(in) ? get_float(in, items, i) : (double)get_integer(in, items, i);
      put_float(folded, accum, 0, get_float(folded, accum, 0) + item);
    } else {
      const int128 item = is_floating(in) ? (int128)get_float(in, items, i) : get_integer(in, items, i);
      put_integer(folded, accum, 0, (int128)((uint128)get_integer(folded, accum, 0) + (uint128)item));
    }
    if (is_floating(out))
      put_float(
          out, wanted, i,
          is_floating(folded) ? get_float(folded, accum, 0) : (double)get_integer(folded, accum, 0));
    else
      put_integer(
          out, wanted, i,
          is_floating(folded) ? (int128)get_float(folded, accum, 0) : get_integer(folded, accum, 0));
  }
}

static void check_conversion(const conversion *c) {
  jig_scan_args args = {
      .in = jig_pointer(NULL, c->in), .out = jig_pointer(NULL, c->out), .accum_type = c->accum};
  const scan_marks marks = scan_marks_of(&args);
  const size_t counts[] = {1, 40, marks.row + 1, 9 * marks.row + 5, marks.single_wave + marks.tile + 7};
  const size_t most = counts[COUNT_OF(counts) - 1];
  char *items = malloc(most * c->in.size), *wanted = malloc(most * c->out.size), what[128];
  fill_random(c->in.kind, items, most, 31);
  for (size_t i = 0; i < most && c->modulus != 0; ++i)
    put_integer(c->in.kind, items, i, get_integer(c->in.kind, items, i) % (int128)c->modulus);
  convert_sums(c, items, most, wanted);
  (void)snprintf(what, sizeof what, "sum of %s in %s as %s", jig_type_name(&c->in),
                 jig_type_name(&c->folded), jig_type_name(&c->out));
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    void *in = gpu_copy(items, counts[i] * c->in.size, i % 3 * c->in.size);
    args.in = jig_pointer(in, c->in);
    args.num_items = counts[i];
    check_scan(args, c->out, i % 2 * c->out.size, wanted, what);
    gpu_free(in);
  }
  free(items);
  free(wanted);
}

START_TEST(items_accumulators_and_outputs_of_other_types) {
  const jig_type none = JIG_ZERO;
  const conversion rows[] = {
      {JIG_I8, none, JIG_I32, JIG_I32, 0},      {JIG_I8, JIG_I64, JIG_I64, JIG_I64, 0},
      {JIG_U8, JIG_U128, JIG_U16, JIG_U128, 0}, {JIG_I64, JIG_I8, JIG_I32, JIG_I8, 0},
      {JIG_I128, JIG_I16, JIG_I16, JIG_I16, 0}, {JIG_F32, JIG_F64, JIG_F32, JIG_F64, 0},
      {JIG_U8, JIG_F32, JIG_F64, JIG_F32, 2},   {JIG_BOOL, none, JIG_I64, JIG_I64, 0},
      {JIG_F64, JIG_I32, JIG_I8, JIG_I32, 0},   {JIG_BF16, JIG_F32, JIG_F32, JIG_F32, 0},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) check_conversion(&rows[i]);
}
END_TEST

/* A sum's type without an init is what C makes of two items, and with one what it makes of that and one.
 */
START_TEST(the_accumulator_follows_init_and_items) {
  enum { COUNT = 5000 };
  int8_t items[COUNT];
  int32_t sums[COUNT];
  int64_t wide[COUNT];
  const int64_t start = (int64_t)1 << 40;
  memset(items, 100, sizeof items);
  for (int i = 0; i < COUNT; ++i) {
    sums[i] = 100 * (i + 1);
    wide[i] = start + 100 * i;
  }
  void *in = gpu_copy(items, sizeof items, 0);
  jig_scan_args args = {.in = jig_pointer(in, JIG_I8), .num_items = COUNT};
  check_scan(args, JIG_I32, 0, sums, "i8 as i32");
  args.mode = JIG_SCAN_EXCLUSIVE;
  args.init = &start; /* of the output's type */
  check_scan(args, JIG_I64, 0, wide, "i8 from an i64");
  const float half = 0.5f;
  double real[COUNT];
  for (int i = 0; i < COUNT; ++i) real[i] = 0.5 + 100.0 * i;
  args.init = &half;
  args.init_type = JIG_F32;
  check_scan(args, JIG_F64, 0, real, "i8 from an f32");
  gpu_free(in);
}
END_TEST

/* ---- NaN and zeros */

static void check_extremes(jig_type_kind kind, bool largest, jig_nan nan) {
  enum { COUNT = 5000 };
  static const size_t places[] = {0, 1, 77, 640, 641, 3000};
  const bool ignored = nan == JIG_NAN_IGNORE;
  const jig_type type = type_of(kind);
  char items[COUNT * 8], out[COUNT * 8];
  for (size_t i = 0; i < COUNT; ++i) {
    const double height = (double)((i * 7919) % 60) + (double)(i / 100);
    put_float(kind, items, i, largest ? height : -height);
  }
  for (size_t p = ignored ? 0 : 3; p < COUNT_OF(places); ++p) put_float(kind, items, places[p], NAN);
  void *in = gpu_copy(items, COUNT * type.size, 0), *to = gpu_alloc(COUNT * type.size, 0);
  run_scan(&(jig_scan_args){.in = jig_pointer(in, type),
                            .out = jig_pointer(to, type),
                            .num_items = COUNT,
                            .op = largest ? JIG_MAX : JIG_MIN,
                            .nan = nan},
           0);
  gpu_read(out, to, COUNT * type.size);
  double fold = get_float(kind, items, 0);
  for (size_t i = 0; i < COUNT; ++i) {
    const double item = get_float(kind, items, i), got = get_float(kind, out, i);
    if (!ignored && (isnan(fold) || isnan(item)))
      fold = NAN;
    else
      fold = largest ? fmax(fold, item) : fmin(fold, item);
    ck_assert_msg(isnan(fold) ? isnan(got) : got == fold, "%s %s, item %zu: %g, not %g",
                  jig_type_name(&type), largest ? "max" : "min", i, got, fold);
  }
  gpu_free(in);
  gpu_free(to);
}

START_TEST(nan_is_passed_on_or_passed_over) {
  check_extremes(JIG_KIND_F32, true, JIG_NAN_PROPAGATE);
  check_extremes(JIG_KIND_F32, false, JIG_NAN_IGNORE);
  check_extremes(JIG_KIND_F64, false, JIG_NAN_PROPAGATE);
  check_extremes(JIG_KIND_F64, true, JIG_NAN_IGNORE);
  check_extremes(JIG_KIND_F16, true, JIG_NAN_IGNORE);
  check_extremes(JIG_KIND_BF16, false, JIG_NAN_PROPAGATE);
}
END_TEST

/* An inclusive sum of -0 is -0; an exclusive one begins with +0, and stays there. */
START_TEST(zeros_keep_their_sign) {
  enum { COUNT = 3000 };
  float items[COUNT];
  for (size_t i = 0; i < COUNT; ++i) items[i] = -0.0f;
  void *in = gpu_copy(items, sizeof items, 0);
  jig_scan_args args = {.in = jig_pointer(in, JIG_F32), .num_items = COUNT};
  check_scan(args, JIG_F32, 0, items, "sums of -0");
  args.mode = JIG_SCAN_EXCLUSIVE;
  static const float zeros[COUNT];
  check_scan(args, JIG_F32, 0, zeros, "sums of -0 before");
  args.op = JIG_MIN;
  items[0] = INFINITY;
  check_scan(args, JIG_F32, 0, items, "least of -0 before");
  gpu_free(in);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_of_signed_integers),
      SUITE_TEST(sums_of_unsigned_integers),
      SUITE_TEST(sums_of_floating_point_numbers_and_bools),
      SUITE_TEST(other_operators_begin_with_their_identity),
      SUITE_TEST(items_accumulators_and_outputs_of_other_types),
      SUITE_TEST(the_accumulator_follows_init_and_items),
      SUITE_TEST(nan_is_passed_on_or_passed_over),
      SUITE_TEST(zeros_keep_their_sign),
  };
  return SUITE_RUN("device/scan_types", tests, true);
}
