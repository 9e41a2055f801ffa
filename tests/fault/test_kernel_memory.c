/* Memory that runs out at every single allocation of what a kernel of the user's own takes, once and from
 * then on: compiled, found in the cache, launched, asked for, and written as a spec. Each call does what
 * it should or says that there was no memory; nothing crashes or leaks, nothing half made is kept, and
 * the same engine does it all as soon as there is memory again.
 *
 * The compiler and the driver are those that stand in: what is compiled is PTX with the kernel's name and
 * parameters, and a launch does nothing. */
#include <jig/jig.h>
#include <stdio.h>
#include <string.h>

#include "engine_support.h"
#include "failing_memory.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"
#include "util/error.h"

#if CAN_FAIL

enum { ARGUMENTS = 40, MOST_ALLOCATIONS = 20000 };

/* One with all that there is; another one for each number. */
static const char *const source =
    "#include <jig/block/reduce.cuh>\n"
    "#include \"scale.cuh\"\n"
    "extern \"C\" __global__ void JIG_LAUNCH_BOUNDS k(T *out, Of of) { *out = Add()(a(), {0, N}); }\n";
static const jig_kernel_text texts[] = {{.name = "a.cuh", .text = "T a() { return TEXT; }\n"},
                                        {.text = "// the second\n"}};
static const jig_header headers[] = {{.name = "scale.cuh", .text = "constexpr int scale = 2;\n"}};
static jig_definition definitions[7];

static jig_kernel_config whole(int64_t number) {
  const jig_type none = {.kind = JIG_KIND_NONE};
  const jig_type hit = jig_struct("hit", "struct hit { float d; int id; };", 8, 4);
  definitions[0] = jig_define_text("TEXT", "{1, 2}");
  definitions[1] = jig_define_int("N", number);
  definitions[2] = jig_define_double("TENTH", 0.1);
  definitions[3] = jig_define_type("T", hit);
  definitions[4] = jig_define_op("Add", jig_op_source("return {a.d + b.d, 0};"), 2, hit, none);
  definitions[5] = jig_define_op("Less", JIG_LESS, 2, JIG_F32, none);
  definitions[6] = jig_define_op(
      "Of", jig_op_with_state(jig_op_source("return i + state;"), NULL, JIG_U64), 0, none, none);
  return (jig_kernel_config){.entry = "k",
                             .source = source,
                             .texts = texts,
                             .text_count = COUNT_OF(texts),
                             .definitions = definitions,
                             .definition_count = COUNT_OF(definitions),
                             .max_threads = 256};
}

static const jig_engine_config engine_config = {.headers = headers, .header_count = COUNT_OF(headers)};

/* ---- the calls, each of which may fail for want of memory, and for nothing else */

static long failure; /* the allocation that fails, for messages */

static bool did(jig_status status, const char *what) {
  const bool counting = atomic_exchange(&memory.counting, false);
  ck_assert_msg(status == JIG_SUCCESS || (memory.failed && status == JIG_ERROR_OUT_OF_MEMORY),
                "%s, failure %ld: %s: %s", what, failure, jig_status_name(status), jig_last_error());
  atomic_store(&memory.counting, counting);
  return status == JIG_SUCCESS;
}

static void launch(jig_kernel *kernel) {
  static uint64_t values[ARGUMENTS];
  jig_kernel_arg args[ARGUMENTS];
  jig_occupancy occupancy;
  CUfunction function;
  for (int i = 0; i < ARGUMENTS; ++i) args[i] = (jig_kernel_arg)JIG_ARG(values[i]);
  const jig_kernel_shape shape = {.grid = {2}, .block = {64}};
  if (did(jig_kernel_launch(kernel, &shape, args, ARGUMENTS, NULL), "launch")) {
    /* Whose parameters are known whatever has failed. */
    ck_assert_int_eq(jig_kernel_launch(kernel, &shape, args, ARGUMENTS - 1, NULL),
                     JIG_ERROR_INVALID_ARGUMENT);
  }
  (void)did(jig_kernel_occupancy(kernel, &shape, &occupancy), "occupancy");
  (void)did(jig_kernel_function(kernel, &function), "function");
}

static bool get(jig_engine *engine, const jig_kernel_config *config) {
  jig_kernel *kernel = (jig_kernel *)&failure, *again = NULL;
  const bool got = did(jig_kernel_get(engine, config, &kernel), "get");
  ck_assert(got == (kernel != NULL));
  if (!got) return false;
  launch(kernel);
  if (did(jig_kernel_get(engine, config, &again), "get again")) ck_assert_ptr_eq(kernel, again);
  return true;
}

