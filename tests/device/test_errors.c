/* Bad input on a working machine: each mistake gets its status and a text that names the culprit. */
#include <jig/jig.h>
#include <string.h>

#include "gpu.h"
#include "reduce_support.h"
#include "suite.h"

static int32_t *items, *out;
static jig_reduce_args good(void) {
  return (jig_reduce_args){
      .in = jig_pointer(items, JIG_I32), .out = jig_pointer(out, JIG_I32), .num_items = 100};
}

/* Both the size query and the call proper. */
static void refused(jig_reduce_args args, jig_status status, const char *part) {
  size_t bytes = 0;
  char storage[1]; /* never touched */
  FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), status, part);
  bytes = 1 << 20;
  FAILS(jig_reduce(NULL, storage, &bytes, &args, NULL), status, part);
}

/* The call proper only: what a size query does not look at. */
static void refused_at_launch(jig_reduce_args args, const char *part) {
  size_t bytes = 0;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_reduce(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, part);
  gpu_free(storage);
}

static void setup(void) {
  items = gpu_alloc(4096, 0);
  out = gpu_alloc(64, 0);
}
static void teardown(void) {
  ck_assert(gpu_is_untouched(out, 64)); /* no refused call has written anything */
  gpu_free(items);
  gpu_free(out);
}

START_TEST(null_pointers) {
  setup();
  size_t bytes = 0;
  FAILS(jig_reduce(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: args");
  FAILS(jig_transform_reduce(NULL, NULL, &bytes, NULL, JIG_PLUS, JIG_I32, NULL),
        JIG_ERROR_INVALID_ARGUMENT, "args");
  jig_reduce_args args = good();
  args.in.pointer = NULL;
  refused_at_launch(args, "jig_reduce: in: the pointer is NULL");
  args = good();
  args.out.pointer = NULL;
  refused_at_launch(args, "jig_reduce: out: the pointer is NULL");
  args = good();
  args.in = jig_constant(NULL, JIG_I32);
  refused_at_launch(args, "jig_reduce: in: 'constant' was given no value");
  args.in = jig_iter_transform(NULL, jig_op_source("return x;"), JIG_I32);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: in: 'transform' was given no iterator");
  args = good();
  args.op = jig_op_with_state(jig_op_source("return a + b + state;"), NULL, JIG_I32);
  refused_at_launch(args, "jig_reduce: op: the operator's state is NULL");
  teardown();
}
END_TEST

START_TEST(misaligned_pointers) {
  setup();
  jig_reduce_args args = good();
  args.in.pointer = (char *)items + 2;
  refused_at_launch(args, "jig_reduce: in: pointer 0x");
  args = good();
  args.out.pointer = (char *)out + 1;
  refused_at_launch(args, "is not aligned to the 4 bytes of i32");
  teardown();
}
END_TEST

START_TEST(types_that_are_none) {
  setup();
  jig_reduce_args args = good();
  args.in = (jig_iter){0};
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: in: no iterator");
  args = good();
  args.in.type = (jig_type){0};
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "no type is given");
  args = good();
  args.in.type.size = 8;
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: in: i32 has size and alignment 4, not 8");
  args = good();
  args.in.type = args.out.type = jig_struct("none", "struct none {};", 0, 1);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "struct 'none' has size 0");
  args.in.type = args.out.type = jig_struct("odd", "struct odd { int x; };", 4, 3);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "struct 'odd' has alignment 3");
  args.in.type = args.out.type = jig_struct("a b", "struct c { int x; };", 4, 4);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "identifier, not 'a b'");
  args.in.type = args.out.type = jig_struct("empty", NULL, 4, 4);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "struct 'empty' has no definition");
  args = good();
  args.accum_type = jig_struct("pair", "struct pair { int x, y; };", 8, 4);
  args.op = jig_op_source("return a;");
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "i32 does not convert to pair");
  teardown();
}
END_TEST

START_TEST(operators_that_do_not_fit) {
  setup();
  jig_reduce_args args = good();
  args.in.type = args.out.type = jig_struct("hit", "struct hit { int d; };", 4, 4);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: op: 'plus' is not defined for struct hit");
  args = good();
  args.in.type = args.out.type = JIG_F32;
  args.op = JIG_BIT_XOR;
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: op: 'bit_xor' is not defined for f32");
  args = good();
  args.op = (jig_op){.kind = 99};
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: op: no operator is given");
  args.op = jig_op_source("");
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "source is empty");
  args.op = jig_op_function("int f(int a, int b) { return a; }", NULL);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "function's name");
  args = good();
  const jig_iter in = args.in;
  args.in = jig_iter_transform(&in, JIG_PLUS, JIG_I32);
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "'plus' has two operands");
  args = good();
  args.nan = (jig_nan)7;
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "nan");
  args = good();
  args.determinism = (jig_determinism)7;
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "determinism");
  teardown();
}
END_TEST

