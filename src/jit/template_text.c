#include "jit/template_text.h"

#include <stdbool.h>
#include <string.h>

/* How much of a line, without its end, comes before its comment. */
static size_t code_length(const char *line, size_t length) {
  static const char mark[] = "//";
  bool is_quoted = false;
  for (size_t at = 0; at + 2 <= length; ++at) {
    if (line[at] == '"') is_quoted = !is_quoted;
    if (is_quoted || memcmp(line + at, mark, 2) != 0) continue;
    while (at > 0 && (line[at - 1] == ' ' || line[at - 1] == '\t')) --at;
    return at;
  }
  return length;
}

size_t template_text_strip(char *text, size_t length) {
  char *out = text, *const end = text + length;
  for (char *line = text; line < end;) {
    while (line < end && (*line == ' ' || *line == '\t')) ++line;
    char *const newline = memchr(line, '\n', (size_t)(end - line));
    const size_t bytes = (size_t)((newline != NULL ? newline : end) - line);
    const size_t kept = code_length(line, bytes);
    char *const next = newline != NULL ? newline + 1 : end;
    memmove(out, line, kept);
    out += kept;
    if (newline != NULL) *out++ = '\n';
    line = next;
  }
  *out = '\0';
  return (size_t)(out - text);
}
