/* Scan with operators and types of the caller's: operators whose operands must keep their order, structs
 * of many sizes, states, functions, compiled code; well-known operators over structs. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "jit/compiler.h"
#include "jit/linker.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "seed.h"
#include "suite.h"

/* ---- order: operators that are associative and nothing more */

/* 2 x 2 matrices over the integers modulo 2^32, multiplied. */
typedef struct matrix {
  uint32_t a, b, c, d;
} matrix;
static const jig_type matrix_type = {.kind = JIG_KIND_STRUCT,
                                     .size = 16,
                                     .align = 4,
                                     .name = "matrix",
                                     .definition = "struct matrix { uint32_t a, b, c, d; };"};
static const char matrix_body[] =
    "return {a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,\n"
    "        a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d};";
static void multiply(void *fold, const void *item) {
  matrix *x = fold;
  const matrix *y = item;
  *x = (matrix){x->a * y->a + x->b * y->c, x->a * y->b + x->b * y->d, x->c * y->a + x->d * y->c,
                x->c * y->b + x->d * y->d};
}

/* x -> multiplier * x + increment, composed. */
typedef struct map {
  uint8_t multiplier, increment;
} map;
static const jig_type map_type = {.kind = JIG_KIND_STRUCT,
                                  .size = 2,
                                  .align = 1,
                                  .name = "map",
                                  .definition = "struct map { uint8_t multiplier, increment; };"};
static const char map_functions[] =
    "uint8_t times(uint8_t a, uint8_t b) { return a * b; }\n"
    "map then(map a, map b) {\n"
    "  map c;\n"
    "  c.multiplier = times(b.multiplier, a.multiplier);\n"
    "  c.increment = times(b.multiplier, a.increment) + b.increment;\n"
    "  return c;\n"
    "}\n";
static void compose(void *fold, const void *item) {
  map *x = fold;
  const map *y = item;
  x->increment = (uint8_t)(y->multiplier * x->increment + y->increment);
  x->multiplier = (uint8_t)(y->multiplier * x->multiplier);
}

/* An operator over a type, and the same on the host. */
typedef struct row {
  const char *name;
  jig_type type;
  jig_op op;
  scan_model model;
  bool is_odd; /* the items are, so that products do not become 0 */
  int ways;    /* of those below */
} row;

enum { PLAIN = 1, EXCLUSIVE = 2, WITH_INIT = 4, ALL_WAYS = 7 };

static unsigned char *new_items(const row *r, size_t count) {
  const size_t size = r->type.size;
  unsigned char *items = malloc(count * size);
  uint64_t seed = 7 + size;
  for (size_t i = 0; i < count * size; ++i) items[i] = (unsigned char)(next_random(&seed) >> 40);
  for (size_t i = 0; i < count && r->is_odd; ++i) items[i * size] |= 1;
  return items;
}

/* At these sizes, inclusive without an init, exclusive with one, inclusive with one; at several
 * alignments. */
static void check_sizes(const row *r, const size_t *sizes, size_t count) {
  const size_t size = r->type.size, most = sizes[count - 1];
  unsigned char *items = new_items(r, most), *wanted = malloc(most * size), first[256];
  char what[128];
  memset(first, 3, sizeof first);
  jig_scan_args args = {.op = r->op};
  for (int k = 0; k < 3; ++k) {
    if ((r->ways >> k & 1) == 0) continue;
    args.mode = k == 1 ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE;
    args.init = k > 0 ? first : NULL;
    scan_on_host(&r->model, args.mode, args.init, items, most, wanted);
    for (size_t offset = 0; offset < 2; ++offset) {
      void *in = gpu_copy(items, most * size, offset * r->type.align);
      args.in = jig_pointer(in, r->type);
      for (size_t i = offset; i < count; i += 1 + offset) {
        args.num_items = sizes[i];
        (void)snprintf(what, sizeof what, "%s of %zu, way %d, offset %zu", r->name, sizes[i], k, offset);
        check_scan(args, r->type, i % 2 * r->type.align, wanted, what);
      }
      gpu_free(in);
    }
  }
  free(items);
  free(wanted);
}

static void check_row(const row *r) {
  const jig_scan_args args = {
      .in = jig_pointer(NULL, r->type), .out = jig_pointer(NULL, r->type), .op = r->op};
  const scan_marks m = scan_marks_of(&args);
  const size_t sizes[] = {1,
                          m.vector + 1,
                          m.row + 1,
                          m.alone + m.vector,
                          8 * m.row - 1,
                          m.single_wave,
                          m.single_wave + m.tile + 1,
                          scan_long_size(&m, (size_t)-1)};
  check_sizes(r, sizes, COUNT_OF(sizes));
}

