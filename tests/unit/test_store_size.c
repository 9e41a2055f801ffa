/* The store on a healthy disk: read-only layers, recency, and size, with what eviction and clearing take
 * and leave. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_support.h"

static const uid_t nobody = 65534;

/* ---- layers ---- */

static size_t found_size(store *s, unsigned n) {
  entry found;
  if (!store_get(s, sample_key(n), sample_record(n), NULL, &found)) return 0;
  size_t size = found.payload_size;
  ck_assert(sample_is(&found, n));
  entry_free(&found);
  return size;
}

START_TEST(test_layers_in_order) {
  make_layer("first", 1, 11);
  make_layer("second", 1, 12);
  make_layer("second", 2, 22);
  store *s =
      scratch_store_at(scratch_path("cache"),
                       scratch_path("absent:%s::%s:", scratch_path("first"), scratch_path("second")), 0);
  ck_assert_str_eq(warning_of(s), "");
  ck_assert_str_eq(store_layer_dir(s, 1), scratch_path("absent"));
  ck_assert_str_eq(store_layer_dir(s, 3), scratch_path("second"));
  ck_assert_ptr_null(store_layer_dir(s, 4));
  ck_assert_uint_eq(found_size(s, 1), 11);
  ck_assert_uint_eq(found_size(s, 2), 22);
  ck_assert_uint_eq(found_size(s, 3), 0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert_msg(found_size(s, 1) == 10, "the user's own comes first");
  ck_assert_uint_eq(survey_of(s).sound, 4);
  ck_assert_uint_eq(store_clear(s, NULL), 1);
  ck_assert_uint_eq(found_size(s, 1), 11);
  store_close(s);
}
END_TEST

START_TEST(test_layers_without_a_directory) {
  make_layer("first", 1, 11);
  store *s = scratch_store_at(NULL, scratch_path("first"), 0);
  ck_assert_uint_eq(found_size(s, 1), 11);
  ck_assert(!sample_put(s, 1, 10));
  store_close(s);
}
END_TEST

START_TEST(test_layers_are_never_written) {
  make_layer("layer", 1, 11);
  make_layer("layer", 2, 22);
  make_layer("layer", 3, 33);
  const char *layer = scratch_path("layer");
  file_set_age(sample_path(layer, 1, "13.0"), -1e6);
  file_flip(sample_path(layer, 2, "13.0"), 90, 1);
  uint64_t before = tree_fingerprint(layer);
  store *s = scratch_store_at(scratch_path("cache"), layer, 1000);
  ck_assert(sample_get(s, 1));
  ck_assert(!sample_get(s, 2));
  ck_assert_uint_eq(counts_of(s).faults, 1);
  store_set_aside(s, &(store_place){sample_key(3), "13.0", 0});
  ck_assert(sample_get(s, 3));
  store_unlock_key(s, sample_key(1), store_lock_key(s, sample_key(1), 100));
  for (unsigned n = 1; n < 20; ++n) ck_assert(sample_put(s, n, 200));
  (void)store_clear(s, NULL);
  ck_assert_uint_eq(survey_of(s).damaged, 1);
  ck_assert_uint_eq(tree_fingerprint(layer), before);
  store_close(s);
}
END_TEST

START_TEST(test_refused_layer) {
  make_layer("bad", 1, 11);
  make_layer("good", 2, 22);
  ck_assert_int_eq(chmod(scratch_path("bad"), 0775), 0);
  store *s = scratch_store_at(scratch_path("cache"), scratch_path("bad:%s", scratch_path("good")), 0);
  ck_assert_ptr_nonnull(strstr(warning_of(s), scratch_path("bad")));
  ck_assert_ptr_nonnull(strstr(warning_of(s), "writable by others"));
  ck_assert_uint_eq(found_size(s, 1), 0);
  ck_assert_uint_eq(found_size(s, 2), 22);
  ck_assert(sample_put(s, 1, 10));
  store_close(s);
}
END_TEST

/* Runs as somebody else: root's layers are fine, a third one's are not. */
START_TEST(test_roots_layer_is_trusted) {
  if (geteuid() != 0) return;
  make_layer("roots", 1, 11);
  make_layer("others", 2, 22);
  static const char *const readable[] = {"roots", "others"};
  for (int i = 0; i < 2; ++i) {
    const char *dir = scratch_path("%s", readable[i]), *file = sample_path(dir, (unsigned)i + 1, "13.0");
    char shard[SCRATCH_PATH];
    (void)snprintf(shard, sizeof shard, "%.*s", (int)(strrchr(file, '/') - file), file);
    ck_assert(chmod(dir, 0755) == 0 && chmod(scratch_path("%s/v1", readable[i]), 0755) == 0);
    ck_assert(chmod(shard, 0755) == 0 && chmod(file, 0644) == 0);
  }
  ck_assert_int_eq(chmod(scratch_path("%s", ""), 0755), 0);
  ck_assert_int_eq(chown(scratch_path("others"), 12345, 0), 0);
  ck_assert_int_eq(seteuid(nobody), 0);
  store *s = scratch_store_at(NULL, scratch_path("others:%s", scratch_path("roots")), 0);
  size_t first = found_size(s, 1), second = found_size(s, 2);
  bool warned = strstr(warning_of(s), "owned by somebody else") != NULL;
  store_close(s);
  s = scratch_store_at(scratch_path("roots"), NULL, 0);
  bool refused = strstr(warning_of(s), "owned by somebody else") != NULL;
  store_close(s);
  ck_assert_int_eq(seteuid(0), 0);
  ck_assert_uint_eq(first, 11);
  ck_assert_uint_eq(second, 0);
  ck_assert(warned);
  ck_assert_msg(refused, "as a user's own directory it must be the user's");
}
END_TEST

/* ---- recency ---- */

static int64_t time_after_get(double age) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 10));
  const char *file = sample_path(scratch_path("cache"), 1, "13.0");
  file_set_age(file, age);
  ck_assert(sample_get(s, 1));
  store_close(s);
  return (int64_t)time(NULL) - file_time(file);
}

