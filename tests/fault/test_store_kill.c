/* A writer that is killed at any moment leaves no bad entry, no lock that holds anybody up, and at most
 * temporary files. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_support.h"

enum { KEYS = 6, KILLS = 200 };

static _Noreturn void write_forever(uint64_t max_size, unsigned seed) {
  store *s = scratch_store(max_size);
  for (unsigned i = seed;; ++i) {
    unsigned n = i % KEYS;
    store_lock lock = store_lock_key(s, sample_key(n), 50);
    (void)sample_put(s, n, 1 + i * 997 % 60000);
    store_unlock_key(s, sample_key(n), lock);
  }
}

static void kill_a_writer(uint64_t max_size, unsigned seed) {
  pid_t writer = fork();
  ck_assert_int_ge(writer, 0);
  if (writer == 0) write_forever(max_size, seed);
  (void)usleep((useconds_t)(rand() % 6000));
  ck_assert_int_eq(kill(writer, SIGKILL), 0);
  int status;
  ck_assert_int_eq(waitpid(writer, &status, 0), writer);
  ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the writer ended by itself: %d",
                status);
}

static void kill_many(uint64_t max_size) {
  unsigned seed = (unsigned)getpid();
  srand(seed);
  store *s = scratch_store(max_size);
  for (unsigned i = 0; i < KILLS; ++i) {
    kill_a_writer(max_size, (unsigned)rand() % 1000);
    ck_assert_msg(survey_of(s).damaged == 0, "seed %u, kill %u", seed, i);
    for (unsigned n = 0; n < KEYS; ++n) (void)sample_get(s, n);
    ck_assert(sample_put(s, i % KEYS, 100));
    ck_assert(sample_get(s, i % KEYS));
  }
  ck_assert_uint_eq(store_get_counts(s).faults, 0);
  ck_assert_str_eq(warning_of(s), "");
  store_close(s);
}

START_TEST(test_killed_writers_without_limit) {
  kill_many(0);
}
END_TEST

/* A limit that nearly every put exceeds: they die while evicting, too. The total of v1/usage is right or
 * known not to be, whenever they die; so it is right after the next put. */
START_TEST(test_killed_writers_that_evict) {
  const uint64_t limit = 100000;
  kill_many(limit);
  store *s = scratch_store(limit);
  ck_assert(sample_put(s, 0, 100));
  uint64_t bytes = files_bytes(scratch_path("cache"), ".jig");
  ck_assert_uint_eq(usage_number(), bytes);
  ck_assert_uint_le(bytes, limit);
  (void)store_clear(s, NULL);
  ck_assert_uint_eq(files_count(scratch_path("cache/v1"), ".tmp"), 0);
  ck_assert_uint_eq(files_count(scratch_path("cache/v1"), ".lock"), 0);
  ck_assert_uint_eq(files_count(scratch_path("cache/v1"), ".jig"), 0);
  store_close(s);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_killed_writers_without_limit);
  tcase_add_test(tests, test_killed_writers_that_evict);
}

int main(void) {
  return run_suite("store, killed writers", fill, 120);
}
