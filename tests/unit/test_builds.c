/* What is built how often, by whom, and what is counted, with a compiler that tells how often it ran and
 * a driver that has nothing behind it. */
#include <dirent.h>
#include <jig/jig.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"
#include "engine_support.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

enum { THREADS = 8, SLOW_MS = 150 };

/* ---- prewarming by many at once */

typedef struct prewarmers {
  jig_engine *engines[2]; /* for even and odd threads */
  const char *texts[THREADS];
  jig_status status[THREADS];
  char error[THREADS][512];
  jig_prewarm_result result[THREADS];
} prewarmers;

static void prewarm_one(void *user, int number) {
  prewarmers *p = user;
  p->status[number] = jig_prewarm(p->engines[number % 2], p->texts[number], "sm_90", &p->result[number]);
  (void)snprintf(p->error[number], sizeof p->error[number], "%s", jig_last_error());
}

static void prewarm_together(prewarmers *p) {
  fake_compile_ms(SLOW_MS);
  run_together(THREADS, prewarm_one, p);
}

static int count_hits(const prewarmers *p) {
  int hits = 0;
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_msg(p->status[i] == JIG_SUCCESS, "%d: %s", i, p->error[i]);
    ck_assert_str_eq(p->result[i].key, p->result[0].key);
    hits += p->result[i].hit;
  }
  return hits;
}

START_TEST(one_engine_compiles_a_spec_once) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){.jobs = THREADS});
  prewarmers p = {.engines = {engine, engine}};
  char *text = spec_of("return a + b; // one engine");
  for (int i = 0; i < THREADS; ++i) p.texts[i] = text;
  prewarm_together(&p);
  ck_assert_int_eq(count_hits(&p), THREADS - 1);
  ck_assert_int_eq(fake_compiled().count, 1);
  jig_engine_stats stats = stats_of(engine);
  ck_assert_uint_eq(stats.misses, 1);
  ck_assert_uint_eq(stats.disk_hits, THREADS - 1);
  ck_assert_uint_eq(stats.failed_builds + stats.faults + stats.calls, 0);
  ck_assert(stats.compile_ms >= SLOW_MS && stats.compile_ms < 100 * SLOW_MS);
  ck_assert_ptr_nonnull(strstr(stats.last_miss, text));
  ck_assert_ptr_nonnull(strstr(stats.last_miss, "sm_90"));
  ck_assert_uint_eq(entries_in_cache(), 1);
  ck_assert_uint_eq(litter_in_cache(), 0);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(two_engines_of_one_cache_compile_a_spec_once) {
  engine_setup();
  prewarmers p = {.engines = {engine_with((jig_engine_config){.jobs = THREADS}),
                              engine_with((jig_engine_config){.jobs = THREADS})}};
  char *text = spec_of("return a + b; // two engines");
  for (int i = 0; i < THREADS; ++i) p.texts[i] = text;
  prewarm_together(&p);
  ck_assert_int_eq(count_hits(&p), THREADS - 1);
  ck_assert_int_eq(fake_compiled().count, 1);
  uint64_t misses = 0;
  for (int i = 0; i < 2; ++i) {
    jig_engine_stats stats = stats_of(p.engines[i]);
    ck_assert_uint_eq(stats.misses + stats.disk_hits, THREADS / 2);
    ck_assert_int_eq(stats.misses == 0, stats.last_miss[0] == '\0');
    misses += stats.misses;
    jig_engine_destroy(p.engines[i]);
  }
  ck_assert_uint_eq(misses, 1);
  ck_assert_uint_eq(entries_in_cache(), 1);
  jig_free(text);
  engine_teardown();
}
END_TEST

static char *text_for_children;
static bool prewarm_as_a_child(void) {
  jig_engine *engine = NULL;
  bool right = jig_engine_create(&engine, NULL) == JIG_SUCCESS &&
               jig_prewarm(engine, text_for_children, "sm_90", NULL) == JIG_SUCCESS;
  jig_engine_destroy(engine);
  return right;
}

