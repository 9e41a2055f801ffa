/* Code in the cache that the driver refuses: what else is cached is tried, then the compiler; what is
 * damaged is set aside, and what only this driver does not take stays. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

/* ---- a cache with bad entries */

static const char body[] = "return a + b; // refusals";

static void prewarm_here(const char *dir, const char *target) {
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = dir, .cache_path = ""});
  char *text = spec_of(body);
  OK(jig_prewarm(engine, text, target, NULL));
  jig_free(text);
  jig_engine_destroy(engine);
}

/* What is to be copied, as an entry of another compiler, and damaged. */
typedef struct copies {
  store *to;
  const char *arch, *compiler;
  int count;
} copies;

static int copy_damaged(void *user, const jig_cache_entry *found) {
  copies *c = user;
  static unsigned char bytes[1 << 16];
  entry e;
  hash128 key;
  if (strncmp(found->arch, c->arch, strlen(c->arch)) != 0) return 0;
  ck_assert_ptr_null(entry_decode(bytes, file_read(found->path, bytes, sizeof bytes), &e, &key));
  (void)memcpy(e.payload, "BAD", 3);
  (void)snprintf(e.compiler, sizeof e.compiler, "%s", c->compiler);
  ck_assert(store_put(c->to, key, &e));
  entry_free(&e);
  ++c->count;
  return 0;
}

/* Puts damaged copies of the entries for an architecture in one directory into another one. */
static void damage(const char *from, const char *arch, const char *to, const char *compiler) {
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = from, .cache_path = ""});
  copies c = {.to = scratch_store_at(to, NULL, 0), .arch = arch, .compiler = compiler};
  OK(jig_cache_walk(engine, copy_damaged, &c));
  ck_assert_int_gt(c.count, 0);
  store_close(c.to);
  jig_engine_destroy(engine);
}

static unsigned entries_of(const char *dir, const char *compiler) {
  char name[32];
  (void)snprintf(name, sizeof name, "-%s.jig", compiler);
  return files_count(dir, name);
}

/* ---- calls */

static jig_status call(jig_engine *engine) {
  size_t bytes;
  const jig_iter items = jig_pointer((void *)256, JIG_F32);
  const jig_reduce_args args = {.in = items, .out = items, .num_items = 1, .op = jig_op_source(body)};
  return jig_reduce(engine, NULL, &bytes, &args, NULL);
}

/* A call of a new engine, which compiles so many programs and counts so many faults. */
static void calls(const char *dir, const char *layers, jig_build_mode mode, int compiles,
                  uint64_t faults) {
  const int before = fake_compiled().count;
  jig_engine *engine =
      engine_with((jig_engine_config){.cache_dir = dir, .cache_path = layers, .build = mode});
  OK(call(engine));
  ck_assert_int_eq(fake_compiled().count - before, compiles);
  ck_assert_uint_eq(stats_of(engine).faults, faults);
  ck_assert_uint_eq(stats_of(engine).failed_builds, 0);
  jig_engine_destroy(engine);
}

static void setup(void) {
  engine_setup();
  set_variable("FAKE_DAMAGED", "BAD");
  prewarm_here(scratch_path("cache"), "sm_90");
  prewarm_here(scratch_path("cache"), "compute_90");
}

#define CACHE scratch_path("cache")
#define LAYER scratch_path("layer")

/* ---- machine code */

START_TEST(an_older_compilers_machine_code_is_next) {
  setup();
  damage(CACHE, "sm_", CACHE, "99.0");
  damage(CACHE, "sm_", CACHE, "98.1");
  calls(CACHE, "", JIG_BUILD_ON_DEMAND, 0, 2);
  ck_assert_uint_eq(entries_of(CACHE, "99.0") + entries_of(CACHE, "98.1"), 0);
  ck_assert_uint_eq(entries_of(CACHE, "13.0"), 2);
  calls(CACHE, "", JIG_BUILD_ON_DEMAND, 0, 0);
  engine_teardown();
}
END_TEST

