/* Which operators the first tier takes to be exact, and linking them for a GPU that need not be there. */
#include "jit/first_tier.h"

#include <string.h>

#include "engine/engine.h"
#include "engine_support.h"
#include "jit/exact_text.h"
#include "jit/linked_spec.h"
#include "jit/linker.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "spec/complete.h"
#include "spec/elf.h"
#include "spec/format.h"
#include "suite.h"

typedef struct text_case {
  const char *source, *has; /* f: floating-point numbers; p: products; u: what is not known */
} text_case;

START_TEST(texts_are_read) {
  static const text_case cases[] = {
      {"return a + b;", ""},
      {"return max(a, b) + __popc(a);", ""},
      {"for (int i = 0; i < 3; ++i) { if (a > b) a += 0x1e3u; } return a; // 1.5 * 2", ""},
      {"struct pair { unsigned m, c; bool operator<(const pair &o) const { return m < o.m; } };", ""},
      {"pair r; r.m = a.m * b.m; r.c = a.c * b.m + b.c; return r;", "p"},
      {"return uint32_t(uint64_t(a) * b % 1000003u);", "p"},
      {"return a / b;", "p"},
      {"a *= b; return a;", "p"},
      {"return a + 1e3;", "f"},
      {"return 0x1p3 + a;", "f"},
      {"float x = a; return x;", "f"},
      {"return (double)a;", "f"},
      {"return float(a) < .5f;", "f"},
      {"struct s { float x; };", "f"},
      {"return .5 > a;", "f"},
      {"return 1. > a;", "f"},
      {"return a + 1.0 * b;", "fp"},
      {"return a * 0.5f;", "fp"},
      {"return exp(a);", "u"},
      {"return sqrtf(a);", "f"},
      {"return f(a, b);", "u"},
      {"return g<int>(a);", "u"},
      {"#include <x.h>\n", "u"},
      {"asm(\"\"); return a;", "u"},
      {"static int n; return a;", "u"},
      {"__shared__ int n; return a;", "u"},
      {"f16 x; return a;", "u"},
      {"return \"x\"[0] + a;", "u"},
      {"float4 v; return a;", "u"},
      {"return a > (b);", "u"},
      {"return a.plus(b);", "u"},
      {"__half2 h; return a + b;", "u"},
      {"flo\\\nat x; return a;", "u"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    const exact_text read = exact_text_read(cases[i].source);
    ck_assert_msg(read.is_unknown == (strchr(cases[i].has, 'u') != NULL), "%s", cases[i].source);
    if (read.is_unknown) continue;
    ck_assert_msg(read.has_floats == (strchr(cases[i].has, 'f') != NULL), "%s", cases[i].source);
    ck_assert_msg((read.products > 0) == (strchr(cases[i].has, 'p') != NULL), "%s", cases[i].source);
  }
}
END_TEST

/* ---- which calls share kernels */

/* The spec of what a draft is linked with, malloc'ed; NULL: the tier does not serve it. */
static char *linked_text(const char *draft) {
  parsed_spec p;
  shared_spec shared;
  linked_spec l;
  char *quoted = strdup(draft), *spec_text = NULL;
  for (char *c = quoted; *c != '\0'; ++c)
    if (*c == '\'') *c = '"';
  json_t *json = json_loads(quoted, 0, NULL);
  ck_assert_msg(json != NULL, "no JSON: %s", quoted);
  const spec_schema *schema = algorithm_schema(json_string_value(json_object_get(json, "algorithm")));
  const jig_status status = spec_complete(json, schema, &p);
  ck_assert_msg(status == JIG_SUCCESS, "%s: %s", draft, jig_last_error());
  if (linked_spec_of(spec_shared(&p.s, &shared), true, &l)) {
    json_t *linked = spec_to_json(l.s, SPEC_DIGESTS);
    spec_text = json_dumps(linked, JSON_COMPACT);
    json_decref(linked);
  }
  parsed_spec_free(&p);
  free(quoted);
  return spec_text;
}

#define POINTER(type) "{'kind':'pointer','type':'" type "'}"
#define OP(body) "{'kind':'source','source':'" body "'}"
#define FOLD(type, body) "{'algorithm':'reduce','in':" POINTER(type) ",'op':" OP(body) "}"
#define MADE(base, type, body) "{'kind':'transform','base':" base ",'type':'" type "','op':" OP(body) "}"
#define TRANSFORM(from, to, body) \
  "{'algorithm':'transform','in':" MADE(POINTER(from), to, body) ",'out':" POINTER(to) "}"
#define SORT(key, value)                                                                               \
  "{'algorithm':'merge_sort','keys_in':" POINTER(key) ",'values_in':" POINTER(value) ",'compare':" OP( \
      "return a < b;") "}"
#define SUM(of) "{'algorithm':'reduce','in':" of ",'op':'plus'}"

START_TEST(numbers_of_one_size_share_kernels) {
  static const struct {
    const char *one, *other;
    bool shares;
  } cases[] = {
      {FOLD("i32", "return a;"), FOLD("f32", "return b;"), true},
      {FOLD("u64", "return a;"), FOLD("f64", "return b;"), true},
      {FOLD("u32", "return a;"), FOLD("u64", "return a;"), false},
      {FOLD("u8", "return a;"), FOLD("bool", "return a;"), false},
      {SORT("f32", "i64"), SORT("i32", "f64"), true},
      {SORT("f32", "i64"), SORT("f64", "i64"), false},
      {TRANSFORM("f32", "f32", "return x * x + 1;"), TRANSFORM("u32", "i32", "return x;"), true},
      {TRANSFORM("f32", "bool", "return x > 1;"), TRANSFORM("i32", "u8", "return x;"), true},
      {TRANSFORM("f32", "f64", "return x;"), TRANSFORM("f32", "f32", "return x;"), false},
      {SUM(MADE(POINTER("f32"), "i32", "return x > 0;")), SUM(MADE(POINTER("i32"), "u32", "return x;")),
       true},
      {SUM(MADE(POINTER("f32"), "f32", "return x + 1;")), SUM(MADE(POINTER("i32"), "i32", "return x;")),
       false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char *one = linked_text(cases[i].one), *other = linked_text(cases[i].other);
    ck_assert_msg(one != NULL && other != NULL, "%s", cases[i].one);
    ck_assert_msg((strcmp(one, other) == 0) == cases[i].shares, "%s\n%s", one, other);
    free(one);
    free(other);
  }
}
END_TEST

START_TEST(definitions_are_read) {
  static const struct {
    const char *definition;
    bool is_unknown;
  } cases[] = {
      {"struct hit { float key; unsigned id; };", false},
      {"struct in { int a; }; struct hit { in of[2]; };", false},
      {"unsigned ticks; struct hit { unsigned a; };", true},
      {"struct hit { unsigned a; } last;", true},
      {"namespace n { int a; } struct hit { unsigned a; };", true},
      {"struct hit { static int a; };", true},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i)
    ck_assert_msg(exact_text_read_definition(cases[i].definition).is_unknown == cases[i].is_unknown, "%s",
                  cases[i].definition);
}
END_TEST

START_TEST(what_is_not_exact_is_not_served) {
  static const struct {
    const char *draft;
    bool is_served;
  } cases[] = {
      {FOLD("f32", "return a + b;"), true},
      {FOLD("f32", "return a * b;"), false},
      {FOLD("f32", "return fmaxf(a, b);"), true},
      {FOLD("f32", "return fmodf(a, b);"), false},
      {FOLD("f16", "return a;"), false},
      {TRANSFORM("f32", "f32", "return sqrtf(x) * x + 1;"), true},
      {TRANSFORM("f32", "f32", "return x * x + x * 3;"), false}, /* which of them is contracted? */
      {TRANSFORM("f32", "f32", "for (int i = 0; i < 2; ++i) x += x * i; return x;"), false},
      {TRANSFORM("f32", "f32", "auto f = [](float y) { return y * y; }; return f(x) + f(1);"), false},
      {TRANSFORM("f32", "f32", "return expf(x);"), false},
      {TRANSFORM("u16", "u16", "jig::f16 h; h.bits = x; return h.bits;"), false},
      {TRANSFORM("f16", "f16", "return x;"), false},
      {TRANSFORM("f32", "f32", "static int n = 0; return x;"), false},
      /* Its sums, or another operator, could be contracted with the product. */
      {SUM(MADE(POINTER("f32"), "f32", "return x * x;")), false},
      {TRANSFORM("i32", "i32", "return x * x;"), true},
      {"{'algorithm':'transform','in':" MADE(MADE(POINTER("f32"), "f32", "return x * x;"), "f32",
                                             "return x + 1;") ",'out':" POINTER("f32") "}",
       false},
      /* One value for all items: the compiler may see a product more than once. */
      {"{'algorithm':'transform','in':" MADE("{'kind':'constant','type':'f32'}", "f32",
                                             "return x * x;") ",'out':" POINTER("f32") "}",
       false},
      {SUM(POINTER("i32")), false},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    char *spec_text = linked_text(cases[i].draft);
    ck_assert_msg((spec_text != NULL) == cases[i].is_served, "%s", cases[i].draft);
    free(spec_text);
  }
}
END_TEST

/* ---- machine code */

static char *spec_of_fold(const char *body) {
  const jig_reduce_args args = {
      .in = jig_pointer(NULL, JIG_U64), .out = jig_pointer(NULL, JIG_U64), .op = jig_op_source(body)};
  char *spec_text;
  OK(jig_reduce_spec(&args, &spec_text));
  return spec_text;
}

/* The only kernel of a fold by that body, as calls of such an engine get it. */
static jig_status build_fold(jig_engine *engine, const char *body, artifact *a) {
  parsed_spec parsed;
  const arch target = arch_of_sm(90, false);
  char *spec_text = spec_of_fold(body);
  OK(spec_parse(spec_text, algorithm_schema, &parsed));
  const jig_status status =
      build_kernel(&engine->build, &parsed.s, algorithm_kernel(&parsed.s, 0, target.sm), &target, a);
  parsed_spec_free(&parsed);
  jig_free(spec_text);
  return status;
}

static void check_is_compiled(jig_engine *engine, const char *body) {
  artifact a;
  OK(build_fold(engine, body, &a));
  ck_assert(!a.linked && a.kept);
  artifact_free(&a);
}

/* Whether a cubin has that symbol, defined. */
static bool defines(const artifact *a, const char *name) {
  elf cubin;
  view symbols, names;
  Elf64_Sym symbol;
  if (!elf_open(&cubin, view_of(a->payload, a->payload_size)) || !elf_symbols(&cubin, &symbols, &names))
    return false;
  for (size_t at = 0; at + sizeof symbol <= symbols.size; at += sizeof symbol) {
    memcpy(&symbol, symbols.at + at, sizeof symbol);
    if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size &&
        strcmp((const char *)names.at + symbol.st_name, name) == 0)
      return true;
  }
  return false;
}

static void prewarm_fold(jig_engine *engine, const char *body) {
  char *spec_text = spec_of_fold(body);
  OK(jig_prewarm(engine, spec_text, "sm_90", NULL));
  jig_free(spec_text);
}

START_TEST(operators_are_linked_to_machine_code) {
  if (compiler_get() == NULL || linker_get() == NULL) {
    puts("skipped: unit/first_tier: operators_are_linked_to_machine_code (no NVRTC or no nvJitLink)");
    return;
  }
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){.first_tier = JIG_SWITCH_ON});
  artifact a;
  check_is_compiled(engine, "return a ^ b;");
  prewarm_fold(engine, "return a | b;");
  OK(build_fold(engine, "return a & b;", &a));
  ck_assert(a.linked && !a.kept && !a.from_cache);
  ck_assert(defines(&a, "jig_linked_op") && defines(&a, "jig_reduce"));
  artifact_free(&a);
  /* A text that does not compile has the error that it always has. */
  FAILS(build_fold(engine, "return a + c;", &a), JIG_ERROR_COMPILE,
        "operator:1:12: error: identifier \"c\" is undefined");
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){0});
  check_is_compiled(engine, "return a * b;");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(texts_are_read), SUITE_TEST(numbers_of_one_size_share_kernels),
      SUITE_TEST(definitions_are_read), SUITE_TEST(what_is_not_exact_is_not_served),
      SUITE_TEST(operators_are_linked_to_machine_code)};
  return SUITE_RUN("unit/first_tier", tests, false);
}
