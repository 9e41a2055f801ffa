/* Calls of the operating system that fail under the cache: what could not be read or removed is told,
 * what cannot be locked is not waited for, nothing stays behind, and no more is read than has to be.
 *
 * The calls are those of this program, which come before those of the C library. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/files.h"
#include "store/layout.h"
#include "store/lock.h"
#include "store/usage.h"
#include "store_support.h"

/* ---- calls */

enum which { NONE, OPENAT, READDIR, FSTAT, FLOCK, UNLINKAT };

/* Calls of one function fail; those with names, for that name. */
static struct {
  enum which which;
  const char *name;
  int error;
} failing;
static atomic_size_t bytes_read;

static bool fails(enum which which, const char *name) {
  if (failing.which != which || (name != NULL && strcmp(name, failing.name) != 0)) return false;
  errno = failing.error;
  return true;
}

static void break_call(enum which which, const char *name, int error) {
  failing.name = name;
  failing.error = error;
  failing.which = which;
}

/* The C library's function, as `real`: a pointer to a function by one to an object, which ISO C does not
 * convert. */
#define REAL(function)                                                                  \
  static void *_Atomic symbol;                                                          \
  if (atomic_load(&symbol) == NULL) atomic_store(&symbol, dlsym(RTLD_NEXT, #function)); \
  void *found = atomic_load(&symbol);                                                   \
  __typeof__(&function) real;                                                           \
  memcpy(&real, &found, sizeof real);

int openat(int dir, const char *name, int flags, ...) {
  REAL(openat)
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return fails(OPENAT, name) ? -1 : real(dir, name, flags, mode);
}

struct dirent *readdir(DIR *list) {
  REAL(readdir)
  return fails(READDIR, NULL) ? NULL : real(list);
}

int fstat(int fd, struct stat *status) {
  REAL(fstat)
  return fails(FSTAT, NULL) ? -1 : real(fd, status);
}

int flock(int fd, int operation) {
  REAL(flock)
  return fails(FLOCK, NULL) ? -1 : real(fd, operation);
}

int unlinkat(int dir, const char *name, int flags) {
  REAL(unlinkat)
  return fails(UNLINKAT, name) ? -1 : real(dir, name, flags);
}

ssize_t read(int fd, void *bytes, size_t size) {
  REAL(read)
  const ssize_t got = real(fd, bytes, size);
  if (got > 0) atomic_fetch_add(&bytes_read, (size_t)got);
  return got;
}

/* ---- what cannot be read */

static int count_entry(void *user, const jig_cache_entry *e) {
  (void)e;
  ++*(unsigned *)user;
  return 0;
}

enum { ENTRIES = 20 };

static store *many_entries(void) {
  store *s = scratch_store(1 << 20);
  for (unsigned n = 0; n < ENTRIES; ++n) ck_assert(sample_put(s, n, 100));
  return s;
}

/* How many of the entries are in the shard of the first one. */
static unsigned in_first_shard(void) {
  unsigned count = 0;
  for (unsigned n = 0; n < ENTRIES; ++n)
    count += layout_shard_of(sample_key(n)) == layout_shard_of(sample_key(0));
  return count;
}

static char *first_shard(void) {
  static char name[LAYOUT_SHARD_SIZE];
  layout_shard(layout_shard_of(sample_key(0)), name);
  return name;
}

/* How many shards there are. */
static unsigned shards(void) {
  bool there[LAYOUT_SHARDS] = {false};
  unsigned count = 0;
  for (unsigned n = 0; n < ENTRIES; ++n) there[layout_shard_of(sample_key(n))] = true;
  for (unsigned i = 0; i < LAYOUT_SHARDS; ++i) count += there[i];
  return count;
}

/* Walking and clearing do what they can, and tell of the rest, by name. */
static void check_trouble(store *s, unsigned unseen, uint64_t count, const char *where, const char *why) {
  store_troubles troubles;
  unsigned seen = 0;
  store_walk(s, count_entry, &seen, &troubles);
  ck_assert_uint_eq(seen, ENTRIES - unseen);
  ck_assert_uint_eq(troubles.count, count);
  ck_assert_msg(strstr(troubles.first, where) != NULL, "%s", troubles.first);
  ck_assert_msg(strstr(troubles.first, why) != NULL, "%s", troubles.first);
  ck_assert_uint_eq(store_clear(s, &troubles), ENTRIES - unseen);
  ck_assert_uint_eq(troubles.count, count);
  ck_assert_msg(strstr(troubles.first, where) != NULL, "%s", troubles.first);
  failing.which = NONE;
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".jig"), unseen);
  if (unseen < ENTRIES) ck_assert_msg(usage_number() == UINT64_MAX, "what is left is not known");
  ck_assert(sample_put(s, ENTRIES, 100));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
  unsigned all = 0;
  store_walk(s, count_entry, &all, &troubles);
  ck_assert_uint_eq(all, unseen + 1);
  ck_assert_uint_eq(troubles.count, 0);
  store_close(s);
}

