/* Threads that are cancelled in the midst of a call are cancelled when it has returned: a lock that went
 * with them would be nobody's. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine_support.h"
#include "numbers.h"
#include "store_support.h"
#include "suite.h"

typedef struct cancelled_call {
  jig_engine *engine; /* NULL: the default one */
  char *spec;
  jig_status (*make)(struct cancelled_call *c);
  jig_status status;
  bool returned;
} cancelled_call;

/* The cancellation is there from the beginning, so that the first point that lets it through will do. */
static void *call_while_cancelled(void *argument) {
  cancelled_call *c = argument;
  (void)pthread_cancel(pthread_self());
  c->status = c->make(c);
  c->returned = true;
  for (;;) pthread_testcancel();
  return NULL;
}

static void check_call(cancelled_call *c) {
  pthread_t thread;
  void *outcome;
  ck_assert_int_eq(pthread_create(&thread, NULL, call_while_cancelled, c), 0);
  ck_assert_int_eq(pthread_join(thread, &outcome), 0);
  ck_assert_ptr_eq(outcome, PTHREAD_CANCELED);
  ck_assert(c->returned);
  ck_assert_int_eq(c->status, JIG_SUCCESS);
}

/* ---- calls */

static jig_status create(cancelled_call *c) {
  jig_engine *engine;
  const jig_engine_config config = {.include_path = scratch_path("headers")};
  jig_status status = jig_engine_create(&engine, &config);
  if (status == JIG_SUCCESS) jig_engine_destroy(engine);
  (void)c;
  return status;
}

static jig_status query(cancelled_call *c) {
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  size_t bytes = 0;
  return jig_reduce(c->engine, NULL, &bytes, &args, NULL);
}

static jig_status prewarm(cancelled_call *c) {
  return jig_prewarm(c->engine, c->spec, "sm_90", NULL);
}

static jig_status show_source(cancelled_call *c) {
  char *source = NULL;
  jig_status status = jig_source(c->engine, c->spec, "sm_90", &source);
  jig_free(source);
  return status;
}

static int see(void *user, const jig_cache_entry *found) {
  (void)user;
  (void)found;
  return 0;
}

static jig_status walk(cancelled_call *c) {
  return jig_cache_walk(c->engine, see, NULL);
}

static jig_status clear(cancelled_call *c) {
  return jig_cache_clear(c->engine, NULL);
}

static jig_status inform(cancelled_call *c) {
  char *json = NULL;
  jig_status status = jig_info(c->engine, &json);
  jig_free(json);
  return status;
}

static jig_status (*const calls[])(cancelled_call *c) = {create, query,  prewarm, show_source,
                                                         walk,   inform, clear};

/* ---- tests */

static void begin(void) {
  engine_setup();
  ck_assert_int_eq(mkdir(scratch_path("headers"), 0700), 0);
  file_write(scratch_path("headers/one.h"), "", 0);
}

static bool a_child_can_call(void) {
  jig_engine *engine = engine_with((jig_engine_config){0});
  const jig_status status = jig_cache_clear(engine, NULL);
  jig_engine_destroy(engine);
  return status == JIG_SUCCESS;
}

static void check_all(jig_engine *engine) {
  cancelled_call c = {.engine = engine, .spec = spec_of("#include <one.h>\nreturn a + b;")};
  for (size_t i = 0; i < COUNT_OF(calls); ++i) {
    c.make = calls[i];
    c.returned = false;
    check_call(&c);
  }
  jig_free(c.spec);
  ck_assert(is_true_in_a_child(a_child_can_call)); /* a fork waits for locks */
}

START_TEST(whoever_is_cancelled_finishes_the_call) {
  begin();
  set_variable("JIG_RECORD", scratch_path("specs.jsonl"));
  jig_engine *engine = engine_with((jig_engine_config){.include_path = scratch_path("headers")});
  check_all(engine);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* Made by a thread that is cancelled. */
START_TEST(the_default_engine_is_there_for_the_next) {
  begin();
  set_variable("JIG_INCLUDE_PATH", scratch_path("headers"));
  set_variable("JIG_LOG", "info");
  ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
  check_all(NULL);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(whoever_is_cancelled_finishes_the_call),
      SUITE_TEST(the_default_engine_is_there_for_the_next),
  };
  if (!fakes_open("unit/cancellation")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/cancellation", tests, false);
  fakes_close();
  return answer;
}
