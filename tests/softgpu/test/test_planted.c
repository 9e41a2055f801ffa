/* Faulty programs on the software GPU: each must be told of, and right ones must not. $SOFTGPU is its
 * library. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"
#include "ptx_internal.h"

enum { CASES = 7 }; /* the first tests, which are tables of cases */

START_TEST(bad_accesses) {
  planted_check(cases_memory, cases_memory_count);
}
END_TEST

START_TEST(values_nobody_wrote) {
  planted_check(cases_unset, cases_unset_count);
}
END_TEST

START_TEST(races_barriers_and_masks) {
  planted_check(cases_sync, cases_sync_count);
}
END_TEST

START_TEST(traps_and_host_calls) {
  planted_check(cases_host, cases_host_count);
}
END_TEST

START_TEST(what_nothing_orders) {
  planted_check(cases_order, cases_order_count);
}
END_TEST

START_TEST(what_something_orders) {
  planted_check(cases_ordered, cases_ordered_count);
}
END_TEST

START_TEST(right_programs) {
  planted_check(cases_right, cases_right_count);
}
END_TEST

/* Whatever is executed early, and in whatever order; what is copied early can be changed afterwards. */
static void check_with_seeds(const planted_case *cases, size_t count, int status) {
  planted_outcome *outcome = malloc(sizeof *outcome);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    char setting[64];
    (void)snprintf(setting, sizeof setting, "JIG_SOFTGPU_SEED=%u", seed);
    for (size_t i = 0; i < count; ++i) {
      const char *const settings[] = {setting, cases[i].settings[0]};
      if (strstr(cases[i].name, "changed") != NULL) continue;
      planted_run(cases[i].name, settings, COUNT_OF(settings), outcome);
      ck_assert_msg(outcome->status == status, "%s, %s: exit status %d\n%s", cases[i].name, setting,
                    outcome->status, outcome->log);
    }
  }
  free(outcome);
}

START_TEST(order_is_looked_for_whatever_the_seed) {
  check_with_seeds(cases_order, cases_order_count, 97);
  check_with_seeds(cases_ordered, cases_ordered_count, 0);
}
END_TEST

/* ---- settings */

enum { SEEDS = 20 };

/* How many different results a program has over seeds 1 to SEEDS. */
static unsigned results_of(const char *name) {
  planted_outcome *outcome = malloc(sizeof *outcome);
  unsigned long long seen[SEEDS];
  unsigned count = 0;
  for (unsigned seed = 1; seed <= SEEDS; ++seed) {
    char setting[64];
    (void)snprintf(setting, sizeof setting, "JIG_SOFTGPU_SEED=%u", seed);
    const char *const settings[] = {setting, "JIG_SOFTGPU_WORKERS=1"};
    planted_run(name, settings, COUNT_OF(settings), outcome);
    ck_assert_msg(outcome->status == 0, "%s: %s", name, outcome->log);
    unsigned k = 0;
    while (k < count && seen[k] != outcome->hash) k++;
    if (k == count) seen[count++] = outcome->hash;
  }
  free(outcome);
  return count;
}

START_TEST(seeds_change_the_order) {
  ck_assert_uint_gt(results_of("order of blocks"), 3);
  ck_assert_uint_gt(results_of("order of warps"), 3);
  ck_assert_uint_eq(results_of("a sum by atomics"), 1);
  ck_assert_uint_eq(results_of("right: look-back"), 1);
}
END_TEST

START_TEST(a_seed_gives_one_order) {
  static const char *const settings[] = {"JIG_SOFTGPU_SEED=5", "JIG_SOFTGPU_WORKERS=1"};
  planted_outcome *outcomes = malloc(2 * sizeof *outcomes);
  for (size_t i = 0; i < 2; ++i)
    planted_run("order of blocks", settings, COUNT_OF(settings), &outcomes[i]);
  ck_assert_uint_eq(outcomes[0].hash, outcomes[1].hash);
  free(outcomes);
}
END_TEST

START_TEST(the_exit_status_is_chosen) {
  static const struct {
    const char *setting;
    int status;
  } rows[] = {{"JIG_SOFTGPU_EXIT=3", 3}, {"JIG_SOFTGPU_EXIT=0", 0}};
  planted_outcome *outcome = malloc(sizeof *outcome);
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    planted_run("misaligned global", &rows[i].setting, 1, outcome);
    ck_assert_int_eq(outcome->status, rows[i].status);
    ck_assert_ptr_nonnull(strstr(outcome->log, "misaligned access"));
  }
  free(outcome);
}
END_TEST

static void skip(const suite_test *tests, size_t count) {
  for (size_t i = 0; i < count; ++i)
    printf("skipped: softgpu/planted: %s (no software GPU)\n", tests[i].name);
}

int main(int argc, char **argv) {
  static const suite_test tests[] = {SUITE_TEST(bad_accesses),
                                     SUITE_TEST(values_nobody_wrote),
                                     SUITE_TEST(races_barriers_and_masks),
                                     SUITE_TEST(traps_and_host_calls),
                                     SUITE_TEST(right_programs),
                                     SUITE_TEST(what_nothing_orders),
                                     SUITE_TEST(what_something_orders),
                                     SUITE_TEST(order_is_looked_for_whatever_the_seed),
                                     SUITE_TEST(seeds_change_the_order),
                                     SUITE_TEST(a_seed_gives_one_order),
                                     SUITE_TEST(the_exit_status_is_chosen)};
  if (argc == 3 && strcmp(argv[1], "--case") == 0) return planted_child(argv[2]);
  if (dumping()) return suite_run("softgpu/planted", tests, CASES, false);
  if (getenv("SOFTGPU") != NULL) return SUITE_RUN("softgpu/planted", tests, false);
  skip(tests, COUNT_OF(tests));
  return EXIT_SUCCESS;
}