START_TEST(test_a_shard_that_cannot_be_opened) {
  store *s = many_entries();
  break_call(OPENAT, first_shard(), EACCES);
  check_trouble(s, in_first_shard(), 1, shard_path(0), "Permission denied");
}
END_TEST

START_TEST(test_a_shard_that_cannot_be_listed) {
  store *s = many_entries();
  break_call(OPENAT, ".", EMFILE);
  check_trouble(s, ENTRIES, shards(), "/v1/", "Too many");
}
END_TEST

START_TEST(test_shards_that_cannot_be_read) {
  store *s = many_entries();
  break_call(READDIR, NULL, EIO);
  check_trouble(s, ENTRIES, shards(), "/v1/", "Input/output error");
}
END_TEST

START_TEST(test_a_version_that_cannot_be_opened) {
  store *s = many_entries();
  break_call(OPENAT, LAYOUT_VERSION, EACCES);
  check_trouble(s, ENTRIES, 1, "/v1 is not used", "Permission denied");
}
END_TEST

/* A directory that is not there is no trouble. */
START_TEST(test_nothing_is_no_trouble) {
  store *s = scratch_store_at(scratch_path("cache"), scratch_path("layer"), 0);
  store_troubles troubles = {.count = 7};
  unsigned seen = 0;
  store_walk(s, count_entry, &seen, &troubles);
  ck_assert_uint_eq(seen + troubles.count, 0);
  troubles.count = 7;
  ck_assert_uint_eq(store_clear(s, &troubles), 0);
  ck_assert_uint_eq(troubles.count, 0);
  store_close(s);
}
END_TEST

/* What is counted for an eviction has to be all. */
START_TEST(test_a_count_with_gaps_is_not_kept) {
  store *s = scratch_store(10 * sample_size(0, 100));
  for (unsigned n = 0; n < 9; ++n) ck_assert(sample_put(s, n, 100));
  break_call(OPENAT, first_shard(), EACCES);
  (void)unlink(scratch_path("cache/v1/usage"));
  unsigned n = 9;
  while (layout_shard_of(sample_key(n)) == layout_shard_of(sample_key(0))) ++n;
  ck_assert(sample_put(s, n, 100));
  ck_assert_uint_eq(usage_number(), UINT64_MAX);
  failing.which = NONE;
  ck_assert(sample_put(s, n + 1, 100));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
  store_close(s);
}
END_TEST

/* ---- what cannot be removed */

