/* What an engine is told of headers and compile options: what is refused, what enters the key, what
 * belongs to which engine. With a compiler that has nothing behind it; see test_header_builds.c. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

#define WITH(list) .headers = (list), .header_count = COUNT_OF(list)
static const jig_header two_headers[] = {{"a.h", "int f(int x) { return x; }\n"},
                                         {"d/b.h", "#include \"../a.h\"\n"}};

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

/* ---- what is refused */

static void refuses(jig_engine_config config, const char *why) {
  jig_engine *engine = (jig_engine *)&config;
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT, why);
  ck_assert_ptr_null(engine);
}

START_TEST(configs_are_checked) {
  engine_setup();
  static const struct {
    jig_header second;
    const char *why;
  } cases[] = {{{NULL, ""}, "config->headers[1]: name or text is NULL"},
               {{"b.h", NULL}, "config->headers[1]: name or text is NULL"},
               {{"", ""}, "config->headers[1]: the name is none"},
               {{"a\"", ""}, "config->headers[1]: the name is none"},
               {{"/a.h", ""}, "config->headers[1]: the name is an absolute path"},
               {{"jig/a.h", ""}, "config->headers[1]: names that begin with 'jig/'"},
               {{"b/../a.h", ""}, "config->headers[1]: the name is given twice"}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const jig_header headers[] = {{"a.h", ""}, cases[i].second};
    refuses((jig_engine_config){WITH(headers)}, cases[i].why);
  }
  refuses((jig_engine_config){.header_count = 1}, "config->headers: the pointer is NULL");
  refuses((jig_engine_config){.compile_option_count = 1}, "config->compile_options: the pointer is NULL");
  static const char *const options[] = {"-DA", NULL};
  refuses((jig_engine_config){.compile_options = options, .compile_option_count = 2},
          "config->compile_options[1] is NULL");
  static const char *const latin[] = {"-DA", "-DX=\xe4"};
  refuses((jig_engine_config){.compile_options = latin, .compile_option_count = 2},
          "config->compile_options[1] is not UTF-8");
  make_file("file", "");
  refuses((jig_engine_config){.include_path = scratch_path("none")}, "none: No such file or directory");
  refuses((jig_engine_config){.include_path = scratch_path(":%s:", scratch_path("file"))},
          "config->include_path: ");
  set_variable("JIG_INCLUDE_PATH", scratch_path("file"));
  refuses((jig_engine_config){0}, "$JIG_INCLUDE_PATH: ");
  jig_engine_destroy(engine_with((jig_engine_config){.include_path = ""})); /* comes before it */
  engine_teardown();
}
END_TEST

/* ---- options */

START_TEST(options_that_change_what_comes_out_are_refused) {
  static const char *const refused[] = {"-arch=sm_80",
                                        "--gpu-architecture=compute_80",
                                        "-arch",
                                        " -arch=sm_80",
                                        "-dc",
                                        "--device-c",
                                        "-dw",
                                        "--device-w",
                                        "-rdc=true",
                                        "--relocatable-device-code=true",
                                        "-ewp",
                                        "--extensible-whole-program",
                                        "-dlto",
                                        "--dlink-time-opt",
                                        "--gen-opt-lto",
                                        "-gen-opt-lto",
                                        "--optix-ir",
                                        "-optix-ir",
                                        "--ptx",
                                        "--cubin",
                                        "--fatbin",
                                        "--fdevice-syntax-only",
                                        "-I",
                                        "-I.",
                                        "-I=.",
                                        "--include-path=.",
                                        "--include-path",
                                        "-isystem",
                                        "-include=a.h",
                                        "-include",
                                        "--pre-include=a.h",
                                        "--preinclude",
                                        "--pch",
                                        "-pch",
                                        "--pch-dir=.",
                                        "--pch_dir=.",
                                        "--create-pch=a",
                                        "-create-pch=a",
                                        "--use_pch=a",
                                        "--pch-verbose=true",
                                        "--pch-messages=true",
                                        "--instantiate-templates-in-pch=true",
                                        "--time=a",
                                        "-time=a",
                                        "--fdevice-time-trace=a",
                                        "--no-cache",
                                        "--enable-cache-trace",
                                        "--frandom-seed=a",
                                        "--modify-stack-limit=true",
                                        "--device-int128",
                                        "-default-device",
                                        "--minimal",
                                        "-Xcudafe",
                                        "-Xnvvm=a",
                                        "-Xopt",
                                        "-std=c++14",
                                        "--std=c++11",
                                        "--std=c++03",
                                        "--ptxas-options=-arch=sm_80",
                                        "--ptxas-options=--gpu-name=sm_80",
                                        "-Xptxas=-c",
                                        "--ptxas-options=--compile-only",
                                        "-Xptxas=-o=a",
                                        "--ptxas-options=--output-file=a",
                                        "--ptxas-options=@a",
                                        "--ptxas-options=a.ptx",
                                        "--ptxas-options=-optf=a",
                                        "-Xptxas=--options-file=a",
                                        "--ptxas-options",
                                        "",
                                        " "};
  engine_setup();
  for (size_t i = 0; i < COUNT_OF(refused); ++i) {
    char why[128], variable[64];
    const char *options[] = {"-DA=1", refused[i]};
    (void)snprintf(why, sizeof why, "config->compile_options: '%s' is refused: ", refused[i]);
    refuses((jig_engine_config){.compile_options = options, .compile_option_count = 2}, why);
    if (strspn(refused[i], " ") == strlen(refused[i])) continue;
    (void)snprintf(variable, sizeof variable, " -DA=1\t%s ", refused[i]);
    set_variable("JIG_COMPILE_OPTIONS", variable);
    (void)snprintf(why, sizeof why,
                   "$JIG_COMPILE_OPTIONS: '%s' is refused: ", refused[i] + strspn(refused[i], " "));
    refuses((jig_engine_config){0}, why);
    set_variable("JIG_COMPILE_OPTIONS", NULL);
  }
  const char *pair[] = {"-Xptxas", "-arch=sm_80"};
  refuses((jig_engine_config){.compile_options = pair, .compile_option_count = 2},
          "'-Xptxas' is refused: ");
  engine_teardown();
}
END_TEST

