/* Compiled operators linked without a GPU: every format for SM 90 and as PTX, what is inlined, keys, and
 * everything that can be wrong with them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binaries.h"
#include "engine_support.h"
#include "jit/compiler.h"
#include "jit/linker.h"
#include "jit/ptx_inline.h"
#include "link_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { SM = 90 };

#define EXPORTED "extern \"C\" __device__ "
static const char two_functions[] = EXPORTED "float add(float a, float b) { return a + b; }\n" EXPORTED
                                             "float neg(float x) { return -x; }\n";

/* Calls back with what every compiler that is there makes in every format. */
static void for_each_binary(const char *source,
                            void (*work)(const binary *, binary_kind, const char *name)) {
  for (binary_kind kind = 0; kind < BINARY_KINDS; ++kind) {
    for (binary_maker maker = BY_NVRTC; maker <= BY_NVCC; ++maker) {
      char name[96];
      (void)snprintf(name, sizeof name, "%s of %s", binary_kind_name(kind), maker_name(maker));
      if (maker_makes(maker, kind))
        work(binary_make(maker, kind, source, SM), kind, name);
      else if (maker == BY_NVCC)
        printf("skipped: unit/binary_links: %s (no nvcc)\n", name);
    }
  }
}

static bool has_lto(binary_kind kind) {
  return kind == BINARY_LTO_IR || kind == BINARY_OBJECT_LTO || kind == BINARY_FATBIN_LTO;
}

static void links(jig_op op, const char *target, const char *name, artifact *a) {
  jig_status status = link_reduce(op, JIG_F32, target, a);
  ck_assert_msg(status == JIG_SUCCESS, "%s for %s: %s", name, target, jig_last_error());
}

static void fails(jig_op op, const char *target, jig_status wanted, const char *problem) {
  artifact a;
  FAILS(link_reduce(op, JIG_F32, target, &a), wanted, problem);
}

/* ---- every format */

/* What only computes is part of the program, if it comes as that or as PTX. */
static bool is_in_place(binary_kind kind) {
  return has_lto(kind) || kind == BINARY_PTX;
}

/* That leaves neither function nor symbol of its own; all else is called. */
static void check_machine_code(const binary *b, binary_kind kind, const char *name) {
  artifact a;
  links(binary_op(b, "add"), "sm_90", name, &a);
  ck_assert_msg(cubin_has_symbol(&a, "jig_reduce"), "%s: no kernel", name);
  ck_assert_msg(cubin_has_section(&a, ".text.jig_reduce"), "%s: no kernel", name);
  ck_assert_msg(cubin_has_symbol(&a, "add") == !is_in_place(kind), "%s: the symbol", name);
  ck_assert_msg(cubin_has_section(&a, ".text.add") == !is_in_place(kind), "%s: the section", name);
  ck_assert_msg(a.cost.registers > 0, "%s: no cost", name);
  artifact_free(&a);
}

static void check_ptx(const binary *b, binary_kind kind, const char *name) {
  artifact a;
  if (!is_in_place(kind)) {
    fails(binary_op(b, "add"), "compute_90", JIG_ERROR_UNSUPPORTED,
          "has machine code, and PTX is needed here; give LTO-IR or PTX");
    return;
  }
  links(binary_op(b, "add"), "compute_90", name, &a);
  const char *ptx = (const char *)a.payload;
  ck_assert_uint_eq(a.payload_size, strlen(ptx) + 1);
  ck_assert_msg(strstr(ptx, ".visible .entry jig_reduce") != NULL, "%s: no kernel", name);
  ck_assert_msg(strstr(ptx, ".extern .func") == NULL, "%s: something is left undefined", name);
  ck_assert_msg((strstr(ptx, " add(") != NULL) == !is_in_place(kind), "%s: inlined or not", name);
  artifact_free(&a);
}