START_TEST(another_layers_machine_code_is_next) {
  setup();
  damage(CACHE, "sm_", LAYER, "99.0");
  calls(LAYER, CACHE, JIG_BUILD_ON_DEMAND, 0, 1);
  ck_assert_uint_eq(entries_in_cache(), 2);
  ck_assert_uint_eq(files_count(LAYER, ".jig"), 0);
  damage(CACHE, "sm_", LAYER, "99.0");
  /* What a read-only layer has stays, and is passed over each time. */
  char layers[2 * SCRATCH_PATH];
  (void)snprintf(layers, sizeof layers, "%s:%s", LAYER, CACHE);
  for (int i = 0; i < 2; ++i) calls(scratch_path("own"), layers, JIG_BUILD_ON_DEMAND, 0, 1);
  ck_assert_uint_eq(files_count(LAYER, ".jig"), 1);
  ck_assert(!file_exists(scratch_path("own")));
  engine_teardown();
}
END_TEST

START_TEST(machine_code_is_compiled_if_all_is_damaged) {
  engine_setup();
  set_variable("FAKE_DAMAGED", "BAD");
  prewarm_here(CACHE, "sm_90");
  damage(CACHE, "sm_", CACHE, "99.0");
  damage(CACHE, "sm_", LAYER, "99.0");
  damage(CACHE, "sm_", CACHE, "13.0");
  calls(CACHE, LAYER, JIG_BUILD_ON_DEMAND, 1, 3);
  ck_assert_uint_eq(entries_of(CACHE, "99.0"), 0);
  ck_assert_uint_eq(entries_of(CACHE, "13.0"), 1);
  ck_assert_uint_eq(entries_of(LAYER, "99.0"), 1);
  calls(CACHE, LAYER, JIG_BUILD_ON_DEMAND, 0, 0);
  engine_teardown();
}
END_TEST

/* A program of several kernels, of which one is damaged: that one is compiled, but for the cluster's,
 * which a driver without clusters never needs. */
START_TEST(only_the_refused_kernel_is_compiled) {
  engine_setup();
  set_variable("FAKE_DAMAGED", "BAD");
  const jig_iter keys = jig_pointer((void *)256, JIG_U32), sorted = jig_pointer((void *)4096, JIG_U32);
  const jig_radix_sort_args args = {.keys_in = keys, .keys_out = sorted, .num_items = 1};
  const jig_radix_sort_args large = {.keys_in = keys, .keys_out = sorted, .num_items = 1 << 24};
  size_t bytes;
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *text;
  OK(jig_radix_sort_spec(&args, &text));
  OK(jig_prewarm(engine, text, "sm_90", NULL));
  jig_free(text);
  jig_engine_destroy(engine);
  const int kernels = fake_compiled().count;
  ck_assert_int_gt(kernels, 2);
  damage(CACHE, "sm_", LAYER, "13.0");
  int compiled = 0;
  for (int only = 0; only < kernels; ++only) {
    char command[3 * SCRATCH_PATH];
    (void)snprintf(command, sizeof command,
                   "f=$(find %s -name '*.jig' | sort | sed -n %dp) && cp \"$f\" \"%s${f#%s}\"", LAYER,
                   1 + only, CACHE, LAYER);
    ck_assert_int_eq(system(command), 0);
    const int before = fake_compiled().count;
    engine = engine_with((jig_engine_config){0});
    OK(jig_radix_sort(engine, NULL, &bytes, &args, NULL)); /* together they need all others */
    OK(jig_radix_sort(engine, NULL, &bytes, &large, NULL));
    const int here = fake_compiled().count - before;
    ck_assert_int_le(here, 1);
    ck_assert_uint_eq(stats_of(engine).faults, (unsigned)here);
    compiled += here;
    jig_engine_destroy(engine);
  }
  ck_assert_int_eq(compiled, kernels - 1);
  engine_teardown();
}
END_TEST

/* ---- PTX */

