/* The user's headers and compile options with the real compiler: what compiles, what messages say, and
 * that no file is opened behind jig's back. */
#include <cuda.h>
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine_support.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

#define WITH(list) .headers = (list), .header_count = COUNT_OF(list)

/* ---- what compiles */

static void compiles_args(jig_engine_config config, const jig_reduce_args *args,
                          jig_prewarm_result *result) {
  char *spec = NULL;
  OK(jig_reduce_spec(args, &spec));
  jig_engine *engine = engine_with(config);
  OK(jig_prewarm(engine, spec, "sm_90", result));
  jig_engine_destroy(engine);
  jig_free(spec);
}

static void compiles(jig_engine_config config, jig_op op) {
  const jig_iter items = jig_pointer(NULL, JIG_I32);
  const jig_reduce_args args = {.in = items, .out = items, .op = op};
  compiles_args(config, &args, NULL);
}

START_TEST(headers_compile) {
  engine_setup();
  static const jig_header headers[] = {
      {"once.h", "#pragma once\ninline int once(int x) { return x; }\n"},
      {"guarded.h", "#ifndef G\n#define G\ninline int guarded(int x) { return x; }\n#endif\n"},
      {"bare.h", "int bare(int x) { return x; }\n"},
      {"macros.h", "#define T float\n#define threads 64\n#define unroll\n#define policy {\n"},
      {"half.h", "#include <jig/core/half.cuh>\n#define f(x) jig::f16(x)\n"},
      {"deep/a.h", "#pragma once\n#include \"b.h\"\n#include \"../once.h\"\n"},
      {"deep/b.h", "#pragma once\n#include \"a.h\"\n#include \"deeper/c.h\"\n"},
      {"deep/deeper/c.h",
       "#include <deep/b.h>\n#if __has_include(\"d.h\")\n#error d.h\n#endif\nconstexpr int c = 5;\n"},
      {"crlf.h",
       "\xef\xbb\xbf#pragma once\r\n#include \"once.h\"\r\ninline int crlf(int x) {\r\n  return "
       "once(x);\r\n}\r\n"}};
  static const char *const bodies[] = {
      "#include <once.h>\n#include \"once.h\"\nreturn once(a) + b;",
      "#include \"guarded.h\"\nreturn guarded(a) + b;",
      "#include \"bare.h\"\nreturn bare(a) + b;",
      "#include \"macros.h\"\nreturn T(a) + b;",
      "#include \"macros.h\"\n#include \"half.h\"\nreturn int(float(f(a))) + b;",
      "#include \"deep/a.h\"\n#include \"once.h\"\nreturn once(a) + c;",
      "#include \"crlf.h\"\nreturn crlf(a) + b;",
      "#include <jig/block/reduce.cuh>\n#include <jig/core/half.cuh>\nreturn int(jig::f16(a)) + b;",
      "#if 0\n#include <nowhere.h>\n#endif\n#if __has_include(<once.h>)\nreturn a + b;\n#endif"};
  for (size_t i = 0; i < COUNT_OF(bodies); ++i)
    compiles((jig_engine_config){WITH(headers)}, jig_op_source(bodies[i]));
  engine_teardown();
}
END_TEST

START_TEST(functions_and_structs_include) {
  engine_setup();
  static const jig_header headers[] = {
      {"p.h", "#pragma once\nstruct p { float x, y; };\n"},
      {"add.h", "#include \"p.h\"\ninline p add(p a, p b) { return {a.x + b.x, a.y}; }\n"}};
  const jig_type pair = jig_struct("pair", "#include \"p.h\"\nstruct pair { p a; p b; };", 16, 4);
  const jig_iter items = jig_pointer(NULL, pair);
  const jig_reduce_args args = {
      .in = jig_iter_transform(&items, jig_op_source("#include <add.h>\nreturn {add(x.a, x.b), x.b};"),
                               pair),
      .out = items,
      .op = jig_op_function("#include <add.h>\npair f(pair a, pair b) { return {add(a.a, b.a), b.b}; }",
                            "f")};
  compiles_args((jig_engine_config){WITH(headers)}, &args, NULL);
  engine_teardown();
}
END_TEST

