/* Names of the user's that C++, jig's own lines or a macro have another use for: the program works, or
 * the message says which name it is. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

static jig_engine *engine;

static void setup(void) {
  engine_setup();
  engine = engine_with((jig_engine_config){.background = JIG_SWITCH_OFF});
}

static void teardown(void) {
  jig_engine_destroy(engine);
  engine_teardown();
}

static jig_type struct_called(const char *name, char text[128]) {
  (void)snprintf(text, 128, "struct %s { int v; };", name);
  return jig_struct(name, text, 4, 4);
}

static jig_status build(jig_status status, char *spec) {
  if (status == JIG_SUCCESS) status = jig_prewarm(engine, spec, "sm_90", NULL);
  jig_free(spec);
  return status;
}

static jig_status reduce(jig_type type, jig_op op) {
  const jig_iter items = jig_pointer(NULL, type);
  char *spec = NULL;
  const jig_status status =
      jig_reduce_spec(&(jig_reduce_args){.in = items, .out = items, .op = op}, &spec);
  return build(status, spec);
}

static jig_status transform(jig_iter in, jig_op op) {
  char *spec = NULL;
  const jig_status status =
      jig_transform_spec(&(jig_transform_args){.in = &in, .num_inputs = 1, .out = in, .op = op}, &spec);
  return build(status, spec);
}

static void is_told(jig_status status, jig_status expected, const char *message) {
  ck_assert_msg(status == expected, "%s: %s", jig_status_name(status), jig_last_error());
  ck_assert_str_eq(jig_last_error(), message);
}

/* ---- of types */

START_TEST(what_is_no_type_is_called_none) {
  const jig_type nameless = jig_struct(NULL, NULL, 4, 4),
                 other = {.kind = (jig_type_kind)99, .name = "other"};
  ck_assert_str_eq(jig_type_name(NULL), "none");
  ck_assert_str_eq(jig_type_name(&nameless), "none");
  ck_assert_str_eq(jig_type_name(&other), "none");
}
END_TEST

/* ---- structs */

START_TEST(structs_may_have_the_names_of_operands) {
  setup();
  static const char *const names[] = {"a", "b", "x", "i", "at", "state", "commutative"};
  for (size_t n = 0; n < COUNT_OF(names); ++n) {
    char text[128];
    const jig_type type = struct_called(names[n], text);
    const jig_iter ints = jig_pointer(NULL, JIG_I32);
    const jig_op plus_state = jig_op_source("return x + state.v;");
    OK(reduce(type, jig_op_source("return a.v < b.v ? b : a;")));
    OK(transform(jig_pointer(NULL, type), jig_op_source("return x;")));
    OK(transform(ints, jig_op_with_state(plus_state, "", type)));
    OK(transform(ints, jig_op_with_device_state(plus_state, "", type)));
  }
  teardown();
}
END_TEST

START_TEST(items_too_large_for_registers_may_too) {
  setup();
  const jig_type type = jig_struct("x", "struct x { int v[256]; };", 1024, 4);
  OK(transform(jig_pointer(NULL, type), jig_op_source("x.v[0] = 1; return x;")));
  teardown();
}
END_TEST

