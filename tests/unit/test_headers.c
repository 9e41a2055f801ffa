/* The user's headers: where texts ask for them, which ones are found, what takes an #include's place. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine_support.h"
#include "jit/directive.h"
#include "jit/headers.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

/* ---- where texts ask for headers */

/* What is found in a text, each in parentheses: "(a.h) is <, b.h is ", ? is __has_include. */
static const char *asked_by(const char *source) {
  static char all[512];
  size_t length = 0;
  token_reader reader = {.at = source};
  all[0] = '\0';
  for (directive d; directive_next(&reader, &d);) {
    ck_assert(d.begin >= source && d.begin < d.end && d.end <= source + strlen(source));
    length += (size_t)snprintf(all + length, sizeof all - length, "%s%s%.*s ", d.question ? "?" : "",
                               d.name == NULL ? "!"
                               : d.quoted     ? "\""
                                              : "<",
                               (int)d.length, d.name != NULL ? d.name : "");
  }
  return all;
}

START_TEST(includes_are_found) {
  static const struct {
    const char *source, *asked;
  } cases[] = {
      {"", ""},
      {"return a + b;", ""},
      {"#include <a.h>", "<a.h "},
      {"#include \"a.h\"\n#include <b/c.h>\nreturn a;", "\"a.h <b/c.h "},
      {" \t#\t include\"a.h\"", "\"a.h "},
      {"%: include <a.h>", "<a.h "},
      {"/* x\n */ #/**/include /* y */ <a.h> // z\n", "<a.h "},
      {"# \\\n include \\\r\n <a.h>", "<a.h "},
      {"#include <a//b.h>\n#include \"c/*d.h\"\n#include <e.h>", "<a//b.h \"c/*d.h <e.h "},
      {"// #include <a.h>\n/* #include <b.h>\n#include <c.h> */ #include <d.h>", "<d.h "},
      {"// spliced \\\n#include <a.h>\n#include <b.h>", "<b.h "},
      {"char c = '\"'; // \"\n#include <a.h>", "<a.h "},
      {"const char *s = \"/*\";\n#include <a.h>", "<a.h "},
      {"int x = 1'000; /* ' */\n#include <a.h>\n", "<a.h "},
      {"#include <a.h> #include <b.h>\n#include \"c.h\"; /* \n */ #include <d.h>\n", "<a.h \"c.h "},
      {"x #include <a.h>", ""},
      {"#includes <a.h>\n#define include <a.h>\n#import <a.h>", ""},
      {"#include NAME\n#include_next <a.h>\n#include \"open\n#include <open\n#include", "! ! ! ! ! "},
      {"#if 0\n#include <a.h>\n#endif", "<a.h "},
      {"#if __has_include(<a.h>) && __has_include ( \"b.h\" )\n#endif", "?<a.h ?\"b.h "},
      {"#ifdef __has_include\n#if __has_include(NAME) || x__has_include(<a.h>)\n#endif", ""},
      /* spliced wherever the compiler takes that */
      {"#inc\\\nlude \"a.h\"\n%\\\n: include <b.h>\n#include\\\r\n<c.h>", "\"a.h <b.h <c.h "},
      {"/\\\n* ' *\\\n/\n#include <a.h>\n/* *\\\r\n/ #include <b.h>\n", "<a.h <b.h "},
      {"/\\\n/ #include <a.h> \\\n#include <b.h>\n#include \"c\\\n.h\"\n", "! "},
      {"#if __has_in\\\nclude(<a.h>) + __has_include\\\n(\\\n<b.h>\\\n)\n", "?<a.h ?<b.h "},
      /* raw strings, which may have anything in them */
      {"char *s = R\"(\" /* )\";\n#include <a.h>", "<a.h "},
      {"char *s = R\"x(\n#include <a.h>\n)x\";\n#include <b.h>", "<b.h "},
      {"#if 0\nR\"(\n#endif\n#include <a.h>\n)\"\n#include <b.h>\n", "<b.h "},
      {"/* #include <a.h>", ""},
      {"#include <a.h>\r\n#include <b.h>\r\n", "<a.h <b.h "},
      {"\"unclosed\n#include <a.h>", "<a.h "},
      {"\\", ""},
      {"'\\", ""},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    ck_assert_msg(strcmp(asked_by(cases[i].source), cases[i].asked) == 0, "'%s' asks for '%s'",
                  cases[i].source, asked_by(cases[i].source));
  }
}
END_TEST