START_TEST(operands_keep_their_order) {
  const row matrices = {"matrices",     matrix_type, jig_op_source(matrix_body),
                        {16, multiply}, true,        ALL_WAYS};
  const row maps = {"maps",       map_type, jig_op_function(map_functions, "then"),
                    {2, compose}, true,     ALL_WAYS};
  jig_scan_args args = {
      .in = jig_pointer(NULL, matrix_type), .out = jig_pointer(NULL, matrix_type), .op = matrices.op};
  const scan_marks m = scan_marks_of(&args);
  size_t sizes[SCAN_MAX_SIZES];
  /* Every boundary, several groups included. */
  const size_t count = scan_sizes(&m, (m.single_wave / m.group + 3) * m.group + m.tile, sizes);
  check_sizes(&matrices, sizes + 1, count - 1);
  check_row(&maps);
}
END_TEST

/* ---- structs of many sizes: numbers side by side */

static size_t struct_size, member_size;
static void add_numbers(void *fold, const void *item) {
  for (size_t i = 0; i < struct_size; i += member_size) {
    uint64_t a = 0, b = 0;
    memcpy(&a, (char *)fold + i, member_size);
    memcpy(&b, (const char *)item + i, member_size);
    a += b;
    memcpy((char *)fold + i, &a, member_size);
  }
}

static void check_struct_of(size_t size, size_t align, jig_type member, int ways) {
  char definition[96], name[32];
  (void)snprintf(definition, sizeof definition, "struct alignas(%zu) numbers { uint%u_t m[%zu]; };",
                 align, 8 * member.size, size / member.size);
  (void)snprintf(name, sizeof name, "structs of %zu bytes", size);
  struct_size = size;
  member_size = member.size;
  const row r = {
      name,
      jig_struct("numbers", definition, size, align),
      jig_op_source("for (unsigned i = 0; i < sizeof a.m / sizeof a.m[0]; ++i) a.m[i] += b.m[i];\n"
                    "return a;"),
      {size, add_numbers},
      false,
      ways};
  check_row(&r);
}

START_TEST(structs_of_many_sizes) {
  if (test_turn(0)) {
    check_struct_of(3, 1, JIG_U8, PLAIN | EXCLUSIVE);
    check_struct_of(12, 4, JIG_U8, PLAIN);
    check_struct_of(24, 8, JIG_U64, EXCLUSIVE);
    check_struct_of(256, 8, JIG_U64, EXCLUSIVE);
  } else {
    check_struct_of(8, 4, JIG_U16, EXCLUSIVE);
    check_struct_of(16, 16, JIG_U32, PLAIN | EXCLUSIVE);
    check_struct_of(64, 4, JIG_U32, PLAIN);
  }
}
END_TEST

/* ---- well-known operators over structs that define them have no identity that jig knows */

static const jig_type pair_type = {
    .kind = JIG_KIND_STRUCT,
    .size = 8,
    .align = 4,
    .name = "pair",
    .definition =
        "struct pair { int a, b; };\n"
        "__device__ pair operator+(pair x, pair y) { return {x.a + y.a, x.b ^ y.b}; }"};
static void add_pairs(void *fold, const void *item) {
  ((uint32_t *)fold)[0] += ((const uint32_t *)item)[0];
  ((uint32_t *)fold)[1] ^= ((const uint32_t *)item)[1];
}

START_TEST(structs_with_an_operator_of_their_own) {
  const row r = {"pairs", pair_type, JIG_PLUS, {8, add_pairs}, false, PLAIN | EXCLUSIVE};
  const size_t sizes[] = {1, 100, 5000, 100001};
  check_sizes(&r, sizes, COUNT_OF(sizes));
  char *text = NULL;
  const jig_scan_args args = {.in = jig_pointer(NULL, pair_type),
                              .out = jig_pointer(NULL, pair_type),
                              .mode = JIG_SCAN_EXCLUSIVE};
  FAILS(jig_scan_spec(&args, &text), JIG_ERROR_INVALID_ARGUMENT, "init: an exclusive scan needs one");
}
END_TEST

/* ---- states */

static uint32_t modulus;
static void add_modulo(void *fold, const void *item) {
  *(uint32_t *)fold = (*(uint32_t *)fold + *(const uint32_t *)item) % modulus;
}