START_TEST(test_an_entry_that_cannot_be_removed) {
  store *s = many_entries();
  const char *file = sample_path(scratch_path("cache"), 0, "13.0");
  break_call(UNLINKAT, strrchr(file, '/') + 1, EPERM);
  store_troubles troubles;
  ck_assert_uint_eq(store_clear(s, &troubles), ENTRIES - 1);
  ck_assert_uint_eq(troubles.count, 1);
  ck_assert_msg(strstr(troubles.first, file) != NULL, "%s", troubles.first);
  ck_assert_msg(strstr(troubles.first, "not permitted") != NULL, "%s", troubles.first);
  ck_assert_uint_eq(usage_number(), sample_size(0, 100));
  failing.which = NONE;
  file_flip(file, 100, 1);
  break_call(UNLINKAT, strrchr(file, '/') + 1, EPERM);
  ck_assert(!sample_get(s, 0));
  ck_assert_msg(strstr(warning_of(s), file) != NULL, "%s", warning_of(s));
  failing.which = NONE;
  store_close(s);
}
END_TEST

/* The oldest entry has gone when it is to be evicted: that makes room as well, and no other goes for it.
 */
START_TEST(test_evicting_what_has_gone) {
  store *s = scratch_store(9 * sample_size(0, 100));
  for (unsigned n = 0; n < 9; ++n) {
    ck_assert(sample_put(s, n, 100));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), -1000 + (double)n);
  }
  break_call(UNLINKAT, strstr(sample_path(scratch_path("cache"), 0, "13.0"), "/v1/") + strlen("/v1/"),
             ENOENT);
  ck_assert_msg(sample_put(s, 9, 100), "two have to go");
  ck_assert_uint_eq(store_get_counts(s).evictions, 1);
  failing.which = NONE;
  ck_assert(!sample_get(s, 1) && sample_get(s, 2));
  store_close(s);
}
END_TEST

typedef struct clearer {
  store *s;
  pthread_barrier_t *start;
  uint64_t removed, troubles;
} clearer;

static void *clear_with_others(void *argument) {
  clearer *c = argument;
  store_troubles troubles;
  (void)pthread_barrier_wait(c->start);
  c->removed = store_clear(c->s, &troubles);
  c->troubles = troubles.count;
  return NULL;
}

/* Where locks do not work; otherwise the one on v1/usage lets in one after the other. */
START_TEST(test_clearing_by_several_at_once) {
  enum { CLEARERS = 4, ROUNDS = 20 };
  store *s = scratch_store(1 << 20);
  break_call(FLOCK, NULL, ENOLCK);
  for (int round = 0; round < ROUNDS; ++round) {
    pthread_t threads[CLEARERS];
    clearer all[CLEARERS];
    pthread_barrier_t start;
    uint64_t removed = 0;
    for (unsigned n = 0; n < 60; ++n) ck_assert(sample_put(s, n, 10));
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, CLEARERS), 0);
    for (int i = 0; i < CLEARERS; ++i) {
      all[i] = (clearer){.s = s, .start = &start};
      ck_assert_int_eq(pthread_create(&threads[i], NULL, clear_with_others, &all[i]), 0);
    }
    for (int i = 0; i < CLEARERS; ++i) {
      ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
      ck_assert_uint_eq(all[i].troubles, 0);
      removed += all[i].removed;
    }
    (void)pthread_barrier_destroy(&start);
    ck_assert_uint_eq(removed, 60);
  }
  store_close(s);
}
END_TEST

/* ---- locks */

static unsigned locks(void) {
  return files_count(scratch_path("cache"), ".lock");
}

/* No lock is had, at once, and none is left. */
static void check_no_lock(void) {
  store *s = scratch_store(1 << 20);
  double start = now_ms();
  store_lock lock = store_lock_key(s, sample_key(1), 5000);
  ck_assert_msg(now_ms() - start < 2000, "%g ms", now_ms() - start);
  ck_assert_int_eq(lock.fd, -1);
  ck_assert_uint_eq(locks(), 0);
  store_unlock_key(s, sample_key(1), lock);
  failing.which = NONE;
  lock = store_lock_key(s, sample_key(1), 5000);
  ck_assert_int_ge(lock.fd, 0);
  store_unlock_key(s, sample_key(1), lock);
  ck_assert_uint_eq(locks(), 0);
  store_close(s);
}

