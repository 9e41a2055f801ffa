/* The type that folds work in by default: C's usual arithmetic conversion, as the compiler of this file
 * has it, of init, item and output type for sums and products, in every algorithm that folds. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "suite.h"

/* ---- what the compiler says */

#define KIND_OF(expression)         \
  _Generic((expression), int32_t    \
           : JIG_KIND_I32, uint32_t \
           : JIG_KIND_U32, int64_t  \
           : JIG_KIND_I64, uint64_t \
           : JIG_KIND_U64, int128   \
           : JIG_KIND_I128, uint128 \
           : JIG_KIND_U128, float   \
           : JIG_KIND_F32, double   \
           : JIG_KIND_F64)

#define ROW(kind, type)                                                                                 \
  {                                                                                                     \
    kind, {                                                                                             \
      [JIG_KIND_I8] = KIND_OF((type)0 + (int8_t)0), [JIG_KIND_I16] = KIND_OF((type)0 + (int16_t)0),     \
      [JIG_KIND_I32] = KIND_OF((type)0 + (int32_t)0), [JIG_KIND_I64] = KIND_OF((type)0 + (int64_t)0),   \
      [JIG_KIND_I128] = KIND_OF((type)0 + (int128)0), [JIG_KIND_U8] = KIND_OF((type)0 + (uint8_t)0),    \
      [JIG_KIND_U16] = KIND_OF((type)0 + (uint16_t)0), [JIG_KIND_U32] = KIND_OF((type)0 + (uint32_t)0), \
      [JIG_KIND_U64] = KIND_OF((type)0 + (uint64_t)0), [JIG_KIND_U128] = KIND_OF((type)0 + (uint128)0), \
      [JIG_KIND_F32] = KIND_OF((type)0 + (float)0), [JIG_KIND_F64] = KIND_OF((type)0 + (double)0),      \
      [JIG_KIND_BOOL] = KIND_OF((type)0 + (bool)0)                                                      \
    }                                                                                                   \
  }

static const struct {
  jig_type_kind kind;
  jig_type_kind with[JIG_KIND_BOOL + 1];
} table[] = {
    ROW(JIG_KIND_I8, int8_t),    ROW(JIG_KIND_I16, int16_t),  ROW(JIG_KIND_I32, int32_t),
    ROW(JIG_KIND_I64, int64_t),  ROW(JIG_KIND_I128, int128),  ROW(JIG_KIND_U8, uint8_t),
    ROW(JIG_KIND_U16, uint16_t), ROW(JIG_KIND_U32, uint32_t), ROW(JIG_KIND_U64, uint64_t),
    ROW(JIG_KIND_U128, uint128), ROW(JIG_KIND_F32, float),    ROW(JIG_KIND_F64, double),
    ROW(JIG_KIND_BOOL, bool),
};

static bool is_half(jig_type_kind kind) {
  return kind == JIG_KIND_F16 || kind == JIG_KIND_BF16;
}

/* The halves are not C's: integers become halves, and two different halves are f32. */
static jig_type_kind common_of(jig_type_kind a, jig_type_kind b) {
  if (is_half(a) || is_half(b)) {
    if (a == b) return a;
    if (is_half(a) && is_half(b)) return JIG_KIND_F32;
    const jig_type_kind half = is_half(a) ? a : b, other = is_half(a) ? b : a;
    return is_floating(other) ? other : half;
  }
  size_t i = 0;
  while (table[i].kind != a) ++i;
  return table[i].with[b];
}

/* ---- what a call is compiled for */

typedef enum form { REDUCE, SCAN, SCAN_BY_KEY, SEGMENTED_SCAN, REDUCE_BY_KEY, FORMS } form;

typedef struct fold_call {
  jig_iter in, out;
  const void *init;
  jig_type init_type, accum_type;
  jig_op op;
} fold_call;

