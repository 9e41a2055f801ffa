/* The log that jig_set_log() or $JIG_LOG=info or debug asks for, to a function of the caller's or stderr;
 * otherwise nothing is ever printed. */
#ifndef JIG_UTIL_LOG_H
#define JIG_UTIL_LOG_H

typedef enum log_level { LOG_NONE, LOG_INFO, LOG_DEBUG } log_level;

log_level log_current_level(void);
void log_write(log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The arguments are only looked at when the level is on. */
#define LOG_AT(level, ...)                                               \
  do {                                                                   \
    if (log_current_level() >= (level)) log_write((level), __VA_ARGS__); \
  } while (0)
#define log_info(...) LOG_AT(LOG_INFO, __VA_ARGS__)
#define log_debug(...) LOG_AT(LOG_DEBUG, __VA_ARGS__)

#endif