START_TEST(all_other_options_are_taken) {
  static const char *const taken[] = {"-D",
                                      "time=5",
                                      "-DA=-dc",
                                      "-UA",
                                      "--define-macro=A",
                                      "--use_fast_math",
                                      "-ftz=true",
                                      "--fmad=false",
                                      "-lineinfo",
                                      "-G",
                                      "--maxrregcount=32",
                                      "-maxrregcount",
                                      "32",
                                      "--ptxas-options=-O1",
                                      "-Xptxas",
                                      "-v",
                                      "--std=c++20",
                                      "--diag-suppress=177",
                                      "--restrict",
                                      "--no-such-option"};
  engine_setup();
  jig_engine_destroy(engine_with(
      (jig_engine_config){.compile_options = taken, .compile_option_count = COUNT_OF(taken)}));
  engine_teardown();
}
END_TEST

static bool the_default_engine_tells_what_is_wrong(void) {
  set_variable("JIG_COMPILE_OPTIONS", "-dc");
  jig_engine_stats stats;
  return jig_engine_get_stats(NULL, &stats) == JIG_ERROR_INVALID_ARGUMENT &&
         strstr(jig_last_error(), "$JIG_COMPILE_OPTIONS: '-dc'") != NULL && jig_cache_path(NULL) == NULL;
}

START_TEST(a_wrong_environment_is_told) {
  engine_setup();
  ck_assert(is_true_in_a_child(the_default_engine_tells_what_is_wrong));
  engine_teardown();
}
END_TEST

/* ---- keys */

static jig_prewarm_result prewarm_with(jig_engine_config config, const char *body) {
  jig_prewarm_result result;
  jig_engine *engine = engine_with(config);
  char *spec = spec_of(body);
  OK(jig_prewarm(engine, spec, "sm_90", &result));
  jig_free(spec);
  jig_engine_destroy(engine);
  return result;
}

static void same_key(jig_prewarm_result a, jig_prewarm_result b) {
  ck_assert_str_eq(a.key, b.key);
  ck_assert_int_eq(b.hit, 1);
}

static void other_key(jig_prewarm_result a, jig_prewarm_result b) {
  ck_assert_str_ne(a.key, b.key);
  ck_assert_int_eq(b.hit, 0);
}

