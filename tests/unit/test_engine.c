/* Engines without compiler and driver: how they are set up, what they say of themselves, what they make
 * of wrong arguments. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"
#include "system_cache.h"

/* ---- creating */

START_TEST(an_engine_opens_and_makes_nothing) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  ck_assert(!compiler_is_open());
  ck_assert(!is_mapped("libcuda.so"));
  ck_assert(!file_exists(scratch_path("cache")));
  jig_engine_destroy(engine);
  OK(jig_engine_create(&engine, NULL));
  ck_assert_str_eq(jig_cache_path(engine), scratch_path("cache"));
  jig_engine_destroy(engine);
  jig_engine_destroy(NULL);
  engine_teardown();
}
END_TEST

START_TEST(a_config_that_is_wrong_is_refused) {
  engine_setup();
  static const struct {
    jig_engine_config config;
    const char *part;
  } rows[] = {
      {{.build = (jig_build_mode)3}, "config->build: no such mode (3)"},
      {{.build = (jig_build_mode)-1}, "config->build: no such mode (-1)"},
      {{.allocate = (jig_allocate_fn)(void (*)(void))abort}, "allocate and release"},
      {{.release = (jig_release_fn)(void (*)(void))abort}, "allocate and release"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    jig_engine *engine = (jig_engine *)&engine;
    FAILS(jig_engine_create(&engine, &rows[i].config), JIG_ERROR_INVALID_ARGUMENT, rows[i].part);
    ck_assert_ptr_null(engine);
  }
  FAILS(jig_engine_create(NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_engine_create: engine: the pointer is NULL");
  engine_teardown();
}
END_TEST

START_TEST(a_config_is_copied) {
  engine_setup();
  char dir[] = "/somewhere/else/", path[] = "/layer/one:/layer/two";
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = dir, .cache_path = path});
  memset(dir, 'x', sizeof dir - 1);
  memset(path, 'x', sizeof path - 1);
  ck_assert_str_eq(jig_cache_path(engine), "/somewhere/else");
  ck_assert_str_eq(store_layer_dir(engine->build.cache, 1), "/layer/one");
  ck_assert_str_eq(store_layer_dir(engine->build.cache, 2), "/layer/two");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- config and environment */

/* The directory of an engine under these variables; "" is set, but empty. */
static void check_directory(const char *config, const char *dir, const char *xdg, const char *home,
                            const char *wanted) {
  set_variable("JIG_CACHE_DIR", dir);
  set_variable("XDG_CACHE_HOME", xdg);
  set_variable("HOME", home);
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = config});
  ck_assert_str_eq(jig_cache_path(engine), wanted);
  jig_engine_destroy(engine);
}

START_TEST(the_cache_directory_has_an_order_of_places) {
  engine_setup();
  char *home = getenv("HOME") != NULL ? strdup(getenv("HOME")) : NULL, here[4096], wanted[4200];
  check_directory("/config", "/dir", "/xdg", "/home/me", "/config");
  check_directory(NULL, "/dir", "/xdg", "/home/me", "/dir");
  check_directory(NULL, NULL, "/xdg", "/home/me", "/xdg/jig");
  check_directory(NULL, "", "/xdg", "/home/me", "/xdg/jig"); /* empty is as good as unset */
  check_directory(NULL, NULL, NULL, "/home/me", "/home/me/.cache/jig");
  check_directory(NULL, NULL, "", "/home/me", "/home/me/.cache/jig");
  check_directory(NULL, NULL, NULL, NULL, "");
  check_directory(NULL, NULL, "some/where", "/home/me", "/home/me/.cache/jig"); /* as XDG has it */
  check_directory(NULL, NULL, ".", "/home/me", "/home/me/.cache/jig");
  check_directory(NULL, NULL, NULL, "home/me", "");
  check_directory(NULL, NULL, "some/where", ".", "");
  check_directory("", "/dir", "/xdg", "/home/me", ""); /* none is wanted */
  ck_assert_ptr_nonnull(getcwd(here, sizeof here));
  (void)snprintf(wanted, sizeof wanted, "%s/%s", here, "some/where");
  check_directory("some/where//", NULL, NULL, NULL, wanted);
  check_directory(NULL, "some/where", "/xdg", "/home/me", wanted); /* jig's own may be relative */
  set_variable("HOME", home);
  free(home);
  engine_teardown();
}
END_TEST

