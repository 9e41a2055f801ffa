/* Which of a program's kernels are compiled when: by the call that needs them, in the background, or not
 * at all; and what ends while the background is at it. With a compiler that tells how often it ran and a
 * driver that has nothing behind it. A scan by key has two kernels, one for small inputs and one for
 * large. */
#include <jig/jig.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine_support.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"
#include "util/clock.h"

enum { KERNELS = 2, SMALL = 100, LARGE = 1 << 28 };

static const char in_small[] = "jig_scan_by_key_single_wave(", in_large[] = "jig_scan_by_key_lookback(";

/* Of so large items that there are two kernels. Nothing is compiled in earnest. */
static jig_status scan_by(jig_engine *engine, const char *body, uint64_t count, void *storage) {
  const jig_iter in = jig_pointer((void *)((uintptr_t)1 << 40), jig_opaque(32, 8));
  const jig_scan_by_key_args args = {.keys_in = jig_pointer((void *)((uintptr_t)1 << 42), JIG_U32),
                                     .values_in = in,
                                     .values_out = in,
                                     .num_items = count,
                                     .op = jig_op_source(body)};
  size_t bytes = (size_t)1 << 30;
  return jig_scan_by_key(engine, storage, &bytes, &args, NULL);
}

static jig_status query(jig_engine *engine, uint64_t count) {
  return scan_by(engine, "return a + b;", count, NULL);
}

static jig_status call(jig_engine *engine, uint64_t count) {
  return scan_by(engine, "return a + b;", count, (void *)((uintptr_t)1 << 50));
}

static jig_engine *engine_of(jig_engine_config config) {
  engine_setup();
  set_variable("FAKE_KERNELS", "0");
  set_variable("FAKE_MULTIPROCESSORS", "132");
  return engine_with(config);
}

/* Its calls wait for the background however long it takes, which here is without doing anything. */
static jig_engine *begin(void) {
  jig_engine *engine = engine_of((jig_engine_config){0});
  engine->patience_ms = 1e9;
  return engine;
}

static void end(jig_engine *engine) {
  jig_engine_destroy(engine);
  ck_assert_uint_eq(litter_in_cache(), 0);
  engine_teardown();
}

/* Until so many compilations have begun. */
static void await_compiled(int count) {
  for (int i = 0; i < 10000 && fake_compiled().count < count; ++i) (void)usleep(1000);
  ck_assert_int_eq(fake_compiled().count, count);
}

static void await_entries(unsigned count) {
  for (int i = 0; i < 10000 && entries_in_cache() < count; ++i) (void)usleep(1000);
  ck_assert_uint_eq(entries_in_cache(), count);
}

/* The kernel whose source has this takes so long, and the other no time. */
static void make_slow(const char *part, int ms) {
  set_variable("FAKE_NVRTC_SLOW", part);
  fake_compile_ms(ms);
}

/* ---- which */

START_TEST(a_call_waits_for_what_it_needs_only) {
  enum { SLOW_MS = 4000 };
  const char *const slow[] = {in_large, in_small};
  const uint64_t counts[] = {SMALL, LARGE};
  for (int i = 0; i < 2; ++i) {
    jig_engine *engine = begin();
    make_slow(slow[i], SLOW_MS);
    const double start = clock_ms();
    OK(query(engine, counts[i]));
    OK(call(engine, counts[i]));
    ck_assert(clock_ms() - start < SLOW_MS / 2);
    ck_assert_uint_eq(entries_in_cache(), 1);
    await_compiled(KERNELS);
    OK(call(engine, counts[1 - i])); /* which waits for the background */
    ck_assert(clock_ms() - start >= SLOW_MS - 100);
    ck_assert_int_eq(fake_compiled().count, KERNELS);
    ck_assert_uint_eq(entries_in_cache(), KERNELS);
    const jig_engine_stats stats = stats_of(engine);
    ck_assert_uint_eq(stats.misses, 1);
    ck_assert_uint_eq(stats.memory_hits, 1);
    ck_assert_uint_eq(stats.failed_builds, 0);
    ck_assert_uint_eq(stats.kernels, KERNELS);
    ck_assert_uint_eq(stats.background_kernels, 1);
    ck_assert(stats.longest_wait_ms >= SLOW_MS / 3.0 && stats.wait_ms >= stats.longest_wait_ms);
    ck_assert(stats.compile_ms >= SLOW_MS);
    end(engine);
  }
}
END_TEST