START_TEST(test_hit_refreshes_after_an_hour) {
  ck_assert_int_ge(time_after_get(-3500), 3500);
  ck_assert_int_le(time_after_get(-3700), 60);
}
END_TEST

/* ---- size ---- */

enum { PAYLOAD = 1000 };

/* All samples of one number of digits have files of one size. */
static uint64_t unit(void) {
  return sample_size(10, PAYLOAD);
}

START_TEST(test_usage_is_exact) {
  store *s = scratch_store(1 << 20);
  uint64_t expected = 0;
  for (unsigned n = 0; n < 20; ++n) {
    ck_assert(sample_put(s, n, 100 * n));
    expected += sample_size(n, 100 * n);
    ck_assert_uint_eq(usage_number(), expected);
  }
  ck_assert(sample_put(s, 3, 5));
  expected -= sample_size(3, 300) - sample_size(3, 5);
  ck_assert(sample_put(s, 4, 5000));
  expected += sample_size(4, 5000) - sample_size(4, 400);
  ck_assert_uint_eq(usage_number(), expected);
  ck_assert_uint_eq(files_bytes(scratch_path("cache"), ".jig"), expected);
  file_flip(sample_path(scratch_path("cache"), 7, "13.0"), 100, 1);
  ck_assert(!sample_get(s, 7));
  ck_assert(sample_put(s, 2, 200));
  expected -= sample_size(7, 700);
  ck_assert_uint_eq(usage_number(), expected);
  ck_assert_uint_eq(store_clear(s, NULL), 19);
  ck_assert_uint_eq(usage_number(), 0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert_uint_eq(usage_number(), sample_size(1, 10));
  ck_assert_uint_eq(counts_of(s).evictions, 0);
  store_close(s);
}
END_TEST

START_TEST(test_usage_is_counted_when_in_doubt) {
  static const char *const doubtful[] = {
      "", "12", "x", "?0000000000000000012\n", "99999999999999999999\n", "00000000000000000012\nx"};
  store *s = scratch_store(1 << 20);
  uint64_t expected = 0;
  for (unsigned i = 0; i < sizeof doubtful / sizeof doubtful[0]; ++i) {
    ck_assert(sample_put(s, 2 * i, 100));
    file_write(scratch_path("cache/v1/usage"), doubtful[i], strlen(doubtful[i]));
    ck_assert(sample_put(s, 2 * i + 1, 100));
    expected += sample_size(2 * i, 100) + sample_size(2 * i + 1, 100);
    ck_assert_uint_eq(usage_number(), expected);
  }
  ck_assert_int_eq(unlink(scratch_path("cache/v1/usage")), 0);
  ck_assert(sample_put(s, 0, 200));
  ck_assert_uint_eq(usage_number(), expected + 100);
  store_close(s);
}
END_TEST

START_TEST(test_least_recently_used_go_first) {
  store *s = scratch_store(10 * unit());
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), n == 15 ? -5000 : -10.0 * n);
  }
  ck_assert_uint_eq(counts_of(s).evictions, 0);
  ck_assert_uint_eq(usage_number(), 10 * unit());
  /* 11 units are over the limit of 10; the oldest go until 9 are left: 15 and 19. */
  ck_assert(sample_put(s, 20, PAYLOAD));
  ck_assert_uint_eq(counts_of(s).evictions, 2);
  ck_assert_uint_eq(usage_number(), 9 * unit());
  for (unsigned n = 10; n <= 20; ++n) {
    ck_assert_msg(sample_get(s, n) == (n != 15 && n != 19), "%u", n);
  }
  store_close(s);
}
END_TEST

