/* v1/stats: counts that processes share, and what comes of a file that is busy, malformed or not there.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store_support.h"

static const store_stats one = {.hits = 1, .misses = 2, .found = 3, .built = 4, .build_us = 5000000000};

static bool is_times_one(const store_stats *s, uint64_t times) {
  return s->hits == times && s->misses == 2 * times && s->found == 3 * times && s->built == 4 * times &&
         s->build_us == 5000000000 * times;
}

static const char *stats_path(void) {
  return scratch_path("cache/v1/stats");
}

static void count(store *s, const store_stats *change) {
  store_count(s, change);
  store_add_stats(s);
}

/* A store whose directory is there. */
static store *used_store(void) {
  store *s = scratch_store(0);
  ck_assert(sample_put(s, 1, 100));
  return s;
}

START_TEST(test_counts_add_up) {
  store *s = used_store(), *other = scratch_store(0);
  store_stats sum = store_get_stats(s);
  ck_assert(is_times_one(&sum, 0));
  ck_assert_msg(!file_exists(stats_path()), "reading makes no file");
  store_count(s, &one);
  ck_assert_msg(!file_exists(stats_path()), "counting makes no file");
  store_add_stats(s);
  count(other, &one);
  count(s, &one);
  sum = store_get_stats(other);
  ck_assert(is_times_one(&sum, 3));
  ck_assert_uint_eq(files_bytes(scratch_path("cache"), "stats"), 105);
  ck_assert_uint_eq(store_clear(s, NULL), 1);
  sum = store_get_stats(s);
  ck_assert_msg(is_times_one(&sum, 3), "clearing the cache forgot what it was good for");
  store_close(other);
  store_close(s);
}
END_TEST

/* Programs of which everything was linked are missed, and nothing is built for them. */
START_TEST(test_misses_alone_count) {
  store *s = used_store();
  count(s, &(store_stats){.misses = 1});
  const store_stats sum = store_get_stats(s);
  ck_assert_uint_eq(sum.misses, 1);
  store_close(s);
}
END_TEST

/* What was busy when a process had nothing more to count is lost: here each tries again until it is not.
 */
static void count_in_child(int times) {
  store *s = scratch_store(0);
  for (int i = 0; i < times; ++i) count(s, &one);
  for (int i = 0; i < 200; ++i) {
    store_add_stats(s);
    (void)usleep(1000);
  }
  store_close(s);
  end_child(0);
}

START_TEST(test_processes_lose_nothing) {
  enum { CHILDREN = 4, TIMES = 100 };
  store *s = used_store();
  for (int i = 0; i < CHILDREN; ++i)
    if (fork() == 0) count_in_child(TIMES);
  for (int i = 0; i < CHILDREN; ++i) {
    int status;
    ck_assert(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const store_stats sum = store_get_stats(s);
  ck_assert_msg(is_times_one(&sum, CHILDREN * TIMES), "%llu", (unsigned long long)sum.hits);
  store_close(s);
}
END_TEST

START_TEST(test_busy_is_caught_up_with_and_not_waited_for) {
  store *s = used_store();
  count(s, &one);
  int fd = open(stats_path(), O_RDWR | O_CLOEXEC);
  ck_assert_int_eq(flock(fd, LOCK_EX), 0);
  const double start = now_ms();
  count(s, &one);
  count(s, &one);
  ck_assert_msg(now_ms() - start < 50, "%g ms", now_ms() - start);
  store_stats sum = store_get_stats(s);
  ck_assert(is_times_one(&sum, 1));
  (void)close(fd);
  count(s, &one);
  sum = store_get_stats(s);
  ck_assert(is_times_one(&sum, 4));
  store_close(s);
}
END_TEST

START_TEST(test_malformed_counts_begin_anew) {
  static const char *const malformed[] = {"",
                                          "1\n",
                                          "00000000000000000001\n",
                                          "0000000000000000000x\n00000000000000000002\n000000000000000000"
                                          "03\n00000000000000000004\n00000000000000000005\n",
                                          "99999999999999999999\n00000000000000000002\n000000000000000000"
                                          "03\n00000000000000000004\n00000000000000000005\n",
                                          "00000000000000000001\n00000000000000000002\n000000000000000000"
                                          "03\n00000000000000000004\n00000000000000000005\n\n"};
  store *s = used_store();
  for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; ++i) {
    file_write(stats_path(), malformed[i], strlen(malformed[i]));
    store_stats sum = store_get_stats(s);
    ck_assert(is_times_one(&sum, 0));
    count(s, &one);
    sum = store_get_stats(s);
    ck_assert(is_times_one(&sum, 1));
  }
  store_close(s);
}
END_TEST

/* Nothing is made, followed or told where there is no directory, or no plain file in it. */
START_TEST(test_places_that_are_not_used) {
  store *s = scratch_store(0);
  count(s, &one);
  ck_assert(!file_exists(scratch_path("cache")));
  ck_assert(sample_put(s, 1, 100));
  file_write(scratch_path("elsewhere"), "mine", 4);
  ck_assert_int_eq(symlink(scratch_path("elsewhere"), stats_path()), 0);
  count(s, &one);
  ck_assert_uint_eq(files_bytes(scratch_path("."), "elsewhere"), 4);
  ck_assert_int_eq(unlink(stats_path()), 0);
  ck_assert_int_eq(mkdir(stats_path(), 0700), 0);
  count(s, &one);
  const store_stats sum = store_get_stats(s);
  ck_assert(is_times_one(&sum, 0));
  ck_assert_str_eq(warning_of(s), "");
  store_close(s);
  store *nowhere = scratch_store_at(NULL, NULL, 0);
  count(nowhere, &one);
  store_close(nowhere);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_counts_add_up);
  tcase_add_test(tests, test_misses_alone_count);
  tcase_add_test(tests, test_processes_lose_nothing);
  tcase_add_test(tests, test_busy_is_caught_up_with_and_not_waited_for);
  tcase_add_test(tests, test_malformed_counts_begin_anew);
  tcase_add_test(tests, test_places_that_are_not_used);
}

int main(void) {
  return run_suite("store, stats", fill, 60);
}