/* What the log says of waiting, and of the background. */
typedef struct heard {
  atomic_int waits, backgrounds, takeovers;
} heard;

static void hear(void *user, jig_log_level level, const char *line) {
  heard *h = user;
  (void)level;
  h->waits += strstr(line, "jig_scan_by_key: ") == line && strstr(line, " s until its kernels") != NULL;
  h->backgrounds += strstr(line, "jig_scan_by_key_lookback compiled in the background") == line;
  h->takeovers +=
      strstr(line, "jig_scan_by_key_lookback is compiled by the call: the background") == line;
}

START_TEST(the_log_tells_of_long_waits) {
  jig_engine *engine = begin();
  heard h = {0};
  OK(jig_set_log(hear, &h, JIG_LOG_INFO));
  make_slow(in_large, 1200);
  OK(query(engine, SMALL));
  const int waits = h.waits; /* none, unless the machine is slow */
  await_compiled(KERNELS);
  OK(query(engine, LARGE));
  ck_assert_int_eq(h.waits, waits + 1);
  ck_assert_int_eq(h.backgrounds, 1);
  OK(query(engine, LARGE));
  ck_assert_int_eq(h.waits, waits + 1);
  end(engine);
  OK(jig_set_log(NULL, NULL, JIG_LOG_NONE));
}
END_TEST

START_TEST(the_rest_follows_by_itself) {
  jig_engine *engine = begin();
  OK(query(engine, SMALL));
  await_entries(KERNELS);
  OK(call(engine, LARGE));
  OK(call(engine, SMALL));
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  end(engine);
}
END_TEST

/* What is in no cache is handed over in memory. */
START_TEST(the_rest_follows_without_a_cache) {
  jig_engine *engine = engine_of((jig_engine_config){.cache_dir = ""});
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  OK(call(engine, LARGE));
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  end(engine);
}
END_TEST

/* What other operators would be linked with is of no use to anybody where nothing is kept. */
START_TEST(nothing_is_prepared_without_a_cache) {
  const char *const caches[] = {"", "/dev/null/cache", NULL};
  for (int i = 0; i < 3; ++i) {
    jig_engine *engine =
        engine_of((jig_engine_config){.cache_dir = caches[i], .first_tier = JIG_SWITCH_ON});
    const int wanted = caches[i] != NULL ? KERNELS : 2 * KERNELS;
    OK(query(engine, SMALL));
    await_compiled(wanted);
    (void)usleep(100000);
    ck_assert_int_eq(fake_compiled().count, wanted);
    end(engine);
  }
}
END_TEST

