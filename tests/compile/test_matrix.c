/* Everything that reduce claims compiles for every architecture that jig claims, and what it costs; of
 * scan what differs from that; and what rests on scan, and the sorts. support/compile_matrix.h says what
 * of it one run compiles.
 *
 * Needs NVRTC and no GPU. Writes registers, shared memory and spills of every program to
 * $BUILD/tests/compile_matrix.csv. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "binaries.h"
#include "compile_matrix.h"
#include "numbers.h"
#include "suite.h"

enum { MAX_SPECS = 1024 };

static struct {
  compile_spec specs[MAX_SPECS];
  bool may_spill[MAX_SPECS];
  size_t count;
  bool everywhere, of_product; /* what is being added */
} all;

/* The text is taken over. */
static void add(char *text, bool may_spill) {
  ck_assert_msg(text != NULL && all.count < MAX_SPECS, "%s", jig_last_error());
  all.may_spill[all.count] = may_spill;
  all.specs[all.count++] = (compile_spec){text, all.everywhere, all.of_product};
}

static void add_reduce(jig_reduce_args args) {
  char *text = NULL;
  (void)jig_reduce_spec(&args, &text);
  /* More than a few words an item do not fit a thread's registers. */
  add(text, args.in.type.size > 64 || args.out.type.size > 64);
}