/* Of entries of one key every byte is the same, wherever the headers came from. */
START_TEST(places_are_not_in_the_bytes) {
  engine_setup();
  static unsigned char bytes[2][1 << 18];
  size_t sizes[2];
  static const char header[] = "#pragma once\ninline int f(int x) { return x; }\n";
  static const jig_header headers[] = {{"a/f.h", header}};
  ck_assert_int_eq(mkdir(scratch_path("one"), 0700), 0);
  ck_assert_int_eq(mkdir(scratch_path("one/a"), 0700), 0);
  file_write(scratch_path("one/a/f.h"), header, sizeof header - 1);
  const jig_iter items = jig_pointer(NULL, JIG_I32);
  const jig_reduce_args args = {
      .in = items, .out = items, .op = jig_op_source("#include <a/f.h>\nreturn f(a) + b;")};
  const jig_engine_config configs[] = {{WITH(headers)}, {.include_path = scratch_path("one")}};
  for (size_t i = 0; i < COUNT_OF(configs); ++i) {
    jig_prewarm_result result;
    jig_engine *engine = engine_with(configs[i]);
    OK(jig_cache_clear(engine, NULL));
    jig_engine_destroy(engine);
    compiles_args(configs[i], &args, &result);
    ck_assert_int_eq(result.hit, 0);
    sizes[i] = file_read(
        scratch_path("cache/v1/%.2s/%s-%s.jig", result.key, result.key + 2, compiler_get()->version),
        bytes[i], sizeof bytes[i]);
  }
  ck_assert_uint_gt(sizes[0], 1000);
  ck_assert_uint_eq(sizes[0], sizes[1]);
  ck_assert_mem_eq(bytes[0], bytes[1], sizes[0]);
  engine_teardown();
}
END_TEST

/* CUDA's own, which include each other in every way there is. */
START_TEST(headers_of_the_toolkit_compile) {
  engine_setup();
  static const char path[] = "/usr/local/cuda/include:/usr/local/cuda/include/cccl";
  /* Which are for the compiler of the same toolkit. */
  if (access("/usr/local/cuda/include/cccl/cuda/std/limits", R_OK) == 0 &&
      compiler_get()->major == CUDA_VERSION / 1000) {
    compiles((jig_engine_config){.include_path = path},
             jig_op_source("#include <cuda_fp16.h>\nreturn int(__half2float(__float2half(a))) + b;"));
    compiles(
        (jig_engine_config){.include_path = path},
        jig_op_source(
            "#include <cuda/std/limits>\nreturn a < cuda::std::numeric_limits<int>::max() ? a : b;"));
  } else {
    printf("skipped: unit/header_builds: headers_of_the_toolkit_compile (no headers of the toolkit)\n");
  }
  engine_teardown();
}
END_TEST

/* ---- messages */

static void fails(jig_engine_config config, const char *body, jig_status status, const char *part) {
  char *spec = spec_of(body);
  jig_engine *engine = engine_with(config);
  FAILS(jig_prewarm(engine, spec, "sm_90", NULL), status, part);
  FAILS(jig_prewarm(engine, spec, "sm_90", NULL), status, part); /* a failure is not kept */
  ck_assert_uint_eq(entries_in_cache(), 0);
  jig_engine_destroy(engine);
  jig_free(spec);
}

START_TEST(messages_point_to_their_places) {
  engine_setup();
  static const jig_header headers[] = {
      {"a/wrong.h", "#pragma once\n#include \"right.h\"\nint f() { return y; }\n"},
      {"a/right.h", "int x;\n"},
      {"a/lost.h", "\n#include \"no.h\"\n"}};
  const jig_engine_config config = {WITH(headers)};
  static const struct {
    const char *body, *place, *message;
  } cases[] = {
      {"\n  #include \"no.h\"\nreturn a;",
       "operator:2:", "cannot include \"no.h\": neither config->headers"},
      {"#include \"a/lost.h\"\nreturn a;", "a/lost.h:2:", "cannot include \"no.h\""},
      {"#include \"a/wrong.h\"\nreturn a;", "a/wrong.h:3:", "identifier \"y\" is undefined"},
      {"#include <a/right.h> // x\nreturn a + z;", "operator:2:", "identifier \"z\" is undefined"}};
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    fails(config, cases[i].body, JIG_ERROR_COMPILE, cases[i].place);
    ck_assert_msg(strstr(jig_last_error(), cases[i].message) != NULL, "%s", jig_last_error());
  }
  engine_teardown();
}
END_TEST

