/* The calling thread's last error: what jig_last_error() shows. */
#ifndef JIG_UTIL_ERROR_H
#define JIG_UTIL_ERROR_H

#include <jig/status.h>

/* Replaces the text and returns the status, so that a failing function can `return error_set(...)`.
 * Keeps what fits when memory is short. */
jig_status error_set(jig_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the text there is; for callers that know more than the place that failed. */
jig_status error_prefix(jig_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "who: " before it, if it does not begin so: for what fails on behalf of whoever asked. */
jig_status error_begin(jig_status status, const char *who);

/* Says which CUresult is behind the error that was just set. */
jig_status error_of_driver(jig_status status, int result);

/* Forgets it; every public entry does so first. */
void error_clear(void);

/* Out of memory, saying for what. */
jig_status error_memory(const char *what);

#endif