START_TEST(the_background_lets_others_go_first) {
  jig_engine *engine = begin();
  int first = 0, second = 0;
  set_variable("FAKE_NVRTC_NICE", scratch_path("nice"));
  OK(query(engine, SMALL));
  await_entries(KERNELS);
  FILE *file = fopen(scratch_path("nice"), "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fscanf(file, "%d %d", &first, &second), 2);
  ck_assert_int_eq(fclose(file), 0);
  ck_assert_int_eq(second, first + 5 < 19 ? first + 5 : 19);
  end(engine);
}
END_TEST

START_TEST(no_more_compilers_run_than_are_allowed) {
  enum { PROGRAMS = 4 };
  jig_engine *engine = engine_of((jig_engine_config){.jobs = 1});
  fake_compile_ms(30);
  for (int i = 0; i < PROGRAMS; ++i) {
    char body[32];
    (void)snprintf(body, sizeof body, "return a + b; // %d", i);
    OK(scan_by(engine, body, SMALL, NULL));
  }
  await_entries(PROGRAMS * KERNELS);
  ck_assert_int_ge(fake_compiled().count, PROGRAMS * KERNELS); /* some are begun twice */
  ck_assert_int_eq(fake_compiled().most_at_once, 1);
  end(engine);
}
END_TEST

/* What is there from before takes neither a compiler nor a thread; and what is not is built by whoever
 * needs it. */
START_TEST(a_cache_hit_opens_no_compiler) {
  jig_engine *engine = begin();
  set_variable("FAKE_NVRTC_FAIL", in_large);
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  jig_engine_destroy(engine);
  set_variable("FAKE_NVRTC_FAIL", NULL);
  engine = engine_with((jig_engine_config){0});
  OK(query(engine, SMALL));
  OK(query(engine, LARGE));
  ck_assert_int_eq(fake_compiled().count, KERNELS + 1);
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  OK(query(engine, SMALL));
  ck_assert_uint_eq(stats_of(engine).disk_hits, 1);
  end(engine);
}
END_TEST

static void compile_on_demand(jig_engine *engine) {
  OK(query(engine, SMALL));
  OK(call(engine, SMALL));
  (void)usleep(100000);
  ck_assert_int_eq(fake_compiled().count, 1);
  OK(call(engine, LARGE));
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  ck_assert_uint_eq(stats_of(engine).background_kernels, 0);
  end(engine);
}

START_TEST(the_background_can_be_turned_off) {
  jig_engine *engine = begin();
  jig_engine_destroy(engine);
  compile_on_demand(engine_with((jig_engine_config){.background = JIG_SWITCH_OFF}));
  engine = begin();
  jig_engine_destroy(engine);
  set_variable("JIG_BACKGROUND", "0");
  compile_on_demand(engine_with((jig_engine_config){0}));
  set_variable("JIG_BACKGROUND", NULL);
}
END_TEST

/* A cache that has some of a program's kernels: what it lacks is told by the first call, not by one of
 * those that come later. */
START_TEST(without_building_all_kernels_have_to_be_there) {
  jig_engine *engine = engine_of((jig_engine_config){.background = JIG_SWITCH_OFF});
  OK(query(engine, SMALL));
  jig_engine *strict = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  ck_assert_uint_eq(entries_in_cache(), 1);
  FAILS(query(strict, SMALL), JIG_ERROR_NOT_BUILT, "building is not allowed");
  OK(query(engine, LARGE));
  OK(query(strict, SMALL));
  OK(call(strict, LARGE));
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  jig_engine_destroy(strict);
  end(engine);
}
END_TEST

/* ---- a background that gets nowhere: on a busy machine, which has more urgent things to do */

static char until[SCRATCH_PATH]; /* it does not end before this is there */

static jig_engine *begin_starving(jig_engine_config config) {
  jig_engine *engine = engine_of(config);
  (void)snprintf(until, sizeof until, "%s", scratch_path("until"));
  set_variable("FAKE_NVRTC_UNTIL", until);
  return engine;
}

static void end_starving(void) {
  FILE *file = fopen(until, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fclose(file), 0);
}

static void await_background_kernels(jig_engine *engine, uint64_t count) {
  for (int i = 0; i < 10000 && stats_of(engine).background_kernels < count; ++i) (void)usleep(1000);
  ck_assert_uint_eq(stats_of(engine).background_kernels, count);
}

/* The call compiles it, and the background's is dropped: it is stopped or, if the compiler cannot be,
 * there once too often. */
static void take_over(const char *stops, const char *capturing, jig_engine_config config) {
  jig_engine *engine = begin_starving(config);
  const bool has_cache = config.cache_dir == NULL;
  set_variable("FAKE_NVRTC_STOPS", stops);
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  set_variable("FAKE_CAPTURING", capturing);
  OK(call(engine, LARGE));
  ck_assert_int_eq(fake_compiled().count, KERNELS + 1);
  ck_assert_uint_eq(entries_in_cache(), has_cache ? KERNELS : 0);
  jig_engine_stats stats = stats_of(engine);
  ck_assert_uint_eq(stats.kernels, KERNELS);
  ck_assert_uint_eq(stats.background_kernels + stats.failed_builds, 0);
  ck_assert_uint_eq(stats.misses, 1);
  ck_assert(stats.longest_wait_ms >= engine->patience_ms && stats.wait_ms >= stats.longest_wait_ms);
  end_starving();
  if (stops != NULL) await_background_kernels(engine, 1);
  OK(call(engine, LARGE));
  OK(call(engine, SMALL));
  stats = stats_of(engine);
  ck_assert_uint_eq(stats.memory_hits, 2);
  ck_assert_uint_eq(stats.kernels, stops != NULL ? KERNELS + 1 : KERNELS);
  ck_assert_int_eq(fake_compiled().count, KERNELS + 1);
  end(engine);
}

START_TEST(a_call_does_not_wait_for_a_background_that_starves) {
  for (unsigned jobs = 1; jobs <= 2; ++jobs) {
    const jig_engine_config config = {.jobs = jobs}, uncached = {.jobs = jobs, .cache_dir = ""};
    take_over(NULL, NULL, config);
    take_over("0", NULL, config);
    take_over(NULL, "1", config);
    take_over(NULL, NULL, uncached);
    take_over("0", NULL, uncached);
  }
}
END_TEST

START_TEST(the_log_tells_of_what_a_call_takes_over) {
  jig_engine *engine = begin_starving((jig_engine_config){0});
  heard h = {0};
  OK(jig_set_log(hear, &h, JIG_LOG_INFO));
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  ck_assert_int_eq(h.takeovers, 0);
  OK(call(engine, LARGE));
  ck_assert_int_eq(h.takeovers, 1);
  end(engine);
  OK(jig_set_log(NULL, NULL, JIG_LOG_NONE));
}
END_TEST

/* One of them takes it over, for all. */
static void call_large(void *user, int number) {
  (void)number;
  OK(call(user, LARGE));
}

START_TEST(one_of_many_calls_takes_over) {
  jig_engine *engine = begin_starving((jig_engine_config){0});
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  run_together(8, call_large, engine);
  ck_assert_int_eq(fake_compiled().count, KERNELS + 1);
  end(engine);
}
END_TEST

START_TEST(a_call_tells_why_it_could_not_take_over) {
  jig_engine *engine = begin_starving((jig_engine_config){0});
  set_variable("FAKE_NVRTC_FAIL", in_large);
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  FAILS(call(engine, LARGE), JIG_ERROR_COMPILE, "does_not_compile");
  set_variable("FAKE_NVRTC_FAIL", NULL);
  OK(call(engine, LARGE));
  ck_assert_uint_eq(stats_of(engine).failed_builds, 1);
  end(engine);
}
END_TEST

/* An engine that is destroyed, or a process that ends, when a call has just taken over. */
START_TEST(an_engine_is_destroyed_after_a_call_took_over) {
  static const char *const stops[] = {NULL, "0"};
  for (int i = 0; i < 2; ++i) {
    jig_engine *engine = begin_starving((jig_engine_config){0});
    set_variable("FAKE_NVRTC_STOPS", stops[i]);
    OK(query(engine, SMALL));
    await_compiled(KERNELS);
    OK(call(engine, LARGE));
    if (stops[i] != NULL) end_starving();
    end(engine);
  }
}
END_TEST

/* What calls want takes the place of the background, which is taken up again when there is room. */
START_TEST(a_background_that_starves_takes_no_place) {
  jig_engine *engine = begin_starving((jig_engine_config){.jobs = 1});
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  OK(scan_by(engine, "return b + a;", SMALL, NULL));
  ck_assert_int_eq(fake_compiled().most_at_once, 1);
  ck_assert_uint_eq(entries_in_cache(), 2);
  end_starving();
  await_entries(2 * KERNELS);
  ck_assert_int_eq(fake_compiled().count, 2 * KERNELS + 1);
  ck_assert_int_eq(fake_compiled().most_at_once, 1);
  await_background_kernels(engine, 2);
  end(engine);
}
END_TEST

/* Also if it cannot be stopped; it then is one too many, but of those that let others go first. */
START_TEST(a_background_that_cannot_be_stopped_takes_no_place) {
  jig_engine *engine = begin_starving((jig_engine_config){.jobs = 1});
  set_variable("FAKE_NVRTC_STOPS", "0");
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  OK(scan_by(engine, "return b + a;", SMALL, NULL));
  end_starving();
  await_entries(2 * KERNELS);
  ck_assert_int_eq(fake_compiled().count, 2 * KERNELS);
  end(engine);
}
END_TEST

static bool a_process_calls(void) {
  jig_engine *engine = NULL;
  const bool called = jig_engine_create(&engine, NULL) == JIG_SUCCESS &&
                      query(engine, LARGE) == JIG_SUCCESS && query(engine, SMALL) == JIG_SUCCESS;
  jig_engine_destroy(engine);
  return called;
}

static bool a_process_waits_in_the_background(void) {
  jig_engine *engine = NULL;
  const bool called =
      jig_engine_create(&engine, NULL) == JIG_SUCCESS && query(engine, SMALL) == JIG_SUCCESS;
  while (access(until, F_OK) != 0) (void)usleep(1000);
  jig_engine_destroy(engine);
  return called;
}

static void *run_process(void *is_right) {
  *(bool *)is_right = is_true_in_a_child(a_process_waits_in_the_background);
  return NULL;
}

/* What one process has in the background keeps no other waiting, which would not know how it gets on. */
START_TEST(processes_do_not_wait_for_each_others_background) {
  enum { LONG_MS = 20000 }; /* for a lock they would wait longer */
  jig_engine_destroy(begin_starving((jig_engine_config){0}));
  pthread_t other;
  bool is_right = false;
  ck_assert_int_eq(pthread_create(&other, NULL, run_process, &is_right), 0);
  await_compiled(KERNELS);
  const double start = clock_ms();
  ck_assert(is_true_in_a_child(a_process_calls));
  ck_assert(clock_ms() - start < LONG_MS);
  ck_assert_int_eq(fake_compiled().count, KERNELS + 1);
  end_starving();
  ck_assert_int_eq(pthread_join(other, NULL), 0);
  ck_assert(is_right);
  ck_assert_uint_eq(litter_in_cache(), 0);
  engine_teardown();
}
END_TEST

/* The part of a processor that the background has had, of its only kernel. */
static int busy_percent(void) {
  FILE *file = fopen(scratch_path("busy"), "r");
  int percent = 0;
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fscanf(file, "%d", &percent), 1);
  ck_assert_int_eq(fclose(file), 0);
  return percent;
}

