/* One Check suite as one program. */
#ifndef JIG_TESTS_SUITE_H
#define JIG_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct suite_test {
  const char *name;
  const TTest *const *test;
} suite_test;
#define SUITE_TEST(name) \
  { #name, &name }

/* Runs the tests and returns main()'s exit status. With gpu, they run in this process (CUDA does not
 * survive a fork), and where there is no GPU each is reported as skipped instead. */
int suite_run(const char *suite, const suite_test *tests, size_t count, bool gpu);

#define SUITE_RUN(suite, tests, gpu) suite_run(suite, tests, sizeof(tests) / sizeof(tests)[0], gpu)

/* Starts this program as another process, with one argument; and waits for it: what it returns, or -1 if
 * it does not get there. */
pid_t suite_start_itself(const char *argument);
int suite_run_itself(const char *argument);

#endif
