/* What is told of programs that do not compile: the compiler's findings in the user's terms. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "jit/compiled.h"
#include "jit/compiler.h"
#include "jit/diagnose.h"
#include "numbers.h"
#include "suite.h"

#define IS_FOUND(log, program, message)                          \
  do {                                                           \
    ck_assert_int_eq(diagnose(log, program), JIG_ERROR_COMPILE); \
    ck_assert_str_eq(jig_last_error(), message);                 \
  } while (0)

/* ---- logs as they were written */

static const char undefined[] =
    "operator(2): error: identifier \"y\" is undefined\n"
    "  return a + y;\n"
    "             ^\n"
    "\n";
static const char undefined_told[] =
    "operator:2:12: error: identifier \"y\" is undefined\n"
    "  return a + y;\n"
    "             ^";

START_TEST(only_what_is_wrong_is_told) {
  char log[2048];
  (void)snprintf(log, sizeof log,
                 "ptxas info    : 0 bytes gmem\n"
                 "operator(1): warning #177-D: variable \"q\" was declared but never referenced\n"
                 "  int q;\n"
                 "      ^\n"
                 "\n"
                 "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
                 "\n"
                 "jig/agent/reduce/reduce.cuh(41): error: no operator \"+\" matches these operands\n"
                 "            operand types are: hit + hit\n"
                 "  fold + op_(fold, value)\n"
                 "       ^\n"
                 "jig/core/types.cuh(7): note #3327-D: candidate\n"
                 "          detected during instantiation of \"jig::x\" at line 3 of jig program\n"
                 "\n"
                 "%s"
                 "2 errors detected in the compilation of \"jig program\".\n",
                 undefined);
  IS_FOUND(log, "", undefined_told);
}
END_TEST

START_TEST(header_files_that_are_absent_are_explained) {
  IS_FOUND(
      "operator(2): error: #error directive: cannot include \"x/y.h\": neither config->headers nor a "
      "folder of config->include_path has it\n"
      "  #error cannot include \"x/y.h\": neither config->headers nor a folder of config->include_path "
      "has it\n"
      "   ^\n"
      "\n"
      "1 error detected in the compilation of \"jig program\".\n",
      "",
      "operator:2:1: error: cannot include \"x/y.h\": neither config->headers nor a folder of "
      "config->include_path has it\n"
      "  #include \"x/y.h\"\n"
      "  ^");
}
END_TEST

START_TEST(options_are_told_by_the_name_that_they_have) {
  IS_FOUND(
      "Command-line error: invalid macro definition: 3=4\n"
      "\n"
      "1 catastrophic error detected in the compilation of \"jig program\".\n"
      "Compilation terminated.\n",
      "", "compile_options: invalid macro definition: 3=4");
}
END_TEST

START_TEST(what_a_key_lacks_is_told_of_its_decomposer) {
  IS_FOUND(
      "jig/core/radix.cuh(101): error: static assertion failed with \"a key's fields have more bits than "
      "are sorted by\"\n"
      "      static_assert(decltype(fields)::count <= 8 * field_bytes);\n"
      "      ^\n"
      "          detected during instantiation of \"x\" [with T=kv] at line 9 of jig program\n"
      "\n",
      "", "decomposer: error: a key's fields have more bits than are sorted by");
}
END_TEST

START_TEST(classes_of_a_struct_are_told_as_the_struct) {
  static const char program[] =
      "#line 1 \"layout of it\"\ntemplate struct jig::stated_layout<it, sizeof(it), alignof(it), 4, 4>;\n"
      "#line 1 \"layout of hit\"\ntemplate struct jig::stated_layout<hit, sizeof(hit), alignof(hit), 4, "
      "4>;\n";
  static const char told[] =
      "struct hit: error: it has no default constructor; jig declares values, and assigns to them later";
  IS_FOUND(
      "jig/agent/radix_sort/radix_sort_cluster.cuh(143): error: the default constructor of "
      "\"jig::array<jig::Agent<jig_policy>::Kept, 8>\" (aka \"jig::array<hit, 8>\") cannot be referenced "
      "-- it "
      "is a deleted function\n"
      "  array<Kept, rows> kept;\n"
      "                    ^\n"
      "\n",
      program, told);
  IS_FOUND(
      "jig/agent/segmented_reduce/segmented_reduce.cuh(41): error: no instance of constructor "
      "\"hit::hit\" matches "
      "the argument list\n"
      "  return Accum{};\n"
      "              ^\n"
      "\n",
      program, told);
}
END_TEST