static void add_arg_reduce(jig_arg_reduce_args args) {
  char *text = NULL;
  if (args.index_out.kind == JIG_ITER_NONE) args.index_out = jig_pointer(NULL, JIG_I64);
  (void)jig_arg_reduce_spec(&args, &text);
  add(text, args.in.type.size > 64);
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
    add_reduce((jig_reduce_args){.in = jig_transform(&in, jig_op_source("return x;"), JIG_F32),
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
  const jig_iter both[] = {strided, jig_reverse(&plain, 1), jig_permutation(&plain, &order), zip,
                           mixed,   jig_reverse(&mixed, 1)};
  const jig_iter gathered = jig_permutation(&zip, &order);
  for (size_t i = 0; i < COUNT_OF(both); ++i) {
    add_input(both[i]);
    add_output(both[i]);
  }
  add_input(jig_counting_by(NULL, &scale, type));
  add_input(jig_iter_source(jig_op_source("return i;"), type));
  add_input(jig_transform(&zip, first, type));
  add_input(jig_transform(&mixed, first, type));
  add_input(jig_transform(&gathered, first, type));
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
  add(text, may_spill);
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

/* ---- scan: every row of its policy, in both modes. What may spill does, as it is tuned now. */

static void add_scan(jig_scan_args args, bool may_spill) {
  char *text = NULL;
  (void)jig_scan_spec(&args, &text);
  add(text, may_spill);
}

static void add_scans_of_numbers(void) {
  static const struct {
    jig_type_kind in, accum, out;
    bool may_spill;
  } rows[] = {
      {JIG_KIND_I8, JIG_KIND_NONE, JIG_KIND_I8, false},
      {JIG_KIND_U8, JIG_KIND_U8, JIG_KIND_U8, true},
      {JIG_KIND_I16, JIG_KIND_NONE, JIG_KIND_I32, false},
      {JIG_KIND_F16, JIG_KIND_F16, JIG_KIND_F16, true},
      {JIG_KIND_F32, JIG_KIND_NONE, JIG_KIND_F32, true},
      {JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_F32, true},
      {JIG_KIND_I64, JIG_KIND_NONE, JIG_KIND_I64, true},
      {JIG_KIND_U8, JIG_KIND_F64, JIG_KIND_F64, true},
      {JIG_KIND_U128, JIG_KIND_NONE, JIG_KIND_U128, false},
      {JIG_KIND_I32, JIG_KIND_NONE, JIG_KIND_I64, false}, /* outputs wider than items: prefix sums */
      {JIG_KIND_U32, JIG_KIND_NONE, JIG_KIND_U64, true},
      {JIG_KIND_I8, JIG_KIND_NONE, JIG_KIND_I64, false},
      {JIG_KIND_U16, JIG_KIND_NONE, JIG_KIND_U64, false},
      {JIG_KIND_F16, JIG_KIND_NONE, JIG_KIND_F32, true},
      {JIG_KIND_F32, JIG_KIND_NONE, JIG_KIND_F64, true},
      {JIG_KIND_U64, JIG_KIND_NONE, JIG_KIND_U128, false},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    jig_scan_args args = {.in = jig_pointer(NULL, type_of(rows[i].in)),
                          .out = jig_pointer(NULL, type_of(rows[i].out)),
                          .mode = i % 2 == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE};
    if (rows[i].accum != JIG_KIND_NONE) args.accum_type = type_of(rows[i].accum);
    add_scan(args, rows[i].may_spill);
  }
  const jig_iter bf16 = jig_pointer(NULL, JIG_BF16);
  add_scan((jig_scan_args){.in = bf16, .out = bf16, .op = JIG_MIN, .nan = JIG_NAN_IGNORE, .init = ""},
           true);
}

static void add_scans_of_structs(void) {
  static char definitions[8][64];
  static const struct {
    uint32_t size;
    bool may_spill;
  } rows[] = {{3, true}, {8, false}, {12, false}, {16, false}, {32, false}, {64, false}, {128, true}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const uint32_t size = rows[i].size, member = size % 4 == 0 ? 4 : 1;
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { %s m[%u]; };",
                   member == 4 ? "uint32_t" : "uint8_t", size / member);
    const jig_iter items = jig_pointer(NULL, jig_struct("s", definitions[i], size, member));
    const jig_op op = jig_op_source(
        "for (unsigned i = 0; i < sizeof a.m / sizeof a.m[0]; ++i) a.m[i] ^= b.m[i];\nreturn a;");
    add_scan((jig_scan_args){.in = items,
                             .out = items,
                             .op = op,
                             .mode = i % 2 == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE,
                             .init = i % 2 == 0 ? NULL : ""},
             rows[i].may_spill);
  }
}

static void add_scans_of_iterators(void) {
  const jig_type pair = jig_struct("s", "struct s { float a, b; };", 8, 4);
  const jig_iter plain = jig_pointer(NULL, JIG_F32), strided = jig_strided(NULL, 0, JIG_F32);
  const jig_iter sides[] = {plain, strided}, alike[] = {plain, plain};
  add_scan((jig_scan_args){.in = jig_zip(alike, 2, pair),
                           .out = jig_zip(sides, 2, pair),
                           .op = jig_op_source("return {a.a * b.a, b.a * a.b + b.b};")},
           true);
  add_scan((jig_scan_args){.in = jig_counting(NULL, JIG_I32),
                           .out = jig_discard(JIG_I64),
                           .mode = JIG_SCAN_EXCLUSIVE,
                           .init_in = jig_pointer(NULL, JIG_I64)},
           false);
}

/* ---- select and its kin */

static jig_op test_over(jig_type type) {
  return jig_op_source(type.kind == JIG_KIND_STRUCT ? "return x.m[0] < 9;" : "return x < 9;");
}

static void add_select(jig_iter in, jig_iter flags, bool may_spill) {
  char *text = NULL;
  jig_select_args args = {.in = in,
                          .flags = flags,
                          .out = jig_pointer(NULL, in.type),
                          .num_selected_out = jig_pointer(NULL, JIG_I64)};
  if (flags.kind == JIG_ITER_NONE) args.op = test_over(in.type);
  (void)jig_select_spec(&args, &text);
  add(text, may_spill);
}

static void add_unique(jig_iter in, jig_iter values, bool may_spill) {
  char *text = NULL;
  jig_unique_args args = {.in = in,
                          .out = in,
                          .values_in = values,
                          .values_out = values,
                          .num_selected_out = jig_pointer(NULL, JIG_I32)};
  if (in.type.kind == JIG_KIND_STRUCT) args.equality = jig_op_source("return a.m[0] == b.m[0];");
  (void)jig_unique_spec(&args, &text);
  add(text, may_spill);
}

static void add_partitions(jig_iter in, bool may_spill) {
  char *text = NULL;
  (void)jig_partition_spec(
      &(jig_partition_args){
          .in = in, .out = in, .num_selected_out = jig_pointer(NULL, JIG_I32), .op = test_over(in.type)},
      &text);
  add(text, may_spill);
  (void)jig_three_way_partition_spec(
      &(jig_three_way_partition_args){.in = in,
                                      .first_out = in,
                                      .second_out = in,
                                      .unselected_out = jig_discard(in.type),
                                      .num_selected_out = jig_pointer(NULL, JIG_I32),
                                      .first_op = test_over(in.type),
                                      .second_op = test_over(in.type)},
      &text);
  add(text, may_spill);
}

static void add_selections(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8, JIG_KIND_F16, JIG_KIND_I32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  static char definitions[4][64];
  static const uint32_t sizes[] = {3, 12, 64, 256};
  const jig_iter none = JIG_ZERO, flags = jig_pointer(NULL, JIG_U8), words = jig_pointer(NULL, JIG_I32);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(kinds[k]));
    add_select(in, none, false);
    add_select(in, flags, false);
    add_unique(in, none, false);
    add_unique(in, words, false);
    add_partitions(in, false);
  }
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { uint8_t m[%u]; };", sizes[i]);
    const jig_iter in = jig_pointer(NULL, jig_struct("s", definitions[i], sizes[i], 1));
    add_select(in, none, true);
    add_unique(in, in, true);
    add_partitions(in, true);
  }
  add_select(jig_counting(NULL, JIG_I64), words, false);
}

