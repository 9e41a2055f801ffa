/* Types, operators, iterators and specs, without a GPU or a compiler. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "jit/algorithm.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "suite.h"
#include "util/error.h"

#define FAILS_WITH(call, part)                                                       \
  do {                                                                               \
    ck_assert_int_eq((call), JIG_ERROR_INVALID_ARGUMENT);                            \
    ck_assert_msg(strstr(jig_last_error(), (part)) != NULL, "%s", jig_last_error()); \
  } while (0)

START_TEST(types_have_names_and_sizes) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    ck_assert_int_eq(type.kind, *kind);
    ck_assert_int_eq(jig_type_from_name(jig_type_name(&type)).kind, *kind);
    ck_assert_int_eq(type_check(&type, "x"), JIG_SUCCESS);
    ck_assert_uint_eq(type.size, type.align);
  }
  ck_assert_int_eq(jig_type_from_name("f31").kind, JIG_KIND_NONE);
  ck_assert_int_eq(jig_type_from_name(NULL).kind, JIG_KIND_NONE);
  ck_assert_str_eq(jig_type_name(NULL), "none");
}
END_TEST

START_TEST(common_types_are_those_of_c) {
#define COMMON(a, b) (type_common(&JIG_##a, &JIG_##b, true).kind)
  ck_assert_int_eq(COMMON(I8, I8), JIG_KIND_I32);
  ck_assert_int_eq(COMMON(U8, U16), JIG_KIND_I32);
  ck_assert_int_eq(COMMON(BOOL, BOOL), JIG_KIND_I32);
  ck_assert_int_eq(COMMON(I32, U32), JIG_KIND_U32);
  ck_assert_int_eq(COMMON(U32, I64), JIG_KIND_I64);
  ck_assert_int_eq(COMMON(U64, I64), JIG_KIND_U64);
  ck_assert_int_eq(COMMON(U64, I128), JIG_KIND_I128);
  ck_assert_int_eq(COMMON(F16, F16), JIG_KIND_F16);
  ck_assert_int_eq(COMMON(F16, BF16), JIG_KIND_F32);
  ck_assert_int_eq(COMMON(F16, I64), JIG_KIND_F16);
  ck_assert_int_eq(COMMON(F32, I128), JIG_KIND_F32);
  ck_assert_int_eq(COMMON(F64, F32), JIG_KIND_F64);
  ck_assert_int_eq(type_common(&JIG_I8, &JIG_I8, false).kind, JIG_KIND_I8);
  ck_assert_int_eq(type_common(&JIG_I8, &JIG_I16, false).kind, JIG_KIND_I32);
}
END_TEST

START_TEST(layouts_are_those_of_structs) {
  const jig_iter pointer = jig_pointer((void *)16, JIG_F32);
  ck_assert_uint_eq(iter_layout(&pointer).size, 8);
  const uint8_t state = 3;
  const jig_iter with_state = jig_iter_transform(
      &pointer, jig_op_with_state(jig_op_source("return x;"), &state, JIG_U8), JIG_F64);
  struct {
    void *p;
    uint8_t s;
  } like = {(void *)16, 3}, packed;
  ck_assert_uint_eq(iter_layout(&with_state).size, sizeof like);
  memset(&packed, 0xff, sizeof packed);
  ck_assert_uint_eq(iter_pack(&with_state, (unsigned char *)&packed), sizeof packed);
  ck_assert_ptr_eq(packed.p, like.p);
  ck_assert_uint_eq(packed.s, 3);
  for (size_t i = sizeof like.p + 1; i < sizeof packed; ++i) /* what is between members and behind them */
    ck_assert_uint_eq(((unsigned char *)&packed)[i], 0);
  const int16_t start = -2;
  const jig_iter counting = jig_counting(&start, JIG_I16);
  const double shift = 0.5;
  const jig_iter shifted = jig_iter_transform(
      &counting, jig_op_with_state(jig_op_source("return x;"), &shift, JIG_F64), JIG_F64);
  struct {
    int16_t i;
    double d;
  } other;
  ck_assert_uint_eq(iter_layout(&shifted).size, sizeof other);
  ck_assert_uint_eq(iter_layout(&shifted).align, _Alignof(double));
  ck_assert_uint_eq(iter_pack(&shifted, (unsigned char *)&other), sizeof other);
  ck_assert_int_eq(other.i, -2);
  ck_assert_double_eq(other.d, 0.5);
  const jig_iter stateless = jig_iter_transform(&counting, jig_op_source("return x;"), JIG_I16);
  ck_assert_uint_eq(iter_layout(&stateless).size, 4); /* two bytes, an empty struct of one, padding */
}
END_TEST

