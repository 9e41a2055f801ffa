/* Kernels of the user's own, without a GPU: their specs and definitions, what the code of one tells, what
 * is built and kept. */
#include <float.h>
#include <jig/jig.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "jit/algorithm.h"
#include "jit/code_entries.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "spec/identity.h"
#include "spec/own_kernel.h"
#include "store_support.h"
#include "suite.h"

#define KERNEL "extern \"C\" __global__ void k(int *out) "

/* ---- specs */

static const jig_kernel_text texts[] = {{.name = "a.cuh", .text = "int a() { return 1; }"},
                                        {.text = "/* \xc3\xa4 \"quoted\" \\ */\n"}};

/* One with all that there is. */
static jig_kernel_config whole(jig_definition definitions[9]) {
  const jig_type none = {.kind = JIG_KIND_NONE};
  definitions[0] = jig_define_text("TEXT", "a \"b\"");
  definitions[1] = jig_define_int("MIN", INT64_MIN);
  definitions[2] = jig_define_uint("MAX", UINT64_MAX);
  definitions[3] = jig_define_float("TENTH", 0.1f);
  definitions[4] = jig_define_double("TINY", -5e-324);
  definitions[5] = jig_define_type("T", jig_struct("hit", "struct hit { float d; int id; };", 8, 4));
  definitions[6] = jig_define_op("Plus", JIG_PLUS, 2, JIG_F32, none);
  definitions[7] = jig_define_op("Less", JIG_LESS, 2, JIG_F32, none);
  definitions[8] = jig_define_op(
      "Of", jig_op_with_state(jig_op_source("return i + state;"), NULL, JIG_U64), 0, none, none);
  return (jig_kernel_config){.entry = "k",
                             .source = "JIG_LAUNCH_BOUNDS",
                             .source_name = "k.cu",
                             .texts = texts,
                             .text_count = 2,
                             .definitions = definitions,
                             .definition_count = 9,
                             .max_threads = 256,
                             .min_blocks = 2};
}

START_TEST(specs_say_it_all) {
  jig_definition definitions[9];
  const jig_kernel_config config = whole(definitions);
  const spec given = {.schema = &own_kernel_algorithm.schema, .slots = {{.kernel = &config}}};
  parsed_spec parsed;
  char *once, *twice;
  OK(jig_kernel_spec(&config, &once));
  OK(spec_parse(once, algorithm_schema, &parsed));
  OK(spec_write(&parsed.s, "again", &twice));
  ck_assert_str_eq(once, twice);
  /* Results that were left out are there now; nothing else has changed. */
  ck_assert_int_eq((int)parsed.kernel.definitions[7].result.kind, JIG_KIND_BOOL);
  spec *kept = spec_copy(&parsed.s), *copy = spec_copy(kept);
  ck_assert(spec_equal(&parsed.s, kept) && spec_equal(kept, copy));
  ck_assert_uint_eq(spec_hash(&parsed.s), spec_hash(kept));
  definitions[6].result = definitions[6].type;
  definitions[7].result = JIG_BOOL;
  definitions[8].result = JIG_U64;
  ck_assert(spec_equal(&given, kept));
  ck_assert_uint_eq(spec_hash(&given), spec_hash(kept));
  parsed_spec_free(&parsed);
  ck_assert(spec_equal(&given, kept)); /* which points to nothing of what is gone */
  free(copy);
  free(kept);
  jig_free(once);
  jig_free(twice);
}
END_TEST

