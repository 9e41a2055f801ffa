/* The lock of a key: one holder at a time, none once he is dead, and never a wait without end. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/lock.h"
#include "store_support.h"

static hash128 key_of(unsigned n) {
  return sample_key(n);
}

static const char *lock_path(unsigned n) {
  char hex[HASH_HEX_SIZE];
  hash_hex(key_of(n), hex);
  return scratch_path("cache/v1/%.2s/%s.lock", hex, hex + 2);
}

/* A process that holds the lock of sample 1 until it is killed. */
static pid_t fork_holder(void) {
  int ready[2];
  ck_assert_int_eq(pipe(ready), 0);
  pid_t holder = fork();
  ck_assert_int_ge(holder, 0);
  if (holder == 0) {
    store *s = scratch_store(0);
    char held = store_lock_key(s, key_of(1), 0).fd >= 0;
    (void)!write(ready[1], &held, 1);
    for (;;) (void)pause();
  }
  char held = 0;
  ck_assert_int_eq((int)read(ready[0], &held, 1), 1);
  ck_assert_int_eq(held, 1);
  (void)close(ready[0]);
  (void)close(ready[1]);
  return holder;
}

static void end_holder(pid_t holder) {
  ck_assert_int_eq(kill(holder, SIGKILL), 0);
  ck_assert_int_eq(waitpid(holder, NULL, 0), holder);
}

START_TEST(test_lock_and_unlock) {
  store *s = scratch_store(0);
  store_lock lock = store_lock_key(s, key_of(1), 0);
  ck_assert_int_ge(lock.fd, 0);
  ck_assert(file_exists(lock_path(1)));
  store_lock other = store_lock_key(s, key_of(2), 0);
  ck_assert_msg(other.fd >= 0, "another key");
  store_unlock_key(s, key_of(1), lock);
  store_unlock_key(s, key_of(2), other);
  ck_assert_msg(!file_exists(lock_path(1)), "nothing stays behind");
  lock = store_lock_key(s, key_of(1), 0);
  ck_assert_int_ge(lock.fd, 0);
  store_unlock_key(s, key_of(1), lock);
  store_close(s);
}
END_TEST

START_TEST(test_waiting_is_bounded) {
  pid_t holder = fork_holder();
  store *s = scratch_store(0);
  double start = now_ms();
  store_lock lock = store_lock_key(s, key_of(1), 150);
  double took = now_ms() - start;
  ck_assert_int_eq(lock.fd, -1);
  ck_assert_msg(took >= 149 && took < 2000, "%g ms", took);
  store_unlock_key(s, key_of(1), lock);
  ck_assert_msg(file_exists(lock_path(1)), "it is still the holder's");
  ck_assert_msg(sample_put(s, 1, 10) && sample_get(s, 1), "work goes on without");
  ck_assert_int_eq(store_lock_key(s, key_of(1), 0).fd, -1);
  end_holder(holder);
  store_close(s);
}
END_TEST

START_TEST(test_lock_of_the_dead_is_free) {
  store *s = scratch_store(0);
  for (int i = 0; i < 10; ++i) {
    end_holder(fork_holder());
    ck_assert_msg(file_exists(lock_path(1)), "left by the dead");
    double start = now_ms();
    store_lock lock = store_lock_key(s, key_of(1), 10000);
    ck_assert_msg(lock.fd >= 0 && now_ms() - start < 1000, "%g ms", now_ms() - start);
    store_unlock_key(s, key_of(1), lock);
  }
  store_close(s);
}
END_TEST

static void *kill_soon(void *argument) {
  (void)usleep(100000);
  (void)kill(*(pid_t *)argument, SIGKILL);
  return NULL;
}

START_TEST(test_holder_dies_while_another_waits) {
  pid_t holder = fork_holder();
  pthread_t thread;
  store *s = scratch_store(0);
  double start = now_ms();
  ck_assert_int_eq(pthread_create(&thread, NULL, kill_soon, &holder), 0);
  store_lock lock = store_lock_key(s, key_of(1), 10000);
  double took = now_ms() - start;
  ck_assert_int_ge(lock.fd, 0);
  ck_assert_msg(took >= 90 && took < 2000, "%g ms", took);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(waitpid(holder, NULL, 0), holder);
  store_unlock_key(s, key_of(1), lock);
  store_close(s);
}
END_TEST

typedef struct team {
  store *s;
  atomic_int inside, rounds, without;
} team;

static void *take_turns(void *argument) {
  team *t = argument;
  for (int i = 0; i < 30; ++i) {
    store_lock lock = store_lock_key(t->s, key_of(1), 20000);
    if (lock.fd < 0) {
      atomic_fetch_add(&t->without, 1);
      continue;
    }
    if (atomic_fetch_add(&t->inside, 1) == 0) atomic_fetch_add(&t->rounds, 1);
    (void)usleep(100);
    atomic_fetch_sub(&t->inside, 1);
    store_unlock_key(t->s, key_of(1), lock);
  }
  return NULL;
}

/* The lock file is removed and made anew all the time meanwhile, by its holders and by a sweeper. */
START_TEST(test_threads_exclude_each_other) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  team t = {.s = scratch_store(0)};
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(pthread_create(&threads[i], NULL, take_turns, &t), 0);
  }
  for (int i = 0; i < 200; ++i) {
    (void)store_clear(t.s, NULL);
    (void)usleep(200);
  }
  for (int i = 0; i < THREADS; ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  ck_assert_int_eq(atomic_load(&t.without), 0);
  ck_assert_int_eq(atomic_load(&t.rounds), THREADS * 30);
  store_close(t.s);
}
END_TEST