START_TEST(processes_of_one_cache_compile_a_spec_once) {
  engine_setup();
  text_for_children = spec_of("return a + b; // processes");
  fake_compile_ms(SLOW_MS);
  ck_assert(is_true_in_children(4, prewarm_as_a_child));
  ck_assert_int_eq(fake_compiled().count, 1);
  ck_assert_uint_eq(entries_in_cache(), 1);
  jig_free(text_for_children);
  engine_teardown();
}
END_TEST

/* As many specs as threads: how many compilers run at once. */
static int most_at_once(unsigned jobs, const char *variable) {
  engine_setup();
  set_variable("JIG_JOBS", variable);
  jig_engine *engine = engine_with((jig_engine_config){.jobs = jobs});
  prewarmers p = {.engines = {engine, engine}};
  for (int i = 0; i < THREADS; ++i) {
    char body[64];
    (void)snprintf(body, sizeof body, "return a + b; // number %d", i);
    p.texts[i] = spec_of(body);
  }
  prewarm_together(&p);
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_msg(p.status[i] == JIG_SUCCESS && p.result[i].hit == 0, "%d: %s", i, p.error[i]);
    jig_free((char *)(uintptr_t)p.texts[i]);
  }
  fake_compilations all = fake_compiled();
  ck_assert_int_eq(all.count, THREADS);
  ck_assert_uint_eq(entries_in_cache(), THREADS);
  jig_engine_destroy(engine);
  engine_teardown();
  return all.most_at_once;
}

START_TEST(no_more_compilers_run_than_are_allowed) {
  ck_assert_int_eq(most_at_once(1, "3"), 1);
  ck_assert_int_eq(most_at_once(3, "1"), 3);
  ck_assert_int_eq(most_at_once(0, "2"), 2);
  ck_assert_int_eq(most_at_once(0, "none"), 1);
}
END_TEST

/* Every thread has the last error of its own call; a failure is tried again, and leaves nothing. */
START_TEST(failures_are_told_to_each_thread) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){.jobs = THREADS});
  prewarmers p = {.engines = {engine, engine}};
  char *good = spec_of("return a + b; // good"), *bad = spec_of("return does_not_compile;");
  for (int i = 0; i < THREADS; ++i) p.texts[i] = i < THREADS / 2 ? good : bad;
  prewarm_together(&p);
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(p.status[i], i < THREADS / 2 ? JIG_SUCCESS : JIG_ERROR_COMPILE);
    ck_assert_str_eq(p.error[i], i < THREADS / 2
                                     ? ""
                                     : "operator:1:8: error: identifier \"does_not_compile\" is "
                                       "undefined\n  return does_not_compile;\n         ^");
  }
  ck_assert_str_eq(jig_last_error(), "");
  ck_assert_int_eq(fake_compiled().count, 1 + THREADS / 2);
  ck_assert_uint_eq(stats_of(engine).failed_builds, THREADS / 2);
  ck_assert_uint_eq(stats_of(engine).misses, 1);
  ck_assert_uint_eq(entries_in_cache(), 1);
  ck_assert_uint_eq(litter_in_cache(), 0);
  jig_free(good);
  jig_free(bad);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- which entry is good enough */

