#include "jit/template_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Blanks between two of a kind have to stay: they part words, or keep two operators from being one. */
typedef enum char_kind { BRACKET, WORD, OPERATOR } char_kind;

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* A quote counts as part of a word, as what stands beside a string could become its prefix or suffix; and
 * a dot, which could become part of a number. */
static char_kind kind_of(char c) {
  if (strchr("(){}[],;", c) != NULL) return BRACKET;
  return isalnum((unsigned char)c) || strchr("_\"'.", c) != NULL ? WORD : OPERATOR;
}

/* Whether tokens stay what they are without the blanks between these two; "0xe+1" would be one token. */
static bool can_meet(char before, char after) {
  const char_kind kind = kind_of(before);
  if (strchr("eEpP", before) != NULL && strchr("+-", after) != NULL) return false;
  return kind == BRACKET || kind != kind_of(after);
}

/* Puts a line, without its end, where `out` is; returns the end of that. */
static char *strip_line(char *out, const char *line, const char *end, bool is_directive) {
  char *const start = out;
  bool is_quoted = false, is_parted = false;
  for (; line < end; ++line) {
    if (!is_quoted && is_blank(*line)) {
      is_parted = out > start;
      continue;
    }
    if (!is_quoted && end - line >= 2 && memcmp(line, "//", 2) == 0) break;
    if (*line == '"') is_quoted = !is_quoted;
    if (is_parted && (is_directive || !can_meet(out[-1], *line))) *out++ = ' ';
    is_parted = false;
    *out++ = *line;
  }
  return out;
}

size_t template_text_strip(char *text, size_t length) {
  char *out = text, *const end = text + length;
  bool goes_on = false; /* the directive of the line before */
  for (char *line = text; line < end;) {
    char *const newline = memchr(line, '\n', (size_t)(end - line));
    char *const line_end = newline != NULL ? newline : end;
    while (line < line_end && is_blank(*line)) ++line;
    const bool is_directive = goes_on || (line < line_end && *line == '#');
    goes_on = is_directive && line_end[-1] == '\\';
    out = strip_line(out, line, line_end, is_directive);
    if (newline != NULL) *out++ = '\n';
    line = newline != NULL ? newline + 1 : end;
  }
  *out = '\0';
  return (size_t)(out - text);
}