/* One file's two functions in one program; one that it does not have. */
static void check_symbols(const binary *b, binary_kind kind, const char *name) {
  artifact a;
  const jig_iter in = jig_pointer(NULL, JIG_F32);
  const jig_reduce_args args = {.in = jig_iter_transform(&in, binary_op(b, "neg"), JIG_F32),
                                .out = jig_transform_output(&in, binary_op(b, "neg"), JIG_F32),
                                .op = binary_op(b, "add")};
  ck_assert_msg(link_args(&args, "sm_90", &a) == JIG_SUCCESS, "%s: %s", name, jig_last_error());
  ck_assert(cubin_has_symbol(&a, "neg") == !is_in_place(kind));
  artifact_free(&a);
  fails(binary_op(b, "sub"), "sm_90", JIG_ERROR_COMPILE, "operator 'sub': it is ");
  fails(binary_op(b, "sub"), "sm_90", JIG_ERROR_COMPILE, "has no such function that could be linked");
  if (is_in_place(kind))
    fails(binary_op(b, "sub"), "compute_90", JIG_ERROR_COMPILE,
          "has no such function that could be linked");
}

/* Cut off anywhere: an error, and which one depends on how much is left. Of PTX, the functions that are
 * needed may be whole. */
static void check_cut(const binary *b, binary_kind kind, const char *name) {
  for (size_t size = b->size / 16; size < b->size - 1; size += b->size / 8) {
    artifact a;
    jig_status status = link_reduce(jig_op_binary(b->format, b->data, size, "add"), JIG_F32, "sm_90", &a);
    ck_assert_msg(status == JIG_ERROR_INVALID_ARGUMENT || status == JIG_ERROR_COMPILE ||
                      (status == JIG_SUCCESS && kind == BINARY_PTX),
                  "%s: %zu of %zu bytes: %s", name, size, b->size, jig_status_name(status));
    artifact_free(&a);
  }
}

/* Two operators are not to be called the same, whatever files they come out of. */
static void check_same_name(const binary *b, binary_kind kind, const char *name) {
  (void)kind;
  artifact a;
  const char *other = EXPORTED "float add(float x) { return x + 1; }\n";
  const jig_iter in = jig_pointer(NULL, JIG_F32);
  const jig_op unary = binary_op(binary_make(BY_NVRTC, BINARY_LTO_IR, other, SM), "add");
  const jig_reduce_args args = {
      .in = jig_iter_transform(&in, unary, JIG_F32), .out = in, .op = binary_op(b, "add")};
  ck_assert_msg(link_args(&args, "sm_90", &a) == JIG_ERROR_COMPILE, "%s", name);
  ck_assert_ptr_nonnull(strstr(jig_last_error(), "two files of compiled operators define 'add'"));
}

static void check_all(const binary *b, binary_kind kind, const char *name) {
  check_machine_code(b, kind, name);
  check_ptx(b, kind, name);
  check_symbols(b, kind, name);
  check_cut(b, kind, name);
  check_same_name(b, kind, name);
}

/* All of it in one test, as each is a process of its own, and nvcc takes its time. */
START_TEST(every_format_is_linked_or_refused) {
  for_each_binary(two_functions, check_all);
}
END_TEST

/* A function that is neither there nor exported by its name. */
START_TEST(functions_must_be_visible) {
  static const char *const sources[] = {
      "static __device__ float add(float a, float b) { return a + b; }\n" EXPORTED
      "float use(float a) { return add(a, a); }\n",
      "__device__ float add(float a, float b) { return a + b; }\n"};
  for (size_t i = 0; i < COUNT_OF(sources); ++i) {
    for (binary_kind kind = BINARY_LTO_IR; kind <= BINARY_CUBIN; ++kind)
      fails(binary_op(binary_make(BY_NVRTC, kind, sources[i], SM), "add"), "sm_90", JIG_ERROR_COMPILE,
            "it must be visible, extern \"C\" and compiled as relocatable device code");
  }
}
END_TEST

static void check_unresolved(const binary *b, binary_kind kind, const char *name) {
  (void)name;
  static const char problem[] = "a compiled operator calls 'twice', which none defines";
  fails(binary_op(b, "add"), "sm_90", JIG_ERROR_COMPILE, problem);
  if (has_lto(kind) || kind == BINARY_PTX)
    fails(binary_op(b, "add"), "compute_90", JIG_ERROR_COMPILE, problem);
}

START_TEST(helpers_must_be_there) {
  for_each_binary(EXPORTED "float twice(float x);\n" EXPORTED
                           "float add(float a, float b) { return a + twice(b); }\n",
                  check_unresolved);
}
END_TEST