/* The read-only directories, joined; the system's comes last in any case. */
static void check_layers(const char *config, const char *variable, const char *wanted) {
  char got[1024] = "";
  set_variable("JIG_CACHE_PATH", variable);
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = config});
  const char *layer;
  for (size_t i = 1; (layer = store_layer_dir(engine->build.cache, i)) != NULL; ++i) {
    (void)strncat(got, layer, sizeof got - strlen(got) - 1);
    (void)strncat(got, ":", sizeof got - strlen(got) - 1);
  }
  jig_engine_destroy(engine);
  size_t length = strlen(wanted);
  ck_assert_msg(strncmp(got, wanted, length) == 0, "'%s' does not begin with '%s'", got, wanted);
  ck_assert_msg(strcmp(got + length, JIG_SYSTEM_CACHE ":") == 0, "'%s' goes on after '%s'", got, wanted);
}

START_TEST(read_only_directories_are_those_of_config_or_environment) {
  engine_setup();
  check_layers(NULL, NULL, "");
  check_layers(NULL, "/a:/b", "/a:/b:");
  check_layers("/c", "/a:/b", "/c:");
  check_layers("", "/a:/b", "");
  check_layers(NULL, "::/a/::/b/:", "/a:/b:");
  engine_teardown();
}
END_TEST

/* How much of 10 entries of 10000 bytes each is left. */
static uint64_t bytes_kept(uint64_t config, const char *variable) {
  set_variable("JIG_CACHE_MAX_SIZE", variable);
  jig_engine *engine = engine_with((jig_engine_config){.cache_max_size = config});
  for (unsigned n = 0; n < 10; ++n) ck_assert(sample_put(engine->build.cache, n, 10000));
  uint64_t kept = files_bytes(scratch_path("cache"), ".jig");
  ck_assert_uint_eq(stats_of(engine).evictions, 10 - entries_in_cache());
  OK(jig_cache_clear(engine, NULL));
  ck_assert_uint_eq(entries_in_cache(), 0);
  jig_engine_destroy(engine);
  return kept;
}

START_TEST(the_cache_keeps_its_size) {
  engine_setup();
  ck_assert_uint_ge(bytes_kept(0, NULL), 100000); /* 1 GiB is far away */
  ck_assert_uint_le(bytes_kept(30000, NULL), 30000);
  ck_assert_uint_le(bytes_kept(0, "30K"), 30 << 10);
  ck_assert_uint_gt(bytes_kept(0, "30K"), 10000);
  ck_assert_uint_ge(bytes_kept(1 << 20, "30K"), 100000);
  ck_assert_uint_le(bytes_kept(30000, "1G"), 30000);
  ck_assert_uint_ge(bytes_kept(0, "30 apples"), 100000); /* no size: the default */
  engine_teardown();
}
END_TEST

