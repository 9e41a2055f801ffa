#include "report.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *command_name = "jig", *hint_operand = "";

void complain_as(const char *command) {
  command_name = command;
}

void usage_hint_of(const char *operand) {
  hint_operand = operand;
}

__attribute__((format(printf, 1, 0))) static void complain_with(const char *format, va_list arguments) {
  (void)fflush(stdout); /* where both go to one place, they stay in order */
  (void)fprintf(stderr, "%s: ", command_name);
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  while (length > 0 && text[length - 1] == '\n') --length; /* a compiler's log ends with some */
  (void)fprintf(stderr, "%.*s\n", length > 0 ? length : 0, length > 0 ? text : "");
  if (length >= 0) free(text);
}

void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_with(format, arguments);
  va_end(arguments);
}

int usage_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_with(format, arguments);
  va_end(arguments);
  (void)fprintf(stderr, "Try '%s%s%s --help'.\n", command_name, hint_operand[0] != '\0' ? " " : "",
                hint_operand);
  return EXIT_USAGE;
}

int jig_failure(jig_status status) {
  complain("%s", jig_last_error()[0] != '\0' ? jig_last_error() : jig_status_name(status));
  return status == JIG_ERROR_NO_DRIVER || status == JIG_ERROR_NO_DEVICE ? EXIT_NO_DEVICE : EXIT_FAILED;
}

void print_json(json_t *line) {
  if (line == NULL) {
    complain("out of memory");
    exit(EXIT_FAILED);
  }
  (void)json_dumpf(line, stdout, JSON_COMPACT);
  printf("\n");
  json_decref(line);
}

const char *bytes_text(double bytes, char text[BYTES_TEXT_SIZE]) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    (void)snprintf(text, BYTES_TEXT_SIZE, "%.0f B", bytes);
    return text;
  }
  int unit = 0;
  for (bytes /= 1024; bytes >= 1024 && unit < 3; bytes /= 1024) ++unit;
  (void)snprintf(text, BYTES_TEXT_SIZE, "%.1f %s", bytes, units[unit]);
  return text;
}
