#include "jit/template_text.h"

#include <string.h>

size_t template_text_strip(char *text, size_t length) {
  char *out = text, *const end = text + length;
  for (char *line = text; line < end;) {
    char *newline = memchr(line, '\n', (size_t)(end - line));
    char *const next = newline != NULL ? newline + 1 : end;
    const size_t indent = strspn(line, " \t");
    char *const kept = strncmp(line + indent, "//", 2) == 0 ? (newline != NULL ? newline : end) : line;
    const size_t count = (size_t)(next - kept);
    memmove(out, kept, count);
    out += count;
    line = next;
  }
  *out = '\0';
  return (size_t)(out - text);
}