START_TEST(keys_know_contents_but_not_places) {
  engine_setup();
  make_folders();
  static const char body[] = "#include <sub/a.h>\nreturn f(a) + b;";
  static const jig_header memory[] = {{"sub/a.h", "#include \"b.h\"\n"}, {"sub/b.h", "int f(int);"}};
  const jig_engine_config in_memory = {WITH(memory)};
  const jig_prewarm_result first = prewarm_with(in_memory, body);
  ck_assert_int_eq(first.hit, 0);
  same_key(first, prewarm_with(in_memory, body));

  make_file("one/sub/a.h", "#include \"b.h\"\n");
  make_file("two/sub/b.h", "int f(int);");
  const jig_engine_config in_folders = {.include_path = both_folders()};
  same_key(first, prewarm_with(in_folders, body));
  ck_assert_int_eq(rename(scratch_path("two/sub/b.h"), scratch_path("one/sub/b.h")), 0);
  same_key(first, prewarm_with(in_folders, body));
  ck_assert_int_eq(rename(scratch_path("one"), scratch_path("moved")), 0);
  file_set_age(scratch_path("moved/sub/b.h"), -5000);
  same_key(first, prewarm_with((jig_engine_config){.include_path = scratch_path("moved")}, body));
  ck_assert_uint_eq(entries_in_cache(), 1);

  make_file("moved/sub/b.h", "int f(int); ");
  other_key(first, prewarm_with((jig_engine_config){.include_path = scratch_path("moved")}, body));
  make_file("moved/sub/b.h", "int f(int);");
  same_key(first, prewarm_with((jig_engine_config){.include_path = scratch_path("moved")}, body));
  ck_assert_int_eq(fake_compiled().count, 2);
  engine_teardown();
}
END_TEST

START_TEST(a_changed_file_is_seen_by_the_same_engine) {
  engine_setup();
  make_folders();
  make_file("one/a.h", "old");
  jig_engine *engine = engine_with((jig_engine_config){.include_path = scratch_path("one")});
  char *spec = spec_of("#include <a.h>\nreturn a;");
  jig_prewarm_result old, changed;
  OK(jig_prewarm(engine, spec, "sm_90", &old));
  make_file("one/a.h", "new");
  OK(jig_prewarm(engine, spec, "sm_90", &changed));
  other_key(old, changed);
  ck_assert_int_eq(unlink(scratch_path("one/a.h")), 0);
  OK(jig_prewarm(engine, spec, "sm_90", &old)); /* the compiler has nothing against an #error */
  other_key(changed, old);
  jig_free(spec);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(keys_know_only_what_is_included) {
  engine_setup();
  static const char plain[] = "return a; // plain", including[] = "#include \"a.h\"\nreturn a;";
  const jig_prewarm_result none = prewarm_with((jig_engine_config){0}, plain);
  same_key(none, prewarm_with((jig_engine_config){WITH(two_headers)}, plain));
  const jig_prewarm_result one =
      prewarm_with((jig_engine_config){.headers = two_headers, .header_count = 1}, including);
  same_key(one, prewarm_with((jig_engine_config){WITH(two_headers)}, including));
  /* The same texts, but under another name, or told apart otherwise. */
  static const jig_header swapped[] = {{"a.h", "#include <b.h>"}, {"b.h", "x"}, {"c.h", "y"}};
  static const jig_header others[] = {{"a.h", "#include <c.h>"}, {"b.h", "y"}, {"c.h", "x"}};
  other_key(prewarm_with((jig_engine_config){WITH(swapped)}, including),
            prewarm_with((jig_engine_config){WITH(others)}, including));
  engine_teardown();
}
END_TEST

START_TEST(keys_know_options_in_order) {
  engine_setup();
  static const char *const options[] = {"-DA=1", "-DB=2", "-DA=1"};
  static const char body[] = "return a; // options";
  const jig_prewarm_result none = prewarm_with((jig_engine_config){0}, body);
  const jig_engine_config one = {.compile_options = options, .compile_option_count = 1};
  const jig_engine_config ab = {.compile_options = options, .compile_option_count = 2};
  const jig_engine_config ba = {.compile_options = options + 1, .compile_option_count = 2};
  const jig_prewarm_result first = prewarm_with(one, body), second = prewarm_with(ab, body);
  other_key(none, first);
  other_key(first, second);
  other_key(second, prewarm_with(ba, body));
  same_key(first, prewarm_with(one, body));
  set_variable("JIG_COMPILE_OPTIONS", " -DA=1  -DB=2\t");
  same_key(second, prewarm_with((jig_engine_config){0}, body));
  same_key(none, prewarm_with((jig_engine_config){.compile_options = options}, body)); /* none of them */
  engine_teardown();
}
END_TEST

/* ---- engines */

/* Made before and gone when the engine is used. */
static jig_engine *engine_of_passing_texts(void) {
  char name[] = "a.h", content[] = "passing", option[] = "-DA", folder[SCRATCH_PATH];
  (void)snprintf(folder, sizeof folder, "%s", scratch_path("one"));
  const jig_header headers[] = {{name, content}};
  const char *options[] = {option};
  jig_engine *engine = engine_with((jig_engine_config){
      .include_path = folder, WITH(headers), .compile_options = options, .compile_option_count = 1});
  memset(name, '?', sizeof name);
  memset(content, '?', sizeof content);
  memset(option, '?', sizeof option);
  memset(folder, '?', sizeof folder);
  return engine;
}

START_TEST(configs_are_copied) {
  engine_setup();
  make_folders();
  make_file("one/b.h", "in a file");
  static const char *const options[] = {"-DA"};
  static const jig_header headers[] = {{"a.h", "passing"}};
  static const char body[] = "#include <a.h>\n#include <b.h>\nreturn a;";
  const jig_prewarm_result lasting = prewarm_with((jig_engine_config){.include_path = scratch_path("one"),
                                                                      WITH(headers),
                                                                      .compile_options = options,
                                                                      .compile_option_count = 1},
                                                  body);
  jig_engine *engine = engine_of_passing_texts();
  jig_prewarm_result result;
  char *spec = spec_of(body);
  OK(jig_prewarm(engine, spec, "sm_90", &result));
  same_key(lasting, result);
  jig_free(spec);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(engines_do_not_share_programs_of_other_headers) {
  engine_setup();
  static float items[4], sum;
  static const jig_header heads[] = {{"a.h", "int f(int);"}, {"a.h", "float f(float);"}};
  static const char *const options[] = {"-DA"};
  const jig_reduce_args args = {.in = jig_pointer(items, JIG_F32),
                                .out = jig_pointer(&sum, JIG_F32),
                                .num_items = 4,
                                .op = jig_op_source("#include <a.h>\nreturn f(a) + b;")};
  jig_engine *engines[] = {engine_with((jig_engine_config){.headers = &heads[0], .header_count = 1}),
                           engine_with((jig_engine_config){.headers = &heads[1], .header_count = 1}),
                           engine_with((jig_engine_config){.headers = &heads[1],
                                                           .header_count = 1,
                                                           .compile_options = options,
                                                           .compile_option_count = 1}),
                           engine_with((jig_engine_config){.headers = &heads[0], .header_count = 1})};
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < COUNT_OF(engines); ++i) {
      size_t bytes = 0;
      OK(jig_reduce(engines[i], NULL, &bytes, &args, NULL));
    }
  }
  for (size_t i = 0; i < COUNT_OF(engines); ++i) {
    const jig_engine_stats stats = stats_of(engines[i]);
    ck_assert_uint_eq(stats.misses, i < 3);
    ck_assert_uint_eq(stats.disk_hits, i == 3); /* what the first one has compiled */
    ck_assert_uint_eq(stats.memory_hits, 1);
    jig_engine_destroy(engines[i]);
  }
  ck_assert_uint_eq(entries_in_cache(), 3);
  engine_teardown();
}
END_TEST