START_TEST(keywords_are_refused) {
  setup();
  static const struct {
    const char *name, *message;
  } rows[] = {
      {"class", "jig_reduce_spec: in: 'class' is a keyword of C++"},
      {"alignas", "jig_reduce_spec: in: 'alignas' is a keyword of C++"},
      {"xor_eq", "jig_reduce_spec: in: 'xor_eq' is a keyword of C++"},
      {"reinterpret_cast", "jig_reduce_spec: in: 'reinterpret_cast' is a keyword of C++"},
      {"void", "jig_reduce_spec: in: 'void' is a keyword of C++"},
      {"geo::this", "jig_reduce_spec: in: 'geo::this': 'this' is a keyword of C++"},
      {"new::hit", "jig_reduce_spec: in: 'new::hit': 'new' is a keyword of C++"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char text[128];
    is_told(reduce(struct_called(rows[i].name, text), JIG_PLUS), JIG_ERROR_INVALID_ARGUMENT,
            rows[i].message);
  }
  teardown();
}
END_TEST

START_TEST(what_only_begins_as_a_keyword_is_none) {
  setup();
  static const char *const names[] = {"clas", "classes", "requires", "reinterpret_casts", "Void"};
  for (size_t i = 0; i < COUNT_OF(names); ++i) {
    char text[128];
    OK(reduce(struct_called(names[i], text), jig_op_source("return a;")));
  }
  teardown();
}
END_TEST

START_TEST(names_that_cuda_has_are_told) {
  setup();
  char text[128];
  is_told(reduce(struct_called("min", text), jig_op_source("return a;")), JIG_ERROR_COMPILE,
          "struct min: error: its name is that of something else: overloaded function \"min\" is not a "
          "type name");
  teardown();
}
END_TEST

/* ---- fields, which the compiler finds where they are */

START_TEST(fields_are_told_where_they_are) {
  setup();
  static const struct {
    const char *definition, *place;
  } rows[] = {{"struct hit { int class; };", "struct hit:1:18: error: "},
              {"struct hit { int this; };", "struct hit:1:18: error: "},
              {"struct hit {\n  void v; };", "struct hit:2:8: error: incomplete type \"void\""}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_status status =
        reduce(jig_struct("hit", rows[i].definition, 4, 4), jig_op_source("return a;"));
    ck_assert_int_eq(status, JIG_ERROR_COMPILE);
    ck_assert_msg(strncmp(jig_last_error(), rows[i].place, strlen(rows[i].place)) == 0, "%s",
                  jig_last_error());
  }
  teardown();
}
END_TEST

/* ---- functions, symbols, kernels and definitions */

START_TEST(functions_have_no_keywords_as_names) {
  setup();
  is_told(reduce(JIG_I32, jig_op_function("int f(int a, int b) { return a; }", "operator")),
          JIG_ERROR_INVALID_ARGUMENT, "jig_reduce_spec: op: 'operator' is a keyword of C++");
  is_told(reduce(JIG_I32, jig_op_binary(JIG_FORMAT_PTX, ".version 8.0\n", 13, "new")),
          JIG_ERROR_INVALID_ARGUMENT, "jig_reduce_spec: op: 'new' is a keyword of C++");
  teardown();
}
END_TEST

static jig_status kernel_with(const char *entry, jig_definition definition) {
  static const char source[] = "extern \"C\" __global__ void k(int *out) { *out = 1; }";
  char *spec = NULL;
  const jig_kernel_config config = {
      .entry = entry, .source = source, .definitions = &definition, .definition_count = 1};
  const jig_status status = jig_kernel_spec(&config, &spec);
  return build(status, spec);
}

START_TEST(types_and_operators_of_a_kernel_have_none_either) {
  setup();
  char text[128];
  is_told(kernel_with("class", jig_define_int("N", 1)), JIG_ERROR_INVALID_ARGUMENT,
          "jig_kernel_spec: entry: 'class' is a keyword of C++");
  is_told(kernel_with("k", jig_define_type("float", JIG_F64)), JIG_ERROR_INVALID_ARGUMENT,
          "jig_kernel_spec: definition of float: 'float' is a keyword of C++");
  is_told(kernel_with("k", jig_define_op("new", JIG_PLUS, 2, JIG_F32, JIG_F32)),
          JIG_ERROR_INVALID_ARGUMENT, "jig_kernel_spec: definition of new: 'new' is a keyword of C++");
  OK(kernel_with("k", jig_define_type("float", JIG_F32)));
  OK(kernel_with("k", jig_define_text("inline", "__forceinline__")));
  OK(kernel_with("k", jig_define_type("a", struct_called("a", text))));
  OK(kernel_with("k", jig_define_op("commutative", JIG_PLUS, 2, JIG_F32, JIG_F32)));
  teardown();
}
END_TEST

/* ---- macros */

#define IN_THE_WAY "is in the way of what jig writes: "

START_TEST(macros_of_a_struct_are_told) {
  setup();
  static const char text[] = "struct hit { int v; };\n#define b 7\n";
  is_told(reduce(jig_struct("hit", text, 4, 4), jig_op_source("return a;")), JIG_ERROR_COMPILE,
          "struct hit:2:9: error: the macro 'b' " IN_THE_WAY
          "expected a \")\"\n"
          "  #define b 7\n"
          "          ^");
  teardown();
}
END_TEST

START_TEST(macros_that_end_in_time_are_none) {
  setup();
  static const char text[] =
      "#define b 7\n#define double int\nstruct hit { double v[b]; };\n#undef b\n#undef double\n";
  OK(reduce(jig_struct("hit", text, 28, 4), jig_op_source("return a;")));
  teardown();
}
END_TEST

START_TEST(macros_with_parameters_are_told_apart) {
  setup();
  static const char text[] = "#define b(x) x\nstruct hit { int v; };\n";
  OK(reduce(jig_struct("hit", text, 4, 4), jig_op_source("return b;")));
  teardown();
}
END_TEST

START_TEST(macros_of_an_operator_are_told) {
  setup();
  is_told(reduce(JIG_I32, jig_op_function("#define b 7\nint f(int p, int q) { return p; }", "f")),
          JIG_ERROR_COMPILE,
          "operator:1:9: error: the macro 'b' " IN_THE_WAY
          "expected a \")\"\n"
          "  #define b 7\n"
          "          ^");
  teardown();
}
END_TEST

#define TO_THE_END(name)                                                 \
  "cannot keep the macro \"" name                                        \
  "\": it would change types of jig's own; #undef it behind what needs " \
  "it\n  #define " name "\n  ^"

/* Otherwise pointers to doubles would be read as pointers to floats, without a word. */
START_TEST(macros_that_change_jigs_types_are_refused) {
  setup();
  static const char text[] = "struct hit { int v; };\n #define double float\n";
  is_told(reduce(jig_struct("hit", text, 4, 4), jig_op_source("return a;")), JIG_ERROR_COMPILE,
          "struct hit:2:1: error: " TO_THE_END("double"));
  const jig_header header = {.name = "real.h", .text = "#define double float\n"};
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.headers = &header, .header_count = 1});
  is_told(reduce(JIG_F64, jig_op_source("#include \"real.h\"\nreturn a;")), JIG_ERROR_COMPILE,
          "real.h:1:1: error: " TO_THE_END("double"));
  teardown();
}
END_TEST