START_TEST(building_is_allowed_by_config_or_environment) {
  engine_setup();
  static const struct {
    jig_build_mode mode;
    const char *variable;
    jig_status status;
  } rows[] = {
      {JIG_BUILD_DEFAULT, NULL, JIG_ERROR_NO_COMPILER},
      {JIG_BUILD_DEFAULT, "", JIG_ERROR_NO_COMPILER},
      {JIG_BUILD_DEFAULT, "on-demand", JIG_ERROR_NO_COMPILER},
      {JIG_BUILD_DEFAULT, "never", JIG_ERROR_NOT_BUILT},
      {JIG_BUILD_ON_DEMAND, "never", JIG_ERROR_NO_COMPILER},
      {JIG_BUILD_NEVER, NULL, JIG_ERROR_NOT_BUILT},
      {JIG_BUILD_NEVER, "on-demand", JIG_ERROR_NOT_BUILT},
  };
  char *text = spec_of("return a + b; // allowed");
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    bool allowed = rows[i].status == JIG_ERROR_NO_COMPILER;
    set_variable("JIG_BUILD", rows[i].variable);
    jig_engine *engine = engine_with((jig_engine_config){.build = rows[i].mode});
    FAILS(jig_prewarm(engine, text, "sm_90", NULL), rows[i].status, allowed ? getenv("JIG_NVRTC") : text);
    if (!allowed) FAILS(jig_prewarm(engine, text, "sm_90", NULL), JIG_ERROR_NOT_BUILT, "sm_90");
    ck_assert_uint_eq(stats_of(engine).failed_builds, allowed ? 1 : 2);
    ck_assert_uint_eq(stats_of(engine).misses, 0);
    jig_engine_destroy(engine);
  }
  jig_free(text);
  engine_teardown();
}
END_TEST

static unsigned jobs_of(unsigned config, const char *variable) {
  set_variable("JIG_JOBS", variable);
  jig_engine *engine = engine_with((jig_engine_config){.jobs = config});
  unsigned jobs = engine->build.jobs;
  jig_engine_destroy(engine);
  return jobs;
}

START_TEST(jobs_are_those_of_config_or_environment) {
  engine_setup();
  ck_assert_int_eq((int)jobs_of(0, NULL), (int)sysconf(_SC_NPROCESSORS_ONLN));
  ck_assert_uint_eq(jobs_of(0, "3"), 3);
  ck_assert_uint_eq(jobs_of(5, "3"), 5);
  static const char *const bad[] = {"0", "-2", "many", "99999999999999999999"};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    ck_assert_msg(jobs_of(0, bad[i]) == 1, "JIG_JOBS=%s", bad[i]);
    ck_assert_uint_eq(jobs_of(2, bad[i]), 2);
  }
  engine_teardown();
}
END_TEST

START_TEST(a_misspelt_build_mode_fails) {
  engine_setup();
  static const char *const bad[] = {"nevr", "Never", "never ", "0"};
  for (size_t i = 0; i < COUNT_OF(bad); ++i) {
    jig_engine *engine = NULL;
    set_variable("JIG_BUILD", bad[i]);
    FAILS(jig_engine_create(&engine, NULL), JIG_ERROR_INVALID_ARGUMENT, bad[i]);
    ck_assert_ptr_null(engine);
    ck_assert_ptr_nonnull(strstr(jig_last_error(), "JIG_BUILD"));
    /* It does not matter to an engine that is told. */
    jig_engine_destroy(engine_with((jig_engine_config){.build = JIG_BUILD_NEVER}));
    jig_engine_destroy(engine_with((jig_engine_config){.build = JIG_BUILD_ON_DEMAND}));
  }
  engine_teardown();
}
END_TEST

static bool info_has(const char *part) {
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *info = NULL;
  OK(jig_info(engine, &info));
  const bool has = strstr(info, part) != NULL;
  jig_free(info);
  jig_engine_destroy(engine);
  return has;
}