START_TEST(sizes_of_more_than_32_bits_are_refused) {
  const size_t wide = (size_t)1 << 32;
  const jig_type types[] = {jig_opaque(wide + 4, 4), jig_opaque(4, wide + 4),
                            jig_struct("s", "struct s { int x; };", wide + 4, 4)};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_iter iter = jig_pointer(NULL, types[i]);
    FAILS_WITH(iter_check(&iter, ITER_INPUT, "in", "in"), "in: ");
  }
}
END_TEST

START_TEST(vectors_fill_16_bytes_unless_they_are_long) {
  static const struct {
    uint32_t size;
    unsigned items;
  } rows[] = {{1, 16}, {2, 8},  {3, 16}, {4, 4},  {5, 1},  {6, 8},  {8, 2},
              {12, 4}, {16, 1}, {20, 1}, {24, 2}, {32, 1}, {33, 1}, {256, 1}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_iter iter = jig_pointer(NULL, jig_struct("s", "struct s {};", rows[i].size, 1));
    ck_assert_uint_eq(iter_vector_items(&iter), rows[i].items);
  }
}
END_TEST

START_TEST(overlap_is_seen_and_only_overlap) {
  char *base = (char *)4096;
  const jig_iter iter = jig_pointer(base, JIG_I32);
  ck_assert(iter_overlaps(&iter, 10, base + 39, 1));
  ck_assert(!iter_overlaps(&iter, 10, base + 40, 100));
  ck_assert(iter_overlaps(&iter, 10, base - 10, 11));
  ck_assert(!iter_overlaps(&iter, 10, base - 10, 10));
  ck_assert(!iter_overlaps(&iter, 0, base, 100));
  ck_assert(iter_overlaps(&iter, UINT64_MAX, base + 5, 1));
  const jig_iter counting = jig_counting(NULL, JIG_I32);
  ck_assert(!iter_overlaps(&counting, 10, base, 100));
}
END_TEST

/* ---- specs */

static char *text_of(jig_reduce_args args) {
  char *text = NULL;
  ck_assert_msg(jig_reduce_spec(&args, &text) == JIG_SUCCESS, "%s", jig_last_error());
  return text;
}

static jig_reduce_args rich(void) {
  static jig_iter base, inner;
  static const int32_t state = 5;
  base = jig_pointer(NULL, JIG_I16);
  inner = jig_iter_transform(&base, jig_op_source("return x * 2;"), JIG_I32);
  return (jig_reduce_args){
      .in = jig_iter_transform(
          &inner,
          jig_op_with_state(jig_op_function("hit f(int s, int x) { return {x, s}; }", "f"), &state,
                            JIG_I32),
          jig_struct("hit", "struct hit { int a, b; };", 8, 4)),
      .out = jig_pointer(NULL, jig_struct("hit", "struct hit { int a, b; };", 8, 4)),
      .op = jig_op_commutative(jig_op_source("return a.a < b.a ? a : b; // \"quoted\"\n\t\\ \xc3\xa9"))};
}