START_TEST(macros_that_change_the_types_of_kernels_are_refused) {
  setup();
#define OF_A_STRUCT(name) \
  { "struct hit { int v; };\n#define " name " bool\n", "struct hit:2:1: error: " TO_THE_END(name) }
  static const struct {
    const char *text, *message;
  } rows[] = {OF_A_STRUCT("int"),      OF_A_STRUCT("unsigned"), OF_A_STRUCT("void"),
              OF_A_STRUCT("int8_t"),   OF_A_STRUCT("int32_t"),  OF_A_STRUCT("uint32_t"),
              OF_A_STRUCT("uint64_t"), OF_A_STRUCT("size_t"),   OF_A_STRUCT("f16")};
  for (size_t i = 0; i < COUNT_OF(rows); ++i)
    is_told(reduce(jig_struct("hit", rows[i].text, 4, 4), jig_op_source("return a;")), JIG_ERROR_COMPILE,
            rows[i].message);
  teardown();
}
END_TEST

#define OF_A_KEYWORD(name)                                           \
  "cannot keep the macro \"" name                                    \
  "\": it would change a keyword that jig's own lines have; #undef " \
  "it behind what needs it\n  #define "

/* `commutative` would be true without a word, and sizes would be right that are wrong. */
START_TEST(macros_that_change_keywords_are_refused) {
  setup();
#define KEYWORD(name, rest)                                       \
  {                                                               \
    "struct hit { int v; };\n#define " name rest "\n",            \
        "struct hit:2:1: error: " OF_A_KEYWORD(name) name "\n  ^" \
  }
  static const char *const rows[][2] = {
      KEYWORD("sizeof", "(x) 4"),     KEYWORD("const", ""),
      KEYWORD("static", ""),          KEYWORD("inline", " __forceinline__"),
      KEYWORD("if", "(x) if (!(x))"), KEYWORD("return", " return 1 +")};
  for (size_t i = 0; i < COUNT_OF(rows); ++i)
    is_told(reduce(jig_struct("hit", rows[i][0], 4, 4), jig_op_source("return a;")), JIG_ERROR_COMPILE,
            rows[i][1]);
  is_told(reduce(JIG_I32, jig_op_function("#define false 1\nint f(int p, int q) { return p; }", "f")),
          JIG_ERROR_COMPILE, "operator:1:1: error: " TO_THE_END("false"));
  is_told(reduce(jig_struct("hit", "struct hit { int v; };\n#define/**/true 0\n", 4, 4),
                 jig_op_source("return a;")),
          JIG_ERROR_COMPILE, "struct hit:2:1: error: " TO_THE_END("true"));
  const jig_header header = {.name = "k.h", .text = "#pragma once\n#define union struct\n"};
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.headers = &header, .header_count = 1});
  is_told(reduce(JIG_F64, jig_op_source("#include \"k.h\"\nreturn a;")), JIG_ERROR_COMPILE,
          "k.h:2:1: error: " OF_A_KEYWORD("union") "union\n  ^");
  teardown();
}
END_TEST

