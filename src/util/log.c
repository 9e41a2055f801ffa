#include "util/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jig/status.h>

#include "util/cancel.h"
#include "util/env.h"
#include "util/error.h"

/* Where the log goes. A sink is never freed, as other threads may still use it: there are as many as
 * calls of jig_set_log(). */
typedef struct sink {
  jig_log_fn log; /* NULL: stderr */
  void *user;
  log_level level;
  struct sink *before; /* so that nothing is lost */
} sink;

static sink from_environment;
static _Atomic(sink *) chosen; /* NULL: as the environment says */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_level(void) {
  const char *level = env_get("JIG_LOG");
  if (level == NULL) return;
  from_environment.level = strcmp(level, "debug") == 0 ? LOG_DEBUG : LOG_INFO;
}

static const sink *current(void) {
  const sink *given = atomic_load_explicit(&chosen, memory_order_acquire);
  if (given != NULL) return given;
  (void)pthread_once(&once, read_level);
  return &from_environment;
}

log_level log_current_level(void) {
  return current()->level;
}

static log_level level_of(jig_log_level level) {
  if (level == JIG_LOG_DEFAULT) {
    (void)pthread_once(&once, read_level);
    return from_environment.level;
  }
  return level == JIG_LOG_NONE ? LOG_NONE : level == JIG_LOG_INFO ? LOG_INFO : LOG_DEBUG;
}

jig_status jig_set_log(jig_log_fn log, void *user, jig_log_level level) {
  error_clear();
  if (level < JIG_LOG_DEFAULT || level > JIG_LOG_DEBUG)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_set_log: level: no such choice (%d)", (int)level);
  sink *given = malloc(sizeof *given);
  if (given == NULL) return error_memory("a log");
  *given = (sink){log, user, level_of(level), atomic_load(&chosen)};
  while (!atomic_compare_exchange_weak(&chosen, &given->before, given)) {}
  return JIG_SUCCESS;
}

void log_write(log_level level, const char *format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const sink *to = current();
  const int cancelling = cancel_put_off(); /* whoever logs may have begun something */
  if (to->log != NULL)
    to->log(to->user, level == LOG_DEBUG ? JIG_LOG_DEBUG : JIG_LOG_INFO, line);
  else
    (void)fprintf(stderr, "jig %s: %s\n", level == LOG_DEBUG ? "debug" : "info", line);
  cancel_allow(cancelling);
}
