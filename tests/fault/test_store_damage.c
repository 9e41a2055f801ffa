/* Damaged files and jumping clocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store_support.h"

enum { PAYLOAD = 300, HEADER = 88 };

static const char *file_of(unsigned n) {
  return sample_path(scratch_path("cache"), n, "13.0");
}

/* The entry of sample 1 has been damaged: it is a miss, counted, gone, and can be put again. */
static void check_damaged(store *s, const char *what) {
  store_counts before = store_get_counts(s);
  ck_assert_msg(survey_of(s).damaged == 1, "%s is not seen", what);
  ck_assert_msg(!sample_get(s, 1), "%s: a hit", what);
  ck_assert_msg(store_get_counts(s).faults == before.faults + 1, "%s is not counted", what);
  ck_assert_msg(!file_exists(file_of(1)), "%s: still there", what);
  ck_assert(sample_get(s, 2));
  ck_assert(sample_put(s, 1, PAYLOAD));
  ck_assert(sample_get(s, 1));
  ck_assert_uint_eq(usage_number(), files_bytes(scratch_path("cache"), ".jig"));
}

static store *two_entries(void) {
  store *s = scratch_store(1 << 20);
  ck_assert(sample_put(s, 1, PAYLOAD));
  ck_assert(sample_put(s, 2, PAYLOAD));
  return s;
}

START_TEST(test_flipped_bytes) {
  const size_t record = HEADER, meta = record + strlen(sample_record(1));
  const size_t payload = meta + strlen("{\"arch\":\"sm_81\"}"), end = sample_size(1, PAYLOAD);
  const size_t offsets[] = {0,      7,      8,        12,   16,          24,      32,
                            40,     48,     56,       60,   64,          72,      80,
                            87,     record, meta - 1, meta, payload - 1, payload, payload + PAYLOAD / 2,
                            end - 1};
  store *s = two_entries();
  for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; ++i) {
    for (int bit = 0; bit < 8; bit += 7) {
      char what[64];
      (void)snprintf(what, sizeof what, "bit %d of byte %zu", bit, offsets[i]);
      file_flip(file_of(1), offsets[i], (unsigned char)(1 << bit));
      check_damaged(s, what);
    }
  }
  store_close(s);
}
END_TEST

START_TEST(test_wrong_sizes) {
  const off_t size = (off_t)sample_size(1, PAYLOAD);
  const off_t sizes[] = {
      0,        1,       8,       HEADER - 1,           HEADER,        HEADER + 1, size / 2, size - 1,
      size + 1, 1 << 20, 1 << 24, ((off_t)1 << 30) + 1, (off_t)1 << 40};
  store *s = two_entries();
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    char what[64];
    (void)snprintf(what, sizeof what, "size %lld", (long long)sizes[i]);
    ck_assert_int_eq(truncate(file_of(1), sizes[i]), 0);
    check_damaged(s, what);
  }
  store_close(s);
}
END_TEST

START_TEST(test_foreign_contents) {
  store *s = two_entries();
  file_write(file_of(1), "#!/bin/sh\n", 10);
  check_damaged(s, "a script");
  unsigned char bytes[2048];
  size_t size = file_read(file_of(2), bytes, sizeof bytes);
  file_write(file_of(1), bytes, size);
  check_damaged(s, "the entry of another key");
  store_close(s);
}
END_TEST

START_TEST(test_an_older_one_takes_over) {
  store *s = two_entries();
  entry older = sample_entry(1, 10, "12.8");
  char compiler[16];
  ck_assert(store_put(s, sample_key(1), &older));
  file_flip(file_of(1), 100, 1);
  ck_assert(sample_get_compiler(s, 1, NULL, compiler));
  ck_assert_str_eq(compiler, "12.8");
  ck_assert_uint_eq(store_get_counts(s).faults, 1);
  store_close(s);
}
END_TEST