START_TEST(another_compilers_entry_is_a_hit_unless_exact) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  char *text = spec_of("return a + b; // exact");
  char old[SCRATCH_PATH], renamed[SCRATCH_PATH];
  jig_prewarm_result result;
  OK(jig_prewarm(engine, text, "sm_90", &result));
  (void)snprintf(old, sizeof old, "%s/v1/%.2s/%s-13.0.jig", scratch_path("cache"), result.key,
                 result.key + 2);
  (void)snprintf(renamed, sizeof renamed, "%s/v1/%.2s/%s-12.9.jig", scratch_path("cache"), result.key,
                 result.key + 2);
  ck_assert_int_eq(rename(old, renamed), 0);
  OK(jig_prewarm(engine, text, "sm_90", &result));
  ck_assert_int_eq(result.hit, 1);
  jig_engine_destroy(engine);

  set_variable("JIG_CACHE_COMPILER", "exact");
  engine = engine_with((jig_engine_config){0});
  OK(jig_prewarm(engine, text, "sm_90", &result));
  ck_assert_int_eq(result.hit, 0);
  ck_assert(file_exists(old) && file_exists(renamed));
  ck_assert_int_eq(fake_compiled().count, 2);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(a_read_only_directory_serves_what_it_has) {
  engine_setup();
  char *text = spec_of("return a + b; // layer");
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = scratch_path("layer")});
  OK(jig_prewarm(engine, text, "sm_90", NULL));
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.cache_path = scratch_path("layer")});
  jig_prewarm_result result;
  OK(jig_prewarm(engine, text, "sm_90", &result));
  ck_assert_int_eq(result.hit, 1);
  ck_assert_uint_eq(stats_of(engine).disk_hits, 1);
  ck_assert(!file_exists(scratch_path("cache"))); /* nothing is copied */
  OK(jig_prewarm(engine, text, "sm_86", &result));
  ck_assert_int_eq(result.hit, 0);
  ck_assert_uint_eq(entries_in_cache(), 1);
  ck_assert_uint_eq(files_count(scratch_path("layer"), ".jig"), 1);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- calls. The driver's one device is an sm_90; kernels do nothing to memory of the host's own. */

static float items[128], sum;
static jig_reduce_args args_of(const char *body) {
  return (jig_reduce_args){.in = jig_pointer(items, JIG_F32),
                           .out = jig_pointer(&sum, JIG_F32),
                           .num_items = 100,
                           .op = jig_op_source(body)};
}

static jig_status query(jig_engine *engine, const char *body) {
  const jig_reduce_args args = args_of(body);
  size_t bytes = 0;
  return jig_reduce(engine, NULL, &bytes, &args, NULL);
}

typedef struct callers {
  jig_engine *engine;
  const char *body;
  jig_status status[THREADS];
  char error[THREADS][512];
} callers;

static void call_one(void *user, int number) {
  callers *c = user;
  c->status[number] = query(c->engine, c->body);
  (void)snprintf(c->error[number], sizeof c->error[number], "%s", jig_last_error());
}

START_TEST(one_thread_builds_for_all_that_call) {
  engine_setup();
  fake_compile_ms(SLOW_MS);
  /* Not even a cache is needed for that. */
  callers c = {.engine = engine_with((jig_engine_config){.cache_dir = ""}), .body = "return a + b;"};
  run_together(THREADS, call_one, &c);
  for (int i = 0; i < THREADS; ++i) ck_assert_msg(c.status[i] == JIG_SUCCESS, "%s", c.error[i]);
  ck_assert_int_eq(fake_compiled().count, 1);
  jig_engine_stats before = stats_of(c.engine);
  ck_assert_uint_eq(before.calls, THREADS);
  ck_assert_uint_eq(before.misses, 1);
  ck_assert_uint_eq(before.disk_hits, 0);
  ck_assert_uint_lt(before.memory_hits, THREADS);
  run_together(THREADS, call_one, &c);
  jig_engine_stats after = stats_of(c.engine);
  ck_assert_uint_eq(after.memory_hits, before.memory_hits + THREADS);
  ck_assert_uint_eq(after.calls, 2 * THREADS);
  ck_assert_uint_eq(after.misses, 1);
  jig_engine_destroy(c.engine);
  engine_teardown();
}
END_TEST