/* ---- sorts */

static void add_radix_sort(jig_radix_sort_args args, bool may_spill) {
  char *text = NULL;
  args.keys_out = args.keys_in;
  args.values_out = args.values_in;
  (void)jig_radix_sort_spec(&args, &text);
  add(text, may_spill);
}

static void add_radix_sorts(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8,  JIG_KIND_F16, JIG_KIND_I32,
                                       JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_type values[] = {JIG_U8, JIG_F32, JIG_I64, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_radix_sort((jig_radix_sort_args){.keys_in = in}, false);
    for (size_t v = k % 2; v < COUNT_OF(values); v += 2)
      add_radix_sort((jig_radix_sort_args){.keys_in = in, .values_in = jig_pointer(NULL, values[v])},
                     in.type.size > 8);
  }
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_radix_sort(
      (jig_radix_sort_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
      true);
}

static void add_top_k(jig_top_k_args args, bool may_spill) {
  char *text = NULL;
  if (args.keys_out.kind == JIG_ITER_NONE) args.keys_out = args.keys_in;
  args.values_out = args.values_in;
  (void)jig_top_k_spec(&args, &text);
  add(text, may_spill);
}

static void add_top_ks(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8,  JIG_KIND_F16, JIG_KIND_I32,
                                       JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_type values[] = {JIG_F32, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_top_k((jig_top_k_args){.keys_in = in}, false);
    add_top_k((jig_top_k_args){.keys_in = in, .values_in = jig_pointer(NULL, values[k % 2])}, false);
  }
  const jig_iter numbers = jig_counting(NULL, JIG_I64);
  add_top_k(
      (jig_top_k_args){.keys_in = jig_transform(&numbers, jig_op_source("return x * 0.5f;"), JIG_F32),
                       .keys_out = jig_discard(JIG_F32),
                       .values_in = jig_pointer(NULL, JIG_I64)},
      false);
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_top_k((jig_top_k_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
            true);
}

static void add_segmented_sort(jig_segmented_sort_args args, bool may_spill) {
  char *text = NULL;
  args.keys_out = args.keys_in;
  args.values_out = args.values_in;
  args.begin_offsets = jig_pointer(NULL, JIG_I32);
  args.end_offsets = jig_pointer(NULL, JIG_I64);
  (void)jig_segmented_sort_spec(&args, &text);
  add(text, may_spill);
}

static void add_segmented_sorts(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_F32, JIG_KIND_U64,
                                       JIG_KIND_U128};
  const jig_type values[] = {JIG_F32, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_segmented_sort((jig_segmented_sort_args){.keys_in = in}, in.type.size > 4);
    add_segmented_sort(
        (jig_segmented_sort_args){.keys_in = in, .values_in = jig_pointer(NULL, values[k % 2])}, true);
  }
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_segmented_sort(
      (jig_segmented_sort_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
      true);
}

/* ---- by key, runs, segments */

/* Both modes of a scan and a reduce of values by keys; and the scan of segments of values. */
static void add_by_key(jig_iter keys, jig_iter values, jig_op op, jig_type accum, bool may_spill) {
  char *text = NULL;
  const jig_iter out = jig_pointer(NULL, accum), number = jig_pointer(NULL, JIG_I32);
  for (int mode = JIG_SCAN_INCLUSIVE; mode <= JIG_SCAN_EXCLUSIVE; ++mode) {
    const void *init = mode == JIG_SCAN_EXCLUSIVE ? "" : NULL;
    (void)jig_scan_by_key_spec(&(jig_scan_by_key_args){.keys_in = keys,
                                                       .values_in = values,
                                                       .values_out = out,
                                                       .op = op,
                                                       .mode = (jig_scan_mode)mode,
                                                       .init = init,
                                                       .accum_type = accum},
                               &text);
    add(text, may_spill);
    (void)jig_segmented_scan_spec(&(jig_segmented_scan_args){.in = values,
                                                             .out = out,
                                                             .begin_offsets = number,
                                                             .end_offsets = number,
                                                             .op = op,
                                                             .mode = (jig_scan_mode)mode,
                                                             .init = init,
                                                             .accum_type = accum},
                                  &text);
    add(text, may_spill);
  }
  (void)jig_reduce_by_key_spec(&(jig_reduce_by_key_args){.keys_in = keys,
                                                         .unique_out = jig_discard(keys.type),
                                                         .values_in = values,
                                                         .aggregates_out = out,
                                                         .num_runs_out = number,
                                                         .op = op,
                                                         .accum_type = accum},
                               &text);
  add(text, may_spill);
}

static void add_runs(jig_iter in, bool may_spill) {
  char *text = NULL;
  const jig_iter number = jig_pointer(NULL, JIG_I64);
  (void)jig_run_length_encode_spec(
      &(jig_run_length_encode_args){
          .in = in, .unique_out = jig_discard(in.type), .lengths_out = number, .num_runs_out = number},
      &text);
  add(text, may_spill);
  (void)jig_non_trivial_runs_spec(
      &(jig_non_trivial_runs_args){
          .in = in, .offsets_out = number, .lengths_out = number, .num_runs_out = number},
      &text);
  add(text, may_spill);
}

/* How many keys each run has, the count being all that registers hold of the values: SM 90 has failed to
 * find registers for the flags. */
static void add_counts_of_keys(jig_iter keys, jig_op equality) {
  char *text = NULL;
  (void)jig_reduce_by_key_spec(&(jig_reduce_by_key_args){.keys_in = keys,
                                                         .unique_out = jig_discard(keys.type),
                                                         .values_in = jig_constant("", JIG_U32),
                                                         .aggregates_out = jig_pointer(NULL, JIG_U32),
                                                         .num_runs_out = jig_pointer(NULL, JIG_I32),
                                                         .equality = equality},
                               &text);
  add(text, false);
}

static void add_all_by_key(void) {
  static const struct {
    jig_type_kind key, value, accum;
    bool may_spill;
  } rows[] = {
      {JIG_KIND_I32, JIG_KIND_I32, JIG_KIND_I32, false},
      {JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_F64, true},
      {JIG_KIND_I32, JIG_KIND_U32, JIG_KIND_U64, true},
      {JIG_KIND_I32, JIG_KIND_F32, JIG_KIND_F64, true},
      {JIG_KIND_I8, JIG_KIND_U8, JIG_KIND_I32, true},
      {JIG_KIND_U64, JIG_KIND_F32, JIG_KIND_F32, true},
      {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, true},
      {JIG_KIND_I128, JIG_KIND_I128, JIG_KIND_I128, true},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_iter keys = jig_pointer(NULL, type_of(rows[i].key));
    add_by_key(keys, jig_pointer(NULL, type_of(rows[i].value)), JIG_PLUS, type_of(rows[i].accum),
               rows[i].may_spill);
    add_runs(keys, false);
  }
  const jig_type line =
      jig_struct("line",
                 "struct line { int w[16];\n  __device__ bool operator==(const line &o) "
                 "const { return w[0] == o.w[0]; } };",
                 64, 4);
  add_by_key(jig_pointer(NULL, line), jig_pointer(NULL, line), jig_op_source("return b;"), line, true);
  add_runs(jig_pointer(NULL, line), true);
  add_runs(jig_counting(NULL, JIG_U64), false);
  add_counts_of_keys(jig_pointer(NULL, JIG_F32), (jig_op)JIG_ZERO);
  add_counts_of_keys(jig_counting(NULL, JIG_I32), jig_op_source("return a / 10 == b / 10;"));
}

/* ---- sorts */

static void add_sorts(jig_iter keys, jig_iter values, jig_op op, bool may_spill) {
  char *text = NULL;
  (void)jig_merge_sort_spec(
      &(jig_merge_sort_args){
          .keys_in = keys, .keys_out = keys, .values_in = values, .values_out = values, .compare = op},
      &text);
  add(text, may_spill);
  (void)jig_merge_spec(&(jig_merge_args){.first_keys_in = keys,
                                         .second_keys_in = keys,
                                         .keys_out = keys,
                                         .first_values_in = values,
                                         .second_values_in = values,
                                         .values_out = values,
                                         .compare = op},
                       &text);
  add(text, may_spill);
}

static void add_all_sorts(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_U32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  const jig_iter none = JIG_ZERO, words = jig_pointer(NULL, JIG_U32), wide = jig_pointer(NULL, JIG_U128);
  const jig_op by_type = JIG_ZERO;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter keys = jig_pointer(NULL, type_of(kinds[k]));
    add_sorts(keys, none, by_type, false);
    add_sorts(keys, words, by_type, false);
    add_sorts(keys, wide, by_type, false);
    add_sorts(keys, none, JIG_GREATER, false);
  }
  static char definitions[4][64];
  static const uint32_t sizes[] = {3, 12, 64, 256};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { uint8_t m[%u]; };", sizes[i]);
    const jig_iter keys = jig_pointer(NULL, jig_struct("s", definitions[i], sizes[i], 1));
    add_sorts(keys, none, jig_op_source("return a.m[0] < b.m[0];"), true);
  }
}

