/* Memory that runs out at every single allocation, once and from then on: nothing crashes, leaks, or is
 * taken for damaged, and the next call works. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_memory.h"
#include "store_support.h"

#if CAN_FAIL

/* One use of a store, start to end, with memory failing; the answers do not matter. Room for one entry
 * more than there are, so that putting evicts. */
static void use_store(const store_config *config, const entry *e) {
  store *s = store_open(config);
  if (s == NULL) return;
  entry found;
  store_lock lock = store_lock_key(s, sample_key(3), 10);
  for (unsigned n = 1; n <= 3; ++n) {
    if (store_get(s, sample_key(n), sample_record(n), NULL, &found)) entry_free(&found);
  }
  (void)store_put(s, sample_key(3), e);
  store_unlock_key(s, sample_key(3), lock);
  (void)survey_of(s);
  memory.counting = false;
  ck_assert_uint_eq(store_get_counts(s).faults, 0);
  memory.counting = true;
  store_close(s);
}

static void prepare(void) {
  store *s = scratch_store(0);
  (void)store_clear(s, NULL);
  ck_assert(sample_put(s, 1, 1000));
  ck_assert(sample_put(s, 2, 1000));
  (void)unlink(scratch_path("cache/v1/usage"));
  store_close(s);
}

static void check_afterwards(long n) {
  store *s = scratch_store(0);
  ck_assert_msg(survey_of(s).damaged == 0, "failure %ld", n);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".tmp"), 0);
  ck_assert_uint_eq(files_count(scratch_path("cache"), ".lock"), 0);
  ck_assert(sample_put(s, 3, 1000));
  ck_assert(sample_get(s, 3));
  store_close(s);
}

static void fail_each(bool from_then_on) {
  char dir[SCRATCH_PATH], layer[SCRATCH_PATH];
  (void)snprintf(dir, sizeof dir, "%s", scratch_path("cache"));
  (void)snprintf(layer, sizeof layer, "%s:relative", scratch_path("layer"));
  store_config config = {.dir = dir, .layers = layer, .max_size = 5 * sample_size(1, 1000) / 2};
  long n = 0;
  for (memory.failed = true; memory.failed && n < 10000; ++n) {
    prepare();
    memory_fail_after(n, from_then_on);
    entry e = sample_entry(3, 1000, "13.0");
    memory.counting = true;
    use_store(&config, &e);
    memory.counting = false;
    ck_assert_msg(memory.live == 0, "failure %ld: %ld blocks left", n, memory.live);
    check_afterwards(n);
  }
  ck_assert_msg(n > 20 && n < 10000, "%ld allocations", n);
}

START_TEST(test_each_allocation_fails_once) {
  fail_each(false);
}
END_TEST
START_TEST(test_each_allocation_fails_for_good) {
  fail_each(true);
}
END_TEST

static void fill(TCase *tests) {
  tcase_add_test(tests, test_each_allocation_fails_once);
  tcase_add_test(tests, test_each_allocation_fails_for_good);
}

#else

static void fill(TCase *tests) {
  (void)tests;
}

#endif

int main(void) {
  return run_suite("store, memory", fill, 120);
}
