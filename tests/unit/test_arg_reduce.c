/* Arg-reduce as far as it needs neither compiler nor GPU: its specs, which calls share one, and what is
 * refused. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"

static char *spec_text(jig_arg_reduce_args args) {
  char *text = NULL;
  OK(jig_arg_reduce_spec(&args, &text));
  return text;
}

#define POINTER(type) "{\"kind\":\"pointer\",\"type\":\"" type "\"}"
#define SPEC_BY(compare, in, index, nan, op, rest)                                                     \
  "{\"algorithm\":\"arg_reduce\"," compare                                                             \
  "\"in\":" POINTER(in) ",\"index_out\":" POINTER(index) ",\"nan\":\"" nan "\",\"op\":\"" op "\"" rest \
                                                         "}"
#define SPEC(in, index, nan, op, rest) SPEC_BY("", in, index, nan, op, rest)

static jig_arg_reduce_args args_of(jig_type in, jig_type index) {
  return (jig_arg_reduce_args){.in = jig_pointer(NULL, in), .index_out = jig_pointer(NULL, index)};
}

START_TEST(texts_are_canonical) {
  jig_arg_reduce_args args = args_of(JIG_F32, JIG_I64);
  check_spec_text(spec_text(args), SPEC("f32", "i64", "propagate", "min", ""));
  args.nan = JIG_NAN_IGNORE;
  args.op = JIG_MAX;
  args.value_out = args.in;
  check_spec_text(spec_text(args), SPEC("f32", "i64", "ignore", "max", ",\"value_out\":" POINTER("f32")));
  args = args_of(JIG_F32, JIG_U8);
  args.compare = jig_op_source("return b < a;");
  args.nan = JIG_NAN_IGNORE; /* which is the order's affair */
  check_spec_text(spec_text(args),
                  SPEC_BY("\"compare\":{\"kind\":\"source\",\"source\":\"return b < a;\"},", "f32", "u8",
                          "propagate", "min", ""));
  args.compare = JIG_LESS; /* NaNs last, which is not the default */
  check_spec_text(spec_text(args), SPEC_BY("\"compare\":\"less\",", "f32", "u8", "propagate", "min", ""));
  args.compare = JIG_GREATER;
  args.op = JIG_MAX;
  check_spec_text(spec_text(args),
                  SPEC_BY("\"compare\":\"greater\",", "f32", "u8", "propagate", "max", ""));
}
END_TEST

/* Over integers, and structs, the well-known orders are the default and its other direction; NaNs are
 * nowhere. */
START_TEST(what_is_the_same_has_one_spec) {
  const jig_type s = jig_struct("s", "struct s { int k; bool operator<(s o) const; };", 4, 4);
  const jig_type types[] = {JIG_U8, JIG_I128, JIG_BOOL, s};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_arg_reduce_args min = args_of(types[i], JIG_I32);
    jig_arg_reduce_args less = min, greater = min, ignore = min;
    less.compare = JIG_LESS;
    greater.compare = JIG_GREATER;
    greater.op = JIG_MAX;
    ignore.nan = JIG_NAN_IGNORE;
    ignore.op = JIG_MIN;
    char *wanted = spec_text(min);
    const jig_arg_reduce_args others[] = {less, greater, ignore};
    for (size_t k = 0; k < COUNT_OF(others); ++k) {
      char *text = spec_text(others[k]);
      ck_assert_str_eq(text, wanted);
      jig_free(text);
    }
    greater.op = JIG_MIN;
    char *max = spec_text(greater);
    ck_assert_ptr_nonnull(strstr(max, "\"op\":\"max\""));
    ck_assert_ptr_null(strstr(max, "compare"));
    jig_free(max);
    jig_free(wanted);
  }
}
END_TEST

START_TEST(bad_texts_are_refused) {
  static const refused_spec rows[] = {
      {SPEC("i32", "i64", "ignore", "min", ""), "nan: there are no NaNs among i32 to be ignored"},
      {SPEC_BY("\"compare\":{\"kind\":\"source\",\"source\":\"return a < b;\"},", "f32", "i64", "ignore",
               "min", ""),
       "nan: there are no NaNs among f32 to be ignored by an order"},
      {SPEC("i32", "i64", "last", "min", ""), "nan: no such choice"},
      {SPEC("i32", "i64", "propagate", "plus", ""), "op: no such choice"},
      {SPEC("i32", "f64", "propagate", "min", ""), "index_out: it must be of an integer type, not f64"},
      {SPEC("i32", "bool", "propagate", "min", ""), "index_out: it must be of an integer type, not bool"},
      {SPEC_BY("\"compare\":\"plus\",", "i32", "i64", "propagate", "min", ""),
       "compare: 'plus' tells no order"},
      {SPEC("i32", "i64", "propagate", "min", ",\"value_out\":" POINTER("i64")),
       "value_out: its type must be that of in, i32, not i64"},
  };
  check_refused_specs(rows, COUNT_OF(rows));
}
END_TEST

START_TEST(bad_args_are_refused) {
  char *text = NULL;
  jig_arg_reduce_args args = args_of(JIG_I32, JIG_I64);
  args.op = JIG_PLUS;
  FAILS(jig_arg_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT,
        "jig_arg_reduce_spec: op: it must be JIG_MIN or JIG_MAX; an operator that compares is given as "
        "'compare'");
  args.op = jig_op_source("return a < b;");
  FAILS(jig_arg_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT,
        "op: it must be JIG_MIN or JIG_MAX");
  args = args_of(jig_opaque(8, 4), JIG_I64);
  FAILS(jig_arg_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT,
        "in: '<' is not defined for opaque");
  args.compare = jig_op_source("return a < b;");
  OK(jig_arg_reduce_spec(&args, &text));
  jig_free(text);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(texts_are_canonical),
      SUITE_TEST(what_is_the_same_has_one_spec),
      SUITE_TEST(bad_texts_are_refused),
      SUITE_TEST(bad_args_are_refused),
  };
  return SUITE_RUN("unit/arg_reduce", tests, false);
}