/* A counter in a file, incremented without care by processes that hold the lock. */
START_TEST(test_processes_exclude_each_other) {
  enum { PROCESSES = 6, TURNS = 30 };
  uint32_t count = 0;
  file_write(scratch_path("counter"), &count, sizeof count);
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; ++i) {
    children[i] = fork();
    ck_assert_int_ge(children[i], 0);
    if (children[i] != 0) continue;
    store *s = scratch_store(0);
    int counter = open(scratch_path("counter"), O_RDWR | O_CLOEXEC), missed = 0;
    for (int turn = 0; turn < TURNS; ++turn) {
      store_lock lock = store_lock_key(s, key_of(1), 20000);
      missed += lock.fd < 0 || pread(counter, &count, sizeof count, 0) != (ssize_t)sizeof count;
      ++count;
      (void)usleep(50);
      missed += pwrite(counter, &count, sizeof count, 0) != (ssize_t)sizeof count;
      store_unlock_key(s, key_of(1), lock);
    }
    store_close(s);
    end_child(missed);
  }
  for (int i = 0; i < PROCESSES; ++i) {
    int status;
    ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
    ck_assert_int_eq(status, 0);
  }
  ck_assert_uint_eq(file_read(scratch_path("counter"), (unsigned char *)&count, sizeof count),
                    sizeof count);
  ck_assert_uint_eq(count, PROCESSES * TURNS);
}
END_TEST

typedef struct waiter {
  store *s;
  store_lock lock;
  double took;
} waiter;

static void *wait_for_lock(void *argument) {
  waiter *w = argument;
  double start = now_ms();
  w->lock = store_lock_key(w->s, key_of(1), 8000);
  w->took = now_ms() - start;
  return NULL;
}

/* A child that was forked while the lock was held has its descriptor too, but does not keep the lock from
 * one who waits for it. */
START_TEST(test_forked_child_does_not_keep_the_lock) {
  waiter w = {.s = scratch_store(0)};
  store_lock lock = store_lock_key(w.s, key_of(1), 0);
  ck_assert_int_ge(lock.fd, 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    for (;;) (void)pause();
  }
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_lock, &w), 0);
  (void)usleep(100000);
  store_unlock_key(w.s, key_of(1), lock);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_msg(w.lock.fd >= 0 && w.took < 4000, "%g ms", w.took);
  store_unlock_key(w.s, key_of(1), w.lock);
  end_holder(child);
  store_close(w.s);
}
END_TEST

/* Somebody empties the cache by hand under a holder: his release must not take the next one's lock. */
START_TEST(test_release_leaves_the_lock_of_another) {
  store *s = scratch_store(0);
  store_lock first = store_lock_key(s, key_of(1), 0);
  ck_assert_int_eq(unlink(lock_path(1)), 0);
  store_lock second = store_lock_key(s, key_of(1), 0);
  ck_assert_int_ge(second.fd, 0);
  store_unlock_key(s, key_of(1), first);
  ck_assert(file_exists(lock_path(1)));
  ck_assert_int_eq(store_lock_key(s, key_of(1), 0).fd, -1);
  store_unlock_key(s, key_of(1), second);
  ck_assert(!file_exists(lock_path(1)));
  store_close(s);
}
END_TEST

START_TEST(test_oddities_in_place_of_the_lock) {
  store *s = scratch_store(0);
  store_unlock_key(s, key_of(1), store_lock_key(s, key_of(1), 0));
  ck_assert_int_eq(symlink(scratch_path("elsewhere"), lock_path(1)), 0);
  ck_assert_int_eq(store_lock_key(s, key_of(1), 1000).fd, -1);
  ck_assert(!file_exists(scratch_path("elsewhere")));
  ck_assert_int_eq(unlink(lock_path(1)), 0);
  ck_assert_int_eq(mkdir(lock_path(1), 0700), 0);
  double start = now_ms();
  ck_assert_int_eq(store_lock_key(s, key_of(1), 1000).fd, -1);
  ck_assert_msg(now_ms() - start < 900, "there is nothing to wait for");
  store_close(s);
}
END_TEST

/* O_PATH descriptors cannot be locked: what a file system without locks looks like. */
START_TEST(test_where_locks_do_not_work) {
  int fd = open("/", O_PATH | O_CLOEXEC);
  double start = now_ms();
  ck_assert_int_eq(lock_wait(fd, 1000), LOCK_IMPOSSIBLE);
  ck_assert(now_ms() - start < 900);
  (void)close(fd);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_lock_and_unlock);
  tcase_add_test(tests, test_waiting_is_bounded);
  tcase_add_test(tests, test_lock_of_the_dead_is_free);
  tcase_add_test(tests, test_holder_dies_while_another_waits);
  tcase_add_test(tests, test_threads_exclude_each_other);
  tcase_add_test(tests, test_processes_exclude_each_other);
  tcase_add_test(tests, test_forked_child_does_not_keep_the_lock);
  tcase_add_test(tests, test_release_leaves_the_lock_of_another);
  tcase_add_test(tests, test_oddities_in_place_of_the_lock);
  tcase_add_test(tests, test_where_locks_do_not_work);
}

int main(void) {
  return run_suite("store, locks", fill, 60);
}
