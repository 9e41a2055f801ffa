#include "jit/diagnose.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/text.h"

/* NVRTC writes a message as three lines:
 *
 *   operator(1): error: identifier "y" is undefined
 *     return a + y;
 *                ^
 *
 * The column is where the caret is, less the two blanks before the source line. */

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end != NULL ? end + 1 : line + strlen(line);
}

/* The column that a caret line points to; 0 if the line is none. */
static int caret_column(const char *line) {
  size_t blanks = strspn(line, " ");
  bool caret = line[blanks] == '^' && (line[blanks + 1] == '\n' || line[blanks + 1] == '\0');
  return caret && blanks >= 2 ? (int)blanks - 1 : 0;
}

/* "name(12): error" in a line: where the '(' is, and the number; NULL if there is none. */
static const char *find_position(const char *line, int *number) {
  const char *end = line + strcspn(line, "\n");
  for (const char *open = line; (open = memchr(open, '(', (size_t)(end - open))) != NULL; ++open) {
    int length = 0;
    if (sscanf(open, "(%d):%n", number, &length) == 1 && length > 0) return open;
  }
  return NULL;
}

static void copy_log(text *out, const char *log) {
  for (const char *line = log; *line != '\0'; line = next_line(line)) {
    size_t length = (size_t)(next_line(line) - line);
    int number;
    const char *open = find_position(line, &number);
    if (strncmp(line, "ptxas info", strlen("ptxas info")) == 0) continue;
    if (open == NULL) {
      text_append(out, line, length);
      continue;
    }
    const char *rest = strchr(open, ')') + 1;
    int column = caret_column(next_line(next_line(line)));
    text_append(out, line, (size_t)(open - line));
    if (column > 0)
      text_format(out, ":%d:%d", number, column);
    else
      text_format(out, ":%d", number);
    text_append(out, rest, length - (size_t)(rest - line));
  }
}

/* The number after a name in "[with T=hit, Size=8UL, ...]". */
static unsigned long number_after(const char *log, const char *name) {
  const char *at = strstr(log, name);
  return at == NULL ? 0 : strtoul(at + strlen(name), NULL, 10);
}

static jig_status layout_mismatch(const char *log) {
  const char *where = strstr(log, "layout of ");
  char name[128] = "?";
  if (where != NULL) (void)sscanf(where, "layout of %127[A-Za-z0-9_:]", name);
  return error_set(
      JIG_ERROR_TYPE_MISMATCH,
      "struct '%s': its definition has size %lu and alignment %lu, jig_struct() was given size %lu and "
      "alignment %lu",
      name, number_after(log, " Size="), number_after(log, " Align="), number_after(log, "StatedSize="),
      number_after(log, "StatedAlign="));
}

/* Only if it comes first: a definition that does not compile has some wrong size, too. */
static bool is_layout_mismatch(const char *log) {
  const char *first = strstr(log, "error: ");
  if (first == NULL) return false;
  const char *mismatch = strstr(first, "\"JIG_TYPE_MISMATCH\"");
  return mismatch != NULL && mismatch < next_line(first);
}

jig_status diagnose(const char *log) {
  if (is_layout_mismatch(log)) return layout_mismatch(log);
  text out = {0};
  copy_log(&out, log);
  char *readable = text_take(&out);
  jig_status status = error_set(JIG_ERROR_COMPILE, "%s", readable != NULL ? readable : log);
  free(readable);
  return status;
}