/* Whatever is changed makes another spec. */
START_TEST(every_part_counts) {
  static const jig_kernel_text other_texts[] = {{.name = "a.cuh", .text = "int a() { return 1; }"},
                                                {.text = "/* other */"}},
                               renamed[] = {{.name = "b.cuh", .text = "int a() { return 1; }"},
                                            {.text = "/* \xc3\xa4 \"quoted\" \\ */\n"}};
  enum { VARIANTS = 20 };
  spec *seen[VARIANTS];
  for (int v = 0; v < VARIANTS; ++v) {
    jig_definition d[9];
    jig_kernel_config c = whole(d);
    const spec s = {.schema = &own_kernel_algorithm.schema, .slots = {{.kernel = &c}}};
    c.entry = v == 1 ? "l" : c.entry;
    c.source = v == 2 ? "JIG_LAUNCH_BOUNDS " : c.source;
    c.source_name = v == 3 ? NULL : c.source_name;
    c.max_threads = v == 4 ? 128 : c.max_threads;
    c.min_blocks = v == 5 ? 3 : c.min_blocks;
    c.text_count = v == 6 ? 1 : c.text_count;
    c.texts = v == 7 ? other_texts : v == 8 ? renamed : c.texts;
    c.definition_count = v == 9 ? 8 : c.definition_count;
    if (v == 10) d[0].text = "a";
    if (v == 11) d[1].integer = 1;
    if (v == 12) d[2].name = "MOST";
    if (v == 13) d[3].number = -0.1f;
    if (v == 14) d[4].type = JIG_F32;
    if (v == 15) d[5].type.definition = "struct hit { int d; int id; };";
    if (v == 16) d[6].op = JIG_MULTIPLIES;
    if (v == 17) d[6].type = JIG_F64;
    if (v == 18) d[8].op.source = "return i - state;";
    if (v == 19) d[8].op.commutative = 1;
    seen[v] = spec_copy(&s);
    for (int other = 0; other < v; ++other) {
      ck_assert_msg(!spec_equal(&s, seen[other]), "%d and %d", v, other);
      ck_assert_msg(spec_hash(&s) != spec_hash(seen[other]), "%d and %d", v, other);
    }
  }
  for (int v = 0; v < VARIANTS; ++v) free(seen[v]);
}
END_TEST