START_TEST(macros_that_change_no_keyword_are_kept) {
  static const char *const lines[] = {"#define restrict __restrict__\n",
                                      "#define truely 0\n#define int3d(x) x\n",
                                      "#ifndef __cplusplus\n#define true 0\n#endif\n",
                                      "/*\n#define true 0\n*/\n",
                                      "#define true 0\n#undef true\n",
                                      "#define requires 0\n",
                                      "static_assert(true, \"define true\");\n"};
  setup();
  for (size_t i = 0; i < COUNT_OF(lines); ++i) {
    char text[256];
    (void)snprintf(text, sizeof text, "struct hit { int v; };\n%s", lines[i]);
    OK(reduce(jig_struct("hit", text, 4, 4), jig_op_source("return a;")));
  }
  OK(reduce(JIG_I32, jig_op_source("#define true 0\nreturn true ? a : b;")));
  teardown();
}
END_TEST

/* Behind the text of a function, jig says of which types it is. */
START_TEST(macros_of_a_function_do_not_change_its_operands) {
  setup();
  static const char text[] = "#define float int\nfloat f(float p, float q) { return p + q; }\n",
                    ended[] =
                        "#define float int\nfloat f(float p, float q) { return p + q; }\n#undef float\n";
  is_told(reduce(JIG_F32, jig_op_function(text, "f")), JIG_ERROR_COMPILE,
          "operator:1:1: error: " TO_THE_END("float"));
  OK(reduce(JIG_F32, jig_op_function(ended, "f")));
  OK(reduce(JIG_F32, jig_op_source("#define float int\nreturn float(a) + float(b);")));
  teardown();
}
END_TEST

/* ---- of kernels of one's own */

START_TEST(definitions_that_change_jigs_types_are_refused) {
  setup();
#define OF_A_DEFINITION(name)                                                                    \
  {                                                                                              \
    name, "jig_kernel_spec: definition of " name ": a macro called '" name                       \
          "' would change types of jig's own; give it another name, or #define it in the source" \
  }
  static const char *const rows[][2] = {OF_A_DEFINITION("float"),   OF_A_DEFINITION("unsigned"),
                                        OF_A_DEFINITION("int32_t"), OF_A_DEFINITION("size_t"),
                                        OF_A_DEFINITION("bool"),    OF_A_DEFINITION("true")};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    is_told(kernel_with("k", jig_define_text(rows[i][0], "long")), JIG_ERROR_INVALID_ARGUMENT,
            rows[i][1]);
    is_told(kernel_with("k", jig_define_int(rows[i][0], 1)), JIG_ERROR_INVALID_ARGUMENT, rows[i][1]);
    is_told(kernel_with("k", jig_define_double(rows[i][0], 1)), JIG_ERROR_INVALID_ARGUMENT, rows[i][1]);
  }
  OK(kernel_with("k", jig_define_text("int32", "long")));
  teardown();
}
END_TEST