START_TEST(one_failure_is_told_to_all_that_call) {
  engine_setup();
  fake_compile_ms(SLOW_MS);
  callers c = {.engine = engine_with((jig_engine_config){0}), .body = "return does_not_compile;"};
  run_together(THREADS, call_one, &c);
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(c.status[i], JIG_ERROR_COMPILE);
    ck_assert_msg(strstr(c.error[i], "jig_reduce: operator:1:8: error:") == c.error[i], "%d: '%s'", i,
                  c.error[i]);
  }
  jig_engine_stats stats = stats_of(c.engine);
  ck_assert_int_eq((int)stats.failed_builds, fake_compiled().count);
  ck_assert_uint_ge(stats.failed_builds, 1);
  ck_assert_uint_eq(stats.misses + stats.memory_hits, 0);
  FAILS(query(c.engine, c.body), JIG_ERROR_COMPILE, "operator:1:8: error:"); /* tried again */
  ck_assert_uint_eq(stats_of(c.engine).failed_builds, stats.failed_builds + 1);
  ck_assert_uint_eq(entries_in_cache(), 0);
  jig_engine_destroy(c.engine);
  engine_teardown();
}
END_TEST

START_TEST(programs_come_from_memory_then_disk_then_compiler) {
  engine_setup();
  static const char body[] = "return a + b; // memory and disk";
  jig_engine *engine = engine_with((jig_engine_config){0});
  OK(query(engine, body));
  OK(query(engine, body));
  OK(jig_cache_clear(engine, NULL)); /* what is in memory stays */
  OK(query(engine, body));
  jig_engine_stats stats = stats_of(engine);
  ck_assert_uint_eq(stats.misses, 1);
  ck_assert_uint_eq(stats.memory_hits, 2);
  ck_assert_uint_eq(stats.calls, 3);
  jig_engine_destroy(engine);

  engine = engine_with((jig_engine_config){0});
  OK(query(engine, body)); /* back on disk */
  jig_engine_destroy(engine);
  engine = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  OK(query(engine, body));
  stats = stats_of(engine);
  ck_assert_uint_eq(stats.disk_hits, 1);
  ck_assert_uint_eq(stats.misses, 0);
  ck_assert(stats.compile_ms == 0 && stats.load_ms > 0);
  ck_assert_str_eq(stats.last_miss, "");
  FAILS(query(engine, "return a * b; // memory and disk"), JIG_ERROR_NOT_BUILT,
        "return a * b; // memory and disk");
  ck_assert_uint_eq(stats_of(engine).failed_builds, 1);
  ck_assert_int_eq(fake_compiled().count, 2);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

START_TEST(without_a_usable_cache_calls_work) {
  engine_setup();
  file_write(scratch_path("file"), "", 0); /* nobody, root included, makes a directory below a file */
  static const char body[] = "return a + b; // no cache";
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = scratch_path("file/cache")});
  OK(query(engine, body));
  OK(query(engine, body));
  jig_engine_stats stats = stats_of(engine);
  ck_assert_uint_eq(stats.misses, 1);
  ck_assert_uint_eq(stats.memory_hits, 1);
  ck_assert_ptr_nonnull(strstr(stats.last_miss, body));
  ck_assert_ptr_nonnull(strstr(stats.last_miss, "sm_90"));
  ck_assert_ptr_nonnull(strstr(stats.cache_warning, scratch_path("file/cache")));
  char *text = spec_of(body);
  FAILS(jig_prewarm(engine, text, "sm_90", NULL), JIG_ERROR_CACHE, scratch_path("file/cache"));
  ck_assert_uint_eq(stats_of(engine).misses, 2); /* compiled it was */
  ck_assert_uint_eq(stats_of(engine).failed_builds, 0);
  ck_assert_int_eq(fake_compiled().count, 2);
  jig_free(text);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- memory of the caller's own */

typedef struct pool {
  unsigned char storage[1 << 16];
  size_t taken;
  int takes, gives;
  bool empty, wrong;
} pool;

static void *take(void *user, size_t bytes, CUstream stream) {
  pool *p = user;
  ++p->takes;
  p->taken = bytes;
  p->wrong |= stream != (CUstream)p || bytes == 0 || bytes > sizeof p->storage;
  return p->empty ? NULL : p->storage;
}

static void give(void *user, void *pointer, size_t bytes, CUstream stream) {
  pool *p = user;
  ++p->gives;
  p->wrong |= stream != (CUstream)p || bytes != p->taken || pointer != p->storage;
}