START_TEST(wrong_specs_are_named) {
#define SPEC_OF(members) "{\"algorithm\":\"kernel\",\"kernel\":{\"entry\":\"k\"," members "}}"
#define DEFINED(members) SPEC_OF("\"source\":\"" KERNEL_IN_JSON "\",\"definitions\":[{" members "}]")
#define KERNEL_IN_JSON "extern \\\"C\\\" __global__ void k() {}"
  static const struct {
    const char *line, *problem;
  } rows[] = {
      {"{\"algorithm\":\"kernel\"}", "spec: the kernel is missing"},
      {"{\"algorithm\":\"kernel\",\"kernel\":\"k\"}", "spec: kernel: not an object"},
      {"{\"algorithm\":\"kernel\",\"kernel\":{}}", "spec: kernel: 'source' is missing"},
      {SPEC_OF("\"digest\":\"00\""), "'source' is missing: a digest is not enough to build from"},
      {SPEC_OF("\"source\":\"x;\",\"options\":1"), "spec: kernel: unknown member 'options'"},
      {SPEC_OF("\"source\":\"x;\",\"max_threads\":-1"), "spec: max_threads: not a number"},
      {SPEC_OF("\"source\":\"x;\",\"max_threads\":\"many\""), "spec: max_threads: not a number"},
      {SPEC_OF("\"source\":\"x;\",\"texts\":[{\"name\":\"a\"}]"), "texts[0]: text is NULL"},
      {SPEC_OF("\"source\":\"x;\",\"texts\":[{\"txt\":\"a\"}]"), "unknown member 'txt'"},
      {SPEC_OF("\"source\":\"x;\",\"source_name\":1"), "spec: source_name: not a string"},
      {SPEC_OF("\"source\":\"x;\",\"texts\":\"int f();\""), "spec: texts: not an array"},
      {SPEC_OF("\"source\":\"x;\",\"texts\":[{\"name\":1,\"text\":\"a;\"}]"), "spec: name: not a string"},
      {SPEC_OF("\"source\":\"x;\",\"definitions\":{}"), "spec: definitions: not an array"},
      {SPEC_OF("\"source\":\"(\""), "spec: source:1:1: error: this '(' is not closed"},
      {DEFINED("\"name\":\"N\""), "'kind' is missing"},
      {DEFINED("\"kind\":\"number\",\"name\":\"N\""), "'kind' is missing, or none"},
      {DEFINED("\"kind\":\"text\",\"name\":\"N\""), "definition of N: text is NULL"},
      {DEFINED("\"kind\":\"text\",\"text\":\"1\""), "definitions[0]: the name is NULL"},
      {DEFINED("\"kind\":\"integer\",\"name\":\"N\",\"type\":\"i64\",\"value\":1.5"),
       "'value' is not an integer"},
      {DEFINED("\"kind\":\"integer\",\"name\":\"N\",\"type\":\"i8\",\"value\":1"), "i64 or u64, not i8"},
      {DEFINED("\"kind\":\"float\",\"name\":\"N\",\"type\":\"f32\",\"value\":1.5"),
       "no number as specs have it"},
      {DEFINED("\"kind\":\"float\",\"name\":\"N\",\"type\":\"f32\",\"value\":\"1.5\""),
       "no number as specs have it"},
      {DEFINED("\"kind\":\"float\",\"name\":\"N\",\"type\":\"f32\",\"value\":\"0x1.999999999999ap-4\""),
       "the number is none of f32"},
      {DEFINED("\"kind\":\"type\",\"name\":\"N\",\"type\":\"f33\""), "not a type"},
      {DEFINED("\"kind\":\"type\",\"name\":\"N\",\"type\":\"f32\",\"value\":1"),
       "unknown member 'value'"},
      {DEFINED("\"kind\":\"op\",\"name\":\"N\",\"type\":\"f32\",\"result\":\"f32\",\"op\":\"plus\","
               "\"arity\":9"),
       "arity: not a number"},
      {DEFINED("\"kind\":\"op\",\"name\":\"N\",\"type\":\"f32\",\"result\":\"f32\",\"op\":\"plos\","
               "\"arity\":2"),
       "not an operator"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    parsed_spec parsed;
    FAILS(spec_parse(rows[i].line, algorithm_schema, &parsed), JIG_ERROR_INVALID_ARGUMENT,
          rows[i].problem);
  }
}
END_TEST

/* What a kind has no use for is not looked at by anything that is made of a spec: so it is not there. */
START_TEST(definitions_have_nothing_else) {
  const jig_type none = {.kind = JIG_KIND_NONE},
                 broken = {.kind = JIG_KIND_STRUCT, .size = 8, .align = 4};
  const jig_op read = jig_op_source("return i;"), lost = jig_op_binary(JIG_FORMAT_PTX, NULL, 8, "f");
  jig_definition one = jig_define_op("Of", read, 0, broken, JIG_U64);
  const jig_kernel_config config = {
      .entry = "k", .source = KERNEL "{}", .definitions = &one, .definition_count = 1};
  const struct {
    jig_definition_kind kind;
    jig_type type, result;
    jig_op op;
    const char *problem;
  } rows[] = {
      {JIG_DEFINITION_TEXT, broken, none, JIG_ZERO, "definition of N: type: a definition of this"},
      {JIG_DEFINITION_TYPE, JIG_F32, broken, JIG_ZERO, "definition of N: result: a definition of"},
      {JIG_DEFINITION_INTEGER, JIG_I64, none, lost, "definition of N: op: a definition of this kind"},
      {JIG_DEFINITION_TEXT, none, none, {.state_type = broken}, "definition of N: op: a definition"},
      {JIG_DEFINITION_OP, broken, JIG_U64, read, "definition of N: type: a definition of this kind"}};
  char *spec_text;
  OK(jig_kernel_spec(&config, &spec_text)); /* the operand of an index is ignored */
  jig_free(spec_text);
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    one = (jig_definition){.name = "N",
                           .kind = rows[i].kind,
                           .text = "1",
                           .type = rows[i].type,
                           .result = rows[i].result,
                           .op = rows[i].op};
    FAILS(jig_kernel_spec(&config, &spec_text), JIG_ERROR_INVALID_ARGUMENT, rows[i].problem);
  }
}
END_TEST

/* ---- numbers */

