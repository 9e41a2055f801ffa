/* Several struct types of one call: which comes first, what is defined once, what is refused; and that it
 * compiles, whatever the texts have in common. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* A call over particles, vec3, and an operator whose state is a `box`. */
static const char vec3[] = "struct vec3 { float x, y, z; };";
static const char particle[] = "struct particle { vec3 x; float m; };";
static const char box[] = "struct box { vec3 low, high; };";
static const char pick[] = "return a.x < state.low.x ? b : a;";

typedef struct texts {
  const char *particle, *vec3, *box;
  const char *function; /* an operator over vec3, f, instead of `pick` */
} texts;

/* The status of the spec of such a call, or of its program. */
static jig_status ask(const texts *t, char **spec) {
  const jig_type particles = jig_struct("particle", t->particle, 16, 4),
                 vectors = jig_struct("vec3", t->vec3, 12, 4), boxes = jig_struct("box", t->box, 24, 4);
  const jig_iter in = jig_pointer(NULL, particles);
  jig_op op = t->function != NULL ? jig_op_function(t->function, "f") : jig_op_source(pick);
  if (t->function == NULL) op = jig_op_with_state(op, NULL, boxes);
  const jig_reduce_args args = {.in = jig_iter_transform(&in, jig_op_source("return x.x;"), vectors),
                                .out = jig_pointer(NULL, vectors),
                                .op = op};
  return jig_reduce_spec(&args, spec);
}

static char *source_of(const texts *t) {
  char *spec = NULL, *source = NULL;
  OK(ask(t, &spec));
  OK(jig_source(NULL, spec, "sm_90", &source));
  jig_free(spec);
  return source;
}

static size_t place_of(const char *source, const char *part) {
  const char *at = strstr(source, part);
  ck_assert_msg(at != NULL, "'%s' is not in\n%s", part, source);
  return (size_t)(at - source);
}

static unsigned count_of(const char *source, const char *part) {
  unsigned count = 0;
  for (; (source = strstr(source, part)) != NULL; ++source) ++count;
  return count;
}

/* ---- the order */

START_TEST(what_is_needed_comes_first) {
  char *source = source_of(&(texts){particle, vec3, box, NULL});
  const size_t v = place_of(source, "struct vec3 {");
  ck_assert_uint_lt(v, place_of(source, "struct particle {"));
  ck_assert_uint_lt(v, place_of(source, "struct box {"));
  ck_assert_uint_lt(place_of(source, "layout of vec3"), place_of(source, "struct particle {"));
  jig_free(source);
}
END_TEST

START_TEST(a_chain_is_put_in_order) {
  /* The other way round than they are met. */
  char *source = source_of(
      &(texts){"struct particle { vec3 x; box *b; float m() { return sizeof(box); } vec3 y[0]; };", vec3,
               "struct box { vec3 low, high; };", NULL});
  ck_assert_uint_lt(place_of(source, "struct vec3 {"), place_of(source, "struct box {"));
  ck_assert_uint_lt(place_of(source, "struct box {"), place_of(source, "struct particle {"));
  jig_free(source);
}
END_TEST

/* A circle: whoever declares the other may come first. A member's name is no type's. */
START_TEST(circles) {
  char *source =
      source_of(&(texts){"struct particle { box *in; vec3 x; };", vec3,
                         "struct particle; struct box { vec3 low; particle *first; float l; };", NULL});
  ck_assert_uint_lt(place_of(source, "struct box {"), place_of(source, "struct particle { box"));
  jig_free(source);
  source = source_of(&(texts){"struct particle { vec3 x; float box; };", vec3,
                              "struct box { vec3 low; particle first[0]; vec3 high; };", NULL});
  ck_assert_uint_lt(place_of(source, "struct particle {"), place_of(source, "struct box {"));
  jig_free(source);
}
END_TEST

/* ---- once */