static void add_everything(void) {
  all.everywhere = all.of_product = true;
  add_builtin_types();
  add_structs();
  add_iterators();
  all.of_product = false;
  add_binaries();
  add_scans_of_numbers();
  add_scans_of_structs();
  add_scans_of_iterators();
  all.everywhere = false;
  add_selections();
  add_all_by_key();
  all.of_product = true;
  add_radix_sorts();
  add_top_ks();
  add_segmented_sorts();
  add_all_sorts();
}

/* ---- compiling on every processor */

static struct {
  compile_plan plan;
  atomic_size_t next, failed, done;
  build_settings settings;
  FILE *csv;
  pthread_mutex_t mutex;
} run = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the mutex held. */
static void report_kernel(const compile_job *job, const artifact *a) {
  const char *text = all.specs[job->spec].text;
  if (a->cost.spill_bytes > 0 && !all.may_spill[job->spec]) {
    ++run.failed;
    fprintf(stderr, "%s %s: %s spills registers\n", a->target.name, text, a->kernel->name);
  }
  if (run.csv == NULL) return;
  fprintf(run.csv, "%s,%s,%d,%d,%d,%zu,%.1f,\"", a->target.name, a->kernel->name, a->cost.registers,
          a->cost.shared_bytes, a->cost.spill_bytes, a->payload_size, a->compile_ms);
  for (const char *c = text; *c != '\0'; ++c) fprintf(run.csv, *c == '"' ? "\"\"" : "%c", *c);
  fprintf(run.csv, "\"\n");
}