START_TEST(names_are_made_full) {
  static const struct {
    const char *includer, *name, *full; /* NULL: refused */
  } cases[] = {
      {"", "a.h", "a.h"},
      {"", "./a//b/./c.h", "a/b/c.h"},
      {"", "a/../b.h", "b.h"},
      {"", "a/b/../../c.h", "c.h"},
      {"", "../a.h", NULL}, /* nothing leads out */
      {"", "../../a.h", NULL},
      {"", "a/../../b.h", NULL},
      {"", "a/../../a/b.h", NULL},
      {"", "..", NULL},
      {"x.h", "a.h", "a.h"},
      {"x/y.h", "a.h", "x/a.h"},
      {"x/y.h", "../a.h", "a.h"},
      {"x/y.h", "z/a.h", "x/z/a.h"},
      {"x/y.h", "../../a.h", NULL},
      {"x/y.h", "../../x/a.h", NULL},
      {"", "..a/.b", "..a/.b"},
      {"", "a../...", "a../..."},
      {"", "", NULL},
      {"", "/a.h", NULL},
      {"", "a/", NULL},
      {"", ".", NULL},
      {"", "a/..", NULL},
      {"", "a\"b", NULL},
      {"", "a\\b", NULL},
      {"", "a<b", NULL},
      {"", "a\nb", NULL},
  };
  char full[HEADER_NAME_SIZE], longest[2 * HEADER_NAME_SIZE];
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const bool named = header_full_name(cases[i].includer, cases[i].name, strlen(cases[i].name), full);
    ck_assert_msg(named == (cases[i].full != NULL), "'%s'", cases[i].name);
    if (named) ck_assert_str_eq(full, cases[i].full);
  }
  memset(longest, 'a', sizeof longest);
  ck_assert(header_full_name("", longest, HEADER_NAME_SIZE - 1, full));
  ck_assert(!header_full_name("", longest, HEADER_NAME_SIZE, full));
  ck_assert(!header_full_name("x/y.h", longest, HEADER_NAME_SIZE - 2, full));
}
END_TEST

/* ---- what takes their place */

/* A program's text, to be freed with jig_free(). */
static char *source_of(jig_engine_config config, jig_op op) {
  char *spec = spec_of_op(op), *source = NULL;
  jig_engine *engine = engine_with(config);
  OK(jig_source(engine, spec, "sm_90", &source));
  jig_engine_destroy(engine);
  jig_free(spec);
  return source;
}

static void has(const char *source, const char *part, int times) {
  int found = 0;
  for (const char *at = source; (at = strstr(at, part)) != NULL; ++at) ++found;
  ck_assert_msg(found == times, "%d times '%s' in:\n%s", found, part, source);
}

static const jig_header two_headers[] = {{"a.h", "int f(int x) { return x; }\n"},
                                         {"d/b.h", "#include \"../a.h\"\n"}};
#define WITH(list) .headers = (list), .header_count = COUNT_OF(list)

START_TEST(texts_without_includes_stay_as_they_are) {
  engine_setup();
  static const char body[] = "/* no */ return a /* # */ + b; // #define\n#define X \\\n 1";
  char *with = source_of((jig_engine_config){WITH(two_headers)}, jig_op_source(body));
  char *without = source_of((jig_engine_config){0}, jig_op_source(body));
  ck_assert_str_eq(with, without);
  has(with, body, 1);
  jig_free(with);
  jig_free(without);
  engine_teardown();
}
END_TEST