START_TEST(errors_with_numbers_are_errors) {
  IS_FOUND(
      "operator(3): error #940-D: missing return statement\n"
      "  \t}\n"
      "  \t^\n"
      "\n",
      "", "operator:3:2: error: missing return statement\n  \t}\n  \t^");
}
END_TEST

START_TEST(what_is_seen_at_the_end_is_put_at_the_texts_end) {
  static const char log[] =
      "end of operator(1): error: expected a \";\"\n"
      "    }\n"
      "    ^\n"
      "\n";
  IS_FOUND(log,
           "// jig\n#line 1 \"operator of in\"\n1\n#line 1 \"end of operator of in\"\n  }\n"
           "#line 1 \"operator\"\nint f;\nf(a)  // x\r\n \t\n\n#line 1 \"end of operator\"\n  }\n",
           "operator:2:11: error: expected a \";\"\n  f(a)  // x\n            ^");
}
END_TEST

START_TEST(at_most_ten_errors_are_told) {
  char log[4096] = "";
  for (int i = 0; i < 13; ++i) strcat(log, undefined);
  ck_assert_int_eq(diagnose(log, ""), JIG_ERROR_COMPILE);
  const char *told = jig_last_error();
  for (int i = 0; i < 10; ++i, told += strlen("\n")) {
    ck_assert(strncmp(told, undefined_told, strlen(undefined_told)) == 0);
    told += strlen(undefined_told);
  }
  ck_assert_str_eq(told, "and 3 more errors");
}
END_TEST

START_TEST(the_assembler_has_its_say) {
  IS_FOUND(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas application ptx input, line 26; error   : Not a name of any known instruction: 'bogus'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      "",
      "error: the program compiles, but cannot be assembled: Not a name of any known instruction: "
      "'bogus'");
  IS_FOUND(
      "ptxas fatal   : Unresolved extern function '_Z1fff'\n", "",
      "error: the program compiles, but a function is declared and nowhere defined: Unresolved extern "
      "function '_Z1fff'");
}
END_TEST

START_TEST(too_much_shared_memory_names_the_kernel) {
#define TOO_MUCH(name, bytes)               \
  "error: the kernel '" name "' has " bytes \
  " bytes of static shared memory; it can have 49152, and more only as dynamic shared memory"
  /* Assemblers that fail and do not say why. */
  IS_FOUND(
      "ptxas info    : 12 bytes gmem\n"
      "ptxas info    : Compiling entry function 'small' for 'sm_90'\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 49152 bytes smem\n"
      "ptxas info    : Compiling entry function 'big' for 'sm_90'\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 52000 bytes smem\n"
      "ptxas info    : Compiling entry function 'bigger' for 'sm_90'\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 123456 bytes smem\n",
      "", TOO_MUCH("big", "52000") "\n" TOO_MUCH("bigger", "123456"));
  /* And those that say so, as the driver's does. */
  static const char said[] =
      "ptxas error   : Entry function 'big' uses too much shared data (0xcb20 bytes, 0xc000 max)\n";
  IS_FOUND(said, "", TOO_MUCH("big", "52000"));
  ck_assert(diagnose_shared(said));
  ck_assert_str_eq(jig_last_error(), TOO_MUCH("big", "52000"));
  ck_assert(!diagnose_shared("") && !diagnose_shared("ptxas info    : Used 10 registers\n"));
}
END_TEST