static jig_status kernel_of(const char *source, jig_definition definition) {
  char *spec = NULL;
  const jig_kernel_config config = {
      .entry = "k", .source = source, .definitions = &definition, .definition_count = 1};
  const jig_status status = jig_kernel_spec(&config, &spec);
  return build(status, spec);
}

/* Those that its structs and operators include come before jig's lines about these. */
START_TEST(macros_of_a_kernels_headers_are_told) {
  static const jig_header headers[] = {{.name = "real.h", .text = "\n#define double float\n"},
                                       {.name = "b.h", .text = "#define b 7\n"}};
  static const char kernel[] = "extern \"C\" __global__ void k(double *out) { *out = 1; }";
  static const char including[] =
      "#include \"real.h\"\n"
      "static_assert(sizeof(double) == 4);\n"
      "extern \"C\" __global__ void k(double *out) { *out = 1; }";
  setup();
  jig_engine_destroy(engine);
  engine = engine_with(
      (jig_engine_config){.background = JIG_SWITCH_OFF, .headers = headers, .header_count = 2});
  const jig_type real = jig_struct("hit", "#include \"real.h\"\nstruct hit { int v; };", 4, 4);
  const jig_op plus = jig_op_source("#include \"b.h\"\nreturn a;");
  is_told(kernel_of(kernel, jig_define_type("T", real)), JIG_ERROR_COMPILE,
          "real.h:2:1: error: " TO_THE_END("double"));
  is_told(kernel_of(kernel, jig_define_op("Op", plus, 2, JIG_I32, JIG_I32)), JIG_ERROR_COMPILE,
          "b.h:1:9: error: the macro 'b' " IN_THE_WAY
          "expected a \")\"\n"
          "  #define b\n"
          "          ^");
  OK(kernel_of(including, jig_define_type("T", JIG_F64)));
  teardown();
}
END_TEST

/* Behind which there is nothing of jig's. */
START_TEST(macros_of_a_kernels_own_text_are_its_own) {
  setup();
  OK(
      kernel_of("#define int32_t long\n"
                "static_assert(sizeof(int32_t) == 8 && sizeof(T) == 4);\n"
                "extern \"C\" __global__ void k(int32_t *out) { *out = 1; }",
                jig_define_type("T", JIG_I32)));
  teardown();
}
END_TEST

/* ---- of compile options */

static void take_options(const char *const *options, size_t count) {
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){
      .background = JIG_SWITCH_OFF, .compile_options = options, .compile_option_count = count});
}

/* Names as long as no option asks for the C++ that has them as keywords. */
START_TEST(keywords_of_a_newer_language_are_told_where_they_are) {
  static const char *const names[] = {"requires", "concept", "constinit", "consteval", "char8_t"};
  static const char *const newer[] = {"-std=c++20"};
  setup();
  for (int is_newer = 0; is_newer < 2; ++is_newer) {
    if (is_newer) take_options(newer, COUNT_OF(newer));
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
      char text[128], place[64];
      const jig_status status = reduce(struct_called(names[i], text), jig_op_source("return a;"));
      (void)snprintf(place, sizeof place, "struct %s:1:8: error: ", names[i]);
      ck_assert_int_eq(status, is_newer ? JIG_ERROR_COMPILE : JIG_SUCCESS);
      ck_assert_msg(!is_newer || strncmp(jig_last_error(), place, strlen(place)) == 0, "%s",
                    jig_last_error());
    }
  }
  teardown();
}
END_TEST