static char *spec_of(form f, const fold_call *fold) {
  const jig_iter number = jig_pointer(NULL, JIG_I32);
  char *text = NULL;
  switch (f) {
    case REDUCE:
      OK(jig_reduce_spec(&(jig_reduce_args){.in = fold->in,
                                            .out = fold->out,
                                            .init = fold->init,
                                            .init_type = fold->init_type,
                                            .accum_type = fold->accum_type,
                                            .op = fold->op},
                         &text));
      break;
    case SCAN:
      OK(jig_scan_spec(&(jig_scan_args){.in = fold->in,
                                        .out = fold->out,
                                        .init = fold->init,
                                        .init_type = fold->init_type,
                                        .accum_type = fold->accum_type,
                                        .op = fold->op},
                       &text));
      break;
    case SCAN_BY_KEY:
      OK(jig_scan_by_key_spec(&(jig_scan_by_key_args){.keys_in = number,
                                                      .values_in = fold->in,
                                                      .values_out = fold->out,
                                                      .init = fold->init,
                                                      .init_type = fold->init_type,
                                                      .accum_type = fold->accum_type,
                                                      .op = fold->op},
                              &text));
      break;
    case SEGMENTED_SCAN:
      OK(jig_segmented_scan_spec(&(jig_segmented_scan_args){.in = fold->in,
                                                            .out = fold->out,
                                                            .begin_offsets = number,
                                                            .end_offsets = number,
                                                            .init = fold->init,
                                                            .init_type = fold->init_type,
                                                            .accum_type = fold->accum_type,
                                                            .op = fold->op},
                                 &text));
      break;
    default:
      OK(jig_reduce_by_key_spec(&(jig_reduce_by_key_args){.keys_in = number,
                                                          .unique_out = number,
                                                          .values_in = fold->in,
                                                          .aggregates_out = fold->out,
                                                          .num_runs_out = number,
                                                          .accum_type = fold->accum_type,
                                                          .op = fold->op},
                                &text));
  }
  return text;
}

static jig_type_kind accum_of(form f, const fold_call *fold) {
  char *text = spec_of(f, fold);
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  const jig_type_kind kind = spec_find(&parsed.s, "accum")->type->kind;
  parsed_spec_free(&parsed);
  jig_free(text);
  return kind;
}

static void check(form f, const fold_call *fold, jig_type_kind wanted) {
  static const char *const names[] = {"reduce", "scan", "scan_by_key", "segmented_scan", "reduce_by_key"};
  const jig_type_kind got = accum_of(f, fold);
  const jig_type type = type_of(got), other = type_of(wanted);
  ck_assert_msg(got == wanted, "%s of %s into %s, init %s: in %s, not %s", names[f],
                jig_type_name(&fold->in.type), jig_type_name(&fold->out.type),
                jig_type_name(&fold->init_type), jig_type_name(&type), jig_type_name(&other));
}

START_TEST(sums_and_products_follow_items_and_output) {
  for (const jig_type_kind *in = all_kinds; *in != JIG_KIND_NONE; ++in) {
    for (const jig_type_kind *out = all_kinds; *out != JIG_KIND_NONE; ++out) {
      fold_call fold = {.in = jig_pointer(NULL, type_of(*in)), .out = jig_pointer(NULL, type_of(*out))};
      /* No init: op left out, which is plus, and multiplies. */
      for (form f = REDUCE; f < FORMS; ++f) {
        fold.op = (jig_op)JIG_ZERO;
        check(f, &fold, common_of(common_of(*in, *in), *out));
        fold.op = JIG_MULTIPLIES;
        check(f, &fold, common_of(common_of(*in, *in), *out));
      }
    }
  }
}
END_TEST

START_TEST(the_type_of_an_init_counts_too) {
  for (const jig_type_kind *init = all_kinds; *init != JIG_KIND_NONE; ++init) {
    for (const jig_type_kind *in = all_kinds; *in != JIG_KIND_NONE; ++in) {
      for (const jig_type_kind *out = all_kinds; *out != JIG_KIND_NONE; ++out) {
        const fold_call fold = {.in = jig_pointer(NULL, type_of(*in)),
                                .out = jig_pointer(NULL, type_of(*out)),
                                .init = "",
                                .init_type = type_of(*init)};
        for (form f = REDUCE; f <= SEGMENTED_SCAN; f += SEGMENTED_SCAN - REDUCE)
          check(f, &fold, common_of(common_of(*init, *in), *out));
      }
    }
  }
}
END_TEST

/* In one order or another, three types come to the same. */
START_TEST(a_half_and_another_are_f32_whatever_comes_between) {
  const fold_call fold = {.in = jig_pointer(NULL, JIG_I64),
                          .out = jig_pointer(NULL, JIG_BF16),
                          .init = "",
                          .init_type = JIG_F16};
  for (form f = REDUCE; f <= SEGMENTED_SCAN; ++f) check(f, &fold, JIG_KIND_F32);
}
END_TEST

START_TEST(an_iterator_counts_as_what_is_stored) {
  const jig_iter u64 = jig_pointer(NULL, JIG_U64), index = jig_pointer(NULL, JIG_I32);
  const jig_iter outs[] = {
      jig_transform_output(&index, jig_op_source("return x > 9 ? 9 : int(x);"), JIG_U64),
      jig_discard(JIG_U64),
      jig_strided(NULL, 16, JIG_U64),
      jig_iter_reverse(&u64, 9),
      jig_permutation(&u64, &index),
  };
  for (size_t i = 0; i < COUNT_OF(outs); ++i) {
    const fold_call fold = {.in = jig_pointer(NULL, JIG_U32), .out = outs[i]};
    for (form f = REDUCE; f < FORMS; ++f) check(f, &fold, JIG_KIND_U64);
  }
  const jig_iter base = jig_pointer(NULL, JIG_U8);
  const fold_call transformed = {.in = jig_iter_transform(&base, jig_op_source("return x * x;"), JIG_U32),
                                 .out = u64};
  for (form f = REDUCE; f < FORMS; ++f) check(f, &transformed, JIG_KIND_U64);
}
END_TEST