enum { THREADS = 8 };
typedef struct prewarmers {
  jig_engine *engines[2]; /* for even and odd threads */
  char *spec;
  jig_status status[THREADS];
} prewarmers;

static void prewarm_one(void *user, int number) {
  prewarmers *p = user;
  p->status[number] = jig_prewarm(p->engines[number % 2], p->spec, "sm_90", NULL);
}

START_TEST(one_of_many_threads_compiles) {
  engine_setup();
  make_folders();
  make_file("one/a.h", two_headers[0].text);
  prewarmers p = {.engines = {engine_with((jig_engine_config){WITH(two_headers)}),
                              engine_with((jig_engine_config){.include_path = scratch_path("one")})},
                  .spec = spec_of("#include \"a.h\"\nreturn f(a);")};
  fake_compile_ms(150);
  run_together(THREADS, prewarm_one, &p);
  for (int i = 0; i < THREADS; ++i) ck_assert_int_eq(p.status[i], JIG_SUCCESS);
  ck_assert_int_eq(fake_compiled().count, 1);
  ck_assert_uint_eq(entries_in_cache(), 1);
  for (int i = 0; i < 2; ++i) jig_engine_destroy(p.engines[i]);
  jig_free(p.spec);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(configs_are_checked),
      SUITE_TEST(options_that_change_what_comes_out_are_refused),
      SUITE_TEST(all_other_options_are_taken),
      SUITE_TEST(a_wrong_environment_is_told),
      SUITE_TEST(keys_know_contents_but_not_places),
      SUITE_TEST(a_changed_file_is_seen_by_the_same_engine),
      SUITE_TEST(keys_know_only_what_is_included),
      SUITE_TEST(keys_know_options_in_order),
      SUITE_TEST(configs_are_copied),
      SUITE_TEST(engines_do_not_share_programs_of_other_headers),
      SUITE_TEST(one_of_many_threads_compiles),
  };
  if (!fakes_open("unit/header_keys")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/header_keys", tests, false);
  fakes_close();
  return answer;
}
