#include "util/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/cancel.h"
#include "util/env.h"

static log_level current;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_level(void) {
  const char *level = env_get("JIG_LOG");
  if (level == NULL) return;
  current = strcmp(level, "debug") == 0 ? LOG_DEBUG : LOG_INFO;
}

log_level log_current_level(void) {
  (void)pthread_once(&once, read_level);
  return current;
}

void log_write(log_level level, const char *format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const int cancelling = cancel_put_off(); /* whoever logs may have begun something */
  (void)fprintf(stderr, "jig %s: %s\n", level == LOG_DEBUG ? "debug" : "info", line);
  cancel_allow(cancelling);
}