START_TEST(includes_come_before_all_texts) {
  engine_setup();
  static const char body[] = "  #include <a.h> // first\n# \\\n include \"d/b.h\"\nreturn f(a) + b;";
  char *source = source_of((jig_engine_config){WITH(two_headers)}, jig_op_source(body));
  has(source, "};\n#include <a.h>\n#include <d/b.h>\nusing jig_accum_t", 1);
  has(source,
      "#line 1 \"operator\"\n                 // first\n   \\\n                \nreturn f(a) + b;", 1);
  jig_free(source);
  engine_teardown();
}
END_TEST

START_TEST(every_text_may_include) {
  engine_setup();
  char *spec = NULL, *source = NULL;
  const jig_type type =
      jig_struct("s", "#include \"d/b.h\"\nstruct s { int x; };\n#include <jig/core/half.cuh>", 4, 4);
  const jig_iter base = jig_pointer(NULL, JIG_I32);
  const jig_reduce_args args = {
      .in = jig_iter_transform(&base, jig_op_source("#include \"a.h\"\nreturn {f(x)};"), type),
      .out = jig_pointer(NULL, type),
      .op = jig_op_function("#include \"a.h\"\ns g(s a, s b) { return {f(a.x)}; }", "g")};
  jig_engine *engine = engine_with((jig_engine_config){WITH(two_headers)});
  OK(jig_reduce_spec(&args, &spec));
  OK(jig_source(engine, spec, "sm_90", &source));
  has(source, "#include <d/b.h>\n#include <a.h>\n#line 1 \"struct s\"\n", 1); /* each once */
  has(source, "#include <a.h>", 1);
  has(source, "#include <jig/core/half.cuh>\nstruct jig_policy", 1); /* before any header's macros */
  has(source, "#line 1 \"operator\"\n              \ns g(", 1);
  has(source, "#line 1 \"operator of in\"\n              \nreturn", 1);
  jig_engine_destroy(engine);
  jig_free(spec);
  jig_free(source);
  engine_teardown();
}
END_TEST

START_TEST(halves_are_there_for_headers) {
  engine_setup();
  static const jig_header headers[] = {{"h.h", "inline jig::bf16 h(float x) { return jig::bf16(x); }"}};
  const jig_engine_config config = {WITH(headers)};
  char *with = source_of(config, jig_op_source("#include <h.h>\nreturn a;"));
  char *without = source_of(config, jig_op_source("return a;"));
  has(with, "#include <jig/core/half.cuh>", 1);
  has(without, "#include <jig/core/half.cuh>", 0);
  jig_free(with);
  jig_free(without);
  engine_teardown();
}
END_TEST

START_TEST(what_is_not_there_becomes_an_error) {
  static const struct {
    const char *text, *becomes;
  } cases[] = {
      {"#include <no.h> // x",
       "\n#error cannot include \"no.h\": neither config->headers nor a folder of "
       "config->include_path has it // x\n"},
      {"  # \\\n include \"no.h\"", "\n  \n#error cannot include \"no.h\": neither"},
      {"#include <stdint.h>",
       "\n#error cannot include \"stdint.h\": what device code needs of it is there"},
      {"#include <stdint.hh>", "\n#error cannot include \"stdint.hh\": neither"},
      {"#include </a.h>", "\n#error cannot include \"/a.h\": it is an absolute path"},
      {"#include \"../a.h\"",
       "\n#error cannot include \"../a.h\": it leads out of the folders of config->include_path\n"},
      {"#include <d/../../a.h>", "\n#error cannot include \"d/../../a.h\": it leads out"},
      {"#include \"jig/no.cuh\"", "\n#error cannot include \"jig/no.cuh\": there is no such template"},
      {"#include NAME", "\n#error jig takes an #include by a name"},
      {"#include_next <a.h>", "\n#error jig takes an #include by a name"},
      {"#include \"\"", "\n#error cannot include what has no name"},
      {"#include <a\"/*b>", "\n#error cannot include what has no name, or one with"},
      {"#if __has_include(<no.h>) || __has_include(\"a.h\")\n#endif",
       "\n#if 0                     || 1                   \n#endif\n"},
      {"#if __has_include(\"../a.h\")\n#endif", "\n#if 0                      \n#endif\n"},
  };
  engine_setup();
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char body[256];
    (void)snprintf(body, sizeof body, "\n%s\nreturn a;", cases[i].text);
    char *source = source_of((jig_engine_config){WITH(two_headers)}, jig_op_source(body));
    has(source, cases[i].becomes, 1);
    has(source, cases[i].text, 0);
    jig_free(source);
  }
  engine_teardown();
}
END_TEST