static void compile_one(const compile_job *job) {
  parsed_spec parsed;
  artifact made;
  const char *text = all.specs[job->spec].text;
  const bool sound = spec_parse(text, algorithm_schema, &parsed) == JIG_SUCCESS;
  const bool built =
      sound && build_kernel(&run.settings, &parsed.s, job->kernel, &job->target, &made) == JIG_SUCCESS;
  (void)pthread_mutex_lock(&run.mutex);
  if (built) {
    report_kernel(job, &made);
  } else {
    ++run.failed;
    fprintf(stderr, "%s %s: %s: %s\n", job->target.name, text, job->kernel->name, jig_last_error());
  }
  ++run.done;
  (void)pthread_mutex_unlock(&run.mutex);
  if (sound) parsed_spec_free(&parsed);
  if (built) artifact_free(&made);
}

static void *compile_some(void *unused) {
  for (size_t i; (i = run.next++) < run.plan.count;) compile_one(&run.plan.jobs[i]);
  return unused;
}

static void compile_all(void) {
  enum { MAX_THREADS = 64 };
  pthread_t threads[MAX_THREADS];
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t count = processors > 0 && processors < MAX_THREADS ? (size_t)processors : 1;
  const store_config no_cache = {0};
  run.settings = (build_settings){.cache = store_open(&no_cache), .jobs = MAX_THREADS};
  for (size_t i = 0; i < count; ++i)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_some, NULL), 0);
  for (size_t i = 0; i < count; ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  store_close(run.settings.cache);
}