/* In machine code of objects and fatbins, which is compressed, jig cannot see it, and nvJitLink 13.0 only
 * prints a line, links all the same, and crashes at the next link. */
START_TEST(files_must_not_define_the_same) {
  static const char first[] = EXPORTED "__noinline__ float help(float x) { return x + 1; }\n" EXPORTED
                                       "float add(float a, float b) { return a + help(b); }\n";
  static const char second[] = EXPORTED "__noinline__ float help(float x) { return x + 2; }\n" EXPORTED
                                        "float neg(float x) { return -help(x); }\n";
  const jig_iter in = jig_pointer(NULL, JIG_F32);
  for (binary_kind kind = BINARY_LTO_IR; kind <= BINARY_CUBIN; ++kind) {
    for (int ptx = 0; ptx < (kind == BINARY_CUBIN ? 1 : 2); ++ptx) {
      artifact a;
      const jig_reduce_args args = {
          .in =
              jig_iter_transform(&in, binary_op(binary_make(BY_NVRTC, kind, second, SM), "neg"), JIG_F32),
          .out = in,
          .op = binary_op(binary_make(BY_NVRTC, kind, first, SM), "add")};
      FAILS(link_args(&args, ptx ? "compute_90" : "sm_90", &a), JIG_ERROR_COMPILE,
            "two files of compiled operators define 'help'; rename it in one of them, or make it static");
    }
  }
}
END_TEST

/* ---- PTX in place */

#define FUNCTION(head, body)                                                                          \
  ".version 8.0\n.target sm_75\n.address_size 64\n" head                                              \
  " .func (.param .b32 r) f(.param .b32 a, .param .b32 b)\n"                                          \
  "{ .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<2>;\n ld.param.b32 %r1, [a]; ld.param.b32 %r2, " \
  "[b];\n" body "st.param.b32 [r], %r1;\n ret; }\n"

/* What does nothing but compute leaves no function; all else does, which the linker finds right or wrong.
 */
START_TEST(ptx_that_computes_is_in_place) {
  static const struct {
    const char *ptx;
    bool in_place;
  } rows[] = {
      {FUNCTION(".visible", ""), true},
      {FUNCTION(".weak", "/* } */ add.s32 %r1, %r1, %r2;\n"), true},
      {FUNCTION(".visible", "@%p1 bra x; sub.s32 %r1, %r1, -5; x: mov.b64 %d1, {%r1, %r2};\n"), true},
      {FUNCTION(".visible", "mov.u32 %r1, %tid.x;\n"), false},
      {FUNCTION(".visible", "st.local.b32 [%d1], %r1;\n"), false},
      {FUNCTION(".visible", "mov.b64 %d1, a;\n"), false},
      {FUNCTION(".visible", "bar.sync 0;\n"), false},
      {FUNCTION(".visible", "{ .reg .b32 %r<9>; mov.b32 %r8, 0; }\n"), false},
      {FUNCTION(".visible", "ld.param.b16 %r1, [a+2];\n"), true},
      {FUNCTION(".visible", "st.param.b64 [r], %d1;\n"), false},
      {FUNCTION(".visible", ".pragma \"nounroll\";\n"), false},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    artifact a;
    const jig_op op = jig_op_binary(JIG_FORMAT_PTX, rows[i].ptx, strlen(rows[i].ptx), "f");
    const jig_status status = link_reduce(op, JIG_F32, "sm_90", &a);
    ck_assert_msg(status == JIG_SUCCESS || !rows[i].in_place, "row %zu: %s", i, jig_last_error());
    if (status == JIG_SUCCESS) ck_assert_msg(cubin_has_symbol(&a, "f") != rows[i].in_place, "row %zu", i);
    if (status == JIG_SUCCESS) artifact_free(&a);
  }
}
END_TEST