START_TEST(test_hit_saves_from_eviction) {
  store *s = scratch_store(10 * unit());
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), -100000.0 + n);
  }
  ck_assert(sample_get(s, 10));
  ck_assert(sample_put(s, 20, PAYLOAD));
  ck_assert(sample_get(s, 10));
  ck_assert(!sample_get(s, 11));
  ck_assert(!sample_get(s, 12));
  ck_assert(sample_get(s, 13));
  store_close(s);
}
END_TEST

START_TEST(test_ties_go_by_name) {
  store *s = scratch_store(10 * unit());
  int64_t when = (int64_t)time(NULL) - 1000;
  unsigned first = 10;
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_time(sample_path(scratch_path("cache"), n, "13.0"), when);
    if (sample_key(n).high < sample_key(first).high) first = n;
  }
  ck_assert(sample_put(s, 20, PAYLOAD));
  ck_assert_uint_eq(counts_of(s).evictions, 2);
  ck_assert(!sample_get(s, first));
  store_close(s);
}
END_TEST

START_TEST(test_newest_is_kept) {
  uint64_t limit = sample_size(20, 9500);
  store *s = scratch_store(limit);
  for (unsigned n = 10; n < 15; ++n) {
    ck_assert(sample_put(s, n, PAYLOAD));
    file_set_age(sample_path(scratch_path("cache"), n, "13.0"), 100);
  }
  ck_assert_msg(sample_put(s, 20, 9500), "it fills the cache");
  ck_assert_uint_eq(usage_number(), limit);
  ck_assert_uint_eq(counts_of(s).evictions, 5);
  ck_assert(sample_get(s, 20));
  ck_assert_msg(!sample_put(s, 21, 9501), "larger than the cache");
  ck_assert_ptr_nonnull(strstr(warning_of(s), "larger"));
  ck_assert(sample_get(s, 20));
  store_close(s);
}
END_TEST

START_TEST(test_no_limit) {
  store *s = scratch_store(0);
  for (unsigned n = 0; n < 50; ++n) ck_assert(sample_put(s, n, 60000));
  ck_assert_uint_eq(survey_of(s).sound, 50);
  ck_assert_uint_eq(counts_of(s).evictions, 0);
  store_close(s);
}
END_TEST

START_TEST(test_busy_usage_is_caught_up_with) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 1, 100));
  int fd = open(scratch_path("cache/v1/usage"), O_RDWR | O_CLOEXEC);
  ck_assert_int_eq(flock(fd, LOCK_EX), 0);
  double start = now_ms();
  ck_assert(sample_put(s, 2, 100));
  double took = now_ms() - start;
  ck_assert_msg(took >= 90 && took < 5000, "%g ms", took);
  ck_assert_str_eq(warning_of(s), "");
  ck_assert_uint_eq(usage_number(), sample_size(1, 100));
  (void)close(fd);
  ck_assert(sample_put(s, 3, 100));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
  store_close(s);
}
END_TEST

/* Files of a dead process, and of a live one, in the shard of sample 1. */
static void leave_files(int *held) {
  static const char *const names[] = {".tmp-99-00000000000000aa", ".tmp-99-00000000000000bb",
                                      ".tmp-99-00000000000000cc", "000000000000000000000000000001.lock",
                                      "000000000000000000000000000002.lock"};
  const char *shard = shard_path(1);
  for (int i = 0; i < 5; ++i) {
    char path[SCRATCH_PATH];
    (void)snprintf(path, sizeof path, "%.4000s/%s", shard, names[i]);
    file_write(path, "x", 1);
    if (i == 1 || i == 2) file_set_age(path, -4000);
    if (i != 2 && i != 4) continue;
    held[i / 4] = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_eq(flock(held[i / 4], LOCK_EX), 0);
  }
}