START_TEST(there_is_always_a_message) {
  static const char *const logs[] = {
      "",
      "\n\n",
      "(1): error",
      "((((1)))): error: ",
      "operator(1): error: x",
      "operator(99999999999999999999): error: x\n",
      "operator(1):\n error: x\n",
      "operator(\n1): error: x\n",
      "operator(1): error: x\n  ^",
      "operator(1): error: x\n  ^\n  ^\n",
      "operator(1): error: x\n ^\n",
      "end of (1): error: x\n",
      "call of (1): error: x\n",
      "call of x: (1): error: has no member \"",
      "layout of (1): error: x\n",
      "jig/x(1): error: static assertion failed with \"",
      "jig/x(1): error: static assertion failed with \"x\"\n\n T=",
      "jig/x(1): error: static assertion failed with \"JIG_TYPE_MISMATCH\"",
      "jig/x(1): error: ::operator=(",
      "At end of source: error: expected a \"}\"",
      "ptxas fatal   : ",
      "ptxas info    : Compiling entry function '",
      "ptxas error   : Entry function 'k' uses too much shared data (",
      "ptxas info    : Used 1 registers, 99999 bytes smem"};
  for (size_t i = 0; i < COUNT_OF(logs); ++i) {
    jig_status status = diagnose(logs[i], "");
    ck_assert(status == JIG_ERROR_COMPILE || status == JIG_ERROR_TYPE_MISMATCH);
    ck_assert_msg(jig_last_error()[0] != '\0', "%s", logs[i]);
  }
  /* A log that ends anywhere, read to its end and not beyond. */
  for (size_t length = 0; length < strlen(undefined); ++length) {
    char *log = strndup(undefined, length);
    ck_assert_int_eq(diagnose(log, ""), JIG_ERROR_COMPILE);
    ck_assert_str_ne(jig_last_error(), "");
    free(log);
  }
}
END_TEST

/* What a static_assert prints may look like the compiler's own lines. */
START_TEST(lines_before_a_caret_may_be_short) {
  IS_FOUND("operator(1): error: boo\ny\n     ^\n", "", "operator:1:4: error: boo\n  \n     ^");
  IS_FOUND("operator(1): error: boo\nxyz\n\n", "", "operator:1: error: boo");
  IS_FOUND("operator(1): error: boo\nxyz\ny\n     ^\nz\n", "",
           "operator:1:4: error: boo\nxyz\n  \n     ^");
}
END_TEST

/* A text whose marks share a line end has no line. */
START_TEST(programs_may_have_no_text) {
  IS_FOUND("end of operator(1): error: x\n", "\n#line 1 \"operator\"\n#line 1 \"end of operator\"\n",
           "end of operator:1: error: x");
  IS_FOUND("end of operator(1): error: x\n", "\n#line 1 \"operator\"\n\n#line 1 \"end of operator\"\n",
           "operator:1:1: error: x\n  \n  ^");
}
END_TEST

START_TEST(costs_are_the_most_of_any_kernel) {
  static const struct {
    const char *log;
    kernel_cost cost;
  } rows[] = {
      {"", {-1, -1, -1}},
      {"ptxas info    : Used 31 registers, used 1 barriers\n", {31, 0, -1}},
      {"ptxas info    : Used 31 registers, 64 bytes smem, 380 bytes cmem[0]", {31, 64, -1}},
      {"    8 bytes stack frame, 16 bytes spill stores, 4 bytes spill loads\n"
       "ptxas info    : Used 7 registers, used 1 barriers, 800 bytes cumulative stack size, 400 bytes "
       "smem\n"
       "    8 bytes stack frame, 0 bytes spill stores, 8 bytes spill loads\n"
       "ptxas info    : Used 40 registers, used 0 barriers\n",
       {40, 400, 20}},
      {"128 registers\n16 bytes smem", {-1, -1, -1}},
      {"Used registers, bytes smem\n bytes spill stores, bytes spill loads", {-1, -1, -1}},
      {"Used 99999999999999999999 registers\n"
       "stack frame, 99999999999999999999 bytes spill stores, 99999999999999999999 bytes spill loads",
       {999999999, 0, 1999999998}},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const kernel_cost cost = kernel_cost_read(rows[i].log);
    ck_assert_int_eq(cost.registers, rows[i].cost.registers);
    ck_assert_int_eq(cost.shared_bytes, rows[i].cost.shared_bytes);
    ck_assert_int_eq(cost.spill_bytes, rows[i].cost.spill_bytes);
  }
}
END_TEST

