/* What texts declare: how they fall into declarations, which of these are the same, which names they
 * define and mention. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "reduce_support.h"
#include "spec/declarations.h"
#include "spec/mentions.h"
#include "spec/source.h"
#include "suite.h"

/* "scope::name" of each, joined by ' ': '*' after the name if it has a body, "..." if that is somewhere
 * else,
 * '?' in front if it is in an #if. */
static void describe(const char *source, char *shown, size_t size) {
  declaration_list list;
  size_t length = 0;
  OK(declarations_read(source, &list));
  shown[0] = '\0';
  for (size_t i = 0; i < list.count; ++i) {
    const declaration *d = &list.of[i];
    ck_assert(d->begin >= source && d->end <= source + strlen(source) && d->begin < d->end);
    if (d->name != NULL)
      length +=
          (size_t)snprintf(shown + length, size - length, "%s%s%s%.*s%s", i > 0 ? " " : "",
                           d->is_certain ? "" : "?", d->scope, (int)(d->name_end - d->name), d->name,
                           d->is_forward     ? "..."
                           : d->is_function  ? "()"
                           : d->head != NULL ? "*"
                                             : "");
    else
      length += (size_t)snprintf(shown + length, size - length, "%s%s-", i > 0 ? " " : "", d->scope);
  }
  declarations_free(&list);
}

START_TEST(texts_fall_into_declarations) {
  static const struct {
    const char *source, *shown;
  } rows[] = {
      {"", ""},
      {";;", ""},
      {"struct a { int x; };", "a*"},
      {"struct a { int x; }", "a*"},
      {"struct a { int x; };struct b { a y; };", "a* b*"},
      {"struct a { struct inner { int x; } y; };", "a*"},
      {"struct a; enum b : int; struct a::b;", "a... - a::b..."},
      {"class a { public: int x; }; union b { int x; float y; }; enum c { one, two };", "a* b* c*"},
      {"enum class a : unsigned char { x }; enum : int { y }; enum { z };", "a* - -"},
      {"typedef struct a { int x; } a;", "a*"},
      {"typedef struct { int x; } a, *b;", "a*"},
      {"typedef struct { int x; } __attribute__((packed)) a;", "a*"},
      {"typedef unsigned int a; typedef float b[4]; using c = float; using d = x<int>;", "a b c d"},
      {"struct alignas(8) a { int x, y; };", "a*"},
      {"struct __align__(16) a final : b<int>, c { int x; };", "a*"},
      {"struct __attribute__((aligned(8))) a { int x; }; struct [[maybe_unused]] b { int x; };", "a* b*"},
      {"struct ALIGNED a { int x; }; struct ALIGN(8) b { int x; };", "a* b*"},
      {"struct a f(struct a x) { return x; } struct a g(); struct a *h(int);", "f() g() h()"},
      {"struct a x; struct a y = {1}; struct a { int z; } w;", "- - a*"},
      {"inline float f(float x) { return x; }\nfloat g(float x) noexcept { return x; }", "f() g()"},
      {"auto f(int x) -> decltype(x) { return x; } struct a { int x; };", "f() a*"},
      {"inline bool operator==(a x, a y) { return true; } struct b { int x; };", "- b*"},
      {"inline a operator()(a x) { return x; } struct b { int x; };", "- b*"},
      {"constexpr int n = 3, m[] = {1, 2}; int k{4}; static_assert(n == 3, \"n;\");",
       "- - static_assert()"},
      {"auto f = [](int x) { return x; }; struct a { int x; };", "- a*"},
      {"template <class T = int, int N = (3 > 2)> struct a { T x[N]; }; struct b { a<int> x; };", "- b*"},
      {"template <> struct a<int> { int x; }; struct a<float> { int x; };", "- -"},
      {"template <class T, template <class> class U> T f(U<T> x) { return {}; } struct a { int x; };",
       "f() a*"},
      {"namespace n { struct a { int x; }; } struct a { int x; };", "n::a* a*"},
      {"namespace n::m { struct a { int x; }; namespace { using b = a; } }", "n::m::a* n::m::::b"},
      {"inline namespace n { struct a { int x; }; }", "n::a*"},
      {"namespace n = m; using namespace n; using n::a; struct a { int x; };", "- - a*"},
      {"extern \"C\" { struct a { int x; }; int f(a x) { return 0; } } extern \"C\" int g();",
       "a* f() g()"},
      {"// struct a { int x; };\n/* struct b { int x; }; */ struct c { int x; }; // struct d {", "c*"},
      {"struct a { const char *s = \"};\"; char c = '}'; const char *r = R\"(};)\"; };struct b {};",
       "a* b*"},
      {"struct a <% int x<:2:>; %>; struct b { int x; };", "a* b*"},
      {"str\\\nuct a\\\n { int x; };", "a\\\n*"},
      /* Directives. What begins in one branch and ends in another is not told. */
      {"#pragma once\nstruct a { int x; };\n#define M struct m { int x; };\nM", "a* -"},
      {"#ifndef A\n#define A\nstruct a { int x; };\n#endif\nstruct b { int x; };", "?a* b*"},
      {"#if 0\nstruct a { don't\n#else\nstruct b { int x; };\n#endif\nstruct c { int x; };", "?b* c*"},
      {"#if 0\nstruct a { \" {\n#if 1\n#else\n#endif\n#endif\nstruct c { int x; };", "c*"},
      {"struct a {\n#ifdef X\n  int f() {\n#else\n  int g() {\n#endif\n  return 0; }\n};\nstruct b {};",
       "a* b*"},
      {"#ifdef X\nstruct a {\n#else\nstruct b {\n#endif\n int x; };\nstruct c { int x; };", "c*"},
      {"%:ifdef X\nstruct a {};\n%:endif\nstruct b {};", "?a* b*"},
      {"struct a\n#ifdef X\nfinal\n#endif\n{ int x; };", "a*"},
      {"#include <vector>\nstruct a { int x; };", "a*"},
      /* What cannot be followed tells nothing. */
      {"struct a { int x; }; }", ""},
      {"struct a { int x; }; struct b {", ""},
      {"struct a { int x; };\n#if 1\n", ""},
      {"struct a { int x; };\n#endif\n", ""},
      {"struct a { int x; }; namespace n {", ""},
      {"struct a { int x; }; )", ""},
      {"struct a { int x; }; template <", ""},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char shown[256];
    describe(rows[i].source, shown, sizeof shown);
    ck_assert_msg(strcmp(shown, rows[i].shown) == 0, "%s\n  is: %s\n  not: %s", rows[i].source, shown,
                  rows[i].shown);
  }
}
END_TEST

