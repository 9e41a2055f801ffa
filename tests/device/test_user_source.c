/* The caller's names and macros, whatever they are, do not meet those of the program around them; and
 * what structs may be. Compiling needs NVRTC only, running a GPU. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

/* ---- programs */

/* Structs of one word, called what jig might call something of its own. */
static const char *const struct_names[] = {
    "policy", "in_t",   "out_t", "init_t", "op_t",  "accum_t",     "Op",          "In",
    "Accum",  "Policy", "item",  "Agent",  "tag_t", "value_out_t", "index_out_t", "TileState"};

/* A sum over a struct of that name, which is also an operator's state and what a transform returns. The
 * text and everything else that args point to is static. */
static jig_reduce_args sum_over_struct(const char *name, const void *items, size_t count) {
  static char definition[128], sum[128], lift[128];
  static jig_iter base;
  static const uint32_t zero = 0;
  (void)snprintf(definition, sizeof definition, "struct %s { uint32_t x; };", name);
  (void)snprintf(sum, sizeof sum, "%s c;\nc.x = a.x + b.x + state.x;\nreturn c;", name);
  (void)snprintf(lift, sizeof lift, "%s c = {x};\nreturn c;", name);
  const jig_type type = jig_struct(name, definition, 4, 4);
  base = jig_pointer(items, JIG_U32);
  return (jig_reduce_args){.in = jig_iter_transform(&base, jig_op_source(lift), type),
                           .out = jig_pointer(NULL, type),
                           .num_items = count,
                           .op = jig_op_with_state(jig_op_source(sum), &zero, type),
                           .init = &zero};
}

/* Text of the caller's own that begins with macros: the sum of all items, each tripled. */
static const char *const macros[] = {"#define T float",
                                     "#define N 4",
                                     "#define threads 64",
                                     "#define unroll",
                                     "#define Accum",
                                     "#define op_ +",
                                     "#define warps 1\n#define partials ;",
                                     "#define share ,\n#define num_items ;",
                                     "#define min_of(a) a"};

static jig_reduce_args sum_with_macros(const char *macro, const void *items, size_t count) {
  static char sum[256], triple[256];
  static jig_iter base;
  (void)snprintf(sum, sizeof sum, "%s\nuint32_t add(uint32_t a, uint32_t b) { return a + b; }\n", macro);
  (void)snprintf(triple, sizeof triple, "%s\nuint32_t triple(uint32_t x) { return 3 * x; }\n", macro);
  base = jig_pointer(items, JIG_U32);
  return (jig_reduce_args){.in = jig_iter_transform(&base, jig_op_function(triple, "triple"), JIG_U32),
                           .out = jig_pointer(NULL, JIG_U32),
                           .num_items = count,
                           .op = jig_op_function(sum, "add")};
}

static jig_reduce_args sum_over(jig_type type, const char *body) {
  const jig_iter items = jig_pointer(NULL, type);
  return (jig_reduce_args){.in = items, .out = items, .op = jig_op_source(body)};
}

/* ---- compiling */

static jig_status compile(jig_reduce_args args) {
  const jig_engine_config config = {
      .cache_dir = scratch_path("cache"), .cache_path = "", .build = JIG_BUILD_ON_DEMAND};
  jig_engine *engine;
  char *spec = NULL;
  OK(jig_engine_create(&engine, &config));
  OK(jig_reduce_spec(&args, &spec));
  const jig_status status = jig_prewarm(engine, spec, "sm_90", NULL);
  jig_free(spec);
  if (status == JIG_SUCCESS) jig_engine_destroy(engine); /* which is no call that has an error */
  return status;
}

/* Both ways of folding. */
static void compiles(jig_reduce_args args, const char *what) {
  for (int commutative = 0; commutative < 2; ++commutative) {
    args.op.commutative = commutative;
    const jig_status status = compile(args);
    ck_assert_msg(status == JIG_SUCCESS, "%s, %s operator: %s: %.2000s", what,
                  commutative ? "a commutative" : "an ordered", jig_status_name(status),
                  jig_last_error());
  }
}

START_TEST(structs_of_any_name_compile) {
  scratch_setup();
  for (size_t i = 0; i < COUNT_OF(struct_names); ++i) {
    compiles(sum_over_struct(struct_names[i], NULL, 0), struct_names[i]);
  }
  scratch_teardown();
}
END_TEST

START_TEST(macros_of_any_name_compile) {
  scratch_setup();
  for (size_t i = 0; i < COUNT_OF(macros); ++i) compiles(sum_with_macros(macros[i], NULL, 0), macros[i]);
  scratch_teardown();
}
END_TEST

