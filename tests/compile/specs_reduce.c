/* Everything that reduce and arg_reduce claim: types by operators, structs, iterators, compiled
 * operators. */
#include <jig/jig.h>
#include <stdio.h>

#include "binaries.h"
#include "numbers.h"
#include "specs.h"

static void add_reduce(jig_reduce_args args) {
  char *text = NULL;
  (void)jig_reduce_spec(&args, &text);
  /* More than a few words an item do not fit a thread's registers. */
  specs_add(text, args.in.type.size > 64 || args.out.type.size > 64);
}

static void add_arg_reduce(jig_arg_reduce_args args) {
  char *text = NULL;
  if (args.index_out.kind == JIG_ITER_NONE) args.index_out = jig_pointer(NULL, JIG_I64);
  (void)jig_arg_reduce_spec(&args, &text);
  specs_add(text, args.in.type.size > 64);
}

static void add_builtin_types(void) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    const jig_iter in = jig_pointer(NULL, type);
    for (jig_op_kind op = JIG_OP_PLUS; op <= JIG_OP_LOGICAL_OR; ++op) {
      bool bitwise = op == JIG_OP_BIT_AND || op == JIG_OP_BIT_OR || op == JIG_OP_BIT_XOR;
      if (bitwise && is_floating(*kind)) continue;
      add_reduce((jig_reduce_args){.in = in, .out = in, .op = {.kind = op}, .init = ""});
    }
    add_reduce((jig_reduce_args){.in = in, .out = in, .op = JIG_MIN, .nan = JIG_NAN_IGNORE});
    add_reduce((jig_reduce_args){.in = in, .out = in, .op = jig_op_source("return a < b ? a : b;")});
    add_reduce(
        (jig_reduce_args){.in = in, .out = in, .op = jig_op_commutative(jig_op_source("return a * b;"))});
    add_reduce((jig_reduce_args){.in = in, .out = jig_pointer(NULL, JIG_F64), .accum_type = JIG_F64});
    add_reduce((jig_reduce_args){.in = in,
                                 .out = jig_pointer(NULL, JIG_F32),
                                 .accum_type = JIG_F32,
                                 .determinism = JIG_DETERMINISM_GPU_TO_GPU});
    add_reduce((jig_reduce_args){.in = jig_iter_transform(&in, jig_op_source("return x;"), JIG_F32),
                                 .out = jig_pointer(NULL, JIG_F32)});
    if (*kind != JIG_KIND_BOOL) add_reduce((jig_reduce_args){.in = jig_counting(NULL, type), .out = in});
    add_reduce((jig_reduce_args){.in = jig_constant("", type), .out = in, .op = JIG_MAX});
    for (int largest = 0; largest < 2; ++largest)
      add_arg_reduce((jig_arg_reduce_args){.in = in,
                                           .value_out = in,
                                           .op = largest ? JIG_MAX : JIG_MIN,
                                           .nan = largest ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE});
    add_arg_reduce((jig_arg_reduce_args){
        .in = in, .index_out = jig_pointer(NULL, JIG_U32), .compare = jig_op_source("return b < a;")});
  }
}

static void add_structs(void) {
  static char definitions[16][64];
  static const uint32_t sizes[] = {1, 2, 3, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 64, 128, 256};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    const uint32_t member = sizes[i] % 4 == 0 ? 4 : 1;
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { %s m[%u]; };",
                   member == 4 ? "uint32_t" : "uint8_t", sizes[i] / member);
    const jig_type type = jig_struct("s", definitions[i], sizes[i], member);
    const jig_iter in = jig_pointer(NULL, type);
    const jig_op op = jig_op_source(
        "for (unsigned i = 0; i < sizeof a.m / sizeof a.m[0]; ++i) a.m[i] ^= b.m[i];\nreturn a;");
    add_reduce((jig_reduce_args){.in = in, .out = in, .op = op});
    add_reduce((jig_reduce_args){.in = in, .out = in, .op = jig_op_commutative(op), .init = ""});
    add_reduce((jig_reduce_args){.in = in, .out = in, .op = op, .init_in = in});
    for (int largest = 0; largest < 2; ++largest)
      add_arg_reduce((jig_arg_reduce_args){.in = in,
                                           .value_out = largest ? in : (jig_iter)JIG_ZERO,
                                           .op = largest ? JIG_MAX : JIG_MIN,
                                           .compare = jig_op_source("return a.m[0] < b.m[0];")});
  }
}

/* What an iterator reads or writes, in a sum of structs or of numbers. */
static void add_input(jig_iter in) {
  const bool number = in.type.kind != JIG_KIND_STRUCT;
  add_reduce((jig_reduce_args){
      .in = in, .out = jig_pointer(NULL, in.type), .op = number ? JIG_PLUS : jig_op_source("return a;")});
}