/* One that ends anywhere, or has any byte changed: it is in place, linked or refused. */
START_TEST(damaged_ptx_does_no_harm) {
  static const char ptx[] =
      FUNCTION(".visible", "@%p1 bra x; add.s32 %r1, %r1, 5; x: mov.b64 %d1, {%r1, %r2};\n");
  static const char others[] = {';', '}', '[', '%', '9', ' ', '"', '<'};
  const jig_type type = JIG_F32;
  const op_signature signature = {.arity = 2, .operand = &type, .result = &type};
  char changed[sizeof ptx];
  for (size_t i = 0; i < strlen(ptx); ++i) {
    jig_op op = jig_op_binary(JIG_FORMAT_PTX, ptx, i, "f");
    ck_assert(!ptx_is_inlined(&op, &signature) || i == strlen(ptx) - 1); /* all but its last line's end */
    for (size_t k = 0; k < sizeof others; ++k) {
      memcpy(changed, ptx, sizeof ptx);
      changed[i] = others[k];
      op = jig_op_binary(JIG_FORMAT_PTX, changed, strlen(changed), "f");
      (void)ptx_is_inlined(&op, &signature);
    }
  }
}
END_TEST

/* ---- versions, architectures, damage */

/* What is refused has to be told by whose versions. */
static void refuses_as_too_new(jig_op op, const char *version) {
  char linker_version[64];
  (void)snprintf(linker_version, sizeof linker_version, "which is too new for nvJitLink %s (",
                 linker_get()->version);
  fails(op, "sm_90", JIG_ERROR_COMPILE, version);
  fails(op, "sm_90", JIG_ERROR_COMPILE, linker_version);
  fails(op, "sm_90", JIG_ERROR_COMPILE, "link with the toolkit that made it, see $JIG_NVJITLINK");
}

START_TEST(what_is_too_new_is_refused_with_both_versions) {
  const binary *lto = binary_make(BY_NVRTC, BINARY_LTO_IR, two_functions, SM);
  for (size_t place = 4; place < 8; ++place) {
    unsigned char *data = malloc(lto->size);
    char version[64];
    memcpy(data, lto->data, lto->size);
    ++data[place];
    (void)snprintf(version, sizeof version, "operator 'add': it is LTO-IR %u.%u of NVVM IR %u.%u, ",
                   data[4], data[5], data[6], data[7]);
    refuses_as_too_new(jig_op_binary(JIG_FORMAT_LTO_IR, data, lto->size, "add"), version);
    free(data);
  }
  const binary *ptx = binary_make(BY_NVRTC, BINARY_PTX, two_functions, SM);
  char *other = strdup((const char *)ptx->data);
  memcpy(strstr(other, ".version "), ".version 9.9", 12);
  refuses_as_too_new(jig_op_binary(JIG_FORMAT_PTX, other, strlen(other), "add"),
                     "operator 'add': it is PTX 9.9 for sm_75, ");
  free(other);
}
END_TEST

START_TEST(other_architectures_are_refused) {
  static const char problem[] = "it may be for another GPU, or no relocatable device code";
  for (binary_kind kind = 0; kind < BINARY_KINDS; ++kind) {
    const binary_maker maker =
        binary_is_machine_code(kind) ? maker_of(kind, "unit/binary_links: other") : BINARY_MAKERS;
    if (maker == BINARY_MAKERS) continue;
    const bool is_cubin = kind == BINARY_CUBIN;
    fails(binary_op(binary_make(maker, kind, two_functions, 80), "add"), "sm_90", JIG_ERROR_COMPILE,
          is_cubin ? "operator 'add': it is a cubin for sm_80, and sm_90 is needed here" : problem);
    fails(binary_op(binary_make(maker, kind, two_functions, SM), "add"), "sm_80", JIG_ERROR_COMPILE,
          is_cubin ? "it is a cubin for sm_" : problem);
  }
  const binary *ptx = binary_make(BY_NVRTC, BINARY_PTX, two_functions, SM);
  char *other = strdup((const char *)ptx->data);
  memcpy(strstr(other, "sm_75"), "sm_99", 5);
  const jig_op newer = jig_op_binary(JIG_FORMAT_PTX, other, strlen(other), "add");
  fails(newer, "sm_90", JIG_ERROR_COMPILE, "it is PTX 9.0 for sm_99");
  fails(newer, "compute_90", JIG_ERROR_COMPILE, "it is PTX 9.0 for sm_99, and compute_90 is needed here");
  free(other);
}
END_TEST

/* ---- keys */