/* ---- which header it is */

static void make_file(const char *name, const char *content) {
  file_write(scratch_path("%s", name), content, strlen(content));
}

static void make_folders(void) {
  static const char *const folders[] = {"one", "one/sub", "two", "two/sub"};
  for (size_t i = 0; i < COUNT_OF(folders); ++i)
    ck_assert_int_eq(mkdir(scratch_path("%s", folders[i]), 0700), 0);
}

static const char *both_folders(void) {
  return scratch_path("one:%s", scratch_path("two"));
}

/* The headers of a text, with all of their contents. */
typedef struct found_headers {
  header_source source;
  header_set set;
  text rest; /* of the text */
} found_headers;

static jig_status find_headers(jig_engine_config config, const char *source, found_headers *f) {
  size_t count;
  const template_file *templates = templates_get(&count);
  *f = (found_headers){0};
  OK(header_source_open(&f->source, &config));
  OK(headers_open(&f->set, &f->source, templates, count));
  return headers_add(&f->set, source, &f->rest);
}

static void let_go(found_headers *f) {
  headers_close(&f->set);
  header_source_close(&f->source);
  text_free(&f->rest);
}

/* The content of one of them; NULL if it is not there. */
static const char *content_of(const found_headers *f, const char *name) {
  const char *content = NULL;
  for (size_t i = f->set.template_count; i < f->set.count; ++i) {
    if (strcmp(f->set.files[i].name, name) != 0) continue;
    ck_assert_msg(content == NULL, "'%s' is there twice", name);
    content = f->set.files[i].text;
    ck_assert_uint_eq(strlen(content), f->set.files[i].length);
  }
  return content;
}

static size_t count_of(const found_headers *f) {
  return f->set.count - f->set.template_count;
}

START_TEST(memory_comes_before_folders_and_these_in_order) {
  engine_setup();
  make_folders();
  make_file("one/a.h", "one");
  make_file("two/a.h", "two");
  make_file("two/b.h", "two");
  make_file("two/c.h", "two");
  ck_assert_int_eq(mkdir(scratch_path("one/c.h"), 0700), 0); /* which is no header */
  static const jig_header headers[] = {{"./sub/..//b.h", "memory"}, {"unused.h", "#include <c.h>"}};
  found_headers f;
  OK(find_headers((jig_engine_config){.include_path = both_folders(), WITH(headers)},
                  "#include <a.h>\n#include <b.h>\n#include \"sub/../c.h\"\n#include \"d.h\"\n", &f));
  ck_assert_str_eq(content_of(&f, "a.h"), "one");
  ck_assert_str_eq(content_of(&f, "b.h"), "memory");
  ck_assert_str_eq(content_of(&f, "c.h"), "two");
  ck_assert_uint_eq(count_of(&f), 3);
  ck_assert_ptr_nonnull(strstr(f.rest.data, "cannot include \"d.h\""));
  let_go(&f);
  engine_teardown();
}
END_TEST