START_TEST(test_a_layer_takes_over) {
  store *s = scratch_store_at(scratch_path("layer"), NULL, 0);
  ck_assert(sample_put(s, 1, PAYLOAD));
  store_close(s);
  store_close(two_entries());
  s = scratch_store_at(scratch_path("cache"), scratch_path("layer"), 0);
  file_flip(file_of(1), 100, 1);
  ck_assert(sample_get(s, 1));
  ck_assert_uint_eq(store_get_counts(s).faults, 1);
  ck_assert(!file_exists(file_of(1)));
  ck_assert(sample_get(s, 1));
  ck_assert_uint_eq(store_get_counts(s).faults, 1);
  store_close(s);
}
END_TEST

/* ---- clocks ---- */

static const int64_t far_future = 4102444800; /* the year 2100 */

static uint64_t unit(void) {
  return sample_size(10, 1000);
}

START_TEST(test_hit_mends_a_wrong_time) {
  static const int64_t wrong[] = {0, 1, far_future};
  store *s = two_entries();
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    file_set_time(file_of(1), wrong[i]);
    ck_assert(sample_get(s, 1));
    int64_t age = (int64_t)time(NULL) - file_time(file_of(1));
    ck_assert_msg(age >= -1 && age < 60, "%lld", (long long)age);
  }
  /* Within an hour nothing is done, in either direction. */
  file_set_age(file_of(1), 1800);
  int64_t before = file_time(file_of(1));
  ck_assert(sample_get(s, 1));
  ck_assert_int_eq(file_time(file_of(1)), before);
  store_close(s);
}
END_TEST

/* Ten entries, the first three of which have the given time, and one more than there is room for: two
 * have to go. */
static void evict_with(int64_t when, unsigned expected_left) {
  store *s = scratch_store(10 * unit());
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, 1000));
    file_set_age(file_of(n), -1000);
    if (n < 13) file_set_time(file_of(n), when);
  }
  ck_assert(sample_put(s, 20, 1000));
  ck_assert_uint_eq(store_get_counts(s).evictions, 2);
  ck_assert_uint_eq(usage_number(), 9 * unit());
  ck_assert(sample_get(s, 20));
  unsigned left = 0;
  for (unsigned n = 10; n < 13; ++n) left += sample_get(s, n);
  ck_assert_uint_eq(left, expected_left);
  store_close(s);
}

START_TEST(test_eviction_of_1970) {
  evict_with(0, 1);
}
END_TEST

/* Not immortal: a time that has not come yet tells nothing. */
START_TEST(test_eviction_of_the_future) {
  evict_with(far_future, 1);
}
END_TEST

/* The clock was set back: what is written now is older than all there is, and still must be kept. */
START_TEST(test_all_is_in_the_future) {
  store *s = scratch_store(10 * unit());
  for (unsigned n = 10; n < 20; ++n) {
    ck_assert(sample_put(s, n, 1000));
    file_set_time(file_of(n), far_future + n);
  }
  for (unsigned n = 20; n < 40; ++n) {
    ck_assert(sample_put(s, n, 1000));
    ck_assert(sample_get(s, n));
  }
  ck_assert_uint_le(usage_number(), 10 * unit());
  store_close(s);
}
END_TEST

START_TEST(test_stale_temporary_from_the_future) {
  store *s = two_entries();
  char path[SCRATCH_PATH];
  (void)snprintf(path, sizeof path, "%s", file_of(1));
  (void)snprintf(strrchr(path, '/'), 64, "/.tmp-1-0123456789abcdef");
  file_write(path, "x", 1);
  file_set_time(path, far_future);
  ck_assert_int_eq(unlink(scratch_path("cache/v1/usage")), 0);
  ck_assert(sample_put(s, 1, 10));
  ck_assert(!file_exists(path));
  store_close(s);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_flipped_bytes);
  tcase_add_test(tests, test_wrong_sizes);
  tcase_add_test(tests, test_foreign_contents);
  tcase_add_test(tests, test_an_older_one_takes_over);
  tcase_add_test(tests, test_a_layer_takes_over);
  tcase_add_test(tests, test_hit_mends_a_wrong_time);
  tcase_add_test(tests, test_eviction_of_1970);
  tcase_add_test(tests, test_eviction_of_the_future);
  tcase_add_test(tests, test_all_is_in_the_future);
  tcase_add_test(tests, test_stale_temporary_from_the_future);
}

int main(void) {
  return run_suite("store, damage", fill, 60);
}
