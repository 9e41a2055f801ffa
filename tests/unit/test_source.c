/* What a text of the user's may be: that it ends where it begins, read as C++ reads it. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/arch.h"
#include "jit/compiler.h"
#include "jit/templates.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/source.h"
#include "suite.h"
#include "util/error.h"
#include "util/text.h"

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
      "\"\\\n#line 3\\\n\"", "\xc3\xa9\xe2\x82\xac = 1; // \xf4\x8f\xbf\xbf",
      "return a;\r\n// \\\r\n}\r\n", "// \\\n", /* what is taken in is a line of the text's own */
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
      {"return a;\n// \xc3\xa9 \xe9", "2:7", "byte 0xe9 is not UTF-8"},
      {"\xe2\x82", "1:1", "byte 0xe2 is not UTF-8"},
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

/* ---- how deep things nest: in tokens, which the compiler takes stack for */

/* Copies of these parts one after the other, in one text; to be freed. */
typedef struct repeated {
  const char *part;
  int times;
} repeated;

static char *text_of(const repeated *parts, size_t count) {
  text t = {0};
  for (size_t i = 0; i < count; ++i) {
    for (int k = 0; k < parts[i].times; ++k) text_add(&t, parts[i].part);
  }
  return text_take(&t);
}

START_TEST(what_is_long_and_flat_is_accepted) {
  static const repeated texts[][5] = {
      {{"return ", 1}, {"(", 1000}, {"a", 1}, {")", 1000}, {";", 1}},
      {{"return ", 1}, {"-", 39900}, {"a;", 1}},
      {{"const float table[] = {", 1}, {"1.f, ", 300000}, {"}; return table[0];", 1}},
      {{"const pair table[] = {", 1}, {"{1, f(2)}, ", 300000}, {"}; return table[0];", 1}},
      {{"enum e { ", 1}, {"x, ", 100000}, {"};", 1}},
      {{"x += a * (b - c[1]);\n", 100000}},
      {{"if (a) { b(); }\n", 100000}},
      {{"if (a) { b(); } else { c(); }\n", 100000}},
      {{"for (;;) { break; }\n", 100000}},
      {{"float f() { return 1; }\n", 100000}},
      {{"struct s { int x; };\n", 100000}},
      {{"do { a(); } while (b);\n", 50000}},
      {{"switch (x) {", 1}, {"case 1: a(); break;\n", 100000}, {"}", 1}},
      {{"if (x) { y(); }", 1}, {"else if (x) { y(); }\n", 4000}},
      {{"const char *s = ", 1}, {"\"line\"\n", 100000}, {";", 1}},
      {{"#define M(x) ((x) + 1)\n", 50000}, {"return M(a);", 1}},
      {{"#if A && (B || !C)\n x();\n#else\n y();\n#endif\n", 50000}},
      {{"#if 0\n", 1}, {"(", 50000}, {"\n#endif\n", 1}},
      {{"// ((((\n", 50000}, {"/* (( */", 50000}},
  };
  for (size_t i = 0; i < COUNT_OF(texts); ++i) {
    char *source = text_of(texts[i], COUNT_OF(texts[i]));
    ck_assert_msg(is_accepted(source), "%zu: %.40s: %s", i, source, jig_last_error());
    OK(source_check_header(source, "a.h"));
    free(source);
  }
}
END_TEST

#define STATEMENT "a statement, with those around it, has more than 40000 tokens"

