/* Operators, headers and compiled operators that differ and have one XXH3: each runs as itself, within
 * one engine, and from a cache that has the other one. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "jit/linker.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"
#include "twins.h"

enum { ITEMS = 100 };

/* The sum of f(x) over as many ones. */
static int sum_of(jig_engine *engine, jig_op f) {
  int ones[ITEMS], result;
  for (int i = 0; i < ITEMS; ++i) ones[i] = 1;
  int *in = gpu_copy(ones, sizeof ones, 0), *out = gpu_alloc(sizeof *out, 0);
  const jig_iter base = jig_pointer(in, JIG_I32);
  const jig_reduce_args args = {
      .in = jig_iter_transform(&base, f, JIG_I32), .out = jig_pointer(out, JIG_I32), .num_items = ITEMS};
  size_t bytes = 0;
  OK(jig_reduce(engine, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_reduce(engine, storage, &bytes, &args, NULL));
  gpu_read(&result, out, sizeof result);
  gpu_free(storage);
  gpu_free(out);
  gpu_free(in);
  return result;
}

static jig_engine *engine_of(const jig_header *header) {
  const jig_engine_config config = {.cache_dir = scratch_path("cache"),
                                    .cache_path = "",
                                    .build = JIG_BUILD_ON_DEMAND,
                                    .headers = header,
                                    .header_count = header != NULL};
  jig_engine *engine;
  OK(jig_engine_create(&engine, &config));
  return engine;
}

/* In one engine, one after the other and again; and in another one, which finds both on disk. */
static void check_both(jig_op two, jig_op three) {
  for (int i = 0; i < 2; ++i) {
    jig_engine *engine = engine_of(NULL);
    ck_assert_int_eq(sum_of(engine, two), 2 * ITEMS);
    ck_assert_int_eq(sum_of(engine, three), 3 * ITEMS);
    ck_assert_int_eq(sum_of(engine, two), 2 * ITEMS);
    jig_engine_destroy(engine);
  }
}

START_TEST(sources_of_one_hash_run_as_themselves) {
  scratch_setup();
  twins t = twins_make("return x * ", "23", ";", 0);
  check_both(jig_op_source(t.texts[0]), jig_op_source(t.texts[1]));
  twins_free(&t);
  scratch_teardown();
}
END_TEST

/* Of which the first 12 bytes of a stream may be name and length. */
START_TEST(headers_of_one_hash_run_as_themselves) {
  scratch_setup();
  twins t = twins_make("inline int scaled(int x) { return x * ", "23", "; }", 12);
  for (int i = 0; i < 4; ++i) {
    const jig_header header = {"h.h", t.texts[i % 2]};
    jig_engine *engine = engine_of(&header);
    ck_assert_int_eq(sum_of(engine, jig_op_source("#include <h.h>\nreturn scaled(x);")),
                     (2 + i % 2) * ITEMS);
    jig_engine_destroy(engine);
  }
  twins_free(&t);
  scratch_teardown();
}
END_TEST

static twins twin_functions(const char *before_digit, const char *after_digit) {
  char head[256], tail[256];
  (void)snprintf(head, sizeof head, ".version 8.0\n.target sm_75\n.address_size 64\n%s", before_digit);
  (void)snprintf(tail, sizeof tail, "%s\nst.param.b32 [r], %%r2;\nret;\n}\n", after_digit);
  return twins_make(head, "23", tail, 0);
}

static bool has_linker(const char *test) {
  if (linker_get() != NULL) return true;
  printf("skipped: device/collisions: %s (no nvJitLink)\n", test);
  return false;
}

START_TEST(compiled_operators_of_one_hash_run_as_themselves) {
  if (!has_linker("compiled_operators_of_one_hash_run_as_themselves")) return;
  scratch_setup();
  twins t = twin_functions(
      ".visible .func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
      "ld.param.b32 %r1, [x];\nmul.lo.s32 %r2, %r1, ",
      ";");
  jig_op ops[2];
  for (int i = 0; i < 2; ++i) ops[i] = jig_op_binary(JIG_FORMAT_PTX, t.texts[i], t.size, "f");
  ck_assert_mem_eq(ops[0].digest, ops[1].digest, sizeof ops[0].digest);
  check_both(ops[0], ops[1]);
  twins_free(&t);
  scratch_teardown();
}
END_TEST

/* Functions f2 and f3, of two files. */
START_TEST(compiled_operators_of_one_hash_are_linked_together) {
  if (!has_linker("compiled_operators_of_one_hash_are_linked_together")) return;
  scratch_setup();
  twins t = twin_functions(".visible .func (.param .b32 r) f",
                           "(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\n"
                           "mul.lo.s32 %r2, %r1, 5;");
  const int one = 1;
  const jig_iter ones = jig_constant(&one, JIG_I32);
  const jig_iter base =
      jig_iter_transform(&ones, jig_op_binary(JIG_FORMAT_PTX, t.texts[0], t.size, "f2"), JIG_I32);
  const jig_op second = jig_op_binary(JIG_FORMAT_PTX, t.texts[1], t.size, "f3");
  int result;
  reduce_to_host((jig_reduce_args){.in = jig_iter_transform(&base, second, JIG_I32), .num_items = ITEMS},
                 JIG_I32, &result);
  ck_assert_int_eq(result, 25 * ITEMS);
  twins_free(&t);
  scratch_teardown();
}
END_TEST

/* Whatever the digest says, the data decides; one that does not fit the data is an error. */
START_TEST(a_forged_digest_gets_nobodys_program) {
  if (!has_linker("a_forged_digest_gets_nobodys_program")) return;
  scratch_setup();
  twins t = twin_functions(
      ".visible .func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
      "ld.param.b32 %r1, [x];\nmul.lo.s32 %r2, %r1, ",
      ";");
  jig_engine *engine = engine_of(NULL);
  ck_assert_int_eq(sum_of(engine, jig_op_binary(JIG_FORMAT_PTX, t.texts[0], t.size, "f")), 2 * ITEMS);
  char *other = strdup(t.texts[0]);
  *strrchr(other, '2') = '4';
  jig_op forged = jig_op_binary(JIG_FORMAT_PTX, t.texts[0], t.size, "f");
  forged.data = other;
  const jig_iter items = jig_pointer((void *)256, JIG_I32);
  jig_reduce_args args = {
      .in = jig_iter_transform(&items, forged, JIG_I32), .out = items, .num_items = 1};
  size_t bytes;
  FAILS(jig_reduce(engine, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "has changed");
  args.in.op.data = t.texts[0]; /* the very data of a program that is in memory, and another digest */
  args.in.op.digest[0] ^= 1;
  FAILS(jig_reduce(engine, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "has changed");
  jig_engine_destroy(engine);
  free(other);
  twins_free(&t);
  scratch_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sources_of_one_hash_run_as_themselves),
      SUITE_TEST(headers_of_one_hash_run_as_themselves),
      SUITE_TEST(compiled_operators_of_one_hash_run_as_themselves),
      SUITE_TEST(compiled_operators_of_one_hash_are_linked_together),
      SUITE_TEST(a_forged_digest_gets_nobodys_program),
  };
  return SUITE_RUN("device/collisions", tests, true);
}