START_TEST(text_is_canonical_and_reads_back) {
  const jig_reduce_args all[] = {{.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)},
                                 {.in = jig_counting(NULL, JIG_U64),
                                  .out = jig_pointer(NULL, JIG_I128),
                                  .op = JIG_MAX,
                                  .init = "",
                                  .init_type = JIG_U8},
                                 {.in = jig_constant("", JIG_BF16),
                                  .out = jig_pointer(NULL, JIG_F64),
                                  .op = JIG_MIN,
                                  .nan = JIG_NAN_IGNORE,
                                  .accum_type = JIG_F64},
                                 rich()};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    char *text = text_of(all[i]);
    parsed_spec parsed;
    ck_assert_msg(spec_parse(text, algorithm_schema, &parsed) == JIG_SUCCESS, "%s\n%s", jig_last_error(),
                  text);
    char *again = NULL;
    ck_assert_int_eq(spec_write(&parsed.s, "x", &again), JIG_SUCCESS);
    ck_assert_str_eq(text, again);
    uint64_t first = spec_hash(&parsed.s);
    parsed_spec twice;
    ck_assert_int_eq(spec_parse(again, algorithm_schema, &twice), JIG_SUCCESS);
    ck_assert(first == spec_hash(&twice.s));
    parsed_spec_free(&parsed);
    parsed_spec_free(&twice);
    jig_free(text);
    jig_free(again);
  }
}
END_TEST

START_TEST(moving_parts_are_not_in_the_text) {
  float x = 1, y = 2;
  char *a = text_of((jig_reduce_args){
      .in = jig_pointer(&x, JIG_F32), .out = jig_pointer(&y, JIG_F32), .num_items = 5, .init = &x});
  char *b = text_of((jig_reduce_args){.in = jig_pointer(NULL, JIG_F32),
                                      .out = jig_pointer(&x, JIG_F32),
                                      .num_items = (uint64_t)1 << 40,
                                      .init = &y,
                                      .op = JIG_PLUS,
                                      .determinism = JIG_DETERMINISM_NONE});
  ck_assert_str_eq(a, b);
  jig_free(a);
  jig_free(b);
}
END_TEST