START_TEST(what_the_environment_says_wrongly_is_told) {
  engine_setup();
  static const struct {
    const char *name, *good[3], *bad[5];
  } rows[] = {
      {"JIG_JOBS", {"1", "1023"}, {"0", "-1", "1024", "4x", "x"}},
      {"JIG_CACHE_MAX_SIZE", {"0", "500M", "2GiB"}, {"abc", "-1", "2X", "1e9", "99999999999T"}},
      {"JIG_CACHE_COMPILER", {"exact"}, {"exactly", "1"}},
      {"JIG_NVTX", {"0", "1"}, {"off"}},
      {"JIG_DEBUG_SYNC", {"0", "1"}, {"yes"}},
      {"JIG_FIRST_TIER", {"0", "1"}, {"on"}},
      {"JIG_BACKGROUND", {"0", "1"}, {"no"}},
  };
  ck_assert(info_has("\"environment_problems\":[]"));
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    for (size_t k = 0; k < COUNT_OF(rows[i].good) && rows[i].good[k] != NULL; ++k) {
      set_variable(rows[i].name, rows[i].good[k]);
      ck_assert_msg(info_has("\"environment_problems\":[]"), "%s=%s", rows[i].name, rows[i].good[k]);
    }
    for (size_t k = 0; k < COUNT_OF(rows[i].bad) && rows[i].bad[k] != NULL; ++k) {
      char wanted[96];
      (void)snprintf(wanted, sizeof wanted, "\"environment_problems\":[\"%s: '%s' is not ", rows[i].name,
                     rows[i].bad[k]);
      set_variable(rows[i].name, rows[i].bad[k]);
      ck_assert_msg(info_has(wanted), "%s=%s", rows[i].name, rows[i].bad[k]);
    }
    set_variable(rows[i].name, NULL);
  }
  engine_teardown();
}
END_TEST

START_TEST(the_rest_of_the_environment_is_read) {
  engine_setup();
  static const struct {
    const char *value;
    bool sync, exact;
  } rows[] = {{NULL, false, false},
              {"0", false, false},
              {"1", true, false},
              {"exact", true, true},
              {"", false, false}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    set_variable("JIG_DEBUG_SYNC", rows[i].value);
    set_variable("JIG_CACHE_COMPILER", rows[i].value);
    jig_engine *engine = engine_with((jig_engine_config){0});
    ck_assert_int_eq(engine->debug_sync, rows[i].sync);
    ck_assert_int_eq(engine->build.exact_compiler, rows[i].exact);
    jig_engine_destroy(engine);
    for (int on = 0; on < 2; ++on) { /* a config comes before it */
      const jig_switch choice = on ? JIG_SWITCH_ON : JIG_SWITCH_OFF;
      set_variable("JIG_NVTX", on ? "0" : "1");
      set_variable("JIG_BACKGROUND", on ? "0" : "1");
      engine = engine_with((jig_engine_config){
          .debug_sync = choice, .exact_compiler = choice, .nvtx = choice, .background = choice});
      ck_assert_int_eq(engine->debug_sync, on);
      ck_assert_int_eq(engine->build.exact_compiler, on);
      ck_assert_int_eq(engine->has_ranges, on);
      ck_assert_int_eq(engine->background, on);
      jig_engine_destroy(engine);
    }
  }
  engine_teardown();
}
END_TEST

/* ---- the default engine */

static void note_engine(void *user, int number) {
  (void)engine_resolve(&((jig_engine **)user)[number]);
}

static bool the_default_is_one(void) {
  enum { THREADS = 8 };
  jig_engine *seen[THREADS] = {NULL};
  set_variable("JIG_CACHE_DIR", "/the/default");
  run_together(THREADS, note_engine, seen);
  for (int i = 0; i < THREADS; ++i) {
    if (seen[i] == NULL || seen[i] != seen[0]) return false;
  }
  set_variable("JIG_CACHE_DIR", "/too/late");
  jig_engine *own = engine_with((jig_engine_config){0}), *same = own;
  bool right = own != seen[0] && engine_resolve(&same) == JIG_SUCCESS && same == own &&
               strcmp(jig_cache_path(own), "/too/late") == 0 &&
               strcmp(jig_cache_path(NULL), "/the/default") == 0;
  jig_engine_destroy(own);
  return right;
}

START_TEST(there_is_one_default_engine) {
  engine_setup();
  ck_assert(is_true_in_a_child(the_default_is_one));
  engine_teardown();
}
END_TEST