START_TEST(quoted_names_are_looked_for_beside_their_header) {
  engine_setup();
  make_folders();
  make_file("one/sub/x.h", "#include \"y.h\"\n#include <y.h>\n#include \"z.h\"\n#include \"../w.h\"\n");
  make_file("two/sub/y.h", "beside"); /* in another folder: one name, one header */
  make_file("one/y.h", "above");
  make_file("one/z.h", "above, too");
  static const jig_header headers[] = {{"w.h", "#include \"sub/x.h\"\n"}}; /* around in a circle */
  found_headers f;
  OK(find_headers((jig_engine_config){.include_path = both_folders(), WITH(headers)},
                  "#include <sub/x.h>\n", &f));
  ck_assert_str_eq(content_of(&f, "sub/x.h"),
                   "#include <sub/y.h>\n#include <y.h>\n#include <z.h>\n#include <w.h>\n");
  ck_assert_str_eq(content_of(&f, "sub/y.h"), "beside");
  ck_assert_str_eq(content_of(&f, "y.h"), "above");
  ck_assert_str_eq(content_of(&f, "z.h"), "above, too");
  ck_assert_str_eq(content_of(&f, "w.h"), "#include <sub/x.h>\n");
  ck_assert_uint_eq(count_of(&f), 5);
  ck_assert_str_eq(f.set.include_headers.data, "#include <sub/x.h>\n"); /* the rest comes by itself */
  let_go(&f);
  engine_teardown();
}
END_TEST

START_TEST(headers_keep_their_lines) {
  static const jig_header headers[] = {
      {"a.h",
       "\xef\xbb\xbf#pragma once\r\n  /* two\r\n lines */ # \\\n include \"no.h\" /* goes\n on */\n"
       "#  include \"jig/core/half.cuh\"\n#include \"./b.h\" // b\n#if __has_include(\"b.h\")\n"},
      {"b.h", "// nothing"}};
  found_headers f;
  OK(find_headers((jig_engine_config){WITH(headers), .include_path = ""}, "#include <a.h>", &f));
  ck_assert_str_eq(content_of(&f, "a.h"),
                   "#pragma once\r\n  /* two\r\n lines */ \n#error cannot include \"no.h\": neither "
                   "config->headers nor a folder of config->include_path has it /* goes\n on */\n"
                   "#include <jig/core/half.cuh>\n#include <b.h> // b\n#if 1                   \n");
  ck_assert_str_eq(f.set.include_templates.data, "#include <jig/core/half.cuh>\n");
  let_go(&f);
}
END_TEST

/* ---- what leads out of the folders */

/* The files are there, and one might think so. */
START_TEST(nothing_beyond_the_folders_is_shown) {
  engine_setup();
  make_folders();
  make_file("secret.h", "SECRET");
  make_file("two/secret.h", "SECRET");
  make_file("one/sub/up.h", "#include \"../../secret.h\"\n");
  make_file("one/across.h", "#include \"../two/secret.h\"\n");
  static const char *const texts[] = {
      "#include \"../secret.h\"\n",        "#include <../secret.h>\n",
      "#include \"sub/../../secret.h\"\n", "#include \"no/../../secret.h\"\n",
      "#include \"./..//secret.h\"\n",     "#include \"sub/up.h\"\n",
      "#include \"across.h\"\n",           "#if __has_include(\"../secret.h\")\nint x;\n#endif\n"};
  for (size_t i = 0; i < COUNT_OF(texts); ++i) {
    found_headers f;
    OK(find_headers((jig_engine_config){.include_path = scratch_path("one")}, texts[i], &f));
    bool told = strstr(f.rest.data, "leads out") != NULL || strstr(f.rest.data, "#if 0 ") != NULL;
    for (size_t k = f.set.template_count; k < f.set.count; ++k) {
      ck_assert_ptr_null(strstr(f.set.files[k].text, "SECRET"));
      told = told || strstr(f.set.files[k].text, "leads out") != NULL;
    }
    ck_assert_msg(told, "%s", texts[i]);
    let_go(&f);
  }
  static const jig_header outside = {"../a.h", ""};
  FAILS(jig_engine_create(&(jig_engine *){NULL},
                          &(jig_engine_config){.headers = &outside, .header_count = 1}),
        JIG_ERROR_INVALID_ARGUMENT, "config->headers[0]: the name is none that an #include can have");
  engine_teardown();
}
END_TEST