START_TEST(source_that_does_not_end_where_it_begins) {
  setup();
  jig_reduce_args args = good();
  args.op = jig_op_source("return a;\n}\nint f() {\n  return 0;");
  refused(args, JIG_ERROR_INVALID_ARGUMENT,
          "jig_reduce: op: operator:2:1: error: this '}' closes what the text did not open\n  }\n  ^");
  args.op = jig_op_source("#line 7 \"mine\"\nreturn a;");
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: op: operator:1:1: error: this counts the lines");
  args = good();
  const jig_iter in = args.in;
  args.in = jig_iter_transform(&in, jig_op_function("int f(int x) { return x;", "f"), JIG_I32);
  refused(args, JIG_ERROR_INVALID_ARGUMENT,
          "jig_reduce: in: operator of in:1:14: error: this '{' is not closed\n"
          "  int f(int x) { return x;\n               ^");
  args = good();
  args.in.type = args.out.type = jig_struct("hit", "struct hit { int d; }; /*", 4, 4);
  args.op = jig_op_source("return a;");
  refused(args, JIG_ERROR_INVALID_ARGUMENT, "struct hit:1:24: error: this comment is not closed");
  teardown();
}
END_TEST

START_TEST(source_that_does_not_compile) {
  setup();
  jig_reduce_args args = good();
  args.op = jig_op_source("int c = a\nreturn c + b;");
  refused(args, JIG_ERROR_COMPILE, "jig_reduce: operator:2:1: error: expected a \";\"");
  args.op = jig_op_source("return a +\n       y;");
  refused(args, JIG_ERROR_COMPILE, "jig_reduce: operator:2:8: error: identifier \"y\" is undefined");
  args.op = jig_op_source("return a + b");
  refused(args, JIG_ERROR_COMPILE,
          "jig_reduce: operator:1:13: error: expected a \";\"\n  return a + b\n              ^");
  args.op = jig_op_function("int f(int a) { return a; }", "f");
  refused(args, JIG_ERROR_COMPILE,
          "jig_reduce: operator: error: calling int32_t f(int32_t, int32_t): too many");
  args.op = jig_op_function("int f(int a, int b) {\n  return a + nothing;\n}", "f");
  refused(args, JIG_ERROR_COMPILE,
          "jig_reduce: operator:2:14: error: identifier \"nothing\" is undefined");
  args = good();
  const jig_iter in = args.in;
  args.in = jig_iter_transform(&in, jig_op_source("return x.y;"), JIG_I32);
  refused(args, JIG_ERROR_COMPILE, "jig_reduce: operator of in:1:8: error:");
  args = good();
  args.in.type = args.out.type = jig_struct("hit", "struct hit {\n  flot d;\n};", 4, 4);
  args.op = jig_op_source("return a;");
  refused(args, JIG_ERROR_COMPILE, "jig_reduce: struct hit:2:3: error: identifier \"flot\" is undefined");
  args.in.type = args.out.type = jig_struct("hit", "struct hit { float d; int id; };", 12, 4);
  refused(args, JIG_ERROR_TYPE_MISMATCH,
          "jig_reduce: struct 'hit': its definition has size 8 and alignment 4, jig_struct() was given "
          "size 12");
  args.in.type = jig_struct("hit", "struct hit { float d; int id; };", 8, 4);
  args.out.type = jig_struct("hit", "struct hit { int id; float d; };", 8, 4);
  args.accum_type = args.in.type;
  refused(args, JIG_ERROR_INVALID_ARGUMENT,
          "out: struct hit:1:1: error: 'hit' is defined here in another way than for in");
  teardown();
}
END_TEST

START_TEST(strict_mode_builds_nothing) {
  setup();
  jig_engine *engine;
  const jig_engine_config config = {.cache_dir = "", .cache_path = "", .build = JIG_BUILD_NEVER};
  OK(jig_engine_create(&engine, &config));
  const jig_reduce_args args = good();
  size_t bytes = 0;
  FAILS(jig_reduce(engine, NULL, &bytes, &args, NULL), JIG_ERROR_NOT_BUILT,
        "jig_reduce: the cache has no program");
  ck_assert_ptr_nonnull(strstr(jig_last_error(), "\"algorithm\":\"reduce\""));
  jig_engine_stats stats;
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_uint_eq(stats.misses, 0);
  ck_assert_uint_eq(stats.failed_builds, 1);
  jig_engine_destroy(engine);
  teardown();
}
END_TEST

