/* A disk that is full or may not be written: a put fails, and that is all. Where this process may not
 * mount, the cases that need a disk of their own are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_support.h"

static unsigned temporaries(void) {
  return files_count(scratch_path("cache"), ".tmp");
}

static bool mount_small_disk(const char *options) {
  ck_assert_int_eq(mkdir(scratch_path("cache"), 0700), 0);
  return private_mounts() && mount("tmpfs", scratch_path("cache"), "tmpfs", 0, options) == 0;
}

/* Puts until it fails; how many succeeded. */
static unsigned put_until_full(store *s, size_t size) {
  unsigned n = 0;
  while (n < 1000 && sample_put(s, n, size)) ++n;
  return n;
}

static void check_full(store *s, unsigned stored) {
  ck_assert_uint_gt(stored, 0);
  ck_assert_uint_lt(stored, 1000);
  ck_assert_ptr_nonnull(strstr(warning_of(s), scratch_path("cache")));
  ck_assert_uint_eq(temporaries(), 0);
  for (unsigned n = 0; n < stored; ++n) ck_assert(sample_get(s, n));
  ck_assert(!sample_get(s, stored));
  ck_assert_uint_eq(survey_of(s).damaged, 0);
  ck_assert_msg(!sample_put(s, 0, 60000) && sample_get(s, 0), "the old one stays");
  store_unlock_key(s, sample_key(0), store_lock_key(s, sample_key(0), 100));
}

static void fill_disk(const char *options, uint64_t max_size) {
  if (!mount_small_disk(options)) return;
  store *s = scratch_store(max_size);
  check_full(s, put_until_full(s, 7000));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "No space left"));
  ck_assert_uint_gt(store_clear(s, NULL), 0);
  ck_assert(sample_put(s, 1, 7000));
  ck_assert(sample_get(s, 1));
  ck_assert_str_eq(warning_of(s), "");
  ck_assert_uint_eq(store_get_counts(s).faults, 0);
  store_close(s);
}

START_TEST(test_full_disk) {
  fill_disk("size=128k,mode=700", 0);
}
END_TEST
START_TEST(test_full_disk_with_a_limit) {
  fill_disk("size=128k,mode=700", 1 << 30);
}
END_TEST

/* No inode left: not even a directory or an empty file can be made. */
START_TEST(test_no_inodes) {
  fill_disk("size=1m,nr_inodes=12,mode=700", 1 << 30);
}
END_TEST

START_TEST(test_limit_below_the_disk_keeps_working) {
  if (!mount_small_disk("size=256k,mode=700")) return;
  store *s = scratch_store(100000);
  ck_assert_uint_eq(put_until_full(s, 7000), 1000);
  ck_assert_uint_gt(store_get_counts(s).evictions, 900);
  store_close(s);
}
END_TEST

/* No write at all, not even of a byte: Check's own messages would end the test here. */
static bool survives_limit_of_zero(void) {
  store *s = scratch_store(1 << 20), *fresh = scratch_store_at(scratch_path("another"), NULL, 1 << 20);
  const struct rlimit limit = {0, 0};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  bool sound = !sample_put(s, 0, 10) && !sample_put(fresh, 1, 10) && sample_get(s, 0);
  store_unlock_key(s, sample_key(0), store_lock_key(s, sample_key(0), 100));
  store_set_aside(s, &(store_place){sample_key(0), "13.0", 0});
  sound = sound && !sample_get(s, 0) && store_clear(s, NULL) == 1;
  store_close(s);
  store_close(fresh);
  return sound;
}

/* `ulimit -f`, of which the signal would end the process. */
START_TEST(test_file_size_limit) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 0, 1000));
  struct rlimit limit;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = 16384;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  ck_assert(!sample_put(s, 1, 20000));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "File too large"));
  ck_assert_uint_eq(temporaries(), 0);
  ck_assert(!sample_put(s, 0, 20000));
  ck_assert_msg(sample_get(s, 0), "the old one stays");
  ck_assert(sample_put(s, 2, 1000));
  store_close(s);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) end_child(survives_limit_of_zero() ? EXIT_SUCCESS : EXIT_FAILURE);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

/* What holds on anything that can be read but not written. */
static bool reads_only(store *s, unsigned stored) {
  bool put = sample_put(s, 99, 10) || sample_put(s, 0, 10);
  bool warned = warning_of(s)[0] != '\0';
  bool got = true;
  for (unsigned n = 0; n < stored; ++n) got = got && sample_get(s, n);
  double start = now_ms();
  store_lock lock = store_lock_key(s, sample_key(0), 3000);
  bool waited = now_ms() - start > 2000;
  store_unlock_key(s, sample_key(0), lock);
  store_set_aside(s, &(store_place){sample_key(0), "13.0", 0});
  bool cleared = store_clear(s, NULL) > 0;
  return !put && warned && got && !waited && !cleared && survey_of(s).sound == stored;
}