static void add_output(jig_iter out) {
  const bool number = out.type.kind != JIG_KIND_STRUCT;
  add_reduce((jig_reduce_args){.in = jig_pointer(NULL, out.type),
                               .out = out,
                               .op = number ? JIG_PLUS : jig_op_source("return a;")});
}

static void add_iterators_of(jig_type type, jig_type grouped) {
  static const float scale = 1;
  const jig_op same = jig_op_source("return x;"), first = jig_op_source("return x.a;");
  const jig_op scaled = jig_op_with_state(jig_op_source("return x * state;"), &scale, JIG_F32);
  const jig_iter plain = jig_pointer(NULL, type), order = jig_pointer(NULL, JIG_I32),
                 strided = jig_strided(NULL, 0, type);
  const jig_iter alike[] = {plain, plain}, unlike[] = {plain, strided};
  const jig_iter zip = jig_zip(alike, 2, grouped), mixed = jig_zip(unlike, 2, grouped);
  const jig_iter both[] = {strided, jig_iter_reverse(&plain, 1), jig_permutation(&plain, &order), zip,
                           mixed,   jig_iter_reverse(&mixed, 1)};
  const jig_iter gathered = jig_permutation(&zip, &order);
  for (size_t i = 0; i < COUNT_OF(both); ++i) {
    add_input(both[i]);
    add_output(both[i]);
  }
  add_input(jig_counting_by(NULL, &scale, type));
  add_input(jig_iter_source(jig_op_source("return i;"), type));
  add_input(jig_iter_transform(&zip, first, type));
  add_input(jig_iter_transform(&mixed, first, type));
  add_input(jig_iter_transform(&gathered, first, type));
  add_output(jig_discard(type));
  add_output(jig_transform_output(&plain, same, type));
  add_output(jig_transform_output(&strided, scaled, JIG_F32));
}

static void add_iterators(void) {
  static const struct {
    jig_type_kind kind;
    const char *grouped;
  } rows[] = {{JIG_KIND_I8, "struct s { int8_t a, b; };"},
              {JIG_KIND_F16, "struct s { jig::f16 a, b; };"},
              {JIG_KIND_F64, "struct s { double a, b; };"}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_type type = type_of(rows[i].kind);
    add_iterators_of(type, jig_struct("s", rows[i].grouped, 2 * (size_t)type.size, type.align));
  }
}

/* Compiled operators, opaque types and states in device memory: what is linked, not compiled at once. */
static void add_compiled(jig_type type, jig_op op, bool may_spill) {
  char *text = NULL;
  const jig_iter in = jig_pointer(NULL, type);
  (void)jig_reduce_spec(&(jig_reduce_args){.in = in, .out = in, .op = op}, &text);
  specs_add(text, may_spill);
}

static void add_binaries(void) {
  static const char source[] =
      "extern \"C\" __device__ float by_value(float a, float b) { return a * b; }\n"
      "extern \"C\" __device__ void by_pointer(const void *s, const void *a, const void *b, void "
      "*result) {\n"
      "  for (int i = 0; i < 6; ++i)\n"
      "    ((int *)result)[i] = ((const int *)a)[i] + ((const int *)b)[i] * ((const int *)s)[i];\n"
      "}\n"
      "extern \"C\" __device__ void largest(const void *a, const void *b, void *result) {\n"
      "  for (int i = 0; i < 64; ++i)\n"
      "    ((int *)result)[i] = ((const int *)a)[i] ^ ((const int *)b)[i];\n"
      "}\n";
  const jig_type opaque = jig_opaque(24, 8);
  const binary *lto = binary_make(BY_NVRTC, BINARY_LTO_IR, source, 0),
               *ptx = binary_make(BY_NVRTC, BINARY_PTX, source, 0);
  const jig_op inlined = jig_op_by_pointer(binary_op(lto, "by_pointer")),
               called = jig_op_by_pointer(binary_op(ptx, "by_pointer"));
  add_compiled(JIG_F32, binary_op(lto, "by_value"), false);
  add_compiled(opaque, jig_op_with_state(inlined, "", opaque), false);
  add_compiled(opaque, jig_op_with_device_state(inlined, "", opaque), false);
  add_compiled(jig_opaque(256, 4), jig_op_by_pointer(binary_op(lto, "largest")), true);
  /* Calls may spill: a function's registers come on top of its caller's. */
  add_compiled(JIG_F32, binary_op(ptx, "by_value"), true);
  add_compiled(opaque, jig_op_with_device_state(called, "", opaque), true);
  add_compiled(JIG_F64, jig_op_with_device_state(jig_op_source("return a + b * state;"), "", JIG_F64),
               false);
}

static void add_all(void) {
  specs_go(SPECS_EVERYWHERE | SPECS_OF_PRODUCT);
  add_builtin_types();
  add_structs();
  add_iterators();
  specs_go(SPECS_EVERYWHERE);
  add_binaries();
}

const specs_family specs_reduce = {add_all};