/* Where the machine lets it: half a processor is enough, and what is left of one that is had for so much
 * of the time is less than half of a while. */
START_TEST(a_call_waits_for_a_background_that_gets_on) {
  enum { TRIES = 20, BUSY_MS = 120, ENOUGH_PERCENT = 80, CHANCES = 3 };
  int chances = 0;
  bool waited = false;
  for (int i = 0; i < TRIES && chances < CHANCES && !waited; ++i) {
    jig_engine *engine = engine_of((jig_engine_config){0});
    make_slow(in_large, BUSY_MS);
    set_variable("FAKE_NVRTC_BUSY", scratch_path("busy"));
    OK(query(engine, SMALL));
    await_compiled(KERNELS);
    OK(call(engine, LARGE));
    const bool gets_on = busy_percent() >= ENOUGH_PERCENT;
    chances += gets_on;
    waited = gets_on && fake_compiled().count == KERNELS && stats_of(engine).background_kernels == 1;
    end(engine);
  }
  ck_assert(waited || chances < CHANCES);
  if (!waited) printf("skipped: unit/kernels: a_call_waits_for_a_background_that_gets_on (no time)\n");
}
END_TEST

/* ---- failures */

START_TEST(a_fault_is_told_by_the_call_that_needs_it) {
  const char *const failing[] = {in_large, in_small};
  const uint64_t good[] = {SMALL, LARGE};
  for (int i = 0; i < 2; ++i) {
    jig_engine *engine = begin();
    set_variable("FAKE_NVRTC_FAIL", failing[i]);
    OK(query(engine, good[i]));
    await_compiled(KERNELS);
    OK(call(engine, good[i]));
    ck_assert_uint_eq(stats_of(engine).failed_builds, 0);
    FAILS(call(engine, good[1 - i]), JIG_ERROR_COMPILE, "does_not_compile");
    ck_assert_uint_eq(stats_of(engine).failed_builds, 1);
    set_variable("FAKE_CAPTURING", "1");
    FAILS(call(engine, good[1 - i]), JIG_ERROR_COMPILE, "does_not_compile");
    set_variable("FAKE_CAPTURING", NULL);
    set_variable("FAKE_NVRTC_FAIL", NULL);
    OK(call(engine, good[1 - i]));
    OK(call(engine, good[i]));
    end(engine);
  }
}
END_TEST