/* The driver takes PTX only; a newer compiler's is damaged. */
START_TEST(an_older_compilers_ptx_is_next) {
  setup();
  set_variable("FAKE_UNFIT", "sm_");
  damage(CACHE, "compute_", CACHE, "99.0");
  calls(CACHE, "", JIG_BUILD_ON_DEMAND, 0, 1);
  ck_assert_uint_eq(entries_of(CACHE, "99.0"), 0);
  ck_assert_msg(entries_of(CACHE, "13.0") == 2, "machine code is there for other drivers");
  calls(CACHE, "", JIG_BUILD_ON_DEMAND, 0, 0);
  engine_teardown();
}
END_TEST

START_TEST(another_layers_ptx_is_next) {
  setup();
  set_variable("FAKE_UNFIT", "sm_");
  damage(CACHE, "compute_", LAYER, "99.0");
  damage(CACHE, "compute_", LAYER, "13.0");
  calls(LAYER, CACHE, JIG_BUILD_ON_DEMAND, 0, 2);
  ck_assert_uint_eq(files_count(LAYER, ".jig"), 0);
  engine_teardown();
}
END_TEST

START_TEST(ptx_is_compiled_if_all_is_damaged) {
  setup();
  set_variable("FAKE_UNFIT", "sm_");
  damage(CACHE, "compute_", LAYER, "99.0");
  damage(CACHE, "compute_", CACHE, "99.0");
  damage(CACHE, "compute_", CACHE, "13.0");
  /* Machine code, which is refused again, and PTX. */
  calls(CACHE, LAYER, JIG_BUILD_ON_DEMAND, 2, 3);
  ck_assert_uint_eq(entries_of(CACHE, "99.0"), 0);
  calls(CACHE, LAYER, JIG_BUILD_ON_DEMAND, 0, 0);
  engine_teardown();
}
END_TEST

/* An engine that knows that the driver takes PTX only. */
START_TEST(ptx_of_the_next_programs_is_mended_too) {
  setup();
  set_variable("FAKE_UNFIT", "sm_");
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = ""});
  size_t bytes;
  const jig_iter items = jig_pointer((void *)256, JIG_I32);
  const jig_reduce_args first = {.in = items, .out = items, .num_items = 1};
  OK(jig_reduce(engine, NULL, &bytes, &first, NULL));
  const int before = fake_compiled().count;
  damage(CACHE, "compute_", CACHE, "99.0");
  OK(call(engine));
  ck_assert_int_eq(fake_compiled().count, before);
  ck_assert_uint_gt(stats_of(engine).faults, 0);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* So does one that has met only machine code of the cache, and does not compile any for the next one. */
START_TEST(what_the_driver_takes_is_learnt_from_the_cache) {
  setup();
  set_variable("FAKE_UNFIT", "sm_");
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = ""});
  size_t bytes;
  const jig_iter items = jig_pointer((void *)256, JIG_I32);
  const jig_reduce_args next = {.in = items, .out = items, .num_items = 1};
  const int before = fake_compiled().count;
  OK(call(engine));
  ck_assert_int_eq(fake_compiled().count - before, 0);
  OK(jig_reduce(engine, NULL, &bytes, &next, NULL));
  ck_assert_int_eq(fake_compiled().count - before, 1);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* That machine code is damaged says nothing of the driver: that of the next program is taken. */
START_TEST(ptx_in_place_of_damage_is_not_preferred) {
  const jig_iter items = jig_pointer((void *)256, JIG_I32);
  const jig_reduce_args next = {.in = items, .out = items, .num_items = 1};
  char *text = NULL;
  size_t bytes;
  engine_setup();
  set_variable("FAKE_DAMAGED", "BAD");
  prewarm_here(LAYER, "sm_90");
  prewarm_here(CACHE, "compute_90");
  damage(LAYER, "sm_", CACHE, "99.0");
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = ""});
  OK(jig_reduce_spec(&next, &text));
  OK(jig_prewarm(engine, text, "sm_90", NULL));
  const int before = fake_compiled().count;
  OK(call(engine));
  OK(jig_reduce(engine, NULL, &bytes, &next, NULL));
  ck_assert_int_eq(fake_compiled().count, before);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- where nothing may be compiled, or can be */