static void check_float(double number) {
  char written[FLOAT_TEXT_SIZE];
  double again;
  float_text(number, written);
  ck_assert_msg(float_of_text(written, &again) && memcmp(&again, &number, sizeof again) == 0, "%a: %s",
                number, written);
  ck_assert_msg(strtod(written, NULL) == number, "%a: %s", number, written);
}

START_TEST(floats_are_told_to_the_bit) {
  static const double some[] = {0.0,     -0.0,        1,      -1,      0.1,    DBL_MAX,
                                DBL_MIN, DBL_MIN / 3, 5e-324, -5e-324, FLT_MIN};
  static const char *const wrong[] = {"",
                                      "1",
                                      "0x1p0",
                                      "0x1.8p0",
                                      "nan",
                                      "inf",
                                      "-",
                                      "0x2.0000000000000p0",
                                      "0x1.0000000000000p+0",
                                      "0x1.0000000000000p1024",
                                      "0x1.0000000000000p0 "};
  uint64_t seed = 11, bits;
  double number;
  for (size_t i = 0; i < COUNT_OF(some); ++i) check_float(some[i]);
  for (int i = 0; i < 20000; ++i) {
    bits = next_random(&seed);
    memcpy(&number, &bits, sizeof number);
    if (isfinite(number)) check_float(number);
  }
  for (size_t i = 0; i < COUNT_OF(wrong); ++i)
    ck_assert_msg(!float_of_text(wrong[i], &number), "%s", wrong[i]);
}
END_TEST

/* ---- code */

static const char *const entries =
    "struct wide { char bytes[300]; };\n"
    "struct large { char bytes[5000]; };\n"
    "struct alignas(16) vector { float x[4]; };\n"
    "extern \"C\" __global__ void none() {}\n"
    "extern \"C\" __global__ void one(long long a) { asm volatile(\"\" :: \"l\"(a)); }\n"
    "extern \"C\" __global__ void some(char a, short b, int c, double d, vector e, bool f, float *g, "
    "wide h) {\n"
    "  *g = a + b + c + d + e.x[1] + f + h.bytes[threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void many(char a, const __grid_constant__ large b, int *c) { *c = a + "
    "b.bytes[*c]; }\n"
    "__noinline__ int helper(int x) { return x * x; }\n"
    "__global__ void mangled(int *a) { *a = helper(*a); }\n";
static const struct {
  const char *name;
  uint32_t sizes[8], count;
} of_entries[] = {{"none", {0}, 0},
                  {"one", {8}, 1},
                  {"some", {1, 2, 4, 8, 16, 1, 8, 300}, 8},
                  {"many", {1, 5000, 8}, 3},
                  {"_Z7mangledPi", {8}, 1}};

static void check_code(view code, bool ptx, const char *target) {
  text names = {0};
  for (size_t i = 0; i < COUNT_OF(of_entries); ++i) {
    entry_parameters p;
    const char *name = of_entries[i].name;
    ck_assert_msg(code_has_entry(code, ptx, name), "%s of %s", name, target);
    ck_assert_msg(code_read_parameters(code, ptx, name, &p), "%s of %s", name, target);
    ck_assert_msg(p.count == of_entries[i].count, "%s of %s: %u", name, target, p.count);
    for (uint32_t k = 0; k < p.count; ++k)
      ck_assert_msg(p.sizes[k] == of_entries[i].sizes[k], "%s of %s: %u: %u", name, target, k,
                    p.sizes[k]);
    free(p.sizes);
  }
  ck_assert(!code_has_entry(code, ptx, "non") && !code_has_entry(code, ptx, "helper"));
  code_list_entries(code, ptx, &names);
  for (size_t i = 0; i < COUNT_OF(of_entries); ++i)
    ck_assert_ptr_nonnull(strstr(names.data, of_entries[i].name));
  text_free(&names);
}

/* Whatever is missing, nothing else is read. */
static void cut_code(view code, bool ptx) {
  for (size_t size = 0; size < code.size; size += 1 + size / 50) {
    entry_parameters p;
    unsigned char *cut = malloc(size + 1);
    memcpy(cut, code.at, size);
    (void)code_has_entry(view_of(cut, size), ptx, "some");
    (void)code_read_parameters(view_of(cut, size), ptx, "some", &p);
    free(p.sizes);
    free(cut);
  }
}

