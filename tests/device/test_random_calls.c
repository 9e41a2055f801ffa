/* Calls of every algorithm with types, operators, iterators, counts and items drawn at random, compared
 * with what simple code on the host makes of them.
 *
 * A program is called six times, with other items and counts each time. How many programs there are is a
 * matter of time, $JIG_RANDOM_SECONDS or 20; $JIG_TEST_SEED, by default the day's number, draws them. To
 * hunt, run it for hours, on software GPUs of other SMs, sizes and orders. What fails tells
 * $JIG_RANDOM_CASE, with which it is run again; $JIG_RANDOM_ONLY=scan keeps that algorithm; with
 * $JIG_RANDOM_VERBOSE each case is told before it is run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu.h"
#include "jit/algorithm.h"
#include "random_cases.h"
#include "seed.h"
#include "suite.h"

typedef void (*case_function)(void);

/* NULL: there is none of that name. */
static case_function case_of(const char *wanted) {
#define RANDOM_CASE(name) \
  if (strcmp(wanted, #name) == 0) return random_##name;
  RANDOM_CASES(RANDOM_CASE)
#undef RANDOM_CASE
  return NULL;
}

START_TEST(every_algorithm_has_a_case) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    ck_assert_msg(case_of((*a)->schema.algorithm) != NULL, "%s has none", (*a)->schema.algorithm);
  }
}
END_TEST

static void run_case(const char *name, uint64_t seed) {
  enum { CALLS = 6 };
  const unsigned before = random_failures;
  if (getenv("JIG_RANDOM_VERBOSE") != NULL)
    fprintf(stderr, "JIG_RANDOM_CASE=%s:%llu\n", name, (unsigned long long)seed);
  random_case(seed);
  for (int i = 0; i < CALLS && random_failures == before; ++i) {
    random_again();
    case_of(name)();
    places_free();
  }
  if (random_failures == before) return;
  printf("  the same again: JIG_RANDOM_CASE=%s:%llu\n", name, (unsigned long long)seed);
  (void)fflush(stdout);
}

static size_t algorithm_count(void) {
  size_t count = 0;
  while (algorithm_table[count] != NULL) ++count;
  return count;
}

/* As many as there is time for, of all algorithms in turn; which one is first differs from day to day. */
static void run_cases(time_t seconds, const char *only) {
  enum { SEEDS = 1000000, FIRST = 11 };
  const time_t end = time(NULL) + seconds;
  const size_t algorithms = algorithm_count();
  uint64_t seed = test_seed() * SEEDS;
  for (uint64_t i = test_seed() * FIRST; time(NULL) < end; ++i, ++seed) {
    const char *name = algorithm_table[i % algorithms]->schema.algorithm;
    if (only == NULL || strcmp(only, name) == 0) run_case(name, seed);
  }
}

START_TEST(calls_are_right) {
  const char *one = getenv("JIG_RANDOM_CASE"), *seconds = getenv("JIG_RANDOM_SECONDS");
  const char *limit = getenv("JIG_RANDOM_LIMIT");
  char name[64];
  unsigned long long seed;
  if (limit != NULL) random_limit = strtoul(limit, NULL, 10);
  if (one == NULL) {
    run_cases(seconds != NULL ? atoi(seconds) : 20, getenv("JIG_RANDOM_ONLY"));
  } else {
    ck_assert_int_eq(sscanf(one, "%63[a-z_]:%llu", name, &seed), 2);
    ck_assert(case_of(name) != NULL);
    run_case(name, seed);
  }
  ck_assert_uint_eq(random_failures, 0);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(every_algorithm_has_a_case), SUITE_TEST(calls_are_right)};
  return SUITE_RUN("device/random_calls", tests, true);
}