START_TEST(the_same_definition_is_there_once) {
  static const char together[] =
      "struct vec3 { float x, y, z; };\nstruct particle { vec3 x; float m; };\nstruct box { vec3 low, "
      "high; };";
  const texts rows[] = {
      {together, together, together, NULL},
      {together, vec3, box, NULL},
      {"struct vec3 {\n  float x, y,\n        z; // up\n};\nstruct particle { vec3 x; float m; };", vec3,
       box, NULL},
      {particle, together, box, NULL},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *source = source_of(&rows[i]);
    static const char *const names[] = {"vec3", "particle", "box"};
    for (size_t n = 0; n < COUNT_OF(names); ++n) {
      char definition[32], layout[64];
      (void)snprintf(definition, sizeof definition, "struct %s {", names[n]);
      (void)snprintf(layout, sizeof layout, "stated_layout<%s,", names[n]);
      ck_assert_msg(count_of(source, definition) == 1, "%s of row %zu:\n%s", definition, i, source);
      ck_assert_msg(count_of(source, layout) == 1, "%s of row %zu:\n%s", layout, i, source);
    }
    jig_free(source);
  }
}
END_TEST

/* What is taken out leaves its lines, so that messages have their places. */
START_TEST(lines_stay_where_they_are) {
  char *spec = NULL;
  OK(ask(&(texts){"struct vec3 {\n  float x, y, z;\n};\nstruct particle { vec3 x; float y }; // no ';'",
                  vec3, box, NULL},
         &spec));
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config)JIG_ZERO);
  FAILS(jig_prewarm(engine, spec, "sm_90", NULL), JIG_ERROR_COMPILE,
        "struct particle:4:35: error: expected a \";\"");
  jig_engine_destroy(engine);
  engine_teardown();
  jig_free(spec);
}
END_TEST

/* What is taken out makes no directive of what is behind it. */
START_TEST(what_is_behind_stays_behind) {
  static const char declared[] = "struct vec3;\nstruct particle { vec3 *x; float m; };";
  const texts rows[] = {
      {declared, "struct vec3; #line 7\nstruct vec3 { float x, y, z; };", box, NULL},
      {declared, "struct vec3;/**/%:line 7\nstruct vec3 { float x, y, z; };", box, NULL},
      {"struct vec3 { float x, y, z; };struct particle { vec3 *x; float m; };",
       "struct vec3 { float x, y, z; };  # define jig_x\n", box, NULL}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *source = source_of(&rows[i]);
    ck_assert_msg(strstr(source, "; #line 7") != NULL || strstr(source, ";/**/%:line 7") != NULL ||
                      strstr(source, ";  # define jig_x") != NULL,
                  "%s", source);
    jig_free(source);
  }
}
END_TEST

/* ---- refused */

