#include "cost_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine_support.h"
#include "jit/compiler.h"

bool cost_is_near(unsigned long long now, unsigned long long known) {
  enum { PERCENT = 5 };
  return now * 100 <= known * (100 + PERCENT) && now * 100 >= known * (100 - PERCENT);
}

int cost_run(const char *suite, const char *renew, const suite_test *comparing,
             const suite_test *writing) {
  if (compiler_get() == NULL) {
    printf("skipped: %s: all (no NVRTC)\n", suite);
    return EXIT_SUCCESS;
  }
  if (!fake_driver_open(suite)) return EXIT_SUCCESS;
  (void)setenv("CK_TIMEOUT_MULTIPLIER", "4", 0);
  const int answer = suite_run(suite, getenv(renew) != NULL ? writing : comparing, 1, false);
  fakes_close();
  return answer;
}