static bool the_default_is_stale(void) {
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  size_t bytes = 0;
  return jig_reduce(NULL, NULL, &bytes, &args, NULL) == JIG_ERROR_FORKED &&
         strstr(jig_last_error(), "the engine was made before fork()") != NULL;
}

static bool a_child_of_its_user_cannot_use_the_default(void) {
  return jig_cache_path(NULL) != NULL && is_true_in_a_child(the_default_is_stale);
}

START_TEST(a_default_engine_in_use_is_not_inherited) {
  engine_setup();
  ck_assert(is_true_in_a_child(a_child_of_its_user_cannot_use_the_default));
  engine_teardown();
}
END_TEST

/* ---- what it says of itself */

START_TEST(a_new_engine_has_counted_nothing) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  jig_engine_stats stats, nothing = {0};
  memset(&stats, 'x', sizeof stats);
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_uint_eq(stats.calls, nothing.calls);
  ck_assert_uint_eq(stats.memory_hits + stats.disk_hits + stats.misses + stats.failed_builds, 0);
  ck_assert_uint_eq(stats.evictions + stats.faults, 0);
  ck_assert(stats.compile_ms == 0 && stats.load_ms == 0);
  ck_assert_str_eq(stats.last_miss, "");
  ck_assert_str_eq(stats.cache_warning, "");
  FAILS(jig_engine_get_stats(engine, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_engine_get_stats: stats: the pointer is NULL");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(calls_that_fail_are_counted) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  size_t bytes = 0;
  FAILS(jig_reduce(engine, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_reduce: args");
  FAILS(jig_arg_reduce(engine, NULL, &bytes, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_arg_reduce: args");
  FAILS(jig_reduce(engine, NULL, &bytes, &args, NULL), JIG_ERROR_NO_DRIVER, getenv("JIG_DRIVER"));
  ck_assert_uint_eq(stats_of(engine).calls, 3);
  ck_assert_uint_eq(stats_of(engine).memory_hits, 0);
  ck_assert_str_eq(jig_last_error(), ""); /* that call has succeeded */
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(a_directory_that_is_refused_is_told) {
  engine_setup();
  ck_assert_int_eq(mkdir(scratch_path("open"), 0700), 0);
  ck_assert_int_eq(chmod(scratch_path("open"), 0777), 0);
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = scratch_path("open")});
  jig_engine_stats stats = stats_of(engine);
  ck_assert_ptr_nonnull(strstr(stats.cache_warning, scratch_path("open")));
  ck_assert_ptr_nonnull(strstr(stats.cache_warning, "read-only"));
  OK(jig_cache_clear(engine, NULL)); /* it is not about the user's directory */
  jig_engine_destroy(engine);

  engine = engine_with((jig_engine_config){.cache_dir = scratch_path("open")});
  stats = stats_of(engine);
  ck_assert_ptr_nonnull(strstr(stats.cache_warning, scratch_path("open")));
  ck_assert_ptr_null(strstr(stats.cache_warning, "read-only"));
  uint64_t removed = 7;
  FAILS(jig_cache_clear(engine, &removed), JIG_ERROR_CACHE, scratch_path("open"));
  ck_assert_uint_eq(removed, 0);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(info_tells_what_is_missing) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = "/layer/one"});
  char *info = NULL, wanted[4200];
  OK(jig_info(engine, &info));
  ck_assert_str_eq(jig_last_error(), "");
  (void)snprintf(wanted, sizeof wanted, "\"directory\":\"%s\"", scratch_path("cache"));
  const char *const parts[] = {wanted,
                               "\"layers\":[\"/layer/one\",\"" JIG_SYSTEM_CACHE "\"]",
                               getenv("JIG_NVRTC"),
                               getenv("JIG_DRIVER"),
                               "\"devices\":[]",
                               jig_version()};
  for (size_t i = 0; i < COUNT_OF(parts); ++i) {
    ck_assert_msg(strstr(info, parts[i]) != NULL, "no '%s' in %s", parts[i], info);
  }
  jig_free(info);
  jig_free(NULL);
  FAILS(jig_info(engine, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_info: json: the pointer is NULL");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- specs, sources and the cache, as far as nothing is compiled */

START_TEST(a_request_that_is_wrong_is_refused) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *text = spec_of_op(JIG_PLUS), *source = text;
  jig_prewarm_result result;
  FAILS(jig_prewarm(engine, NULL, "sm_90", &result), JIG_ERROR_INVALID_ARGUMENT,
        "jig_prewarm: spec: the pointer");
  FAILS(jig_prewarm(engine, text, NULL, &result), JIG_ERROR_INVALID_ARGUMENT,
        "jig_prewarm: arch: the pointer");
  FAILS(jig_prewarm(engine, text, "sm_70", &result), JIG_ERROR_INVALID_ARGUMENT, "arch: 'sm_70'");
  FAILS(jig_prewarm(engine, "{}", "sm_90", &result), JIG_ERROR_INVALID_ARGUMENT, "spec: algorithm");
  FAILS(jig_prewarm(engine, "{\n]", "sm_90", &result), JIG_ERROR_INVALID_ARGUMENT, "spec: line 2");
  ck_assert_uint_eq(stats_of(engine).failed_builds, 0); /* there was nothing to build */
  FAILS(jig_source(engine, text, "sm_90", NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_source: source: the pointer");
  FAILS(jig_source(engine, NULL, "sm_90", &source), JIG_ERROR_INVALID_ARGUMENT,
        "jig_source: spec: the pointer");
  ck_assert_ptr_null(source);
  source = text;
  FAILS(jig_source(engine, text, "sm_9x", &source), JIG_ERROR_INVALID_ARGUMENT, "arch: 'sm_9x'");
  ck_assert_ptr_null(source);
  FAILS(jig_source(engine, "x", "sm_90", &source), JIG_ERROR_INVALID_ARGUMENT, "spec: line 1");
  FAILS(jig_cache_walk(engine, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_cache_walk: visit: the pointer is NULL");
  FAILS(jig_reduce_spec(NULL, &source), JIG_ERROR_INVALID_ARGUMENT, "jig_reduce_spec: args");
  const jig_reduce_args args = {0};
  FAILS(jig_reduce_spec(&args, NULL), JIG_ERROR_INVALID_ARGUMENT, "jig_reduce_spec: spec");
  FAILS(jig_arg_reduce_spec(NULL, &source), JIG_ERROR_INVALID_ARGUMENT, "jig_arg_reduce_spec: args");
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* Whoever calls may have little stack, and the parser takes some for each bracket. */
START_TEST(specs_are_nested_as_deep_as_iterators) {
  engine_setup();
  enum { DEPTH = 16 };
  jig_engine *engine = engine_with((jig_engine_config){0});
  jig_iter chain[DEPTH] = {jig_pointer(NULL, JIG_I32)};
  char *text = NULL, *source = NULL, deep[4096] = "", in_string[256] = "{\"";
  for (int i = 1; i < DEPTH; ++i) chain[i] = jig_iter_reverse(&chain[i - 1], 5);
  const jig_reduce_args args = {.in = chain[DEPTH - 1], .out = jig_pointer(NULL, JIG_I32)};
  OK(jig_reduce_spec(&args, &text));
  OK(jig_source(engine, text, "sm_90", &source));
  jig_free(text);
  jig_free(source);
  for (int i = 0; i < 700; ++i) strcat(deep, "{\"a\":");
  FAILS(jig_source(engine, deep, "sm_90", &source), JIG_ERROR_INVALID_ARGUMENT,
        "spec: the text: its brackets are nested too deep");
  for (int i = 0; i < 100; ++i) strcat(in_string, i % 2 ? "[" : "\\\"");
  strcat(in_string, "\": 1}");
  FAILS(jig_source(engine, in_string, "sm_90", &source), JIG_ERROR_INVALID_ARGUMENT, "spec: algorithm");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(sources_can_be_seen_without_a_compiler) {
  engine_setup();
  char *text = spec_of("return a * b + 3; // see me"), *source = NULL;
  OK(jig_source(NULL, text, "compute_80", &source));
  ck_assert_ptr_nonnull(strstr(source, "return a * b + 3; // see me\n"));
  ck_assert_ptr_nonnull(strstr(source, "#include <jig/kernel/reduce/reduce.cuh>"));
  ck_assert(!compiler_is_open());
  jig_free(source);
  jig_free(text);
  engine_teardown();
}
END_TEST

typedef struct sight {
  int entries, most;
} sight;

static int see(void *user, const jig_cache_entry *e) {
  sight *s = user;
  s->entries += e->sound && strstr(e->spec, "sample") != NULL;
  return s->entries == s->most;
}

START_TEST(a_cache_is_walked_and_cleared) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  uint64_t removed = 7;
  sight s = {0, 100};
  OK(jig_cache_walk(engine, see, &s));
  OK(jig_cache_clear(engine, &removed));
  ck_assert_uint_eq(removed, 0);
  ck_assert(s.entries == 0 && !file_exists(scratch_path("cache")));
  for (unsigned n = 0; n < 3; ++n) ck_assert(sample_put(engine->build.cache, n, 100));
  OK(jig_cache_walk(engine, see, &s));
  ck_assert_int_eq(s.entries, 3);
  s = (sight){0, 2};
  OK(jig_cache_walk(engine, see, &s));
  ck_assert_int_eq(s.entries, 2);
  OK(jig_cache_clear(engine, &removed));
  ck_assert_uint_eq(removed, 3);
  ck_assert_uint_eq(entries_in_cache(), 0);
  jig_engine_destroy(engine);

  engine = engine_with((jig_engine_config){.cache_dir = ""});
  OK(jig_cache_clear(engine, &removed));
  ck_assert_uint_eq(removed, 0);
  ck_assert_str_eq(stats_of(engine).cache_warning, "");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

int main(void) {
  (void)setenv("JIG_NVRTC", "/nonexistent/libnvrtc.so", 1);
  (void)setenv("JIG_DRIVER", "/nonexistent/libcuda.so", 1);
  static const suite_test tests[] = {
      SUITE_TEST(an_engine_opens_and_makes_nothing),
      SUITE_TEST(a_config_that_is_wrong_is_refused),
      SUITE_TEST(a_config_is_copied),
      SUITE_TEST(the_cache_directory_has_an_order_of_places),
      SUITE_TEST(read_only_directories_are_those_of_config_or_environment),
      SUITE_TEST(the_cache_keeps_its_size),
      SUITE_TEST(building_is_allowed_by_config_or_environment),
      SUITE_TEST(jobs_are_those_of_config_or_environment),
      SUITE_TEST(a_misspelt_build_mode_fails),
      SUITE_TEST(what_the_environment_says_wrongly_is_told),
      SUITE_TEST(the_rest_of_the_environment_is_read),
      SUITE_TEST(there_is_one_default_engine),
      SUITE_TEST(a_default_engine_in_use_is_not_inherited),
      SUITE_TEST(a_new_engine_has_counted_nothing),
      SUITE_TEST(calls_that_fail_are_counted),
      SUITE_TEST(a_directory_that_is_refused_is_told),
      SUITE_TEST(info_tells_what_is_missing),
      SUITE_TEST(a_request_that_is_wrong_is_refused),
      SUITE_TEST(specs_are_nested_as_deep_as_iterators),
      SUITE_TEST(sources_can_be_seen_without_a_compiler),
      SUITE_TEST(a_cache_is_walked_and_cleared),
  };
  return SUITE_RUN("unit/engine", tests, false);
}
