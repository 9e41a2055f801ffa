/* Processes and threads that put, get, evict, lock and clear at the same time, on the same few keys. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/files.h"
#include "store/lock.h"
#include "store_support.h"

enum { KEYS = 8, PROCESSES = 8, THREADS = 4, ROUNDS = 400, LIMIT = 120000 };

static const char *step(store *s, unsigned *seed, bool clears) {
  unsigned n = (unsigned)rand_r(seed) % KEYS, what = (unsigned)rand_r(seed) % 100;
  if (what < 40) return sample_put(s, n, (size_t)rand_r(seed) % 60000) ? NULL : "a put failed";
  if (what < 90) {
    entry found;
    if (!store_get(s, sample_key(n), sample_record(n), NULL, &found)) return NULL;
    bool same = sample_is(&found, n);
    entry_free(&found);
    return same ? NULL : "a get found something else";
  }
  if (what < 98) {
    store_lock lock = store_lock_key(s, sample_key(n), 5);
    store_unlock_key(s, sample_key(n), lock);
  } else if (clears) {
    (void)store_clear(s, NULL);
  }
  return NULL;
}

/* NULL, or what went wrong. */
static const char *work(store *s, unsigned seed, int rounds, bool clears) {
  const char *fault = NULL;
  for (int i = 0; i < rounds && fault == NULL; ++i) fault = step(s, &seed, clears);
  if (fault == NULL && store_get_counts(s).faults != 0) fault = "an entry was damaged";
  return fault;
}

static void race_processes(bool clears) {
  pid_t children[PROCESSES];
  for (unsigned i = 0; i < PROCESSES; ++i) {
    children[i] = fork();
    ck_assert_int_ge(children[i], 0);
    if (children[i] != 0) continue;
    store *s = scratch_store(LIMIT);
    const char *fault = work(s, (unsigned)getpid(), ROUNDS, clears);
    if (fault != NULL) (void)fprintf(stderr, "%s (%s)\n", fault, warning_of(s));
    store_close(s);
    end_child(fault == NULL ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int failed = 0;
  for (int i = 0; i < PROCESSES; ++i) {
    int status;
    ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
    failed += status != 0;
  }
  ck_assert_int_eq(failed, 0);
}

static void check_afterwards(void) {
  (void)unlink(scratch_path("cache/v1/usage"));
  store *s = scratch_store(LIMIT);
  ck_assert_uint_eq(survey_of(s).damaged, 0);
  ck_assert(sample_put(s, 0, 100));
  uint64_t bytes = files_bytes(scratch_path("cache"), ".jig");
  ck_assert_uint_le(bytes, LIMIT);
  ck_assert_uint_eq(usage_number(), bytes);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 0);
  store_close(s);
}

START_TEST(test_processes) {
  race_processes(false);
  check_afterwards();
}
END_TEST

START_TEST(test_processes_that_clear) {
  race_processes(true);
  check_afterwards();
}
END_TEST

typedef struct worker {
  store *s;
  unsigned seed;
  const char *fault;
  pthread_t thread;
} worker;

static void *run_worker(void *argument) {
  worker *w = argument;
  w->fault = work(w->s, w->seed, ROUNDS, true);
  if (w->fault == NULL) (void)warning_of(w->s);
  return NULL;
}

START_TEST(test_threads_of_one_store) {
  worker workers[THREADS] = {0};
  /* Its parents are yet to be made, too. */
  store *s = scratch_store_at(scratch_path("a/b/c/cache"), NULL, LIMIT);
  for (unsigned i = 0; i < THREADS; ++i) {
    workers[i].s = s;
    workers[i].seed = i;
    ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
  for (int i = 0; i < THREADS; ++i) ck_assert_msg(workers[i].fault == NULL, "%s", workers[i].fault);
  ck_assert_uint_eq(survey_of(s).damaged, 0);
  store_close(s);
  ck_assert_uint_eq(files_count(scratch_path("a"), ".tmp"), 0);
}
END_TEST

/* The warning is the one thing that threads write together. */
typedef struct warner {
  store *s;
  atomic_bool stop;
} warner;

static void *warn_all_the_time(void *argument) {
  warner *w = argument;
  for (unsigned i = 0; !atomic_load(&w->stop); ++i) {
    entry refused = sample_entry(1, 10, i % 2 == 0 ? "x" : "y");
    if (i % 64 < 2) (void)store_put(w->s, sample_key(1), &refused);
    (void)warning_of(w->s);
  }
  return NULL;
}

/* A child that is forked meanwhile can use the store, whatever the other threads were at. */
START_TEST(test_fork_beside_threads) {
  warner w = {.s = scratch_store(0)};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, warn_all_the_time, &w), 0);
  for (int i = 0; i < 50; ++i) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
      (void)alarm(20);
      bool works = sample_put(w.s, 1, 100) && sample_get(w.s, 1);
      store_close(w.s);
      end_child(works ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
  }
  atomic_store(&w.stop, true);
  for (int i = 0; i < 2; ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  store_close(w.s);
}
END_TEST

/* Sweeps a directory over and over, also between the steps of a put. */
typedef struct sweeper {
  int dir;
  bool old;
  atomic_bool stop;
} sweeper;

static void *sweep_all_the_time(void *argument) {
  sweeper *w = argument;
  while (!atomic_load(&w->stop)) {
    DIR *list = files_list(w->dir);
    for (struct dirent *file; list != NULL && (file = readdir(list)) != NULL;) {
      if (strncmp(file->d_name, ".tmp", 4) == 0) (void)lock_sweep(w->dir, file->d_name, w->old);
    }
    if (list != NULL) (void)closedir(list);
  }
  return NULL;
}

/* Young temporary files may be looked at (old) or even removed if nobody holds them yet. */
static void write_beside_a_sweeper(bool old) {
  sweeper w = {.dir = open(scratch_path("%s", ""), O_RDONLY | O_DIRECTORY | O_CLOEXEC), .old = old};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, sweep_all_the_time, &w), 0);
  int error = 0;
  for (int i = 0; i < 6000 && error == 0; ++i) {
    files_temporary temporary;
    error = files_write(w.dir, "", 0, &temporary);
    if (error == 0) error = files_publish(w.dir, &temporary, "published");
  }
  atomic_store(&w.stop, true);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_msg(error == 0, "%s", strerror(error));
  ck_assert_uint_eq(files_count(scratch_path("%s", ""), ".tmp"), 0);
  (void)close(w.dir);
}

START_TEST(test_sweeper_that_looks) {
  write_beside_a_sweeper(true);
}
END_TEST
START_TEST(test_sweeper_that_removes) {
  write_beside_a_sweeper(false);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_processes);
  tcase_add_test(tests, test_processes_that_clear);
  tcase_add_test(tests, test_threads_of_one_store);
  tcase_add_test(tests, test_fork_beside_threads);
  tcase_add_test(tests, test_sweeper_that_looks);
  tcase_add_test(tests, test_sweeper_that_removes);
}

int main(void) {
  return run_suite("store, races", fill, 120);
}