static void make_link(const char *target, const char *name) {
  ck_assert_int_eq(symlink(target, scratch_path("%s", name)), 0);
}

/* Links lead from one folder into the same or another one; the folders themselves may be links. */
START_TEST(links_lead_nowhere_else) {
  engine_setup();
  make_folders();
  make_file("secret.h", "SECRET");
  make_file("one/sub/in.h", "in");
  make_file("two/in.h", "two");
  ck_assert_int_eq(mkdir(scratch_path("one-more"), 0700), 0); /* which begins like the folder */
  make_file("one-more/in.h", "SECRET");
  make_link("sub/in.h", "one/same.h");
  make_link("../two/in.h", "one/other.h");
  make_link("../two", "one/folder");
  make_link("../secret.h", "one/out.h");
  make_link(scratch_path("secret.h"), "one/absolute.h");
  make_link("out.h", "one/twice.h");
  make_link("..", "one/above");
  make_link("nothing", "one/dangling.h");
  make_link("../one-more/in.h", "one/beside.h");
  make_link("round.h", "one/round.h");
  make_link("one", "link");
  static const struct {
    const char *name, *content, *problem; /* the former with one folder, the latter with only that one */
  } cases[] = {
      {"same.h", "in", NULL},
      {"other.h", "two", "is a link to"},
      {"folder/in.h", "two", "is a link to"},
      {"out.h", NULL, "is in no folder of the include path"},
      {"absolute.h", NULL, "is in no folder of the include path"},
      {"twice.h", NULL, "is in no folder of the include path"},
      {"beside.h", NULL, "is in no folder of the include path"},
      {"above/secret.h", NULL, "is in no folder of the include path"},
      {"round.h", NULL, "Too many levels of symbolic links"},
  };
  static const char *const alone[] = {"one", "link", "two/../one/"};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char source[64];
    found_headers f;
    (void)snprintf(source, sizeof source, "#include <%s>\n", cases[i].name);
    const char *both = scratch_path("link:%s", scratch_path("two"));
    if (cases[i].content != NULL) {
      OK(find_headers((jig_engine_config){.include_path = both}, source, &f));
      ck_assert_str_eq(content_of(&f, cases[i].name), cases[i].content);
      let_go(&f);
    }
    for (size_t k = 0; k < COUNT_OF(alone); ++k) {
      jig_status status =
          find_headers((jig_engine_config){.include_path = scratch_path("%s", alone[k])}, source, &f);
      if (cases[i].problem == NULL)
        OK(status);
      else
        FAILS(status, JIG_ERROR_INVALID_ARGUMENT, cases[i].problem);
      ck_assert_ptr_null(strstr(jig_last_error(), "SECRET"));
      let_go(&f);
    }
  }
  found_headers f;
  OK(find_headers((jig_engine_config){.include_path = scratch_path("one")}, "#include <dangling.h>\n",
                  &f));
  ck_assert_uint_eq(count_of(&f), 0);
  let_go(&f);
  engine_teardown();
}
END_TEST

/* ---- what cannot be */