START_TEST(an_accumulator_that_is_given_is_taken) {
  for (form f = REDUCE; f < FORMS; ++f) {
    const fold_call fold = {
        .in = jig_pointer(NULL, JIG_U32), .out = jig_pointer(NULL, JIG_U64), .accum_type = JIG_U16};
    check(f, &fold, JIG_KIND_U16);
  }
}
END_TEST

/* The output's type is not asked for: what these yield fits where the items do. */
START_TEST(other_operators_follow_init_and_items) {
  static const struct {
    jig_op_kind op;
    jig_type_kind in, wanted;
  } rows[] = {
      {JIG_OP_MIN, JIG_KIND_U8, JIG_KIND_U8},
      {JIG_OP_MAX, JIG_KIND_F16, JIG_KIND_F16},
      {JIG_OP_BIT_OR, JIG_KIND_U8, JIG_KIND_I32},
      {JIG_OP_BIT_XOR, JIG_KIND_U32, JIG_KIND_U32},
      {JIG_OP_LOGICAL_AND, JIG_KIND_I64, JIG_KIND_BOOL},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    fold_call fold = {.in = jig_pointer(NULL, type_of(rows[i].in)), .out = jig_pointer(NULL, JIG_I64)};
    fold.op.kind = rows[i].op;
    for (form f = SCAN; f < FORMS; ++f) check(f, &fold, rows[i].wanted);
  }
  fold_call source = {.in = jig_pointer(NULL, JIG_U32),
                      .out = jig_pointer(NULL, JIG_U64),
                      .op = jig_op_source("return a + b;")};
  check(REDUCE, &source, JIG_KIND_U64);
  for (form f = SCAN; f < FORMS; ++f) check(f, &source, JIG_KIND_U32);
}
END_TEST

/* A type without an init is nobody's, and one that does not exist is not told of another argument. */
START_TEST(the_type_of_no_init_does_not_count) {
  const jig_iter floats = jig_pointer(NULL, JIG_F32);
  const jig_op first = jig_op_source("return a;");
  const jig_type none = {.kind = (jig_type_kind)99};
  const int32_t init = 3;
  const jig_reduce_args reduce = {.in = floats, .out = floats, .op = first};
  const jig_segmented_reduce_args segmented = {
      .in = floats, .out = floats, .segment_size = 4, .op = first};
  jig_reduce_args of_reduce = reduce;
  jig_segmented_reduce_args of_segmented = segmented;
  char *wanted = NULL, *got = NULL;
  of_reduce.init_type = of_segmented.init_type = JIG_I32;
  OK(jig_reduce_spec(&reduce, &wanted));
  OK(jig_reduce_spec(&of_reduce, &got));
  ck_assert_str_eq(got, wanted);
  jig_free(wanted);
  jig_free(got);
  OK(jig_segmented_reduce_spec(&segmented, &wanted));
  OK(jig_segmented_reduce_spec(&of_segmented, &got));
  ck_assert_str_eq(got, wanted);
  jig_free(wanted);
  jig_free(got);
  of_reduce.init = of_segmented.init = &init;
  of_reduce.init_type = of_segmented.init_type = none;
  ck_assert_int_eq(jig_reduce_spec(&of_reduce, &got), JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(jig_last_error(), "jig_reduce_spec: init_type: no type"));
  ck_assert_int_eq(jig_segmented_reduce_spec(&of_segmented, &got), JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(jig_last_error(), "jig_segmented_reduce_spec: init_type: no type"));
  of_reduce.accum_type = none;
  ck_assert_int_eq(jig_reduce_spec(&of_reduce, &got), JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(jig_last_error(), "jig_reduce_spec: accum_type: no type"));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_and_products_follow_items_and_output),
      SUITE_TEST(the_type_of_an_init_counts_too),
      SUITE_TEST(a_half_and_another_are_f32_whatever_comes_between),
      SUITE_TEST(an_iterator_counts_as_what_is_stored),
      SUITE_TEST(an_accumulator_that_is_given_is_taken),
      SUITE_TEST(other_operators_follow_init_and_items),
      SUITE_TEST(the_type_of_no_init_does_not_count),
  };
  return SUITE_RUN("unit/accumulator", tests, false);
}