START_TEST(wrong_arguments_are_told_before_anything_is_built) {
  jig_engine *engine = begin();
  FAILS(query(engine, UINT64_MAX), JIG_ERROR_INVALID_ARGUMENT, "num_items");
  ck_assert_int_eq(fake_compiled().count, 0);
  OK(query(engine, SMALL));
  end(engine);
}
END_TEST

/* ---- captures */

START_TEST(a_captured_call_waits_for_the_background) {
  enum { SLOW_MS = 500 };
  jig_engine *engine = begin();
  set_variable("FAKE_CAPTURING", "1");
  FAILS(call(engine, SMALL), JIG_ERROR_NOT_BUILT, "query the temp storage size");
  set_variable("FAKE_CAPTURING", NULL);
  make_slow(in_large, SLOW_MS);
  const double start = clock_ms();
  OK(query(engine, SMALL));
  set_variable("FAKE_CAPTURING", "1");
  OK(call(engine, LARGE));
  ck_assert(clock_ms() - start >= SLOW_MS - 50);
  ck_assert_int_eq(fake_compiled().count, KERNELS);
  end(engine);
}
END_TEST

static void query_or_call_meanwhile(void *user, int number) {
  if (number == 0) {
    OK(query(user, SMALL));
    return;
  }
  while (fake_compiled().count == 0) (void)usleep(1000);
  (void)setenv("FAKE_CAPTURING", "1", 1); /* the other has asked */
  OK(call(user, SMALL));
}