/* All of it, or nothing. */
static void write_spec(jig_engine *engine, const jig_kernel_config *config) {
  static char *whole_spec;
  char *spec = (char *)&failure;
  (void)engine;
  if (did(jig_kernel_spec(config, &spec), "spec")) {
    if (whole_spec == NULL) whole_spec = strdup(spec); /* the first time nothing fails */
    ck_assert_str_eq(spec, whole_spec);
  } else {
    ck_assert_ptr_null(spec);
  }
  jig_free(spec);
}

static void get_only(jig_engine *engine, const jig_kernel_config *config) {
  (void)get(engine, config);
}

/* ---- all allocations */

/* With a cache of its own, an empty one. */
static void begin(void) {
  char code[2048] = "\n.visible .entry k(.param .u64 a0";
  for (int i = 1; i < ARGUMENTS; ++i)
    (void)snprintf(code + strlen(code), sizeof code - strlen(code), ",.param .u64 a%d", i);
  (void)strcat(code, ") { ret; }\n");
  engine_setup();
  set_variable("FAKE_NVRTC_CODE", code);
  set_variable("FAKE_KERNELS", "0");
  set_variable("FAKE_SM", "100"); /* which that compiler knows no machine code for */
}

/* What an engine does first, with memory failing, and then with memory. */
typedef void use(jig_engine *engine, const jig_kernel_config *config);

static bool fail_one(use *first, int64_t number, bool persistent, long *left) {
  const jig_kernel_config config = whole(number);
  jig_engine *engine = (jig_engine *)&failure;
  memory_fail_after(failure, persistent);
  memory.counting = true;
  bool failed = !did(jig_engine_create(&engine, &engine_config), "engine");
  if (failed) {
    ck_assert_ptr_null(engine);
  } else {
    first(engine, &config);
    failed = memory.failed;
    memory.until_failure = MOST_ALLOCATIONS;
    memory.failed = memory.persistent = false;
    ck_assert(get(engine, &config));
    jig_engine_destroy(engine);
  }
  error_clear();
  memory.counting = false;
  *left = memory.live;
  return failed;
}

static void fail_each(use *first, bool is_cached, bool persistent) {
  bool failed = true;
  long left;
  begin();
  failure = MOST_ALLOCATIONS;
  (void)fail_one(first, failure, false, &left); /* what is made once for the process is there then */
  for (failure = 0; failed && failure < MOST_ALLOCATIONS; ++failure) {
    failed = fail_one(first, is_cached ? MOST_ALLOCATIONS : failure, persistent, &left);
    ck_assert_msg(left == 0, "failure %ld: %ld blocks left", failure, left);
  }
  ck_assert_msg(failure > 50 && failure < MOST_ALLOCATIONS, "%ld allocations", failure);
  ck_assert_uint_eq(litter_in_cache(), 0);
  engine_teardown();
}

START_TEST(compiling_fails_once) {
  fail_each(get_only, false, false);
}
END_TEST
START_TEST(compiling_fails_for_good) {
  fail_each(get_only, false, true);
}
END_TEST
START_TEST(finding_in_the_cache_fails_once) {
  fail_each(get_only, true, false);
}
END_TEST
START_TEST(finding_in_the_cache_fails_for_good) {
  fail_each(get_only, true, true);
}
END_TEST
START_TEST(writing_a_spec_fails_once) {
  fail_each(write_spec, true, false);
}
END_TEST
START_TEST(writing_a_spec_fails_for_good) {
  fail_each(write_spec, true, true);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, compiling_fails_once);
  tcase_add_test(tests, compiling_fails_for_good);
  tcase_add_test(tests, finding_in_the_cache_fails_once);
  tcase_add_test(tests, finding_in_the_cache_fails_for_good);
  tcase_add_test(tests, writing_a_spec_fails_once);
  tcase_add_test(tests, writing_a_spec_fails_for_good);
}

#else

static void fill(TCase *tests) {
  (void)tests;
}

#endif

int main(void) {
  if (!fakes_open("fault/kernel_memory")) return 0;
  const int failed = run_suite("kernels of the user's own, memory", fill, 300);
  fakes_close();
  return failed;
}