/* In the launch, and in device memory; another state, and no other program. */
START_TEST(operators_with_states) {
  enum { COUNT = 300007 };
  uint32_t *items = malloc(COUNT * 4), *wanted = malloc(COUNT * 4);
  const scan_model model = {4, add_modulo};
  const jig_op op = jig_op_source("return (a + b) % state;");
  jig_engine_stats before, after;
  for (modulus = 1000003; modulus < 1000010; modulus += 3) {
    fill_random(JIG_KIND_U32, items, COUNT, modulus);
    for (size_t i = 0; i < COUNT; ++i) items[i] %= modulus;
    scan_on_host(&model, JIG_SCAN_INCLUSIVE, NULL, items, COUNT, wanted);
    uint32_t *in = gpu_copy(items, COUNT * 4, 4), *there = gpu_copy(&modulus, 4, 0);
    jig_scan_args args = {.in = jig_pointer(in, JIG_U32), .num_items = COUNT};
    OK(jig_engine_get_stats(NULL, &before));
    args.op = jig_op_with_state(op, &modulus, JIG_U32);
    check_scan(args, JIG_U32, 0, wanted, "sums modulo a number");
    args.op = jig_op_with_device_state(op, there, JIG_U32);
    check_scan(args, JIG_U32, 0, wanted, "sums modulo a number in device memory");
    OK(jig_engine_get_stats(NULL, &after));
    if (modulus > 1000003)
      ck_assert_uint_eq(before.misses + before.disk_hits, after.misses + after.disk_hits);
    gpu_free(in);
    gpu_free(there);
  }
  free(items);
  free(wanted);
}
END_TEST

/* ---- operators that were compiled before */

/* LTO-IR of a source; false, having said so, if there can be none or nothing to link it. */
static bool make_lto_ir(const char *source, compiled *made, const char *test) {
  const compiler *c = compiler_get();
  const arch target = arch_of_sm(75, true);
  const compile_request request = {.program = source, .target = &target, .lto = true, .jobs = 1};
  if (c != NULL && linker_get() != NULL && compiler_compile(c, &request, made) == JIG_SUCCESS)
    return true;
  printf("skipped: device/scan_operators: %s (no NVRTC and nvJitLink)\n", test);
  return false;
}

START_TEST(operators_as_lto_ir) {
  enum { COUNT = 200003 };
  static const char source[] =
      "struct map { unsigned char multiplier, increment; };\n"
      "extern \"C\" __device__ map then_of_lto_ir(map a, map b) {\n"
      "  return {(unsigned char)(b.multiplier * a.multiplier),\n"
      "          (unsigned char)(b.multiplier * a.increment + b.increment)};\n"
      "}\n";
  compiled made;
  if (!make_lto_ir(source, &made, "operators_as_lto_ir")) return;
  const row r = {"maps by LTO-IR",
                 map_type,
                 jig_op_binary(JIG_FORMAT_LTO_IR, made.payload, made.payload_size, "then_of_lto_ir"),
                 {2, compose},
                 true,
                 PLAIN};
  const size_t sizes[] = {1, 50, 9000, COUNT, 1000000};
  check_sizes(&r, sizes, COUNT_OF(sizes));
  compiled_free(&made);
}
END_TEST

/* ---- opaque items, moved by an operator that only knows their bytes */

START_TEST(opaque_items_are_folded_by_pointer) {
  static const char source[] =
      "extern \"C\" __device__ void add_opaque(const void *a, const void *b, void *result) {\n"
      "  for (int i = 0; i < 12; ++i)\n"
      "    ((unsigned char *)result)[i] = ((const unsigned char *)a)[i] + ((const unsigned char "
      "*)b)[i];\n"
      "}\n";
  compiled made;
  if (!make_lto_ir(source, &made, "opaque_items_are_folded_by_pointer")) return;
  struct_size = 12;
  member_size = 1;
  const jig_op op =
      jig_op_by_pointer(jig_op_binary(JIG_FORMAT_LTO_IR, made.payload, made.payload_size, "add_opaque"));
  const row r = {"opaque items", jig_opaque(12, 4), op, {12, add_numbers}, false, EXCLUSIVE};
  const size_t sizes[] = {1, 50, 9000, 100001};
  check_sizes(&r, sizes, COUNT_OF(sizes));
  compiled_free(&made);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(operands_keep_their_order),
      SUITE_TEST(structs_of_many_sizes),
      SUITE_TEST(structs_with_an_operator_of_their_own),
      SUITE_TEST(operators_with_states),
      SUITE_TEST(operators_as_lto_ir),
      SUITE_TEST(opaque_items_are_folded_by_pointer),
  };
  return SUITE_RUN("device/scan_operators", tests, true);
}