/* ---- whether two texts define a type alike */

START_TEST(definitions_are_compared_token_by_token) {
  static const char plain[] = "struct a { float x, y; };";
  static const struct {
    const char *source;
    bool same;
  } rows[] = {
      {"struct a{float x,y;};", true},
      {"struct a { // first\n  float x, /* second */ y;\n};", true},
      {"struct a { float x, y; }", true},
      {"typedef struct a { float x, y; } a;", true},
      {"struct b { int k; };\nstruct a { float x, y; };\ninline a f(a x) { return x; }", true},
      {"struct a;\nstruct a { flo\\\nat x, y; };", true},
      {"extern \"C\" { struct a { float x, y; }; }", true},
      {"struct a { float x; float y; };", false},
      {"struct a { float x, z; };", false},
      {"struct a { float xy; };", false},
      {"struct a { float x, y; int f(); };", false},
      {"class a { float x, y; };", false},
      {"struct alignas(8) a { float x, y; };", false},
      {"namespace n { struct a { float x, y; }; }", false},
      {"typedef struct { float x, y; } a;", false},
      {"#include \"a.h\"", false},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    ck_assert_msg(source_defines_same(plain, rows[i].source, "a") == rows[i].same, "%s", rows[i].source);
    ck_assert_msg(source_defines_same(rows[i].source, plain, "a") == rows[i].same, "%s", rows[i].source);
  }
  ck_assert(source_defines_same("#include <a.h>\n", " #include <a.h> // it\n", "a"));
  ck_assert(!source_defines_same("#include <a.h>\n", "#include <b.h>\n", "a"));
  ck_assert(source_defines_same("using a = v<int>;", "struct b {}; using a=v<int>;", "a"));
  ck_assert(!source_defines_same("using a = v<int>;", "using a = v<long>;", "a"));
  ck_assert(source_defines_same("namespace n { struct a { int x; }; }",
                                "namespace n { struct b {}; struct a { int x; }; }", "n::a"));
  ck_assert(!source_defines_same("namespace n { struct a { int x; }; }",
                                 "namespace n { struct a { int y; }; }", "n::a"));
  ck_assert(source_defines_same("struct o { struct a { int x; } y; };",
                                "struct o { struct a { int x; } y; }; struct b {};", "o::a"));
  ck_assert(!source_defines_same("struct a { const char *s = \"x y\"; };",
                                 "struct a { const char *s = \"x  y\"; };", "a"));
  ck_assert(!source_defines_same("struct a {\n#if X\nint x;\n#endif\n};",
                                 "struct a {\n#if Y\nint x;\n#endif\n};", "a"));
}
END_TEST