START_TEST(a_captured_call_waits_for_another_threads_build) {
  jig_engine *engine = begin();
  make_slow(in_small, 500);
  run_together(2, query_or_call_meanwhile, engine);
  end(engine);
}
END_TEST

/* ---- threads */

enum { THREADS = 8 };

static void call_any(void *user, int number) {
  for (int i = 0; i < 10; ++i) OK(call(user, (number + i) % 2 == 0 ? SMALL : LARGE));
}

START_TEST(threads_build_each_kernel_once) {
  for (int i = 0; i < 5; ++i) {
    jig_engine *engine = begin();
    fake_compile_ms(10 * i);
    run_together(THREADS, call_any, engine);
    ck_assert_int_eq(fake_compiled().count, KERNELS);
    ck_assert_uint_eq(entries_in_cache(), KERNELS);
    ck_assert_uint_eq(stats_of(engine).misses, 1);
    end(engine);
  }
}
END_TEST

static void call_rightly_or_not(void *user, int number) {
  if (number % 2 == 0)
    OK(query(user, SMALL));
  else
    FAILS(query(user, UINT64_MAX), JIG_ERROR_INVALID_ARGUMENT, "num_items");
}

/* Who waits for a program gets its own arguments' errors, not those of whoever began it. */
START_TEST(threads_get_their_own_errors) {
  for (int i = 0; i < 5; ++i) {
    jig_engine *engine = begin();
    fake_compile_ms(20);
    run_together(THREADS, call_rightly_or_not, engine);
    end(engine);
  }
}
END_TEST

/* ---- ends */

/* With and without a compiler that can be stopped. */
static void destroy_meanwhile(const char *stops, int slow_ms, double most_ms) {
  jig_engine *engine = begin();
  make_slow(in_large, slow_ms);
  set_variable("FAKE_NVRTC_STOPS", stops);
  OK(query(engine, SMALL));
  await_compiled(KERNELS);
  const double start = clock_ms();
  jig_engine_destroy(engine);
  ck_assert(clock_ms() - start < most_ms);
  ck_assert_uint_eq(litter_in_cache(), 0);
  engine = engine_with((jig_engine_config){0});
  set_variable("FAKE_NVRTC_MS", NULL);
  OK(query(engine, LARGE)); /* the thread is there for others */
  end(engine);
}

START_TEST(an_engine_is_destroyed_meanwhile) {
  destroy_meanwhile(NULL, 60000, 10000);
  destroy_meanwhile("0", 500, 10000);
}
END_TEST

/* What waits for its turn is forgotten, too, and that of other engines is not. */
START_TEST(an_engine_is_destroyed_before_its_turn) {
  jig_engine *first = begin(), *second = engine_with((jig_engine_config){0});
  make_slow(in_large, 300);
  OK(query(first, SMALL));
  await_compiled(KERNELS);
  OK(scan_by(second, "return b + a;", SMALL, NULL));
  jig_engine_destroy(second);
  await_entries(3);
  ck_assert_int_eq(fake_compiled().count, 3);
  end(first);
}
END_TEST

/* What this program is as another process, which makes a call and then ends. */
static int call_and_leave(const char *when) {
  (void)alarm(120);
  const bool is_cached = strcmp(when, "cached") == 0;
  const jig_engine_config config = {.cache_dir = is_cached ? NULL : ""};
  static jig_engine *engine; /* which is there until the process ends */
  if (jig_engine_create(&engine, &config) != JIG_SUCCESS || query(engine, SMALL) != JIG_SUCCESS)
    return EXIT_FAILURE;
  if (strcmp(when, "now") != 0) (void)usleep(100000);
  return EXIT_SUCCESS;
}