START_TEST(nothing_is_set_aside_where_nothing_may_be_built) {
  setup();
  damage(CACHE, "sm_", CACHE, "99.0");
  damage(CACHE, "compute_", CACHE, "99.0");
  const uint64_t whole = tree_fingerprint(CACHE);
  calls(CACHE, "", JIG_BUILD_NEVER, 0, 0);
  set_variable("FAKE_UNFIT", "sm_");
  calls(CACHE, "", JIG_BUILD_NEVER, 0, 0);
  set_variable("FAKE_REFUSE", "all");
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = "", .build = JIG_BUILD_NEVER});
  const jig_status status = call(engine);
  ck_assert_int_ne(status, JIG_SUCCESS);
  ck_assert_int_ne(status, JIG_ERROR_NOT_BUILT);
  ck_assert_msg(strstr(jig_last_error(), "CUDA_ERROR_FAKE") != NULL, "%s", jig_last_error());
  jig_engine_destroy(engine);
  ck_assert_uint_eq(tree_fingerprint(CACHE), whole);
  engine_teardown();
}
END_TEST

static bool prewarm_as_a_child(void) {
  static const char *const targets[] = {"sm_90", "compute_90"};
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_I32), .out = jig_pointer(NULL, JIG_I32)};
  char *texts[2] = {spec_of(body), NULL};
  jig_engine *engine = engine_with((jig_engine_config){0});
  bool right = jig_reduce_spec(&args, &texts[1]) == JIG_SUCCESS;
  for (int i = 0; i < 4; ++i)
    right &= jig_prewarm(engine, texts[i / 2], targets[i % 2], NULL) == JIG_SUCCESS;
  return right;
}

/* Whatever the driver takes: both programs of a process come from the cache. */
START_TEST(a_full_cache_needs_no_compiler) {
  engine_setup();
  ck_assert(is_true_in_a_child(prewarm_as_a_child));
  set_variable("JIG_NVRTC", "/nowhere/libnvrtc.so");
  static const char *const unfit[] = {"", "sm_", "compute_"};
  for (size_t i = 0; i < COUNT_OF(unfit); ++i) {
    set_variable("FAKE_UNFIT", unfit[i]);
    jig_engine *engine = engine_with((jig_engine_config){.cache_path = ""});
    size_t bytes;
    const jig_iter items = jig_pointer((void *)256, JIG_I32);
    const jig_reduce_args other = {.in = items, .out = items, .num_items = 1};
    OK(call(engine));
    OK(jig_reduce(engine, NULL, &bytes, &other, NULL));
    jig_engine_destroy(engine);
  }
  set_variable("FAKE_REFUSE", "all");
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = ""});
  ck_assert_int_ne(call(engine), JIG_SUCCESS);
  ck_assert_msg(strstr(jig_last_error(), "CUDA_ERROR_FAKE") != NULL, "%s", jig_last_error());
  jig_engine_destroy(engine);
  ck_assert_uint_eq(entries_in_cache(), 4);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(an_older_compilers_machine_code_is_next),
      SUITE_TEST(another_layers_machine_code_is_next),
      SUITE_TEST(machine_code_is_compiled_if_all_is_damaged),
      SUITE_TEST(only_the_refused_kernel_is_compiled),
      SUITE_TEST(an_older_compilers_ptx_is_next),
      SUITE_TEST(another_layers_ptx_is_next),
      SUITE_TEST(ptx_is_compiled_if_all_is_damaged),
      SUITE_TEST(ptx_of_the_next_programs_is_mended_too),
      SUITE_TEST(what_the_driver_takes_is_learnt_from_the_cache),
      SUITE_TEST(ptx_in_place_of_damage_is_not_preferred),
      SUITE_TEST(nothing_is_set_aside_where_nothing_may_be_built),
      SUITE_TEST(a_full_cache_needs_no_compiler),
  };
  if (!fakes_open("unit/refusals")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/refusals", tests, false);
  fakes_close();
  return answer;
}