START_TEST(options_define_what_templates_have_names_for) {
  static const char *const options[] = {"-DT=float", "--define-macro=value(x)=x", "-D", "Item"};
  setup();
  take_options(options, COUNT_OF(options));
  OK(reduce(JIG_F32, jig_op_source("static_assert(value(3) == 3 && Item == 1);\nreturn T(a);")));
  OK(kernel_with("k", jig_define_int("N", 1)));
  teardown();
}
END_TEST

START_TEST(options_that_undefine_are_the_compilers) {
  static const char *const options[] = {"-DSCALE=3", "-DOTHER=4", "-USCALE"};
  setup();
  take_options(options, COUNT_OF(options));
  OK(reduce(JIG_F32, jig_op_source("#ifdef SCALE\n#error\n#endif\nreturn a + OTHER;")));
  teardown();
}
END_TEST

START_TEST(options_in_jigs_way_are_told) {
  static const char *const options[] = {"-lineinfo", "-Da=4"};
  setup();
  take_options(options, COUNT_OF(options));
  is_told(reduce(JIG_F32, jig_op_source("return b;")), JIG_ERROR_COMPILE,
          "compile_options:2:9: error: the macro 'a' " IN_THE_WAY
          "expected a \")\"\n"
          "  #define a 4\n"
          "          ^");
  teardown();
}
END_TEST

START_TEST(options_that_change_jigs_types_are_refused) {
  static const char *const rows[][2] = {{"-Ddouble=float"},
                                        {"-D", "bool=int"},
                                        {"--define-macro=float=half"},
                                        {"-Duint8_t=bool"},
                                        {"-Dtrue=0"}};
  setup();
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    jig_engine *none = NULL;
    char message[128];
    (void)snprintf(message, sizeof message,
                   "config->compile_options: '%s' is refused: it would change types of jig's own",
                   rows[i][0]);
    const jig_engine_config config = {.compile_options = rows[i],
                                      .compile_option_count = rows[i][1] != NULL ? 2 : 1};
    is_told(jig_engine_create(&none, &config), JIG_ERROR_INVALID_ARGUMENT, message);
  }
  teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(what_is_no_type_is_called_none),
      SUITE_TEST(structs_may_have_the_names_of_operands),
      SUITE_TEST(items_too_large_for_registers_may_too),
      SUITE_TEST(keywords_are_refused),
      SUITE_TEST(what_only_begins_as_a_keyword_is_none),
      SUITE_TEST(names_that_cuda_has_are_told),
      SUITE_TEST(fields_are_told_where_they_are),
      SUITE_TEST(functions_have_no_keywords_as_names),
      SUITE_TEST(types_and_operators_of_a_kernel_have_none_either),
      SUITE_TEST(macros_of_a_struct_are_told),
      SUITE_TEST(macros_that_end_in_time_are_none),
      SUITE_TEST(macros_with_parameters_are_told_apart),
      SUITE_TEST(macros_of_an_operator_are_told),
      SUITE_TEST(macros_that_change_jigs_types_are_refused),
      SUITE_TEST(macros_that_change_the_types_of_kernels_are_refused),
      SUITE_TEST(macros_that_change_keywords_are_refused),
      SUITE_TEST(macros_that_change_no_keyword_are_kept),
      SUITE_TEST(macros_of_a_function_do_not_change_its_operands),
      SUITE_TEST(definitions_that_change_jigs_types_are_refused),
      SUITE_TEST(macros_of_a_kernels_headers_are_told),
      SUITE_TEST(macros_of_a_kernels_own_text_are_its_own),
      SUITE_TEST(keywords_of_a_newer_language_are_told_where_they_are),
      SUITE_TEST(options_define_what_templates_have_names_for),
      SUITE_TEST(options_that_undefine_are_the_compilers),
      SUITE_TEST(options_in_jigs_way_are_told),
      SUITE_TEST(options_that_change_jigs_types_are_refused),
  };
  if (compiler_get() == NULL) {
    printf("skipped: unit/names: all of it (no NVRTC)\n");
    return EXIT_SUCCESS;
  }
  return SUITE_RUN("unit/names", tests, false);
}