START_TEST(every_difference_shows_in_text_and_hash) {
  jig_reduce_args variants[12];
  for (size_t i = 0; i < COUNT_OF(variants); ++i) {
    variants[i] = (jig_reduce_args){.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  }
  variants[1].in.type = JIG_I32;
  variants[2].out.type = JIG_F64;
  variants[3].op = JIG_MAX;
  variants[4].op = JIG_MAX;
  variants[4].nan = JIG_NAN_IGNORE;
  variants[5].init = "";
  variants[6].init = "";
  variants[6].init_type = JIG_F64;
  variants[7].accum_type = JIG_F64;
  variants[8].op = jig_op_source("return a + b;");
  variants[9].op = jig_op_source("return a+ b;");
  variants[10].op = jig_op_commutative(variants[8].op);
  variants[11].op = jig_op_with_state(variants[8].op, "", JIG_I32);
  char *texts[COUNT_OF(variants)];
  uint64_t hashes[COUNT_OF(variants)];
  for (size_t i = 0; i < COUNT_OF(variants); ++i) {
    parsed_spec parsed;
    texts[i] = text_of(variants[i]);
    ck_assert_int_eq(spec_parse(texts[i], algorithm_schema, &parsed), JIG_SUCCESS);
    hashes[i] = spec_hash(&parsed.s);
    parsed_spec_free(&parsed);
    for (size_t j = 0; j < i; ++j) {
      ck_assert_str_ne(texts[i], texts[j]);
      ck_assert(hashes[i] != hashes[j]);
    }
  }
  for (size_t i = 0; i < COUNT_OF(variants); ++i) jig_free(texts[i]);
}
END_TEST

START_TEST(flags_of_operators_are_truth_values) {
  static const int truths[] = {1, 5, -1, 1 << 30};
  for (size_t i = 0; i < COUNT_OF(truths); ++i) {
    jig_reduce_args args = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
    args.op = jig_op_with_device_state(jig_op_source("return a + b;"), (void *)256, JIG_I32);
    char *of_one = text_of((args.op.commutative = 1, args));
    args.op.commutative = args.op.device_state = truths[i];
    char *of_any = text_of(args);
    ck_assert_str_eq(of_one, of_any);
    jig_free(of_one);
    jig_free(of_any);
  }
}
END_TEST

#define PTR "{\"kind\":\"pointer\",\"type\":\"i32\"}"

/* Slots that have changed their names are read by those that older specs have, and written by the new
 * ones. */
START_TEST(older_names_are_read) {
  static const struct {
    const char *old, *renamed;
  } rows[] = {
      {"{\"accum\":\"i32\",\"algorithm\":\"scan_by_key\",\"in\":" PTR ",\"keys_in\":" PTR
       ",\"mode\":\"inclusive\",\"op\":\"plus\",\"out\":" PTR "}",
       "{\"accum\":\"i32\",\"algorithm\":\"scan_by_key\",\"keys_in\":" PTR
       ",\"mode\":\"inclusive\",\"op\":\"plus\",\"values_in\":" PTR ",\"values_out\":" PTR "}"},
      {"{\"algorithm\":\"run_length_encode\",\"counts_out\":" PTR ",\"in\":" PTR ",\"num_runs_out\":" PTR
       ",\"unique_out\":" PTR "}",
       "{\"algorithm\":\"run_length_encode\",\"in\":" PTR ",\"lengths_out\":" PTR ",\"num_runs_out\":" PTR
       ",\"unique_out\":" PTR "}"},
      {"{\"algorithm\":\"partition\",\"flags\":" PTR ",\"in\":" PTR ",\"num_selected_out\":" PTR
       ",\"out\":" PTR ",\"rejected_out\":" PTR "}",
       "{\"algorithm\":\"partition\",\"flags\":" PTR ",\"in\":" PTR ",\"num_selected_out\":" PTR
       ",\"out\":" PTR ",\"unselected_out\":" PTR "}"},
      {"{\"algorithm\":\"unique\",\"in\":" PTR ",\"num_selected_out\":" PTR
       ",\"op\":{\"kind\":\"source\",\"source\":\"return a == b;\"},\"out\":" PTR "}",
       "{\"algorithm\":\"unique\",\"equality\":{\"kind\":\"source\",\"source\":\"return a == b;\"},"
       "\"in\":" PTR ",\"num_selected_out\":" PTR ",\"out\":" PTR "}"},
      {"{\"algorithm\":\"merge_sort\",\"keys_in\":" PTR ",\"keys_out\":" PTR ",\"op\":\"greater\"}",
       "{\"algorithm\":\"merge_sort\",\"compare\":\"greater\",\"keys_in\":" PTR ",\"keys_out\":" PTR "}"},
      {"{\"algorithm\":\"merge\",\"first_keys_in\":" PTR ",\"keys_out\":" PTR
       ",\"op\":\"greater\",\"second_keys_in\":" PTR "}",
       "{\"algorithm\":\"merge\",\"compare\":\"greater\",\"first_keys_in\":" PTR ",\"keys_out\":" PTR
       ",\"second_keys_in\":" PTR "}"},
      {"{\"algorithm\":\"arg_reduce\",\"in\":" PTR ",\"index_out\":" PTR
       ",\"nan\":\"propagate\",\"op\":\"min\",\"order\":\"less\"}",
       "{\"algorithm\":\"arg_reduce\",\"compare\":\"less\",\"in\":" PTR ",\"index_out\":" PTR
       ",\"nan\":\"propagate\",\"op\":\"min\"}"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    parsed_spec parsed;
    char *text = NULL;
    OK(spec_parse(rows[i].old, algorithm_schema, &parsed));
    OK(spec_write(&parsed.s, "x", &text));
    check_spec_text(text, rows[i].renamed);
    parsed_spec_free(&parsed);
  }
  parsed_spec parsed;
  FAILS(spec_parse("{\"algorithm\":\"scan_by_key\",\"in\":" PTR ",\"values_in\":" PTR "}",
                   algorithm_schema, &parsed),
        JIG_ERROR_INVALID_ARGUMENT, "in: an older name");
}
END_TEST
#undef PTR

#define OF_OP(kind)                                                                                      \
  "{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"out\":{" \
  "\"kind\":\"pointer\",\"type\":\"f32\"},\"op\":{\"kind\":" kind "}}"

START_TEST(bad_text_is_refused_with_a_reason) {
  static const struct {
    const char *text, *part;
  } rows[] = {
      {"", "line 1"},
      {"[]", "not a JSON object"},
      {"{}", "algorithm: missing"},
      {"{\"algorithm\":\"reduse\"}", "unknown algorithm 'reduse'"},
      {"{\"algorithm\":\"reduce\",\"algorithm\":\"reduce\"}", "duplicate"},
      {"{\"algorithm\":\"reduce\"}", "in: missing"},
      {"{\"algorithm\":\"reduce\",\"what\":1}", "unknown member 'what'"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f31\"}", "accum: not a type"},
      {"{\"algorithm\":\"reduce\",\"accum\":{\"name\":\"s\"}}", "accum: 'size' and 'align' are needed"},
      {"{\"algorithm\":\"reduce\",\"accum\":{\"name\":\"s\",\"size\":999999,\"align\":4,\"definition\":"
       "\"x\"},\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"op\":\"plus\","
       "\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}",
       "struct 's' has size 999999; 1 to 4096 bytes"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"in\":\"f32\"}",
       "in: not an iterator, such as {\"kind\":\"pointer\""},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"in\":{\"kind\":\"pointer\"}}", "in: not a type"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\",\"x\":"
       "1}}",
       "unknown member 'x'"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},"
       "\"op\":\"plus\"}",
       "out: missing"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"op\":\"add\"}", "op: not an operator"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"op\":{\"kind\":\"plus\",\"nan\":\"ignore\"}}",
       "op: 'nan'"},
      {OF_OP("\"plus\",\"source\":\"return a;\""), "op: unknown member 'source'"},
      {OF_OP("\"source\",\"source\":\"return a;\",\"name\":\"f\""), "op: unknown member 'name'"},
      {OF_OP("\"function\",\"source\":\"x\",\"name\":\"f\",\"data\":\"\""), "op: unknown member 'data'"},
      {OF_OP("\"source\",\"source\":\"return a;\",\"commutative\":\"yes\""),
       "op: 'commutative' is neither true nor false"},
      {OF_OP("\"source\",\"source\":\"return a;\",\"by_pointer\":1"),
       "op: 'by_pointer' is neither true nor false"},
      {OF_OP("\"plus\",\"by_pointer\":true"), "op: jig_op_by_pointer() is for jig_op_binary() only"},
      {OF_OP("\"source\",\"source\":\"return a;\",\"device_state\":true"),
       "op: the type of the operator's state is missing"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"op\":{\"kind\":\"source\"},"
       "\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}",
       "op: the operator's source"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"op\":\"bit_or\","
       "\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}",
       "'bit_or' is not defined for f32"},
      {"{\"algorithm\":\"reduce\",\"accum\":\"f32\",\"op\":\"plus\","
       "\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},\"out\":{\"kind\":\"counting\",\"type\":\"f32\"}}",
       "out: an output must be"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    parsed_spec parsed;
    FAILS_WITH(spec_parse(rows[i].text, algorithm_schema, &parsed), rows[i].part);
  }
}
END_TEST

START_TEST(operators_have_names) {
  static const char *const names[] = {"plus",    "multiplies",  "min",        "max",  "bit_and", "bit_or",
                                      "bit_xor", "logical_and", "logical_or", "less", "greater"};
  const jig_op ops[] = {JIG_PLUS,    JIG_MULTIPLIES,  JIG_MIN,        JIG_MAX,  JIG_BIT_AND, JIG_BIT_OR,
                        JIG_BIT_XOR, JIG_LOGICAL_AND, JIG_LOGICAL_OR, JIG_LESS, JIG_GREATER};
  for (size_t i = 0; i < COUNT_OF(ops); ++i) {
    ck_assert_int_eq(jig_op_from_name(names[i]).kind, ops[i].kind);
    ck_assert_str_eq(op_name(ops[i].kind), names[i]);
    ck_assert(op_is_well_known(&ops[i]));
  }
  static const char *const others[] = {"source", "function", "binary", "none", ""};
  for (size_t i = 0; i < COUNT_OF(others); ++i)
    ck_assert_int_eq(jig_op_from_name(others[i]).kind, JIG_OP_NONE);
  ck_assert_int_eq(jig_op_from_name(NULL).kind, JIG_OP_NONE);
  const jig_op named[] = {JIG_IDENTITY,     JIG_NEGATE,     JIG_BIT_NOT,       JIG_LOGICAL_NOT,
                          JIG_MINUS,        JIG_DIVIDES,    JIG_MODULUS,       JIG_EQUAL_TO,
                          JIG_NOT_EQUAL_TO, JIG_LESS_EQUAL, JIG_GREATER_EQUAL, JIG_MIN_MAGNITUDE,
                          JIG_MAX_MAGNITUDE};
  for (size_t i = 0; i < COUNT_OF(named); ++i) ck_assert_int_eq(named[i].kind, JIG_OP_SOURCE);
  /* Programs that are compiled already have these numbers. */
  ck_assert_int_eq(JIG_OP_SOURCE, 10);
  ck_assert_int_eq(JIG_OP_BINARY, 12);
  ck_assert_int_eq(JIG_OP_LESS, 13);
  ck_assert_int_eq(JIG_OP_GREATER, 14);
}
END_TEST

START_TEST(a_well_known_operator_has_no_state) {
  const int state = 0;
  float in, out;
  const jig_type unsound = jig_struct(NULL, NULL, 4096, 1);
  const jig_reduce_args args = {.in = jig_pointer(&in, JIG_F32),
                                .out = jig_pointer(&out, JIG_F32),
                                .num_items = 1,
                                .op = jig_op_with_state(JIG_PLUS, &state, unsound)};
  char *text;
  ck_assert_int_eq(jig_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(jig_last_error(), "op: 'plus' has no state"));
}
END_TEST

START_TEST(a_state_has_a_type) {
  const int state = 0;
  const jig_reduce_args args = {
      .in = jig_pointer(NULL, JIG_F32),
      .out = jig_pointer(NULL, JIG_F32),
      .num_items = 1,
      .op = jig_op_with_state(jig_op_source("return a + b;"), &state, jig_type_from_name("int"))};
  char *text;
  FAILS(jig_reduce_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT,
        "op: the type of the operator's state is missing");
}
END_TEST

START_TEST(nesting_has_a_limit) {
  jig_iter chain[40];
  chain[0] = jig_pointer(NULL, JIG_I32);
  for (int i = 1; i < 40; ++i)
    chain[i] = jig_iter_transform(&chain[i - 1], jig_op_source("return x;"), JIG_I32);
  ck_assert_int_eq(iter_check(&chain[ITER_MAX_DEPTH - 1], ITER_INPUT, "in", "in"), JIG_SUCCESS);
  FAILS_WITH(iter_check(&chain[39], ITER_INPUT, "in", "in"), "nested more than");
  chain[5].base = &chain[10]; /* a circle */
  FAILS_WITH(iter_check(&chain[10], ITER_INPUT, "in", "in"), "nested more than");
}
END_TEST

START_TEST(text_that_is_not_utf8_is_refused) {
  char *text = NULL;
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_I32),
                                .out = jig_pointer(NULL, JIG_I32),
                                .op = jig_op_source("return a; // \xff\xfe")};
  FAILS_WITH(jig_reduce_spec(&args, &text),
             "jig_reduce_spec: op: operator:1:14: error: byte 0xff is not UTF-8");
  ck_assert_ptr_null(text);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(types_have_names_and_sizes),
      SUITE_TEST(common_types_are_those_of_c),
      SUITE_TEST(layouts_are_those_of_structs),
      SUITE_TEST(sizes_of_more_than_32_bits_are_refused),
      SUITE_TEST(vectors_fill_16_bytes_unless_they_are_long),
      SUITE_TEST(overlap_is_seen_and_only_overlap),
      SUITE_TEST(text_is_canonical_and_reads_back),
      SUITE_TEST(moving_parts_are_not_in_the_text),
      SUITE_TEST(every_difference_shows_in_text_and_hash),
      SUITE_TEST(flags_of_operators_are_truth_values),
      SUITE_TEST(older_names_are_read),
      SUITE_TEST(bad_text_is_refused_with_a_reason),
      SUITE_TEST(operators_have_names),
      SUITE_TEST(a_well_known_operator_has_no_state),
      SUITE_TEST(a_state_has_a_type),
      SUITE_TEST(nesting_has_a_limit),
      SUITE_TEST(text_that_is_not_utf8_is_refused),
  };
  return SUITE_RUN("unit/spec", tests, false);
}