/* Members with initialisers make a default constructor that does something. */
static const char initialised[] = "struct total { uint32_t x = 7, y = 9; };";
static const char sum_of_totals[] = "total c;\nc.x = a.x + b.x;\nc.y = a.y ^ b.y;\nreturn c;";

START_TEST(structs_need_a_default_constructor) {
  scratch_setup();
  compiles(sum_over(jig_struct("total", initialised, 8, 4), sum_of_totals), "members with initialisers");
  compiles(
      sum_over(
          jig_struct("word", "struct word { uint32_t x; word() = default; word(uint32_t v) : x(v) {} };",
                     4, 4),
          "return word(a.x + b.x);"),
      "a defaulted constructor beside another one");
  FAILS(compile(
            sum_over(jig_struct("word", "struct word { uint32_t x; word(uint32_t v) : x(v) {} };", 4, 4),
                     "return word(a.x + b.x);")),
        JIG_ERROR_COMPILE, "word");
  scratch_teardown();
}
END_TEST

/* ---- running */

enum { ITEMS = 50021 };

/* The items on the device, and their sum. */
static uint32_t *new_items(uint32_t *sum) {
  static uint32_t host[ITEMS];
  *sum = 0;
  for (uint32_t i = 0; i < ITEMS; ++i) {
    host[i] = i * 2654435761u;
    *sum += host[i];
  }
  return gpu_copy(host, sizeof host, 0);
}

static void sums_to(jig_reduce_args args, uint32_t wanted, const char *what) {
  uint32_t got;
  for (int commutative = 0; commutative < 2; ++commutative) {
    args.op.commutative = commutative;
    reduce_to_host(args, args.out.type, &got);
    ck_assert_msg(got == wanted, "%s, %s operator: %u, not %u", what,
                  commutative ? "a commutative" : "an ordered", got, wanted);
  }
}

START_TEST(structs_of_any_name_are_summed) {
  uint32_t sum, *items = new_items(&sum);
  for (size_t i = 0; i < COUNT_OF(struct_names); ++i) {
    sums_to(sum_over_struct(struct_names[i], items, ITEMS), sum, struct_names[i]);
  }
  gpu_free(items);
}
END_TEST

START_TEST(macros_change_nothing_else) {
  uint32_t sum, *items = new_items(&sum);
  for (size_t i = 0; i < COUNT_OF(macros); ++i) {
    sums_to(sum_with_macros(macros[i], items, ITEMS), 3 * sum, macros[i]);
  }
  gpu_free(items);
}
END_TEST

/* A sum of what a transform makes, by two functions of one text. */
static jig_reduce_args sum_by(const char *text, const void *items, jig_type type) {
  static jig_iter base;
  base = jig_pointer(items, type);
  return (jig_reduce_args){.in = jig_iter_transform(&base, jig_op_function(text, "triple"), type),
                           .out = jig_pointer(NULL, type),
                           .num_items = ITEMS,
                           .op = jig_op_function(text, "add")};
}

/* That of a text's own end with it; what was there before stays. */
START_TEST(macros_end_with_their_text) {
  static const char guarded[] =
      "#ifndef TEXT_H\n# define TEXT_H\n#define /* f */ sum(p, q) ((p) + (q))\n"
      "uint32_t add(uint32_t p, uint32_t q) { return sum(p, q); }\n"
      "uint32_t triple(uint32_t p) { return sum(p, sum(p, p)); }\n#endif\n",
                    word[] = "#define COPIES 3\n#define operator_ +\nstruct word { uint32_t x; };\n",
                    copies[] =
                        "#ifndef COPIES\n#define COPIES 1\n#endif\n"
                        "word add(word p, word q) { return {p.x operator_ q.x}; }\n"
                        "word triple(word p) { return {COPIES * p.x}; }\n";
  uint32_t sum, *items = new_items(&sum);
  sums_to(sum_by(guarded, items, JIG_U32), 3 * sum, "a text that guards itself");
  sums_to(sum_by(copies, items, jig_struct("word", word, 4, 4)), 3 * sum, "macros of a struct's text");
  const jig_iter base = jig_pointer(items, JIG_U32);
  const char *triple =
      "#define uint32_t float\n#define a 1\n#define commutative x y z\n#define sizeof(x) 0\n"
      "#define static\nreturn 3 * x;";
  const jig_reduce_args args = {.in = jig_iter_transform(&base, jig_op_source(triple), JIG_U32),
                                .out = jig_pointer(NULL, JIG_U32),
                                .num_items = ITEMS,
                                .op = jig_op_source("return a + b;")};
  sums_to(args, 3 * sum, "names that the rest of the program needs");
  gpu_free(items);
}
END_TEST