static bool mentions(const char *source, const char *name) {
  bool found = false;
  mention_reader reader = {.tokens = {.at = source}};
  for (token t; (t = mention_next(&reader)).kind != TOKEN_END;) found = found || token_is(&t, name);
  return found;
}

START_TEST(names_are_told_from_variables) {
  static const struct {
    const char *source;
    bool mentions;
  } rows[] = {
      {"struct p { v x; };", true},
      {"struct p { const v x; };", true},
      {"struct p { struct v x; };", true},
      {"struct p { n::v x; };", true},
      {"struct p { array<v, 3> x; };", true},
      {"struct p { pair<int, v> x; };", true},
      {"struct p : v { };", true},
      {"struct p : public v { };", true},
      {"struct p { v *x; };", true},
      {"using p = v;", true},
      {"inline int f(int a, v b) { return 0; }", true},
      {"__device__ v f();", true},
      {"DEVICE v f();", true},
      {"struct p { int x[sizeof(v)]; };", true},
      {"#define P v\nstruct p { P x; };", true},
      {"struct p { float v; };", false},
      {"struct p { float x, v; };", false},
      {"struct p { float *v; };", false},
      {"struct p { float v[3]; };", false},
      {"struct p { float v = 3; };", false},
      {"struct p { int v : 3; };", false},
      {"struct p { float x; float f() { return this->v + q.v; } };", false},
      {"struct p { float v() const; };", false},
      {"struct p { vv x; v_ y; };", false},
      {"struct p { int x; }; // v\n/* v */ const char *s = \"v\";", false},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    ck_assert_msg(mentions(rows[i].source, "v") == rows[i].mentions, "%s", rows[i].source);
  }
}
END_TEST

/* ---- nothing goes wrong with any text, be it one that is refused otherwise */

START_TEST(any_text_can_be_read) {
  static const char *const pieces[] = {
      "struct ", "a",  "{",    "}",   ";",      "(",        ")",       "<",  ">",     "template",
      "=",       "::", ":",    ",",   "\n",     "\\\n",     "#",       "if", "endif", "else",
      " 0\n",    "\"", "'",    "[",   "]",      "enum",     "//",      "/*", "*/",    "namespace ",
      "extern ", "*",  "R\"(", ")\"", "using ", "typedef ", "operator"};
  uint64_t seed = 12345;
  for (int round = 0; round < 20000; ++round) {
    char *text = malloc(400); /* just as long as it is: what is behind it is a sanitizer's */
    size_t length = 0;
    for (uint64_t left = next_random(&seed) >> 40 & 31; left > 0; --left) {
      const char *piece = pieces[(next_random(&seed) >> 33) % COUNT_OF(pieces)];
      memcpy(text + length, piece, strlen(piece));
      length += strlen(piece);
    }
    text = realloc(text, length + 1);
    text[length] = '\0';
    declaration_list list;
    OK(declarations_read(text, &list));
    for (size_t i = 0; i < list.count; ++i) {
      ck_assert(list.of[i].begin < list.of[i].end && list.of[i].end <= text + length);
      ck_assert(declarations_equal(&list.of[i], &list.of[i]));
    }
    declarations_free(&list);
    (void)mentions(text, "a");
    free(text);
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(texts_fall_into_declarations),
      SUITE_TEST(definitions_are_compared_token_by_token),
      SUITE_TEST(names_are_told_from_variables),
      SUITE_TEST(any_text_can_be_read),
  };
  return SUITE_RUN("unit/declarations", tests, false);
}