START_TEST(a_call_that_succeeds_leaves_no_error) {
  setup();
  size_t bytes = 0;
  FAILS(jig_reduce(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "args");
  const jig_reduce_args args = good();
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  ck_assert_str_eq(jig_last_error(), "");
  teardown();
}
END_TEST

START_TEST(arg_reduce_names_its_own) {
  setup();
  size_t bytes = 0;
  jig_arg_reduce_args args = {
      .in = jig_pointer(items, JIG_I32), .index_out = jig_pointer(out, JIG_BOOL), .num_items = 5};
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "index_out: it must be of an integer type, not bool");
  args.index_out = jig_pointer(out, JIG_I64);
  args.op = JIG_PLUS;
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "op: it must be JIG_MIN or JIG_MAX");
  args.op = JIG_MIN;
  args.value_out = jig_pointer(out, JIG_F32);
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "value_out: its type must be that of in, i32, not f32");
  args.value_out = (jig_iter)JIG_ZERO;
  args.compare = JIG_MIN;
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "compare: 'min'");
  args.compare = jig_op_source("return a < c;");
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_COMPILE, "compare:1:12: error");
  args.compare = jig_op_with_state(jig_op_source("return a < b + state;"), NULL, JIG_I32);
  OK(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL));
  FAILS(jig_arg_reduce(NULL, out, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "compare: the operator's state is NULL");
  args.compare = (jig_op)JIG_ZERO;
  args.in.type = jig_struct("pair", "struct pair { int x, y; };", 8, 4);
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "in: '<' is not defined for struct pair; give");
  args.in.type = jig_opaque(8, 4);
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "in: '<' is not defined for opaque; give");
  FAILS(jig_arg_reduce(NULL, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_arg_reduce: args");
  teardown();
}
END_TEST

START_TEST(no_context_is_current) {
  setup();
  CUcontext context;
  jig_engine *engine; /* nothing in its memory */
  GPU(gpu()->cuCtxGetCurrent(&context));
  OK(jig_engine_create(&engine, NULL));
  GPU(gpu()->cuCtxSetCurrent(NULL));
  const jig_reduce_args args = good();
  size_t bytes = 0;
  FAILS(jig_reduce(engine, NULL, &bytes, &args, NULL), JIG_ERROR_NO_DEVICE,
        "jig_reduce: cuCtxGetCurrent");
  GPU(gpu()->cuCtxSetCurrent(context));
  OK(jig_reduce(engine, NULL, &bytes, &args, NULL));
  jig_engine_destroy(engine);
  teardown();
}
END_TEST

/* Where a call's program is in memory, too: what is reserved in an iterator's base. */
START_TEST(bases_made_for_a_newer_jig_are_refused) {
  const int32_t two_items[2] = {1, 2};
  int32_t *device = gpu_copy(two_items, sizeof two_items, 0), *sum = gpu_alloc(4, 0);
  jig_iter base = jig_pointer(device, JIG_I32);
  const jig_reduce_args args = {
      .in = jig_iter_reverse(&base, 2), .out = jig_pointer(sum, JIG_I32), .num_items = 2};
  for (int round = 0; round < 2; ++round) {
    run_reduce(&args, 0);
    base.reserved[0] = 1;
    FAILS(jig_reduce(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
          "jig_reduce: in: reserved is not zero");
    base.reserved[0] = 0;
  }
  gpu_free(device);
  gpu_free(sum);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(bases_made_for_a_newer_jig_are_refused),
      SUITE_TEST(null_pointers),
      SUITE_TEST(misaligned_pointers),
      SUITE_TEST(types_that_are_none),
      SUITE_TEST(operators_that_do_not_fit),
      SUITE_TEST(source_that_does_not_end_where_it_begins),
      SUITE_TEST(source_that_does_not_compile),
      SUITE_TEST(strict_mode_builds_nothing),
      SUITE_TEST(a_call_that_succeeds_leaves_no_error),
      SUITE_TEST(arg_reduce_names_its_own),
      SUITE_TEST(no_context_is_current),
  };
  return SUITE_RUN("device/errors", tests, true);
}