START_TEST(everything_compiles_everywhere) {
  char path[4096];
  (void)snprintf(path, sizeof path, "%s/tests/compile_matrix.csv",
                 getenv("BUILD") != NULL ? getenv("BUILD") : "build");
  add_everything();
  run.plan = compile_plan_of(all.specs, all.count);
  run.csv = fopen(path, "w");
  if (run.csv != NULL)
    fprintf(run.csv, "arch,kernel,registers,shared_bytes,spill_bytes,cubin_bytes,compile_ms,spec\n");
  compile_all();
  if (run.csv != NULL) (void)fclose(run.csv);
  const char *again = compile_plan_again(&run.plan);
  printf("%zu specs, %zu kernels compiled; the same again: %s\n", all.count, (size_t)run.done, again);
  for (size_t i = 0; i < all.count; ++i) jig_free((char *)(uintptr_t)all.specs[i].text);
  free(run.plan.jobs);
  ck_assert_msg(run.failed == 0, "%zu kernels went wrong; the same again: %s", (size_t)run.failed, again);
}
END_TEST

int main(void) {
  if (compiler_get() == NULL) {
    printf("skipped: compile/matrix: everything_compiles_everywhere (no NVRTC)\n");
    return EXIT_SUCCESS;
  }
  /* Minutes on two idle processors. */
  (void)setenv("CK_TIMEOUT_MULTIPLIER", "4", 0);
  static const suite_test tests[] = {SUITE_TEST(everything_compiles_everywhere)};
  return SUITE_RUN("compile/matrix", tests, false);
}
