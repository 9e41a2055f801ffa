/* Time that only goes forward. */
#ifndef JIG_UTIL_CLOCK_H
#define JIG_UTIL_CLOCK_H

#include <time.h>

static inline double clock_ms(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#endif