START_TEST(temp_storage_comes_from_the_configured_allocator) {
  engine_setup();
  pool *p = calloc(1, sizeof *p);
  jig_engine *engine =
      engine_with((jig_engine_config){.allocate = take, .release = give, .allocator_user = p});
  const jig_reduce_args args = args_of("return a + b; // allocator");
  size_t bytes = 0;
  OK(jig_reduce(engine, NULL, &bytes, &args, (CUstream)p)); /* a query takes none */
  ck_assert_int_eq(p->takes, 0);
  OK(jig_reduce(engine, NULL, NULL, &args, (CUstream)p));
  ck_assert(p->takes == 1 && p->gives == 1 && !p->wrong);
  ck_assert_uint_eq(p->taken, bytes);
  p->empty = true;
  FAILS(jig_reduce(engine, NULL, NULL, &args, (CUstream)p), JIG_ERROR_OUT_OF_MEMORY,
        "jig_reduce: the engine's allocate has no");
  ck_assert(p->takes == 2 && p->gives == 1 && !p->wrong);
  p->empty = false;
  set_variable("FAKE_FAIL", "cuLaunchKernel");
  FAILS(jig_reduce(engine, NULL, NULL, &args, (CUstream)p), JIG_ERROR_CUDA, "CUDA_ERROR_FAKE");
  ck_assert(p->takes == 3 && p->gives == 2 && !p->wrong); /* given back all the same */
  jig_engine_destroy(engine);
  free(p);
  engine_teardown();
}
END_TEST