START_TEST(the_whole_log_follows_where_it_is_asked_for) {
  set_variable("JIG_LOG", "debug"); /* this test has a process of its own, which has not read it yet */
  ck_assert_int_eq(diagnose(undefined, ""), JIG_ERROR_COMPILE);
  const size_t length = strlen(undefined_told);
  ck_assert_int_eq(strncmp(jig_last_error(), undefined_told, length), 0);
  ck_assert_str_eq(jig_last_error() + length + strlen("\nThe compiler's log:\n"), undefined);
}
END_TEST

/* ---- the compiler's own */

/* What building a reduce leaves as its message; to be followed by engine_teardown(). */
static void check_build(jig_engine *engine, const jig_reduce_args *args, jig_status status,
                        const char *message) {
  char *text = NULL;
  ck_assert_msg(jig_reduce_spec(args, &text) == JIG_SUCCESS, "%s", jig_last_error());
  ck_assert_int_eq(jig_prewarm(engine, text, "compute_80", NULL), status);
  ck_assert_str_eq(jig_last_error(), message);
  jig_free(text);
}

static const jig_reduce_args floats = {.in = {.kind = JIG_ITER_POINTER, .type = JIG_F32},
                                       .out = {.kind = JIG_ITER_POINTER, .type = JIG_F32}};

/* Whether there is a compiler; to be followed by engine_teardown() in either case. */
static bool begin(const char *test) {
  engine_setup();
  if (compiler_get() != NULL) return true;
  printf("skipped: unit/diagnose: %s (no NVRTC)\n", test);
  return false;
}

typedef struct wrong_text {
  const char *source, *function; /* function: NULL for a body */
  const char *message;
} wrong_text;

static const wrong_text wrong_operators[] = {
    {"float c = a;\r\n\tif (c) { return y; }\treturn z;\r\n", NULL,
     "operator:2:18: error: identifier \"y\" is undefined\n"
     "  \tif (c) { return y; }\treturn z;\n"
     "  \t                ^\n"
     "operator:2:30: error: identifier \"z\" is undefined\n"
     "  \tif (c) { return y; }\treturn z;\n"
     "  \t                    \t       ^"},
    {"/* \xc3\xa9\xe2\x82\xac */ return y;", NULL,
     "operator:1:20: error: identifier \"y\" is undefined\n"
     "  /* \xc3\xa9\xe2\x82\xac */ return y;\n"
     "                  ^"},
    {"#define M(x) \\\n (x + \\\n nothing)\nreturn M(a);", NULL,
     "operator:4:8: error: identifier \"nothing\" is undefined\n"
     "  return M(a);\n"
     "         ^"},
    {"int unused;\nreturn a + b  // end\n\n", NULL,
     "operator:2:21: error: expected a \";\"\n"
     "  return a + b  // end\n"
     "                      ^"},
    {"float c = a;", NULL,
     "operator:1:13: error: missing return statement at end of non-void function \"operator()\"\n"
     "  float c = a;\n"
     "              ^"},
    {"if (a < 0) return;\nreturn b;", NULL,
     "operator:1:18: error: non-void function \"operator()\" should return a value\n"
     "  if (a < 0) return;\n"
     "                   ^"},
    {"auto f = [](auto x) { return x.y; };\nreturn f(a);", NULL,
     "operator:1:30: error: expression must have class type but it has type \"float\"\n"
     "  auto f = [](auto x) { return x.y; };\n"
     "                               ^\n"
     "          detected during instantiation of function \"lambda [](auto)->auto [with "
     "<auto-1>=float]\" at "
     "line 2"},
    {"float f(float a, float b) { return a; }\nint x", "f",
     "operator:2:6: error: expected a \";\"\n"
     "  int x\n"
     "       ^"},
    {"float g(float a, float b) { return a; }", "f",
     "operator: error: calling float f(float, float): the text has no function \"f\""},
    {"float f(float a) { return a; }", "f",
     "operator: error: calling float f(float, float): too many arguments in function call"},
    {"struct q {}; float f(q a, q b) { return 1; }", "f",
     "operator: error: calling float f(float, float): no suitable constructor exists to convert from "
     "\"float\" to \"q\""},
    {"struct q {}; q f(float a, float b) { return q{}; }", "f",
     "operator: error: calling float f(float, float): no suitable conversion function from \"q\" to "
     "\"float\" exists"},
    {"float f(double a, float b) { return a; }\nfloat f(float a, double b) { return a; }", "f",
     "operator: error: calling float f(float, float): more than one instance of overloaded function "
     "\"f\" "
     "matches the argument list:\n"
     "            function \"f(double, float)\" (declared at line 1 of operator)\n"
     "            function \"f(float, double)\" (declared at line 2 of operator)\n"
     "            argument types are: (float, float)"},
};