START_TEST(a_process_ends_meanwhile) {
  engine_setup();
  set_variable("FAKE_KERNELS", "0");
  make_slow(in_large, 600000); /* nobody waits for that */
  for (int i = 0; i < 10; ++i) {
    ck_assert_int_eq(suite_run_itself("now"), EXIT_SUCCESS);
    ck_assert_int_eq(suite_run_itself("later"), EXIT_SUCCESS);
  }
  set_variable("FAKE_NVRTC_STOPS", "0");
  make_slow(in_large, 200);
  ck_assert_int_eq(suite_run_itself("later"), EXIT_SUCCESS);
  engine_teardown();
}
END_TEST

/* Operators that nobody else has, of which one process calls some, one after the other, until it ends. */
enum { OPERATORS = 1000 };

static jig_status scan_by_number(jig_engine *engine, int number, uint64_t count) {
  char body[64];
  (void)snprintf(body, sizeof body, "return a + b * %d;", number);
  return scan_by(engine, body, count, NULL);
}

static int call_until_killed(int first) {
  jig_engine *engine = NULL;
  if (jig_engine_create(&engine, NULL) != JIG_SUCCESS) return EXIT_FAILURE;
  for (int i = 0; i < OPERATORS; ++i)
    if (scan_by_number(engine, first + i, SMALL) != JIG_SUCCESS) return EXIT_FAILURE;
  return EXIT_FAILURE; /* it should have been killed by now */
}

/* So long after it has begun, or after it has begun to compile. */
static void kill_after(int first, useconds_t us, bool compiles) {
  char number[16];
  int status;
  const int before = fake_compiled().count;
  (void)snprintf(number, sizeof number, "%d", first);
  const pid_t child = suite_start_itself(number);
  for (int i = 0; i < 10000 && compiles && fake_compiled().count == before; ++i) (void)usleep(1000);
  (void)usleep(us);
  ck_assert_int_eq(kill(child, SIGKILL), 0);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFSIGNALED(status));
}

/* At any moment: while the background compiles or stores, or a call does. What others call next waits for
 * nothing that the dead had under way, and finds nothing that is broken. */
START_TEST(a_process_is_killed_meanwhile) {
  enum { KILLS = 30, FIRST_FEW = 3, LONG_MS = 20000 }; /* for a lock they would wait longer */
  jig_engine *engine = begin();
  make_slow(in_large, 3);
  for (int i = 0; i < KILLS; ++i) {
    kill_after(1 + i * OPERATORS, (useconds_t)i * 1500, i % 2 != 0);
    const double start = clock_ms();
    for (int k = 0; k < FIRST_FEW; ++k) {
      OK(scan_by_number(engine, 1 + i * OPERATORS + k, SMALL));
      OK(scan_by_number(engine, 1 + i * OPERATORS + k, LARGE));
    }
    ck_assert_msg(clock_ms() - start < LONG_MS, "kill %d", i);
  }
  ck_assert_uint_gt(stats_of(engine).disk_hits, 0);
  ck_assert_uint_eq(stats_of(engine).faults, 0);
  jig_engine_destroy(engine);
  engine_teardown(); /* with the temporary files of the dead */
}
END_TEST

/* What has compiled nothing yet would be at the beginning when the process ends. */
START_TEST(nothing_follows_where_nothing_was_compiled) {
  engine_setup();
  set_variable("FAKE_KERNELS", "0");
  make_slow(in_large, 600000);
  ck_assert_int_eq(suite_run_itself("cached"),
                   EXIT_SUCCESS); /* has the cache filled with what it needs */
  const int count = fake_compiled().count;
  ck_assert_int_eq(suite_run_itself("cached"), EXIT_SUCCESS);
  ck_assert_int_eq(fake_compiled().count, count);
  engine_teardown();
}
END_TEST

/* ---- fork */

static jig_engine *inherited;

static bool a_child_builds_what_it_wants(void) {
  jig_engine *engine = NULL;
  char *text = spec_of("return a + b; // child");
  const bool forked = query(inherited, SMALL) == JIG_ERROR_FORKED;
  const bool built = jig_engine_create(&engine, NULL) == JIG_SUCCESS &&
                     jig_prewarm(engine, text, "sm_90", NULL) == JIG_SUCCESS;
  const bool again = query(engine, SMALL) == JIG_SUCCESS && query(engine, LARGE) == JIG_SUCCESS;
  jig_free(text);
  jig_engine_destroy(engine);
  jig_engine_destroy(inherited);
  return forked && built && again;
}

