/* What a text of the user's may be: that it ends where it begins, read as C++ reads it. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/arch.h"
#include "jit/compiler.h"
#include "jit/templates.h"
#include "numbers.h"
#include "spec/source.h"
#include "suite.h"
#include "util/error.h"

static bool is_accepted(const char *source) {
  error_clear();
  return source_check(source, "op", source_name_of_slot("op")) == JIG_SUCCESS;
}

START_TEST(sound_texts_are_accepted) {
  static const char *const texts[] = {
      "", "return a + b;", "{ ( [ ] ) }", "struct s { int x[3]; void f() { g(x[0]); } };",
      /* brackets that are none */
      "char c = '}', d = '\"', e = '\\'', f = '\\\\'; return '{';",
      "const char *s = \"}\\\"}\"; const char *t = \"\\\\\";",
      "const char *s = R\"(}\\)\"; const char *t = R\"x()\"})x\"; auto u = u8R\"(\n}\"\n)\";",
      "auto s = LR\"(})\" R\"()\"; auto t = UR\"(])\"; auto u = uR\"())\";",
      "// }\n/* } */ return a; /* \" ' \n } */ // don't", "// a comment goes on \\\n } } }\nreturn a;",
      "/\\\n/ }\n/\\\n* } *\\\n/ return a;", "\"a string \\\n goes on }\"", "return R\\\n\"(})\";",
      /* apostrophes in numbers, and none in names */
      "return 1'000 + 0x1'F + 1'0.5'0 + .1'5;", "return u8'}' + L'}';",
      "auto fooR = 1; auto s = a ? \"(\" : \")\";",
      /* pairs that are brackets, and pairs that are none */
      "int x<:3:> = <% 1, 2, 3 %>; return x<:0:>;", "A<::B> c; return a <<(2);", "return a<::f(b);",
      "<::> <::::>", "return a %3 > b;",
      /* branches */
      "#if A\nif (a) {\n#elif B\nif (b) {\n#else\n{\n#endif\n}",
      "if (a) {\n#ifdef A\n} else {\n#else\n} {\n#endif\n}",
      "#if 0\ndon't } ) ] /* } */ \"\n#endif\nreturn a;",
      "# if 0 // why\n}\n#if A\n}\n#else\n#endif\n# else\n{}\n#endif",
      "#if A\n#if B\n(\n#else\n(\n#endif\n)\n#endif", "%:if 0\n}\n%:endif", "#\\\nif 0\n}\n#endif",
      "/* x */ #if 0\n}\n#endif", "#/**/if/**/0/**/\n}\n#endif",
      /* macros */
      "#define M(x) do { f(x); } while (0)\nM(1);", "#define M \\\n { \\\n }\nM",
      "#define M { /* \n */ }\nM", "#undef jag", "#pragma unroll (\nfor (;;) {}", "#error don't :(",
      "int x; #line 3\n", /* no directive: the compiler has its say */
      "\"\\\n#line 3\\\n\"", "\xc3\xa9\xe2\x82\xac = 1; // \xff", "return a;\r\n// \\\r\n}\r\n",
      "// \\\n", /* what is taken in is a line of the text's own */
  };
  for (size_t i = 0; i < COUNT_OF(texts); ++i)
    ck_assert_msg(is_accepted(texts[i]), "%s: %s", texts[i], jig_last_error());
}
END_TEST

typedef struct refused_text {
  const char *text, *place, *problem;
} refused_text;