static void prepare(void) {
  store *s = scratch_store(1 << 20);
  for (unsigned n = 0; n < 4; ++n) ck_assert(sample_put(s, n, 1000));
  file_set_age(sample_path(scratch_path("cache"), 0, "13.0"), -1e6);
  file_flip(sample_path(scratch_path("cache"), 3, "13.0"), 100, 1);
  store_close(s);
}

START_TEST(test_read_only_disk) {
  if (!mount_small_disk("size=256k,mode=700")) return;
  prepare();
  ck_assert_int_eq(mount("none", scratch_path("cache"), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=256k"), 0);
  uint64_t before = tree_fingerprint(scratch_path("cache"));
  store *s = scratch_store(1 << 20);
  ck_assert(reads_only(s, 3));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "Read-only"));
  ck_assert_msg(!sample_get(s, 3), "damaged, and cannot be removed");
  ck_assert_msg(!sample_get(s, 3), "nor the second time");
  ck_assert_uint_eq(tree_fingerprint(scratch_path("cache")), before);
  store_close(s);
}
END_TEST

/* Directories without write permission, which binds all but root. */
START_TEST(test_read_only_directory) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    const uid_t nobody = 65534;
    if (geteuid() == 0 && (chown(scratch_path("%s", ""), nobody, nobody) != 0 || setgid(nobody) != 0 ||
                           setuid(nobody) != 0)) {
      end_child(EXIT_FAILURE);
    }
    prepare();
    bool made = chmod(scratch_path("cache"), 0500) == 0 && chmod(scratch_path("cache/v1"), 0500) == 0;
    for (unsigned n = 0; n < 4; ++n) {
      char hex[HASH_HEX_SIZE];
      hash_hex(sample_key(n), hex);
      made = made && chmod(scratch_path("cache/v1/%.2s", hex), 0500) == 0;
    }
    store *s = scratch_store(1 << 20);
    bool sound = reads_only(s, 3) && !sample_get(s, 3) && strstr(warning_of(s), "denied") != NULL;
    store_close(s);
    /* So that whoever removes the directory can. */
    for (unsigned n = 0; n < 4; ++n) {
      char hex[HASH_HEX_SIZE];
      hash_hex(sample_key(n), hex);
      (void)chmod(scratch_path("cache/v1/%.2s", hex), 0700);
    }
    (void)chmod(scratch_path("cache/v1"), 0700);
    (void)chmod(scratch_path("cache"), 0700);
    end_child(made && sound ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

/* A place in which no directory can be made. */
START_TEST(test_no_place_for_the_directory) {
  store *s = scratch_store_at("/proc/jig/cache", NULL, 1 << 20);
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "/proc/jig/cache"));
  ck_assert(!sample_get(s, 1));
  ck_assert_int_eq(store_lock_key(s, sample_key(1), 1000).fd, -1);
  store_close(s);
  file_write(scratch_path("file"), "x", 1);
  s = scratch_store_at(scratch_path("file/cache"), NULL, 0);
  ck_assert(!sample_put(s, 1, 10));
  ck_assert_str_ne(warning_of(s), "");
  store_close(s);
}
END_TEST

/* No descriptor left: everything is a miss, and nothing is taken for damaged. */
START_TEST(test_no_descriptors) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 1, 1000));
  bool got = false;
  struct rlimit limit, old;
  ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
  limit = old;
  for (limit.rlim_cur = 3; limit.rlim_cur < 20 && !got; ++limit.rlim_cur) {
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    got = sample_get(s, 1);
    (void)sample_put(s, 2, 1000);
    store_unlock_key(s, sample_key(1), store_lock_key(s, sample_key(1), 10));
  }
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
  ck_assert(got);
  ck_assert_uint_eq(store_get_counts(s).faults, 0);
  ck_assert(sample_put(s, 2, 1000));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
  if (!under_valgrind()) {
    ck_assert_uint_eq(temporaries(), 0);
    ck_assert_uint_eq(files_count(scratch_path("cache"), ".lock"), 0);
  }
  store_close(s);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_full_disk);
  tcase_add_test(tests, test_full_disk_with_a_limit);
  tcase_add_test(tests, test_no_inodes);
  tcase_add_test(tests, test_limit_below_the_disk_keeps_working);
  tcase_add_test(tests, test_file_size_limit);
  tcase_add_test(tests, test_read_only_disk);
  tcase_add_test(tests, test_read_only_directory);
  tcase_add_test(tests, test_no_place_for_the_directory);
  tcase_add_test(tests, test_no_descriptors);
}

int main(void) {
  return run_suite("store, disks", fill, 60);
}
