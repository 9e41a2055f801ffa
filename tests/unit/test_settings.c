/* What programs choose by an engine's config instead of by the environment, the log, and what is told of
 * failures beside their text. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

static jig_status prewarm(jig_engine *engine, const char *body) {
  char *spec = spec_of(body);
  const jig_status status = jig_prewarm(engine, spec, "sm_90", NULL);
  jig_free(spec);
  return status;
}

static bool has_compiler(const char *test) {
  if (compiler_get() != NULL) return true;
  printf("skipped: unit/settings: %s (no NVRTC)\n", test);
  return false;
}

/* ---- the log */

typedef struct heard {
  int lines[JIG_LOG_DEBUG + 1];
  int newlines;
} heard;

static void hear(void *user, jig_log_level level, const char *line) {
  heard *h = user;
  ++h->lines[level];
  h->newlines += strchr(line, '\n') != NULL && level == JIG_LOG_INFO;
}

START_TEST(a_log_goes_where_the_program_says) {
  if (!has_compiler("a_log_goes_where_the_program_says")) return;
  static const jig_log_level levels[] = {JIG_LOG_NONE, JIG_LOG_INFO, JIG_LOG_DEBUG, JIG_LOG_DEFAULT};
  engine_setup();
  set_variable("JIG_JOBS", "none"); /* which is told at the level of information */
  for (size_t i = 0; i < COUNT_OF(levels); ++i) {
    heard h = {{0}, 0};
    char body[64];
    (void)snprintf(body, sizeof body, "return a + b + %zu;", i);
    OK(jig_set_log(hear, &h, levels[i]));
    jig_engine *engine = engine_with((jig_engine_config){0});
    OK(prewarm(engine, body));
    jig_engine_destroy(engine);
    ck_assert_int_eq(h.lines[JIG_LOG_INFO] > 0, levels[i] == JIG_LOG_INFO || levels[i] == JIG_LOG_DEBUG);
    ck_assert_int_eq(h.lines[JIG_LOG_DEBUG] > 0, levels[i] == JIG_LOG_DEBUG);
    ck_assert_int_eq(h.lines[JIG_LOG_DEFAULT] + h.lines[JIG_LOG_NONE] + h.newlines, 0);
  }
  OK(jig_set_log(NULL, NULL, JIG_LOG_DEFAULT));
  FAILS(jig_set_log(hear, NULL, (jig_log_level)7), JIG_ERROR_INVALID_ARGUMENT,
        "level: no such choice (7)");
  engine_teardown();
}
END_TEST

static void *set_often(void *user) {
  for (int i = 0; i < 200; ++i) (void)jig_set_log(hear, user, i % 2 == 0 ? JIG_LOG_NONE : JIG_LOG_INFO);
  return NULL;
}

START_TEST(a_log_may_change_under_calls) {
  static heard h;
  pthread_t threads[4];
  engine_setup();
  set_variable("JIG_JOBS", "none");
  for (size_t i = 0; i < COUNT_OF(threads); ++i)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, set_often, &h), 0);
  for (int i = 0; i < 50; ++i) jig_engine_destroy(engine_with((jig_engine_config){0}));
  for (size_t i = 0; i < COUNT_OF(threads); ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  engine_teardown();
}
END_TEST

/* ---- failures */

START_TEST(every_status_has_a_text) {
#define TEXT_OF_STATUS(name, number, text) ck_assert_str_eq(jig_status_string(name), text);
  JIG_STATUS_MAP(TEXT_OF_STATUS)
#undef TEXT_OF_STATUS
  ck_assert_str_eq(jig_status_string((jig_status)12345), "unknown status");
}
END_TEST

START_TEST(versions_agree) {
  int major, minor, patch;
  ck_assert_int_eq(sscanf(jig_version(), "%d.%d.%d", &major, &minor, &patch), 3);
  ck_assert_int_eq(jig_version_number(), major * 10000 + minor * 100 + patch);
  ck_assert_int_eq(jig_version_number(), JIG_VERSION_NUMBER);
}
END_TEST