START_TEST(code_tells_of_its_kernels) {
  const compiler *c = compiler_get();
  ck_assert_msg(c != NULL, "%s", jig_last_error());
  for (int i = 0; i < c->arch_count; ++i) {
    for (int ptx = 0; ptx < 2; ++ptx) {
      const arch target = arch_of_sm(c->archs[i], ptx);
      compiled result;
      OK(compiler_compile(c, &(compile_request){.program = entries, .target = &target, .jobs = 1},
                          &result));
      const view code = view_of(result.payload, result.payload_size);
      check_code(code, ptx, target.name);
      if (i == 0) cut_code(code, ptx);
      compiled_free(&result);
    }
  }
}
END_TEST

/* ---- building */

START_TEST(prewarming_needs_no_driver) {
  char *spec_text, *source;
  jig_prewarm_result result;
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = scratch_path("cache")});
  const jig_kernel_config config = {.entry = "k",
                                    .source = "#include <jig/block/reduce.cuh>\n" KERNEL
                                              "{ *out = jig::BlockReduce<int, 64>().Sum(1); }"};
  OK(jig_kernel_spec(&config, &spec_text));
  OK(jig_prewarm(engine, spec_text, "sm_90", &result));
  ck_assert(!result.hit && result.registers > 0 && result.shared_bytes > 0);
  OK(jig_prewarm(engine, spec_text, "sm_90", &result));
  ck_assert(result.hit);
  ck_assert_uint_eq(entries_in_cache(), 1);
  OK(jig_source(engine, spec_text, "sm_90", &source));
  ck_assert_ptr_nonnull(strstr(source, "#include <jig/block/reduce.cuh>\n"));
  jig_free(source);
  jig_free(spec_text);
  jig_engine_destroy(engine);
}
END_TEST

/* A text without its kernel is not kept, and nothing else is. */
START_TEST(what_lacks_its_kernel_is_not_kept) {
  char *spec_text;
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = scratch_path("cache")});
  OK(jig_kernel_spec(&(jig_kernel_config){.entry = "l", .source = KERNEL "{}"}, &spec_text));
  FAILS(jig_prewarm(engine, spec_text, "sm_90", NULL), JIG_ERROR_COMPILE, "its kernels: 'k'");
  FAILS(jig_prewarm(engine, spec_text, "compute_90", NULL), JIG_ERROR_COMPILE, "its kernels: 'k'");
  ck_assert_uint_eq(entries_in_cache(), 0);
  jig_free(spec_text);
  jig_engine_destroy(engine);
}
END_TEST

START_TEST(without_a_driver_it_is_said) {
  jig_kernel *kernel = NULL;
  set_variable("JIG_DRIVER", "/nonexistent");
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = ""});
  FAILS(jig_kernel_get(engine, &(jig_kernel_config){.entry = "k", .source = KERNEL "{}"}, &kernel),
        JIG_ERROR_NO_DRIVER, "");
  /* What is wrong with the config is worth more. */
  FAILS(jig_kernel_get(engine, &(jig_kernel_config){.entry = "k", .source = KERNEL "{"}, &kernel),
        JIG_ERROR_INVALID_ARGUMENT, "is not closed");
  ck_assert_ptr_null(kernel);
  jig_engine_destroy(engine);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_checked_fixture(tests, engine_setup, engine_teardown);
  tcase_add_test(tests, specs_say_it_all);
  tcase_add_test(tests, every_part_counts);
  tcase_add_test(tests, wrong_specs_are_named);
  tcase_add_test(tests, definitions_have_nothing_else);
  tcase_add_test(tests, floats_are_told_to_the_bit);
  tcase_add_test(tests, code_tells_of_its_kernels);
  tcase_add_test(tests, prewarming_needs_no_driver);
  tcase_add_test(tests, what_lacks_its_kernel_is_not_kept);
  tcase_add_test(tests, without_a_driver_it_is_said);
}

int main(void) {
  return run_suite("unit/own_kernels", fill, 120);
}