START_TEST(unreadable_headers_are_named) {
  engine_setup();
  make_folders();
  static const char nul[] = "int x;\0int y;";
  file_write(scratch_path("one/nul.h"), nul, sizeof nul - 1);
  make_file("one/huge.h", "");
  ck_assert_int_eq(truncate(scratch_path("one/huge.h"), (off_t)HEADER_MOST_BYTES + 1), 0);
  ck_assert_int_eq(mkfifo(scratch_path("one/pipe.h"), 0600), 0);
  make_file("one/secret.h", "");
  ck_assert_int_eq(chmod(scratch_path("one/secret.h"), 0), 0);
  static const struct {
    const char *name, *why;
  } cases[] = {{"nul.h", "is no text"},
               {"huge.h", "File too large"},
               {"pipe.h", "Invalid argument"},
               {"secret.h", "Permission denied"}};
  for (size_t i = 0; i < COUNT_OF(cases) - (geteuid() == 0 ? 1 : 0); ++i) { /* root reads everything */
    char source[64];
    (void)snprintf(source, sizeof source, "#include <%s>\nreturn a;", cases[i].name);
    jig_engine *engine = engine_with((jig_engine_config){.include_path = scratch_path("one")});
    char *spec = spec_of(source);
    FAILS(jig_prewarm(engine, spec, "sm_90", NULL), JIG_ERROR_INVALID_ARGUMENT, cases[i].why);
    ck_assert_ptr_nonnull(strstr(jig_last_error(), scratch_path("one/%s", cases[i].name)));
    FAILS(jig_source(engine, spec, "sm_90", &(char *){NULL}), JIG_ERROR_INVALID_ARGUMENT, cases[i].why);
    jig_engine_destroy(engine);
    jig_free(spec);
  }
  ck_assert_int_eq(fake_compiled().count, 0);
  engine_teardown();
}
END_TEST

/* Each includes the next one. */
static void make_chain(jig_header *chain, size_t length) {
  static char names[5000][32], texts[5000][64];
  for (size_t i = 0; i < length; ++i) {
    (void)snprintf(names[i], sizeof names[i], "%zu.h", i);
    (void)snprintf(texts[i], sizeof texts[i], "#include \"%zu.h\"\n", i + 1);
    chain[i] = (jig_header){names[i], texts[i]};
  }
}

START_TEST(there_are_limits) {
  static jig_header chain[5000];
  make_chain(chain, COUNT_OF(chain));
  found_headers f;
  OK(find_headers((jig_engine_config){.headers = chain, .header_count = 4096, .include_path = ""},
                  "#include <0.h>", &f));
  ck_assert_uint_eq(count_of(&f), 4096);
  let_go(&f);
  FAILS(find_headers((jig_engine_config){WITH(chain), .include_path = ""}, "#include <0.h>", &f),
        JIG_ERROR_INVALID_ARGUMENT,
        "more than 4096 headers or 64 MiB are included; '4096.h' is one too many");
  let_go(&f);
  char *large = malloc((40 << 20) + 1);
  memset(large, ' ', 40 << 20);
  large[40 << 20] = '\0';
  const jig_header headers[] = {{"a.h", large}, {"b.h", large}};
  FAILS(find_headers((jig_engine_config){WITH(headers), .include_path = ""},
                     "#include <a.h>\n#include <b.h>", &f),
        JIG_ERROR_INVALID_ARGUMENT, "'b.h' is one too many");
  let_go(&f);
  free(large);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(includes_are_found),
      SUITE_TEST(names_are_made_full),
      SUITE_TEST(texts_without_includes_stay_as_they_are),
      SUITE_TEST(includes_come_before_all_texts),
      SUITE_TEST(every_text_may_include),
      SUITE_TEST(halves_are_there_for_headers),
      SUITE_TEST(what_is_not_there_becomes_an_error),
      SUITE_TEST(memory_comes_before_folders_and_these_in_order),
      SUITE_TEST(quoted_names_are_looked_for_beside_their_header),
      SUITE_TEST(headers_keep_their_lines),
      SUITE_TEST(nothing_beyond_the_folders_is_shown),
      SUITE_TEST(links_lead_nowhere_else),
      SUITE_TEST(unreadable_headers_are_named),
      SUITE_TEST(there_are_limits),
  };
  if (!fakes_open("unit/headers")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/headers", tests, false);
  fakes_close();
  return answer;
}