START_TEST(operators_that_are_wrong) {
  if (begin("operators_that_are_wrong")) {
    jig_engine *engine = engine_with((jig_engine_config){0});
    for (size_t i = 0; i < COUNT_OF(wrong_operators); ++i) {
      const wrong_text *row = &wrong_operators[i];
      jig_reduce_args args = floats;
      args.op = row->function == NULL ? jig_op_source(row->source)
                                      : jig_op_function(row->source, row->function);
      check_build(engine, &args, JIG_ERROR_COMPILE, row->message);
    }
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

START_TEST(every_operator_has_a_name) {
  if (begin("every_operator_has_a_name")) {
    jig_engine *engine = engine_with((jig_engine_config){0});
    jig_reduce_args args = floats;
    const jig_iter inner = jig_iter_transform(&floats.in, jig_op_source("return x.y;"), JIG_F32);
    args.in = jig_iter_transform(&inner, jig_op_function("float f() {\n  return z;\n}", "f"), JIG_F32);
    args.op = jig_op_with_state(jig_op_function("float f(int i) { return i; }", "f"), "1234", JIG_I32);
    check_build(engine, &args, JIG_ERROR_COMPILE,
                "operator of in:1:8: error: expression must have class type but it has type \"float\"\n"
                "  return x.y;\n"
                "         ^\n"
                "operator 2 of in:2:10: error: identifier \"z\" is undefined\n"
                "    return z;\n"
                "           ^");
    args.in = floats.in;
    check_build(
        engine, &args, JIG_ERROR_COMPILE,
        "operator: error: calling float f(int32_t, float, float): too many arguments in function call");
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

static const struct {
  const char *definition;
  unsigned size, align;
  const char *message;
} wrong_structs[] = {
    {"struct hit {\n  flot d;\n};", 4, 4,
     "struct hit:2:3: error: identifier \"flot\" is undefined\n"
     "    flot d;\n"
     "    ^"},
    {"struct hit { int x; };\nenum { n = 1 + }", 4, 4,
     "struct hit:2:16: error: expected an expression\n"
     "  enum { n = 1 + }\n"
     "                 ^"},
    {"struct hit { int x; };\nconst int n = 1 +\n", 4, 4,
     "struct hit:2:18: error: expected an expression\n"
     "  const int n = 1 +\n"
     "                   ^"},
    {"struct hot { int x; };", 4, 4,
     "struct hit: error: the definition does not define it: identifier \"hit\" is undefined"},
    {"struct hit;", 4, 4,
     "struct hit: error: the definition does not define it: incomplete type \"hit\" is not allowed"},
    {"struct hit { int x; ~hit() {} };", 4, 4,
     "struct hit: error: a value type must be trivially copyable"},
    {"struct hit { int x; hit(int y) : x(y) {} };", 4, 4,
     "struct hit: error: it has no default constructor; jig declares values, and assigns to them later"},
    {"struct hit { int &x; };", 8, 8,
     "struct hit: error: it has no default constructor; jig declares values, and assigns to them later"},
    {"struct hit { const int x; };", 4, 4,
     "struct hit: error: it has no default constructor; jig declares values, and assigns to them later"},
    {"struct hit { int x; hit &operator=(const hit &) = delete; };", 4, 4,
     "struct hit: error: it cannot be assigned; jig declares values, and assigns to them later"},
    {"namespace jig { struct hit {}; }\nusing jig::hit;\nstruct jig_policy {};", 1, 1,
     "struct hit:3:8: error: class \"jig_policy\" has already been defined (previous definition by jig)\n"
     "  struct jig_policy {};\n"
     "         ^"},
};

START_TEST(structs_that_are_wrong) {
  if (begin("structs_that_are_wrong")) {
    jig_engine *engine = engine_with((jig_engine_config){0});
    for (size_t i = 0; i < COUNT_OF(wrong_structs); ++i) {
      jig_reduce_args args = floats;
      args.in.type = args.out.type =
          jig_struct("hit", wrong_structs[i].definition, wrong_structs[i].size, wrong_structs[i].align);
      args.op = jig_op_source("return a;");
      check_build(engine, &args, JIG_ERROR_COMPILE, wrong_structs[i].message);
    }
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

START_TEST(zipped_structs_are_named) {
  if (begin("zipped_structs_are_named")) {
    jig_engine *engine = engine_with((jig_engine_config){0});
    const jig_iter bases[] = {floats.in, floats.in};
    jig_reduce_args args = floats;
    args.op = jig_op_source("return a;");
    args.in = jig_zip(bases, 2, jig_struct("pair", "struct pair { float a; };", 4, 4));
    args.out.type = args.in.type;
    check_build(engine, &args, JIG_ERROR_COMPILE,
                "struct pair: error: jig_zip(): the struct has fewer members than there are iterators");
    args.in = jig_zip(bases, 2, jig_struct("pair", "struct pair { float a; int b; };", 8, 4));
    args.out.type = args.in.type;
    check_build(
        engine, &args, JIG_ERROR_COMPILE,
        "struct pair: error: jig_zip(): a member of the struct has another type than its iterator's "
        "items");
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

START_TEST(macros_of_headers_are_told) {
  if (begin("macros_of_headers_are_told")) {
    const jig_header header = {.name = "b.h", .text = "// of b\n  #define b 7\n"};
    jig_engine *engine = engine_with((jig_engine_config){.headers = &header, .header_count = 1});
    jig_reduce_args args = floats;
    args.op = jig_op_source("#include \"b.h\"\nreturn a;");
    check_build(engine, &args, JIG_ERROR_COMPILE,
                "b.h:2:9: error: the macro 'b' is in the way of what jig writes: expected a \")\"\n"
                "  #define b\n"
                "          ^");
    jig_engine_destroy(engine);
  }
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(only_what_is_wrong_is_told),
      SUITE_TEST(header_files_that_are_absent_are_explained),
      SUITE_TEST(options_are_told_by_the_name_that_they_have),
      SUITE_TEST(what_a_key_lacks_is_told_of_its_decomposer),
      SUITE_TEST(classes_of_a_struct_are_told_as_the_struct),
      SUITE_TEST(errors_with_numbers_are_errors),
      SUITE_TEST(what_is_seen_at_the_end_is_put_at_the_texts_end),
      SUITE_TEST(at_most_ten_errors_are_told),
      SUITE_TEST(the_assembler_has_its_say),
      SUITE_TEST(too_much_shared_memory_names_the_kernel),
      SUITE_TEST(there_is_always_a_message),
      SUITE_TEST(lines_before_a_caret_may_be_short),
      SUITE_TEST(programs_may_have_no_text),
      SUITE_TEST(costs_are_the_most_of_any_kernel),
      SUITE_TEST(the_whole_log_follows_where_it_is_asked_for),
      SUITE_TEST(operators_that_are_wrong),
      SUITE_TEST(every_operator_has_a_name),
      SUITE_TEST(structs_that_are_wrong),
      SUITE_TEST(zipped_structs_are_named),
      SUITE_TEST(macros_of_headers_are_told),
  };
  return SUITE_RUN("unit/diagnose", tests, false);
}
