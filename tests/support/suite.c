#include "suite.h"

#include <jig/jig.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu.h"

enum { SECONDS_PER_TEST = 600 };

#if defined __SANITIZE_THREAD__
/* NVIDIA's libraries are not instrumented, and children that build have threads of their own. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
  return "ignore_noninstrumented_modules=1:die_after_fork=0";
}
#endif

static void skip_all(const char *suite, const suite_test *tests, size_t count) {
  for (size_t i = 0; i < count; ++i) printf("skipped: %s: %s (no GPU)\n", suite, tests[i].name);
}

/* Arrays of megabytes come and go: their pages are not given back to the system each time. The address
 * sanitizer, which tells who reads what has been freed, has a malloc() of its own. */
static void keep_pages(void) {
#ifdef __GLIBC__
  enum { MEBIBYTE = 1 << 20 };
  (void)mallopt(M_MMAP_THRESHOLD, 32 * MEBIBYTE);
  (void)mallopt(M_TRIM_THRESHOLD, 512 * MEBIBYTE);
  (void)mallopt(M_TOP_PAD, 16 * MEBIBYTE);
#endif
}

int suite_run(const char *suite, const suite_test *tests, size_t count, bool gpu) {
  if (gpu) keep_pages();
  if (gpu && !gpu_open()) {
    skip_all(suite, tests, count);
    return EXIT_SUCCESS;
  }
  Suite *s = suite_create(suite);
  /* A case each, so that CK_RUN_CASE can choose one. */
  for (size_t i = 0; i < count; ++i) {
    TCase *one = tcase_create(tests[i].name);
    tcase_set_timeout(one, SECONDS_PER_TEST);
    tcase_add_test(one, *tests[i].test);
    suite_add_tcase(s, one);
  }
  SRunner *runner = srunner_create(s);
  if (gpu) srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  if (gpu) gpu_close();
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

pid_t suite_start_itself(const char *argument) {
  char name[] = "itself";
  char *const arguments[] = {name, (char *)(uintptr_t)argument, NULL};
  pid_t child;
  ck_assert_int_eq(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
  return child;
}

int suite_run_itself(const char *argument) {
  int status;
  const pid_t child = suite_start_itself(argument);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