START_TEST(keys_depend_on_content) {
  static const char other[] = EXPORTED "float add(float a, float b) { return b + a * 2; }\n";
  const binary *b = binary_make(BY_NVRTC, BINARY_LTO_IR, two_functions, SM);
  const jig_iter in = jig_pointer(NULL, JIG_F32);
  unsigned char *copy = malloc(b->size);
  memcpy(copy, b->data, b->size);
  jig_reduce_args args = {.in = in, .out = in, .op = binary_op(b, "add")};
  const hash128 key = link_key(&args, "sm_90");
  args.op = jig_op_binary(b->format, copy, b->size, "add");
  ck_assert_msg(hash_equal(link_key(&args, "sm_90"), key), "the same content elsewhere");
  args.op = binary_op(binary_make(BY_NVRTC, BINARY_LTO_IR, other, SM), "add");
  ck_assert_msg(!hash_equal(link_key(&args, "sm_90"), key), "another content of that name");
  ck_assert(!hash_equal(link_key(&args, "sm_80"), link_key(&args, "sm_90")));
  free(copy);
}
END_TEST

/* ---- structs that define operators */

START_TEST(structs_use_their_own_operators) {
  static const jig_op_kind kinds[] = {JIG_OP_PLUS,    JIG_OP_MULTIPLIES, JIG_OP_MIN,    JIG_OP_MAX,
                                      JIG_OP_BIT_AND, JIG_OP_BIT_OR,     JIG_OP_BIT_XOR};
  const jig_type type =
      jig_struct("s",
                 "struct s { unsigned m; bool operator<(s b) const { return m < b.m; } };\n"
                 "s operator+(s a, s b) { return {a.m + b.m}; }\n"
                 "s operator*(s a, s b) { return {a.m * b.m}; }\n"
                 "s operator&(s a, s b) { return {a.m & b.m}; }\n"
                 "s operator|(s a, s b) { return {a.m | b.m}; }\n"
                 "s operator^(s a, s b) { return {a.m ^ b.m}; }\n",
                 4, 4);
  for (size_t i = 0; i < COUNT_OF(kinds); ++i) {
    artifact a;
    const jig_op op = {.kind = kinds[i]};
    ck_assert_msg(link_reduce(op, type, "sm_90", &a) == JIG_SUCCESS, "%s", jig_last_error());
    artifact_free(&a);
  }
}
END_TEST

/* ---- machines without a linker */

/* In a process of its own, before anything was linked. */
static bool lacks_a_linker(void) {
  artifact a;
  set_variable("JIG_NVJITLINK", "/nonexistent/libnvJitLink.so");
  const jig_op op = binary_op(binary_make(BY_NVRTC, BINARY_LTO_IR, two_functions, SM), "add");
  if (link_reduce(op, JIG_F32, "sm_90", &a) != JIG_ERROR_NO_COMPILER) return false;
  const bool says = strstr(jig_last_error(), "/nonexistent/libnvJitLink.so") != NULL &&
                    strstr(jig_last_error(), "JIG_NVJITLINK") != NULL &&
                    strstr(jig_last_error(), "nvidia-nvjitlink") != NULL;
  const bool others_work = link_reduce(JIG_PLUS, JIG_F32, "sm_90", &a) == JIG_SUCCESS;
  if (others_work) artifact_free(&a);
  return says && others_work;
}

START_TEST(without_a_linker_only_compiled_operators_fail) {
  ck_assert(is_true_in_a_child(lacks_a_linker));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(without_a_linker_only_compiled_operators_fail),
      SUITE_TEST(every_format_is_linked_or_refused),
      SUITE_TEST(functions_must_be_visible),
      SUITE_TEST(helpers_must_be_there),
      SUITE_TEST(files_must_not_define_the_same),
      SUITE_TEST(ptx_that_computes_is_in_place),
      SUITE_TEST(damaged_ptx_does_no_harm),
      SUITE_TEST(what_is_too_new_is_refused_with_both_versions),
      SUITE_TEST(other_architectures_are_refused),
      SUITE_TEST(keys_depend_on_content),
      SUITE_TEST(structs_use_their_own_operators),
  };
  if (compiler_get() == NULL) {
    for (size_t i = 0; i < COUNT_OF(tests); ++i)
      printf("skipped: unit/binary_links: %s (no NVRTC)\n", tests[i].name);
    return EXIT_SUCCESS;
  }
  return SUITE_RUN("unit/binary_links", tests, false);
}