START_TEST(unsound_texts_are_refused) {
  static const refused_text rows[] = {
      {"return a;\n}\nint f() {", "2:1", "this '}' closes what the text did not open"},
      {")", "1:1", "this ')' closes what the text did not open"},
      {"a[0]]", "1:5", "this ']' closes what"},
      {"f(a;\n  {", "2:3", "this '{' is not closed"},
      {"f(\n(a);", "1:2", "this '(' is not closed"},
      {"{ f(a; }", "1:8", "a ')' has to come before this '}'"},
      {"{ %>\n%>", "2:1", "this '}' closes"},
      {"x<:0;", "1:2", "this '[' is not closed"},
      {"x :>", "1:3", "this ']' closes"},
      {"<%", "1:1", "this '{' is not closed"},
      {"// \\\n}\n}", "3:1", "this '}' closes"},
      {"1'000}", "1:6", "this '}' closes"},
      {"1'0'}'", "1:5", "this '}' closes"},
      {"xR\"(\" }", "1:7", "this '}' closes"},
      {"u8Rx\"(\" }", "1:9", "this '}' closes"},
      {"\"\"R\"(\" }", "1:8", "this '}' closes"},
      {"'x'R\"(\" }", "1:9", "this '}' closes"},
      {"R\"()\"R\"(\" }", "1:11", "this '}' closes"},
      {"'x'1'}'", "1:6", "this '}' closes"},
      {"f<<<<:", "1:5", "this '[' is not closed"},
      {"<:%:>", "1:1", "this '[' is not closed"},
      {"'}'}", "1:4", "this '}' closes"},
      {"\"}\"}", "1:4", "this '}' closes"},
      {"R\"x()\"})x\"}", "1:11", "this '}' closes"},
      {"/* } */ }", "1:9", "this '}' closes"},
      {"return a; /* } \n", "1:11", "this comment is not closed"},
      {"/*/", "1:1", "this comment is not closed"},
      {"f(\"a);\n\")", "1:3", "this string is not closed"},
      {"c = 'a;\n", "1:5", "this character is not closed"},
      {"\"\\\"", "1:1", "this string is not closed"},
      {"\"a\\", "1:1", "this string is not closed"},
      {"R\"x( )\" )y\"", "1:2", "this raw string is not closed"},
      {"R\"a b(})a b\"", "1:2", "this raw string has no '('"},
      {"R\"12345678901234567()12345678901234567\"", "1:2", "this raw string has no '('"},
      {"return a; // \\", "1:14", "a text must not end with a backslash"},
      {"return a; \\\r", "1:11", "a text must not end with a backslash"},
      {"#define M 1 \\", "1:13", "a text must not end with a backslash"},
      /* directives */
      {"\n  #line 5 \"x\"", "2:3", "this counts the lines anew"},
      {"# 12 \"x\"", "1:1", "this counts the lines anew"},
      {"%:line 3", "1:1", "this counts the lines anew"},
      {"/* x */ #/**/ /*\n*/ \\\nline 3", "1:9", "this counts the lines anew"},
      {"# /* line 3", "1:3", "this comment is not closed"},
      {"#define/**/jig x", "1:12", "names that begin with 'jig'"},
      {"#\\\nli\\\nne 3", "1:1", "this counts the lines anew"},
      {"int a; /*\n*/ #line 3", "2:4", "this counts the lines anew"},
      {"#define jig x", "1:9", "names that begin with 'jig'"},
      {"#undef jig_op_t", "1:8", "names that begin with 'jig'"},
      {"#if A\n{", "1:1", "this #if has no #endif"},
      {"#ifdef A\n#if 0\n#endif", "1:1", "this #if has no #endif"},
      {"x\n#endif", "2:1", "there is no #if for this"},
      {"#else", "1:1", "there is no #if for this"},
      {"#if A\n#else\n#elif B\n#endif", "3:1", "there is no #if for this"},
      {"#if A\n}\n#endif\n", "2:1", "this '}' closes"},
      {"{\n#if A\n}\n#endif\n}", "2:1", "depends on which of its branches"},
      {"{\n#if A\n}\n#else\n#endif\n", "2:1", "depends on which of its branches"},
      {"(\n#if A\n) {\n#else\n) (\n#endif\n}", "2:1", "depends on which of its branches"},
      {"#if 0\n#else\n}\n#endif", "3:1", "this '}' closes"},
      {"#if 0 + 1\n}\n#endif", "2:1", "this '}' closes"},
      {"#if 0 /*\n*/ + 1\n}\n#endif", "3:1", "this '}' closes"},
      {"#ifndef 0\n}\n#endif", "2:1", "this '}' closes"},
      {"#if 0\n#endif\n}", "3:1", "this '}' closes"},
      {"#if 0\n\"\n#endif\n}", "4:1", "this '}' closes"},
      {"#define END }\n{ END", "1:13", "closes what its macro did not open"},
      {"{\n#define END }\n", "2:13", "closes what its macro did not open"},
      {"#define BEGIN {\n", "1:15", "this '{' is not closed within its macro"},
      {"#define M(a \\\n (a)", "1:10", "this '(' is not closed within its macro"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char place[64];
    (void)snprintf(place, sizeof place, "op: operator:%s: error: ", rows[i].place);
    ck_assert_msg(!is_accepted(rows[i].text), "%s", rows[i].text);
    ck_assert_msg(strncmp(jig_last_error(), place, strlen(place)) == 0, "%s: %s", rows[i].text,
                  jig_last_error());
    ck_assert_msg(strstr(jig_last_error(), rows[i].problem) != NULL, "%s: %s", rows[i].text,
                  jig_last_error());
  }
}
END_TEST

START_TEST(messages_show_the_place) {
  ck_assert_int_eq(
      source_check("return a;\n\tif (\xc3\xa9)\t}\r\n// \xc3\xa9", "jig_reduce: op", "operator"),
      JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_str_eq(jig_last_error(),
                   "jig_reduce: op: operator:2:10: error: this '}' closes what the text did not open\n"
                   "  \tif (\xc3\xa9)\t}\n"
                   "  \t      \t^");
}
END_TEST

/* Texts have names before they are compiled; those that they have then are in test_diagnose.c. */
START_TEST(texts_have_names) {
  const jig_iter p = jig_pointer(NULL, JIG_I32);
  const jig_iter inner = jig_transform(&p, jig_op_source("return x;"), JIG_I32);
  const jig_iter bad = jig_transform(&inner, jig_op_source("return x;\n  )"), JIG_I32);
  const jig_iter pairs[] = {bad, p};
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  const jig_type hit = jig_struct("hit", "struct hit {\n  int x;\n", 4, 4);
  const jig_op op = jig_op_source("return a;");
  static const char body[] = "return f((a);", function[] = "int f(int a, int b) { return a; }}";
  const struct {
    jig_reduce_args args;
    const char *message;
  } rows[] = {
      {{.in = p, .out = p, .op = jig_op_source(body)}, "jig_reduce_spec: op: operator:1:9: error: "},
      {{.in = p, .out = p, .op = jig_op_function(function, "f")},
       "jig_reduce_spec: op: operator:1:34: error: "},
      {{.in = bad, .out = p}, "jig_reduce_spec: in: operator 2 of in:2:3: error: "},
      {{.in = jig_zip(pairs, 2, pair), .out = jig_pointer(NULL, pair), .op = op},
       "jig_reduce_spec: in: base 1 of 'zip': operator 2 of in:2:3: error: "},
      {{.in = jig_pointer(NULL, hit), .out = jig_pointer(NULL, hit), .op = op},
       "jig_reduce_spec: accum: struct hit:1:12: error: this '{' is not closed"},
      {{.in = p, .out = p, .op = jig_op_with_state(op, NULL, hit)},
       "jig_reduce_spec: op: struct hit:1:12: error: this '{' is not closed"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *text = NULL;
    ck_assert_int_eq(jig_reduce_spec(&rows[i].args, &text), JIG_ERROR_INVALID_ARGUMENT);
    ck_assert_msg(strncmp(jig_last_error(), rows[i].message, strlen(rows[i].message)) == 0, "%s",
                  jig_last_error());
  }
}
END_TEST

/* ---- random texts, of which the compiler says whether what is accepted is balanced */

static unsigned long random_state = 20;
static size_t random_below(size_t n) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 33) % n;
}

static void write_random_text(char *text, size_t size) {
  static const char *const pieces[] = {"(",        ")",
                                       "(",        ")",
                                       "[",        "]",
                                       "{",        "}",
                                       "{",        "}",
                                       "'",        "\"",
                                       "\\\"",     "\n",
                                       "//",       "/*",
                                       "*/",       "R\"(",
                                       ")\"",      "R\"x(",
                                       ")x\"",     "u8R",
                                       "1'000",    "x",
                                       "<:",       ":>",
                                       "<%",       "%>",
                                       "::",       "<<",
                                       "<",        ">",
                                       "\\\n",     "\\\r\n",
                                       " ",        "'}'",
                                       "\"}\"",    "don't",
                                       "/",        "*",
                                       "8",        "\n#if 0",
                                       "\n#if A",  "\n#else",
                                       "\n#endif", "\n#define M ",
                                       "%:",       "\n#pragma x "};
  text[0] = '\0';
  for (size_t n = 1 + random_below(14); n > 0; --n) {
    const char *piece = pieces[random_below(COUNT_OF(pieces))];
    strncat(text, piece, size - strlen(text) - 1);
    if (piece[0] == '\n' && piece[1] == '#') strncat(text, "\n", size - strlen(text) - 1);
  }
}

/* Whether the compiler, too, finds that a text closes what it opens: it may be any tokens, as the
 * argument of an attribute, if they are balanced, and then what follows is compiled. */
static bool is_balanced(const char *source) {
  char program[2048];
  arch target;
  compiled result;
  size_t count;
  const template_file *templates = templates_get(&count);
  ck_assert_int_eq(arch_parse("compute_80", &target), JIG_SUCCESS);
  (void)snprintf(program, sizeof program,
                 "namespace n { [[a::b(\n#line 1 \"text\"\n%s\n#line 1 \"end\"\n)]] int x; }\n"
                 "#line 1 \"after\"\nstatic_assert(sizeof n::x == 5, \"reached\");\n",
                 source);
  const compile_request request = {
      .program = program, .files = templates, .file_count = count, .target = &target, .jobs = 1};
  ck_assert_int_eq(compiler_compile(compiler_get(), &request, &result), JIG_ERROR_COMPILE);
  const bool reached = strstr(result.log, "after(1): error: static assertion failed") != NULL;
  const bool balanced = reached && strstr(result.log, "unmatched") == NULL;
  compiled_free(&result);
  return balanced;
}

START_TEST(what_is_accepted_closes_nothing_else) {
  if (compiler_get() == NULL) {
    printf("skipped: unit/source: what_is_accepted_closes_nothing_else (no NVRTC)\n");
    return;
  }
  ck_assert(is_balanced("{ f(a[0]); }"));
  ck_assert(!is_balanced("}"));
  ck_assert(!is_balanced("( /* )"));
  ck_assert(!is_balanced("#if 0"));
  char text[256];
  for (int accepted = 0; accepted < 200;) {
    write_random_text(text, sizeof text);
    if (!is_accepted(text)) continue;
    ck_assert_msg(is_balanced(text), "%s", text);
    ++accepted;
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sound_texts_are_accepted),
      SUITE_TEST(unsound_texts_are_refused),
      SUITE_TEST(messages_show_the_place),
      SUITE_TEST(texts_have_names),
      SUITE_TEST(what_is_accepted_closes_nothing_else),
  };
  return SUITE_RUN("unit/source", tests, false);
}