/* The driver tells on standard error what is still loaded. */
static bool something_is_loaded(void) {
  unsigned char said[256];
  (void)fflush(stderr);
  int kept = dup(STDERR_FILENO);
  ck_assert_ptr_nonnull(freopen(scratch_path("said"), "w", stderr));
  ck_assert_int_eq(driver_get()->cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  (void)fflush(stderr);
  ck_assert_int_eq(dup2(kept, STDERR_FILENO), STDERR_FILENO);
  (void)close(kept);
  return file_read(scratch_path("said"), said, sizeof said) > 0;
}

START_TEST(destroying_an_engine_unloads_its_programs) {
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  char body[64];
  for (int i = 0; i < 40; ++i) { /* more than the table holds at first */
    (void)snprintf(body, sizeof body, "return a + b; // %d", i);
    OK(query(engine, body));
  }
  ck_assert(something_is_loaded());
  ck_assert_uint_eq(stats_of(engine).misses, 40);
  for (int i = 0; i < 40; ++i) {
    (void)snprintf(body, sizeof body, "return a + b; // %d", i);
    OK(query(engine, body));
  }
  ck_assert_uint_eq(stats_of(engine).memory_hits, 40);
  jig_engine_destroy(engine);
  ck_assert(!something_is_loaded());
  engine_teardown();
}
END_TEST

/* ---- cancellation */

static void *prewarm_and_be_cancelled(void *argument) {
  prewarmers *p = argument;
  prewarm_one(p, 0);
  for (;;) pthread_testcancel();
  return NULL;
}

/* Nobody is left waiting for a thread that has gone. */
START_TEST(who_is_cancelled_finishes_the_build) {
  engine_setup();
  set_variable("JIG_JOBS", "1");
  fake_compile_ms(300);
  jig_engine *engine = engine_with((jig_engine_config){0});
  prewarmers p = {.engines = {engine, engine}};
  for (int i = 0; i < THREADS; ++i)
    p.texts[i] = spec_of(i == 0 ? "return a + b; // cancelled" : "return a + b; // next");
  pthread_t thread;
  void *outcome;
  ck_assert_int_eq(pthread_create(&thread, NULL, prewarm_and_be_cancelled, &p), 0);
  while (fake_compiled().count == 0) (void)usleep(1000);
  ck_assert_int_eq(pthread_cancel(thread), 0);
  prewarm_one(&p, 1);
  ck_assert_int_eq(pthread_join(thread, &outcome), 0);
  ck_assert_ptr_eq(outcome, PTHREAD_CANCELED);
  for (int i = 0; i < 2; ++i) ck_assert_msg(p.status[i] == JIG_SUCCESS, "%d: %s", i, p.error[i]);
  ck_assert_uint_eq(entries_in_cache(), 2);
  ck_assert_uint_eq(litter_in_cache(), 0);
  for (int i = 0; i < THREADS; ++i) jig_free((char *)(uintptr_t)p.texts[i]);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* ---- signals */

typedef struct building {
  jig_engine *engine;
  char *text;
  jig_status status;
  atomic_int thread; /* as the kernel numbers it */
  atomic_bool done;
} building;

static void *build_there(void *argument) {
  building *b = argument;
  atomic_store(&b->thread, (int)gettid());
  b->status = jig_prewarm(b->engine, b->text, "sm_90", NULL);
  atomic_store(&b->done, true);
  return NULL;
}

/* Whether a thread of this process keeps a signal from itself, or has ended. One that is just ending has
 * no mask any more, and no number of threads. */
static bool blocks(const char *thread, int number) {
  char path[64], line[256];
  unsigned long long mask = ~0ULL;
  int threads = 1;
  (void)snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
  FILE *status = fopen(path, "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    (void)sscanf(line, "Threads: %d", &threads);
    (void)sscanf(line, "SigBlk: %llx", &mask);
  }
  if (status != NULL) (void)fclose(status);
  return threads == 0 || (mask >> (number - 1) & 1) != 0;
}

/* How many threads there are but for this one and the builder's; each is jig's. */
static int check_threads(const building *b) {
  DIR *threads = opendir("/proc/self/task");
  int count = 0;
  ck_assert_ptr_nonnull(threads);
  for (const struct dirent *t; (t = readdir(threads)) != NULL;) {
    const int thread = atoi(t->d_name);
    if (thread == 0 || thread == getpid() || thread == atomic_load(&b->thread)) continue;
    ck_assert_msg(blocks(t->d_name, SIGUSR1), "thread %d gets signals", thread);
    ++count;
  }
  (void)closedir(threads);
  return count;
}

/* Neither those that compile nor those that wait for them. */
START_TEST(threads_of_a_build_get_no_signals) {
  engine_setup();
  fake_compile_ms(SLOW_MS);
  building b = {.engine = engine_with((jig_engine_config){.jobs = 2})};
  const jig_scan_args args = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  pthread_t thread;
  int most = 0;
  OK(jig_scan_spec(&args, &b.text));
  ck_assert_int_eq(pthread_create(&thread, NULL, build_there, &b), 0);
  while (atomic_load(&b.thread) == 0) (void)usleep(1000);
  while (!atomic_load(&b.done)) {
    const int count = check_threads(&b);
    if (count > most) most = count;
    (void)usleep(1000);
  }
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(b.status, JIG_SUCCESS);
  ck_assert_int_eq(most, 3); /* two kernels at once */
  jig_free(b.text);
  jig_engine_destroy(b.engine);
  engine_teardown();
}
END_TEST

/* ---- fork */

typedef struct forking {
  jig_engine *engine;
  char *slow;
  jig_status status;
  bool child_was_told;
} forking;

static bool has_no_compiler_as_a_child(void) {
  return jig_prewarm(NULL, text_for_children, "sm_90", NULL) == JIG_ERROR_NO_COMPILER &&
         strstr(jig_last_error(), "forked while") != NULL;
}

static void compile_or_fork(void *user, int number) {
  forking *f = user;
  if (number == 0) {
    f->status = jig_prewarm(f->engine, f->slow, "sm_90", NULL);
    return;
  }
  while (fake_compiled().count == 0) (void)usleep(1000);
  (void)setenv("FAKE_NVRTC_MS", "0", 1); /* the other has read it */
  f->child_was_told = is_true_in_a_child(has_no_compiler_as_a_child);
}

/* At the fork the compiler is at work, in a thread that the child does not have, and may hold locks. A
 * child of later on is not concerned. */
START_TEST(a_child_is_told_that_its_parent_compiles) {
  engine_setup();
  set_variable("JIG_JOBS", "1");
  fake_compile_ms(2000);
  forking f = {.engine = engine_with((jig_engine_config){0}), .slow = spec_of("return a + b; // slow")};
  text_for_children = spec_of("return a + b; // child");
  run_together(2, compile_or_fork, &f);
  ck_assert_int_eq(f.status, JIG_SUCCESS);
  ck_assert(f.child_was_told);
  ck_assert(is_true_in_a_child(prewarm_as_a_child));
  ck_assert_int_eq(fake_compiled().count, 2);
  ck_assert_uint_eq(entries_in_cache(), 2);
  ck_assert_uint_eq(litter_in_cache(), 0);
  jig_free(f.slow);
  jig_free(text_for_children);
  jig_engine_destroy(f.engine);
  engine_teardown();
}
END_TEST

static struct {
  jig_engine *engine;
  atomic_bool stop, wrong;
} inherited;

static bool the_inherited_engine_finds_and_counts(void) {
  jig_engine_stats before, after;
  return jig_engine_get_stats(inherited.engine, &before) == JIG_SUCCESS &&
         jig_prewarm(inherited.engine, text_for_children, "sm_90", NULL) == JIG_SUCCESS &&
         jig_engine_get_stats(inherited.engine, &after) == JIG_SUCCESS &&
         after.disk_hits == before.disk_hits + 1;
}

static void fork_beside_counting(void *user, int number) {
  (void)user;
  jig_engine_stats stats;
  while (number > 0 && !atomic_load(&inherited.stop))
    (void)jig_engine_get_stats(inherited.engine, &stats);
  if (number > 0) return;
  const int forks = under_valgrind() ? 5 : 50;
  for (int i = 0; i < forks && !atomic_load(&inherited.wrong); ++i) {
    if (!is_true_in_a_child(the_inherited_engine_finds_and_counts)) atomic_store(&inherited.wrong, true);
  }
  atomic_store(&inherited.stop, true);
}

START_TEST(a_child_can_count_whatever_its_parent_is_at) {
  engine_setup();
  inherited.engine = engine_with((jig_engine_config){0});
  text_for_children = spec_of("return a + b; // counting");
  OK(jig_prewarm(inherited.engine, text_for_children, "sm_90", NULL));
  run_together(3, fork_beside_counting, NULL);
  ck_assert(!atomic_load(&inherited.wrong));
  ck_assert_uint_eq(stats_of(inherited.engine).disk_hits, 0); /* the children's are theirs */
  jig_free(text_for_children);
  jig_engine_destroy(inherited.engine);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(one_engine_compiles_a_spec_once),
      SUITE_TEST(two_engines_of_one_cache_compile_a_spec_once),
      SUITE_TEST(processes_of_one_cache_compile_a_spec_once),
      SUITE_TEST(no_more_compilers_run_than_are_allowed),
      SUITE_TEST(failures_are_told_to_each_thread),
      SUITE_TEST(another_compilers_entry_is_a_hit_unless_exact),
      SUITE_TEST(a_read_only_directory_serves_what_it_has),
      SUITE_TEST(one_thread_builds_for_all_that_call),
      SUITE_TEST(one_failure_is_told_to_all_that_call),
      SUITE_TEST(programs_come_from_memory_then_disk_then_compiler),
      SUITE_TEST(without_a_usable_cache_calls_work),
      SUITE_TEST(temp_storage_comes_from_the_configured_allocator),
      SUITE_TEST(destroying_an_engine_unloads_its_programs),
      SUITE_TEST(who_is_cancelled_finishes_the_build),
      SUITE_TEST(threads_of_a_build_get_no_signals),
      SUITE_TEST(a_child_is_told_that_its_parent_compiles),
      SUITE_TEST(a_child_can_count_whatever_its_parent_is_at),
  };
  if (!fakes_open("unit/builds")) return EXIT_SUCCESS;
  int answer = SUITE_RUN("unit/builds", tests, false);
  fakes_close();
  return answer;
}
