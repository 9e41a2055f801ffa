/* Exit codes and diagnostics, the same for all commands. */
#ifndef JIG_CLI_REPORT_H
#define JIG_CLI_REPORT_H

#include <stdio.h>

#include <jansson.h>
#include <jig/status.h>

enum {
  EXIT_OK = 0,
  EXIT_FAILED = 1,   /* the operation failed, or a check did not hold */
  EXIT_USAGE = 2,    /* the command line is wrong */
  EXIT_NO_DEVICE = 3 /* a GPU is needed, and there is none that can be used */
};

/* What diagnostics begin with from now on: "jig prewarm". Borrowed. */
void complain_as(const char *command);

/* One diagnostic on stderr. Every function that complains says so; its caller has nothing to add. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and where help is. Returns EXIT_USAGE, so that a command can `return usage_error(...)`. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What else stands before --help from now on: an algorithm. Borrowed. */
void usage_hint_of(const char *operand);

/* Complains with jig_last_error(), which a call of jig's has just set, and returns the exit code. */
int jig_failure(jig_status status);

/* A line of JSON on standard output; frees it. NULL, which is what there is where memory was out, ends
 * the program. */
void print_json(json_t *line);

/* "%s" of a count of bytes for people: "812 B", "6.9 KiB". */
enum { BYTES_TEXT_SIZE = 32 };
const char *bytes_text(double bytes, char text[BYTES_TEXT_SIZE]);

/* "s" unless it is one. */
static inline const char *plural(unsigned long long count) {
  return count == 1 ? "" : "s";
}

#endif