/* NVRTC would look for quoted names in the working directory, and opens absolute ones. */
START_TEST(no_file_is_opened_but_through_the_include_path) {
  engine_setup();
  char body[2 * SCRATCH_PATH];
  file_write(scratch_path("there.h"), "", 0);
  ck_assert_int_eq(chdir(scratch_path(".")), 0);
  fails((jig_engine_config){0}, "#include \"there.h\"\nreturn a;", JIG_ERROR_COMPILE, "cannot include");
  fails((jig_engine_config){0}, "#define H \"there.h\"\n#include H\nreturn a;", JIG_ERROR_COMPILE,
        "by a name");
  fails((jig_engine_config){0}, "#inc\\\nlude \"there.h\"\nreturn a;", JIG_ERROR_COMPILE, "there.h");
  (void)snprintf(body, sizeof body, "#include <%s>\nreturn a;", scratch_path("there.h"));
  fails((jig_engine_config){0}, body, JIG_ERROR_COMPILE, "it is an absolute path");
  (void)snprintf(
      body, sizeof body,
      "#if __has_include(\"there.h\") || __has_include(\"%s\")\n#error it is\n#endif\nreturn a;",
      scratch_path("there.h"));
  compiles((jig_engine_config){0}, jig_op_source(body));
  ck_assert_int_eq(chdir("/"), 0);
  engine_teardown();
}
END_TEST

/* ---- options */

START_TEST(options_reach_the_compiler) {
  engine_setup();
  static const char *const options[] = {
      "-D", "SCALE=3", "--std=c++20", "--use_fast_math", "-lineinfo", "--ptxas-options=-O2"};
  const jig_engine_config config = {.compile_options = options,
                                    .compile_option_count = COUNT_OF(options)};
  fails((jig_engine_config){.compile_options = options, .compile_option_count = 0},
        "return a + SCALE * b;", JIG_ERROR_COMPILE, "\"SCALE\" is undefined");
  compiles(config, jig_op_source("static_assert(SCALE == 3 && __cplusplus > 201703 && __USE_FAST_MATH__ "
                                 "== 1);\nreturn a + SCALE * b;"));
  engine_teardown();
}
END_TEST

START_TEST(options_that_the_compiler_refuses_are_named) {
  static const struct {
    const char *option;
    jig_status status;
    const char *part;
  } cases[] = {{"--no-such-option", JIG_ERROR_INVALID_ARGUMENT, "unrecognized option --no-such-option"},
               {"--maxrregcount=many", JIG_ERROR_INVALID_ARGUMENT, "compile_options: NVRTC "},
               {"-D3=4", JIG_ERROR_COMPILE, "invalid macro definition: 3=4"},
               {"--ptxas-options=--no-such", JIG_ERROR_COMPILE, "Unknown option '-no-such'"}};
  engine_setup();
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const char *options[] = {cases[i].option};
    fails((jig_engine_config){.compile_options = options, .compile_option_count = 1}, "return a;",
          cases[i].status, cases[i].part);
    const char *told = jig_last_error();
    ck_assert_msg(told[strlen(told) - 1] != '\n', "%s", told);
  }
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(headers_compile),
      SUITE_TEST(functions_and_structs_include),
      SUITE_TEST(places_are_not_in_the_bytes),
      SUITE_TEST(headers_of_the_toolkit_compile),
      SUITE_TEST(messages_point_to_their_places),
      SUITE_TEST(no_file_is_opened_but_through_the_include_path),
      SUITE_TEST(options_reach_the_compiler),
      SUITE_TEST(options_that_the_compiler_refuses_are_named),
  };
  if (compiler_get() != NULL) return SUITE_RUN("unit/header_builds", tests, false);
  for (size_t i = 0; i < COUNT_OF(tests); ++i)
    printf("skipped: unit/header_builds: %s (no NVRTC)\n", tests[i].name);
  return EXIT_SUCCESS;
}