START_TEST(initialised_members_are_loaded_over) {
  uint32_t sum, *items = new_items(&sum);
  struct {
    uint32_t x, y;
  } got, wanted = {0, 0};
  enum { TOTALS = ITEMS / 2 };
  for (uint32_t i = 0; i < TOTALS; ++i) {
    wanted.x += 2 * i * 2654435761u;
    wanted.y ^= (2 * i + 1) * 2654435761u;
  }
  for (int commutative = 0; commutative < 2; ++commutative) {
    jig_reduce_args args = sum_over(jig_struct("total", initialised, 8, 4), sum_of_totals);
    args.in.pointer = items;
    args.num_items = TOTALS;
    args.op.commutative = commutative;
    reduce_to_host(args, args.out.type, &got);
    ck_assert_msg(got.x == wanted.x && got.y == wanted.y, "{%u, %u}, not {%u, %u}", got.x, got.y,
                  wanted.x, wanted.y);
  }
  gpu_free(items);
}
END_TEST

/* ---- headers and compile options: each item twice by a header in memory, that by an option times, and
 * one more for each by a header in a folder. */

static uint32_t reduce_with(jig_engine *engine, const jig_reduce_args *args) {
  uint32_t got = 0;
  size_t bytes = 0;
  jig_reduce_args call = *args;
  OK(jig_reduce(engine, NULL, &bytes, &call, NULL));
  void *temp = gpu_alloc(bytes, 0), *out = gpu_alloc(sizeof got, 0);
  call.out.pointer = out;
  OK(jig_reduce(engine, temp, &bytes, &call, NULL));
  gpu_read(&got, out, sizeof got);
  gpu_free(temp);
  gpu_free(out);
  return got;
}

START_TEST(headers_and_options_are_heard) {
  static const jig_header headers[] = {
      {"math/twice.h",
       "#pragma once\n#include \"add.h\"\ninline uint32_t twice(uint32_t x) { return add(x, x); }\n"},
      {"math/add.h", "#pragma once\ninline uint32_t add(uint32_t a, uint32_t b) { return a + b; }\n"}};
  static const char in_folder[] = "inline uint32_t next(uint32_t x) { return x + 1; }\n";
  uint32_t sum, *items = new_items(&sum);
  scratch_setup();
  file_write(scratch_path("next.h"), in_folder, sizeof in_folder - 1);
  const jig_iter base = jig_pointer(items, JIG_U32);
  const jig_reduce_args args = {
      .in = jig_iter_transform(
          &base,
          jig_op_source("#include <math/twice.h>\n#include <next.h>\nreturn next(SCALE * twice(x));"),
          JIG_U32),
      .out = jig_pointer(NULL, JIG_U32),
      .num_items = ITEMS,
      .op = jig_op_function(
          "#include \"math/add.h\"\nuint32_t f(uint32_t a, uint32_t b) { return add(a, b); }", "f")};
  for (uint32_t scale = 3; scale < 5; ++scale) {
    const char *options[] = {scale == 3 ? "-DSCALE=3" : "-DSCALE=4"};
    const jig_engine_config config = {.include_path = scratch_path("."),
                                      .headers = headers,
                                      .header_count = COUNT_OF(headers),
                                      .compile_options = options,
                                      .compile_option_count = 1};
    jig_engine *engine;
    OK(jig_engine_create(&engine, &config));
    ck_assert_uint_eq(reduce_with(engine, &args), 2 * scale * sum + ITEMS);
    jig_engine_destroy(engine);
  }
  scratch_teardown();
  gpu_free(items);
}
END_TEST

static int compile_all(void) {
  static const suite_test tests[] = {
      SUITE_TEST(structs_of_any_name_compile),
      SUITE_TEST(macros_of_any_name_compile),
      SUITE_TEST(structs_need_a_default_constructor),
  };
  if (compiler_get() != NULL) return SUITE_RUN("device/user_source", tests, false);
  for (size_t i = 0; i < COUNT_OF(tests); ++i) {
    printf("skipped: device/user_source: %s (no NVRTC)\n", tests[i].name);
  }
  return 0;
}

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(structs_of_any_name_are_summed), SUITE_TEST(macros_change_nothing_else),
      SUITE_TEST(macros_end_with_their_text),     SUITE_TEST(initialised_members_are_loaded_over),
      SUITE_TEST(headers_and_options_are_heard),
  };
  const int failed = compile_all(); /* in processes of their own, before CUDA is started here */
  return SUITE_RUN("device/user_source", tests, true) | failed;
}