START_TEST(test_eviction_sweeps_what_is_stale) {
  put_one(1);
  int held[2];
  leave_files(held);
  store *s = scratch_store(1000000);
  ck_assert(sample_put(s, 2, 10));
  const char *shard = shard_path(1);
  ck_assert_uint_eq(files_count(shard, "00aa"), 1); /* young */
  ck_assert_uint_eq(files_count(shard, "00bb"), 0);
  ck_assert_uint_eq(files_count(shard, "00cc"), 1); /* held */
  ck_assert_uint_eq(files_count(shard, "1.lock"), 0);
  ck_assert_uint_eq(files_count(shard, "2.lock"), 1); /* held */
  ck_assert_uint_eq(usage_number(), sample_size(1, 10) + sample_size(2, 10));
  store_close(s);
  (void)close(held[0]);
  (void)close(held[1]);
}
END_TEST

START_TEST(test_clear_takes_what_nobody_holds) {
  put_one(1);
  int held[2];
  leave_files(held);
  store *s = scratch_store(1000000);
  ck_assert_uint_eq(store_clear(s, NULL), 1);
  ck_assert_uint_eq(files_count(shard_path(1), ".tmp"), 1);
  ck_assert_uint_eq(files_count(shard_path(1), ".lock"), 1);
  (void)close(held[0]);
  (void)close(held[1]);
  ck_assert_uint_eq(store_clear(s, NULL), 0);
  ck_assert_uint_eq(files_count(shard_path(1), ""), 0);
  store_close(s);
}
END_TEST

START_TEST(test_foreign_files_survive) {
  put_one(1);
  for (int i = 3; i < FOREIGN_NAMES; ++i) {
    char path[2 * SCRATCH_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", shard_path(1), foreign_names[i]);
    file_write(path, "precious", 8);
    file_set_age(path, -1e7);
  }
  ck_assert_int_eq(mkdir(scratch_path("cache/v1/zz"), 0700), 0);
  ck_assert_int_eq(mkdir(scratch_path("cache/v0"), 0700), 0);
  file_write(scratch_path("cache/v1/zz/000000000000000000000000000001-13.0.jig"), "x", 1);
  file_write(scratch_path("cache/v0/000000000000000000000000000001-13.0.jig"), "x", 1);
  store *s = scratch_store(2000);
  for (unsigned n = 2; n < 20; ++n) ck_assert(sample_put(s, n, 500));
  ck_assert_uint_gt(counts_of(s).evictions, 0);
  (void)store_clear(s, NULL);
  ck_assert_uint_eq(files_count(shard_path(1), ""), FOREIGN_NAMES - 3);
  ck_assert_uint_eq(files_count(scratch_path("cache"), "-13.0.jig"), 2 + 5);
  store_close(s);
}
END_TEST

static void add_layers(TCase *tests) {
  tcase_add_test(tests, test_layers_in_order);
  tcase_add_test(tests, test_layers_without_a_directory);
  tcase_add_test(tests, test_layers_are_never_written);
  tcase_add_test(tests, test_refused_layer);
  tcase_add_test(tests, test_roots_layer_is_trusted);
}

static void add_size(TCase *tests) {
  tcase_add_test(tests, test_hit_refreshes_after_an_hour);
  tcase_add_test(tests, test_usage_is_exact);
  tcase_add_test(tests, test_usage_is_counted_when_in_doubt);
  tcase_add_test(tests, test_least_recently_used_go_first);
  tcase_add_test(tests, test_hit_saves_from_eviction);
  tcase_add_test(tests, test_ties_go_by_name);
  tcase_add_test(tests, test_newest_is_kept);
  tcase_add_test(tests, test_no_limit);
  tcase_add_test(tests, test_busy_usage_is_caught_up_with);
  tcase_add_test(tests, test_eviction_sweeps_what_is_stale);
  tcase_add_test(tests, test_clear_takes_what_nobody_holds);
  tcase_add_test(tests, test_foreign_files_survive);
}

static void fill(TCase *tests) {
  add_layers(tests);
  add_size(tests);
}

int main(void) {
  return run_suite("store, size", fill, 30);
}