/* ---- an engine's config instead of the environment */

START_TEST(files_are_chosen_by_engines) {
  if (!has_compiler("files_are_chosen_by_engines")) return;
  engine_setup();
  const char *dump = scratch_path("dump"), *none = scratch_path("none");
  set_variable("JIG_DUMP", none);
  jig_engine *chosen = engine_with((jig_engine_config){.dump = dump});
  OK(prewarm(chosen, "return a + b;"));
  ck_assert_uint_gt(files_count(dump, ".cu"), 0);
  ck_assert(!file_exists(none));
  jig_engine_destroy(chosen);
  jig_engine *off = engine_with((jig_engine_config){.dump = ""});
  OK(prewarm(off, "return a - b;"));
  ck_assert(!file_exists(none));
  jig_engine_destroy(off);
  engine_teardown();
}
END_TEST

START_TEST(switches_that_are_none_are_refused) {
  jig_engine *engine = NULL;
  jig_engine_config config = {.first_tier = (jig_switch)3};
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT,
        "config->first_tier: no such choice (3)");
  config = (jig_engine_config){.nvtx = (jig_switch)3};
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT,
        "config->nvtx: no such choice (3)");
  config = (jig_engine_config){.debug_sync = (jig_switch)-1};
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT, "config->debug_sync: no such");
  config = (jig_engine_config){.exact_compiler = (jig_switch)9};
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT,
        "config->exact_compiler: no such");
  config = (jig_engine_config){.background = (jig_switch)3};
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT, "config->background: no such");
}
END_TEST

/* Each in a process of its own, as they count for all of it. */
START_TEST(a_driver_is_chosen_once) {
  jig_engine *engine = NULL;
  jig_engine_config config = {.driver = "/nowhere/libcuda.so.1"};
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_I32), .out = jig_pointer(NULL, JIG_I32)};
  size_t bytes = 0;
  OK(jig_engine_create(&engine, &config));
  FAILS(jig_reduce(engine, NULL, &bytes, &args, NULL), JIG_ERROR_NO_DRIVER, "/nowhere/libcuda.so.1");
  ck_assert_int_eq(jig_last_driver_error(), 0);
  jig_engine_destroy(engine);
  OK(jig_engine_create(&engine, &config)); /* the same again is fine */
  jig_engine_destroy(engine);
  config.driver = "/elsewhere/libcuda.so.1";
  FAILS(jig_engine_create(&engine, &config), JIG_ERROR_INVALID_ARGUMENT,
        "config->driver: '/elsewhere/libcuda.so.1' comes too late: this process uses "
        "/nowhere/libcuda.so.1");
  ck_assert_ptr_null(engine);
}
END_TEST

START_TEST(a_compiler_is_chosen_once) {
  engine_setup();
  set_variable("JIG_NVRTC", "/usr/lib/other.so");
  jig_engine *engine = engine_with((jig_engine_config){.nvrtc = "/nowhere/libnvrtc.so.12"});
  FAILS(prewarm(engine, "return a;"), JIG_ERROR_NO_COMPILER, "/nowhere/libnvrtc.so.12");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(templates_are_chosen_once) {
  if (!has_compiler("templates_are_chosen_once")) return;
  engine_setup();
  jig_engine *engine =
      engine_with((jig_engine_config){.template_path = "/nowhere", .nvjitlink = "/nowhere/l.so"});
  FAILS(prewarm(engine, "return a;"), JIG_ERROR_INVALID_ARGUMENT, "/nowhere/jig/");
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(a_log_goes_where_the_program_says), SUITE_TEST(a_log_may_change_under_calls),
      SUITE_TEST(every_status_has_a_text),           SUITE_TEST(versions_agree),
      SUITE_TEST(files_are_chosen_by_engines),       SUITE_TEST(switches_that_are_none_are_refused),
      SUITE_TEST(a_driver_is_chosen_once),           SUITE_TEST(a_compiler_is_chosen_once),
      SUITE_TEST(templates_are_chosen_once),
  };
  return SUITE_RUN("unit/settings", tests, false);
}