START_TEST(two_definitions_of_one_name_are_refused) {
  static const struct {
    texts t;
    const char *message;
  } rows[] = {
      {{"int n;\nstruct vec3 { float v[3]; };\nstruct particle { vec3 x; float m; };", vec3, box, NULL},
       "jig_reduce_spec: in: struct particle:2:1: error: 'vec3' is defined here in another way than for "
       "in, at "
       "struct vec3:1:1\n  struct vec3 { float v[3]; };\n  ^"},
      {{particle, vec3, "struct vec3 { double x; }; struct box { vec3 low, high; };", NULL},
       "jig_reduce_spec: op: struct box:1:1: error: 'vec3' is defined here in another way than for in, "
       "at struct vec3:1:1"},
      {{"struct t { int x; }; struct particle { float x[4]; };", vec3,
        "  struct t { int y; }; struct box { float b[6]; };", NULL},
       "jig_reduce_spec: op: struct box:1:3: error: 't' is defined here in another way than for in, at "
       "struct "
       "particle:1:1"},
      {{particle, vec3, "typedef struct { float x, y, z; } vec3; struct box { vec3 low, high; };", NULL},
       "op: struct box:1:9: error: 'vec3' is defined here in another way"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *spec = NULL;
    FAILS(ask(&rows[i].t, &spec), JIG_ERROR_INVALID_ARGUMENT, rows[i].message);
  }
}
END_TEST

START_TEST(one_name_has_one_type) {
  const jig_type a = jig_struct("hit", "struct hit { int x; };", 4, 4),
                 larger = jig_struct("hit", "struct hit { int x; };", 8, 4),
                 other = jig_struct("hit", "#include <hit.h>", 4, 4),
                 spaced = jig_struct("hit", "struct hit{int x;};//", 4, 4);
  char *spec = NULL;
  jig_reduce_args args = {
      .in = jig_pointer(NULL, a), .out = jig_pointer(NULL, larger), .op = jig_op_source("return a;")};
  FAILS(jig_reduce_spec(&args, &spec), JIG_ERROR_INVALID_ARGUMENT,
        "jig_reduce_spec: out: struct 'hit' has size 8 and alignment 4 here, and 4 and 4 as it is given "
        "for in");
  args.out.type = other;
  FAILS(jig_reduce_spec(&args, &spec), JIG_ERROR_INVALID_ARGUMENT,
        "jig_reduce_spec: out: struct 'hit' has another definition than for in");
  args.out.type = spaced; /* the same type */
  OK(jig_reduce_spec(&args, &spec));
  jig_free(spec);
  args.in = jig_iter_transform(&args.out, jig_op_source("return x;"), a);
  OK(jig_reduce_spec(&args, &spec));
  jig_free(spec);
}
END_TEST

START_TEST(there_may_be_32_of_them) {
  static char names[34][8], definitions[34][32];
  jig_iter iters[34];
  for (int i = 0; i < 34; ++i) {
    (void)snprintf(names[i], sizeof names[i], "s%d", i);
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s%d { int x; };", i);
    const jig_type type = jig_struct(names[i], definitions[i], 4, 4);
    iters[i] = i == 0 ? jig_pointer(NULL, type)
                      : jig_iter_transform(&iters[i - 1], jig_op_source("return {x.x};"), type);
    if (i % 8 != 7) continue; /* 16 deep at most */
    iters[i] = jig_pointer(NULL, type);
  }
  jig_type zipped = jig_struct("z", "struct z { s6 a; s14 b; s22 c; s30 d; };", 16, 4);
  const jig_iter bases[] = {iters[6], iters[14], iters[22], iters[30]};
  char *spec = NULL;
  jig_reduce_args args = {.in = jig_zip(bases, 4, zipped),
                          .out = jig_pointer(NULL, zipped),
                          .op = jig_op_source("return a;")};
  OK(jig_reduce_spec(&args, &spec)); /* s0 .. s6, s7 .. s14, s15 .. s22, s23 .. s30, z: 32 */
  jig_free(spec);
  args.op = jig_op_with_state(args.op, "", jig_struct("s33", definitions[33], 4, 4));
  FAILS(jig_reduce_spec(&args, &spec), JIG_ERROR_INVALID_ARGUMENT,
        "jig_reduce_spec: more than 32 structs");
}
END_TEST

/* ---- what people write compiles */

#define TEMPLATE "template <class T> T f(T a, T b) { return b.x < a.x ? b : a; }\n"

START_TEST(all_of_it_compiles) {
#define GUARDED "#ifndef VEC3\n#define VEC3\nstruct vec3 { float x, y, z; };\n#endif\n"
#define SHARED                                                               \
  "struct vec3 { float x, y, z; };\nstruct particle { vec3 x; float m; };\n" \
  "inline float norm(vec3 v) { return v.x * v.x + v.y * v.y; }\n"            \
  "vec3 f(vec3 a, vec3 b) { return norm(a) < norm(b) ? a : b; }\n"
#define HELPED                                                                       \
  "struct vec3 { float x, y, z; };\n"                                                \
  "inline float norm(vec3 v) { return v.x * v.x + v.y * v.y; }\n"                    \
  "enum side { left, right };\ntypedef float real;\nconstexpr int dimensions = 3;\n" \
  "template <class T> struct pair { T first, second; };\n"
  static const texts rows[] = {
      {particle, vec3, box, NULL},
      /* whole definitions again, spelt differently */
      {"struct vec3 { float x, y, z; };\nstruct particle { vec3 x; float m; };", vec3, box, NULL},
      {"struct vec3 {\n  float x, y, z; /* metres */\n};\n\n// one\nstruct particle {\n  vec3 x;\n  "
       "float m;\n};",
       vec3, "struct vec3 { float x,y,z; } ; struct box { vec3 low, high; };", NULL},
      {"struct vec3 { float x, y, z; }; struct particle { vec3 x; float m; }",
       "struct vec3 { float x, y, z; }; struct particle { vec3 x; float m; }", box, NULL},
      /* as C has it */
      {"typedef struct vec3 { float x, y, z; } vec3;\ntypedef struct particle { vec3 x; float m; } "
       "particle;",
       vec3, box, NULL},
      {"typedef struct { vec3 x; float m; } particle;", "typedef struct { float x, y, z; } vec3;",
       "typedef struct { float x, y, z; } vec3; typedef struct { vec3 low, high; } box;", NULL},
      {"struct vec3 { float x, y, z; };\nstruct particle { struct vec3 x; float m; };",
       "typedef struct vec3 { float x, y, z; } vec3;", "struct box { struct vec3 low, high; };", NULL},
      {"typedef struct vec3 { float x, y, z; } vec3, *vec3_pointer;\nstruct particle { vec3 x; float m; "
       "};",
       vec3, "typedef struct vec3 { float x, y, z; } vec3; struct box { vec3 low, high; };", NULL},
      /* guards, as before: in one text, in both, in all */
      {GUARDED "struct particle { vec3 x; float m; };", vec3, box, NULL},
      {GUARDED "struct particle { vec3 x; float m; };", GUARDED, box, NULL},
      {GUARDED "struct particle { vec3 x; float m; };", GUARDED,
       GUARDED "struct box { vec3 low, high; };", NULL},
      {particle, GUARDED, box, NULL},
      /* another definition, where it is not compiled */
      {"#ifdef NOWHERE_DEFINED\nstruct vec3 { double x; };\n#endif\nstruct particle { vec3 x; float m; "
       "};",
       vec3, box, NULL},
      /* declarations ahead, helpers, enumerations, constants, templates, macros */
      {"struct vec3;\nstruct vec3 { float x, y, z; };\nstruct particle { vec3 x; float m; };", vec3,
       "struct vec3; struct box { vec3 low, high; };", NULL},
      {HELPED "struct particle { vec3 x; float m; };", HELPED, HELPED "struct box { vec3 low, high; };",
       NULL},
      {HELPED "struct particle { vec3 x; real m; side s() { return left; } };", vec3,
       HELPED
       "struct box { pair<vec3> both; vec3 &high = both.second; };\nstatic_assert(dimensions == 3, \"\");"
       "\n#define box smaller\nstruct smaller { vec3 low, high; };\n",
       NULL},
      {"template <class T> struct vec { T x, y, z; };\nusing vec3 = vec<float>;\nstruct particle { vec3 "
       "x; float m; };",
       "template <class T> struct vec { T x, y, z; };\nusing vec3 = vec<float>;", box, NULL},
      {"#define REAL float\nstruct vec3 { REAL x, y, z; };\n#undef REAL\nstruct particle { vec3 x; float "
       "m; };",
       "#define REAL float\nstruct vec3 { REAL x, y, z; };\n#undef REAL", box, NULL},
      {"#pragma pack(push, 4)\nstruct vec3 { float x, y, z; };\n#pragma pack(pop)\nstruct particle { "
       "vec3 x; float m; };",
       vec3, box, NULL},
      {"struct vec3 { float x, y, z;\n#ifdef __CUDACC__\n  __device__ float sum() const { return x + y + "
       "z; }\n#endif\n};\n"
       "struct particle { vec3 x; float m; };",
       "struct vec3 { float x, y, z;\n#ifdef __CUDACC__\n  __device__ float sum() const { return x + y + "
       "z; }\n#endif\n};",
       box, NULL},
      /* namespaces */
      {"namespace geo { struct point { float x; }; }\nusing geo::point;\nstruct particle { vec3 x; float "
       "m; };",
       vec3,
       "namespace geo { struct point { float x; }; }\nstruct box { vec3 low, high; };\nnamespace geo { "
       "point p(); }",
       NULL},
      /* the operator's text has them as well */
      {particle, vec3, box, "vec3 f(vec3 a, vec3 b) { return {a.x + b.x, a.y, a.z}; }"},
      {particle, vec3, box,
       "struct vec3 { float x, y, z; };\nvec3 f(vec3 a, vec3 b) { return {a.x + b.x, a.y, a.z}; }"},
      {HELPED "struct particle { vec3 x; float m; };", HELPED, box,
       HELPED "vec3 f(vec3 a, vec3 b) { return norm(a) < norm(b) ? a : b; }"},
      {SHARED, SHARED, box, SHARED},
      {particle, SHARED, box, SHARED "// and more\n"},
      {particle, vec3, box,
       "typedef struct vec3 { float x, y, z; } vec3;\nvec3 f(vec3 a, vec3 b) { return {a.x + b.x, a.y, "
       "a.z}; }"},
      {particle, vec3, box,
       "struct helper { vec3 v; };\nvec3 f(vec3 a, vec3 b) { helper h = {a}; return {h.v.x + b.x, a.y, "
       "a.z}; }"},
      {particle, vec3, box,
       "template <class T> T pick(T a, T b) { return b.x < a.x ? b : a; }\n"
       "vec3 f(vec3 a, vec3 b) { return pick(a, b); }"},
      {particle, "struct vec3 { float x, y, z; };\n" TEMPLATE, box, TEMPLATE},
  };
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config)JIG_ZERO);
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *spec = NULL;
    jig_status status = ask(&rows[i], &spec);
    if (status == JIG_SUCCESS) status = jig_prewarm(engine, spec, "sm_90", NULL);
    ck_assert_msg(status == JIG_SUCCESS, "row %zu: %s\n  particle: %s\n  vec3: %s\n  box: %s", i,
                  jig_last_error(), rows[i].particle, rows[i].vec3, rows[i].box);
    jig_free(spec);
  }
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* Types in namespaces and within others, by names of several parts. */
START_TEST(names_of_several_parts_compile) {
  static const char geo[] =
      "namespace geo { struct vec3 { float x, y, z; };\n"
      "struct cell { struct corner { vec3 at; } low, high; }; }";
  const jig_type vectors =
                     jig_struct("geo::vec3", "namespace geo { struct vec3 { float x, y, z; }; }", 12, 4),
                 cells = jig_struct("geo::cell", geo, 24, 4),
                 corners = jig_struct("geo::cell::corner", geo, 12, 4),
                 users = jig_struct("user", "struct user { geo::cell c; geo::vec3 v; };", 36, 4);
  const jig_iter in = jig_pointer(NULL, users),
                 low = jig_iter_transform(&in, jig_op_source("return x.c.low;"), corners),
                 at = jig_iter_transform(&low, jig_op_source("return x.at;"), vectors);
  const jig_reduce_args args = {
      .in = at,
      .out = jig_pointer(NULL, vectors),
      .op = jig_op_with_state(jig_op_source("return a.x < state.low.at.x ? b : a;"), "", cells)};
  char *spec = NULL;
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config)JIG_ZERO);
  OK(jig_reduce_spec(&args, &spec));
  OK(jig_prewarm(engine, spec, "sm_90", NULL));
  jig_engine_destroy(engine);
  engine_teardown();
  jig_free(spec);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(what_is_needed_comes_first),
      SUITE_TEST(a_chain_is_put_in_order),
      SUITE_TEST(circles),
      SUITE_TEST(the_same_definition_is_there_once),
      SUITE_TEST(lines_stay_where_they_are),
      SUITE_TEST(what_is_behind_stays_behind),
      SUITE_TEST(two_definitions_of_one_name_are_refused),
      SUITE_TEST(one_name_has_one_type),
      SUITE_TEST(there_may_be_32_of_them),
      SUITE_TEST(all_of_it_compiles),
      SUITE_TEST(names_of_several_parts_compile),
  };
  if (compiler_get() == NULL) {
    printf("skipped: unit/structs: all of it (no NVRTC)\n");
    return EXIT_SUCCESS;
  }
  return SUITE_RUN("unit/structs", tests, false);
}