START_TEST(test_files_that_cannot_be_locked) {
  put_one(1);
  break_call(FLOCK, NULL, ENOLCK);
  check_no_lock();
}
END_TEST

/* Once the directories are open. */
START_TEST(test_files_of_which_nothing_is_known) {
  put_one(1);
  int shard = open(shard_path(1), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ck_assert_int_ge(shard, 0);
  break_call(FSTAT, NULL, EIO);
  double start = now_ms();
  ck_assert_int_eq(lock_take(shard, "a.lock", 5000, &(bool){false}), -1);
  ck_assert_msg(now_ms() - start < 2000, "%g ms", now_ms() - start);
  failing.which = NONE;
  ck_assert_uint_eq(locks(), 0);
  (void)close(shard);
}
END_TEST

/* A lock file that is there already is somebody's, and stays. */
START_TEST(test_a_lock_of_others_stays) {
  store *s = scratch_store(0);
  store_lock lock = store_lock_key(s, sample_key(1), 0);
  break_call(FLOCK, NULL, ENOLCK);
  ck_assert_int_eq(store_lock_key(s, sample_key(1), 5000).fd, -1);
  ck_assert_uint_eq(locks(), 1);
  failing.which = NONE;
  store_unlock_key(s, sample_key(1), lock);
  ck_assert_uint_eq(locks(), 0);
  store_close(s);
}
END_TEST

/* Where locks do not work, only age tells that nobody has them. */
START_TEST(test_young_locks_stay_where_locks_do_not_work) {
  store *s = scratch_store(0);
  const store_lock lock = store_lock_key(s, sample_key(1), 0);
  char name[LAYOUT_NAME_SIZE], path[SCRATCH_PATH];
  layout_lock(sample_key(1), name);
  ck_assert_int_lt(snprintf(path, sizeof path, "%s/%s", shard_path(1), name), SCRATCH_PATH);
  break_call(FLOCK, NULL, ENOLCK);
  (void)store_clear(s, NULL);
  ck_assert_uint_eq(locks(), 1);
  file_set_time(path, 1234567890);
  (void)store_clear(s, NULL);
  ck_assert_uint_eq(locks(), 0);
  failing.which = NONE;
  store_unlock_key(s, sample_key(1), lock);
  store_close(s);
}
END_TEST

/* A process that has the lock of sample 1, one on v1/usage, and a temporary file, and a child by fork()
 * that outlives it. */
static void leave_a_child(int ready, pid_t *orphan) {
  store *s = scratch_store(1 << 20);
  store_lock lock = store_lock_key(s, sample_key(1), 0);
  int version = open(scratch_path("cache/v1"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int shard = open(shard_path(1), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  usage u;
  files_temporary t;
  bool right = lock.fd >= 0 && usage_open(version, true, &u) && files_write(shard, "x", 1, &t) == 0;
  *orphan = fork();
  if (*orphan == 0) {
    for (;;) (void)pause();
  }
  (void)!write(ready, right ? orphan : &(pid_t){-1}, sizeof *orphan);
  for (;;) (void)pause();
}

START_TEST(test_a_child_holds_no_lock_of_a_killed_parent) {
  int ends[2];
  pid_t orphan = 0;
  put_one(2);
  ck_assert_int_eq(pipe(ends), 0);
  pid_t builder = fork();
  ck_assert_int_ge(builder, 0);
  if (builder == 0) leave_a_child(ends[1], &orphan);
  ck_assert_int_eq((int)read(ends[0], &orphan, sizeof orphan), (int)sizeof orphan);
  ck_assert_int_gt(orphan, 0);
  ck_assert_int_eq(kill(builder, SIGKILL), 0);
  ck_assert_int_eq(waitpid(builder, NULL, 0), builder);
  store *s = scratch_store(1 << 20);
  double start = now_ms();
  store_lock lock = store_lock_key(s, sample_key(1), 10000);
  double took = now_ms() - start;
  (void)kill(orphan, SIGCONT);
  const bool alive = kill(orphan, 0) == 0;
  ck_assert_msg(lock.fd >= 0 && took < 5000, "%g ms", took);
  ck_assert_msg(alive, "the child is still there");
  store_unlock_key(s, sample_key(1), lock);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 1);
  (void)store_clear(s, NULL);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 0);
  ck_assert(sample_put(s, 3, 10));
  ck_assert_uint_eq(usage_number(), sample_size(3, 10));
  (void)kill(orphan, SIGKILL);
  store_close(s);
}
END_TEST

/* The parent's own locks stay when its child has closed what it inherited. */
START_TEST(test_a_parent_keeps_its_lock) {
  store *s = scratch_store(0);
  store_lock lock = store_lock_key(s, sample_key(1), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0)
    end_child(fcntl(lock.fd, F_GETFD) == -1 && store_lock_key(s, sample_key(1), 0).fd == -1 ? 0 : 1);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert_int_eq(store_lock_key(s, sample_key(1), 0).fd, -1);
  store_unlock_key(s, sample_key(1), lock);
  lock = store_lock_key(s, sample_key(1), 0);
  ck_assert_int_ge(lock.fd, 0);
  store_unlock_key(s, sample_key(1), lock);
  store_close(s);
}
END_TEST

/* ---- reading */

/* How much is read of a file of that size, in place of an entry, that begins like the entry, or does not.
 */
static size_t read_of(off_t size, bool like_an_entry) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 1000));
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  if (!like_an_entry) file_flip(file, 0, 1);
  ck_assert_int_eq(truncate(file, size), 0);
  ck_assert_uint_eq(survey_of(s).damaged, 1);
  atomic_store(&bytes_read, 0);
  ck_assert(!sample_get(s, 1));
  const size_t count = atomic_load(&bytes_read);
  ck_assert(!file_exists(file));
  store_close(s);
  return count;
}