START_TEST(what_is_nested_too_deep_is_refused) {
  static const struct {
    repeated text[5];
    const char *place, *problem;
  } rows[] = {
      {{{"return ", 1}, {"(", 1001}, {"a", 1}, {")", 1001}, {";", 1}},
       "1:1008",
       "nested more than 1000 deep"},
      {{{"{\n", 1001}, {"}\n", 1001}}, "1001:1", "nested more than 1000 deep"},
      {{{"x[", 1001}, {"0", 1}, {"]", 1001}}, "1:2002", "nested more than 1000 deep"},
      {{{"auto f = ", 1}, {"[=](float x) { return ", 1001}, {"x", 1}, {"; }", 1001}, {";", 1}},
       "1:",
       "nested"},
      {{{"<%", 1001}, {"%>", 1001}}, "1:2001", "nested more than 1000 deep"},
      {{{"return ", 1}, {"!", 40000}, {"a;", 1}}, "1:40007", STATEMENT},
      {{{"return a", 1}, {"+a", 20000}, {";", 1}}, "1:", STATEMENT},
      {{{"return ", 1}, {"(float)", 40000}, {"a;", 1}}, "1:", STATEMENT},
      {{{"return ", 1}, {"A<", 20000}, {"int", 1}, {">", 20000}, {"();", 1}}, "1:", STATEMENT},
      {{{"return ", 1}, {"b ? a : ", 20000}, {"a;", 1}}, "1:", STATEMENT},
      {{{"if (a) x; ", 1}, {"else if (a) x;\n", 10000}}, "", STATEMENT},
      {{{"if (a) { x; } ", 1}, {"else if (a) { x; }\n", 10000}}, "", STATEMENT},
      {{{"while (a) ", 20000}, {"x;", 1}}, "1:", STATEMENT},
      {{{"return f(", 1}, {"a, ", 20000}, {"a);", 1}}, "1:", STATEMENT},
      {{{"return ", 1}, {"a, ", 640000}, {"a;", 1}}, "1:", STATEMENT},
      /* of all that is around */
      {{{"---------------------------------------------(", 900}, {"a", 1}, {")", 900}}, "1:", STATEMENT},
      {{{"if (a) x; else x; else x; else x; else {", 999}, {"!", 39000}, {"}", 999}}, "1:", STATEMENT},
      {{{"#if A\n------------\n#else\n#endif\n", 4000}, {"a", 1}}, "", STATEMENT},
      {{{"#if A\n#else\n------------\n#endif\n", 4000}, {"a", 1}}, "", STATEMENT},
      {{{"#if A\n------------\n#elif B\n#endif\n", 4000}, {"a", 1}}, "", STATEMENT},
      /* directives */
      {{{"#if ", 1}, {"!", 40001}, {"A\n#endif\n", 1}}, "1:40004", STATEMENT},
      {{{"#if ", 1}, {"(", 40001}, {"A", 1}, {")", 40001}, {"\n#endif\n", 1}}, "1:40004", STATEMENT},
      {{{"#define M ", 1}, {"(", 1001}, {"A", 1}, {")", 1001}}, "1:1011", "nested"},
      {{{"#define M ", 1}, {"!", 40001}, {"A\n", 1}}, "1:", STATEMENT},
      {{{"#if A\n", 65}, {"#endif\n", 65}}, "65:1", "#if are nested too deep"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char start[64], *source = text_of(rows[i].text, COUNT_OF(rows[i].text));
    ck_assert_msg(!is_accepted(source), "%zu: %.40s", i, source);
    (void)snprintf(start, sizeof start, "op: operator:%s", rows[i].place);
    ck_assert_msg(strncmp(jig_last_error(), start, strlen(start)) == 0, "%zu: %.80s", i,
                  jig_last_error());
    ck_assert_msg(strstr(jig_last_error(), rows[i].problem) != NULL, "%zu: %.80s", i, jig_last_error());
    if (strlen(source) > 1000) { /* less is not looked at, in a header */
      FAILS(source_check_header(source, "d/a.h"), JIG_ERROR_INVALID_ARGUMENT, rows[i].problem);
      ck_assert_int_eq(strncmp(jig_last_error(), "#include: d/a.h:", 16), 0);
    }
    free(source);
  }
}
END_TEST

/* Headers need not close what they open, and may be cut off anywhere. */
START_TEST(headers_may_be_anything_else) {
  static const char filler[] = "// a line that makes a text long enough to be looked at\n";
  static const char *const texts[] = {"namespace n {\n",
                                      "}}}}\n)]\n",
                                      "#ifdef A\n{\n#endif\n#ifdef B\n}\n#endif\n",
                                      "#define BEGIN {\n#define END }\n",
                                      "/* not closed",
                                      "\"not closed\n",
                                      "R\"(not closed",
                                      "R\"too many characters(",
                                      "#if A\n",
                                      "#else\n#elif\n#endif\n#endif\n",
                                      "#line 7\n",
                                      "'",
                                      "\\",
                                      "#define jig_x\n",
                                      "#",
                                      "({[<"};
  for (size_t i = 0; i < COUNT_OF(texts); ++i) {
    const repeated parts[] = {{filler, 1000}, {texts[i], 1}};
    char *source = text_of(parts, 2);
    OK(source_check_header(source, "a.h"));
    free(source);
  }
  /* What one of several branches opens counts. */
  const repeated parts[] = {{"#if A\n#else\n(\n#endif\n", 1001}};
  char *source = text_of(parts, 1);
  FAILS(source_check_header(source, "a.h"), JIG_ERROR_INVALID_ARGUMENT,
        "#include: a.h:4003:1: error: nested");
  free(source);
}
END_TEST

/* Texts have names before they are compiled; those that they have then are in test_diagnose.c. */
START_TEST(texts_have_names) {
  const jig_iter p = jig_pointer(NULL, JIG_I32);
  const jig_iter inner = jig_iter_transform(&p, jig_op_source("return x;"), JIG_I32);
  const jig_iter bad = jig_iter_transform(&inner, jig_op_source("return x;\n  )"), JIG_I32);
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
       "jig_reduce_spec: in: struct hit:1:12: error: this '{' is not closed"},
      {{.in = p, .out = p, .op = jig_op_with_state(op, NULL, hit)},
       "jig_reduce_spec: op: struct hit:1:12: error: this '{' is not closed"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *spec = NULL;
    ck_assert_int_eq(jig_reduce_spec(&rows[i].args, &spec), JIG_ERROR_INVALID_ARGUMENT);
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

static void write_random_text(char *tokens, size_t size) {
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
  tokens[0] = '\0';
  for (size_t n = 1 + random_below(14); n > 0; --n) {
    const char *piece = pieces[random_below(COUNT_OF(pieces))];
    strncat(tokens, piece, size - strlen(tokens) - 1);
    if (piece[0] == '\n' && piece[1] == '#') strncat(tokens, "\n", size - strlen(tokens) - 1);
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
  char tokens[256];
  for (int accepted = 0; accepted < 200;) {
    write_random_text(tokens, sizeof tokens);
    if (!is_accepted(tokens)) continue;
    ck_assert_msg(is_balanced(tokens), "%s", tokens);
    ++accepted;
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sound_texts_are_accepted),
      SUITE_TEST(unsound_texts_are_refused),
      SUITE_TEST(messages_show_the_place),
      SUITE_TEST(what_is_long_and_flat_is_accepted),
      SUITE_TEST(what_is_nested_too_deep_is_refused),
      SUITE_TEST(headers_may_be_anything_else),
      SUITE_TEST(texts_have_names),
      SUITE_TEST(what_is_accepted_closes_nothing_else),
  };
  return SUITE_RUN("unit/source", tests, false);
}