static bool a_child_has_no_compiler(void) {
  jig_engine *engine = NULL;
  char *text = spec_of("return a + b; // child");
  const bool forked = query(inherited, SMALL) == JIG_ERROR_FORKED;
  const bool told = jig_engine_create(&engine, NULL) == JIG_SUCCESS &&
                    jig_prewarm(engine, text, "sm_90", NULL) == JIG_ERROR_NO_COMPILER &&
                    strstr(jig_last_error(), "forked while") != NULL;
  jig_free(text);
  jig_engine_destroy(engine);
  jig_engine_destroy(inherited);
  return forked && told;
}

/* The child has no background thread, and does not wait for its parent's, which may have left the
 * compiler locked. */
START_TEST(a_process_forks_meanwhile) {
  inherited = begin();
  set_variable("JIG_JOBS", "1");
  make_slow(in_large, 5000);
  OK(query(inherited, SMALL));
  await_compiled(KERNELS);
  for (int i = 0; i < 5; ++i) ck_assert(is_true_in_a_child(a_child_has_no_compiler));
  OK(call(inherited, LARGE));
  end(inherited);
}
END_TEST

START_TEST(a_process_forks_later) {
  inherited = begin();
  OK(query(inherited, SMALL));
  OK(call(inherited, LARGE));
  for (int i = 0; i < 5; ++i) {
    (void)unlink(scratch_path("compiled"));
    ck_assert(is_true_in_a_child(a_child_builds_what_it_wants));
  }
  end(inherited);
}
END_TEST

int main(int argc, char **argv) {
  if (argc > 1) return atoi(argv[1]) > 0 ? call_until_killed(atoi(argv[1])) : call_and_leave(argv[1]);
  static const suite_test tests[] = {
      SUITE_TEST(a_call_waits_for_what_it_needs_only),
      SUITE_TEST(the_log_tells_of_long_waits),
      SUITE_TEST(the_rest_follows_by_itself),
      SUITE_TEST(the_rest_follows_without_a_cache),
      SUITE_TEST(nothing_is_prepared_without_a_cache),
      SUITE_TEST(the_background_lets_others_go_first),
      SUITE_TEST(no_more_compilers_run_than_are_allowed),
      SUITE_TEST(a_cache_hit_opens_no_compiler),
      SUITE_TEST(the_background_can_be_turned_off),
      SUITE_TEST(without_building_all_kernels_have_to_be_there),
      SUITE_TEST(a_call_does_not_wait_for_a_background_that_starves),
      SUITE_TEST(the_log_tells_of_what_a_call_takes_over),
      SUITE_TEST(one_of_many_calls_takes_over),
      SUITE_TEST(a_call_tells_why_it_could_not_take_over),
      SUITE_TEST(an_engine_is_destroyed_after_a_call_took_over),
      SUITE_TEST(a_background_that_starves_takes_no_place),
      SUITE_TEST(a_background_that_cannot_be_stopped_takes_no_place),
      SUITE_TEST(processes_do_not_wait_for_each_others_background),
      SUITE_TEST(a_call_waits_for_a_background_that_gets_on),
      SUITE_TEST(a_fault_is_told_by_the_call_that_needs_it),
      SUITE_TEST(wrong_arguments_are_told_before_anything_is_built),
      SUITE_TEST(a_captured_call_waits_for_the_background),
      SUITE_TEST(a_captured_call_waits_for_another_threads_build),
      SUITE_TEST(threads_build_each_kernel_once),
      SUITE_TEST(threads_get_their_own_errors),
      SUITE_TEST(an_engine_is_destroyed_meanwhile),
      SUITE_TEST(an_engine_is_destroyed_before_its_turn),
      SUITE_TEST(a_process_ends_meanwhile),
      SUITE_TEST(a_process_is_killed_meanwhile),
      SUITE_TEST(nothing_follows_where_nothing_was_compiled),
      SUITE_TEST(a_process_forks_meanwhile),
      SUITE_TEST(a_process_forks_later),
  };
  if (!fakes_open("unit/kernels")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/kernels", tests, false);
  fakes_close();
  return answer;
}