START_TEST(test_no_more_is_read_than_has_to_be) {
  const off_t gib = (off_t)1 << 30;
  ck_assert_uint_lt(read_of(gib, false), 4096);
  ck_assert_uint_lt(read_of(gib, true), 4096);
  ck_assert_uint_lt(read_of(900, true), 512);
  ck_assert_uint_lt(read_of(gib + 1, true), 512);
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 1000));
  atomic_store(&bytes_read, 0);
  ck_assert(sample_get(s, 1));
  ck_assert_uint_eq(atomic_load(&bytes_read), sample_size(1, 1000));
  store_close(s);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_a_shard_that_cannot_be_opened);
  tcase_add_test(tests, test_a_shard_that_cannot_be_listed);
  tcase_add_test(tests, test_shards_that_cannot_be_read);
  tcase_add_test(tests, test_a_version_that_cannot_be_opened);
  tcase_add_test(tests, test_nothing_is_no_trouble);
  tcase_add_test(tests, test_a_count_with_gaps_is_not_kept);
  tcase_add_test(tests, test_an_entry_that_cannot_be_removed);
  tcase_add_test(tests, test_evicting_what_has_gone);
  tcase_add_test(tests, test_clearing_by_several_at_once);
  tcase_add_test(tests, test_files_that_cannot_be_locked);
  tcase_add_test(tests, test_files_of_which_nothing_is_known);
  tcase_add_test(tests, test_young_locks_stay_where_locks_do_not_work);
  tcase_add_test(tests, test_a_lock_of_others_stays);
  tcase_add_test(tests, test_a_child_holds_no_lock_of_a_killed_parent);
  tcase_add_test(tests, test_a_parent_keeps_its_lock);
  tcase_add_test(tests, test_no_more_is_read_than_has_to_be);
}

int main(void) {
  return run_suite("store, calls that fail", fill, 60);
}
