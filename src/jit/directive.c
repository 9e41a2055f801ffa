#include "jit/directive.h"

#include <ctype.h>
#include <string.h>

/* ---- what is passed over */

/* The length of a backslash with a line end, which takes both away; 0 if there is none. */
static size_t splice_length(const char *c) {
  if (c[0] != '\\') return 0;
  return c[1] == '\n' ? 2 : c[1] == '\r' && c[2] == '\n' ? 3 : 0;
}

/* The length of a comment, without the line end after one that begins with two slashes; 0: none. */
static size_t comment_length(const char *c) {
  if (c[0] != '/' || (c[1] != '/' && c[1] != '*')) return 0;
  if (c[1] == '*') {
    const char *end = strstr(c + 2, "*/");
    return end != NULL ? (size_t)(end + 2 - c) : strlen(c);
  }
  const char *end = c;
  while (*end != '\0' && *end != '\n') {
    const size_t splice = splice_length(end);
    end += splice > 0 ? splice : 1;
  }
  return (size_t)(end - c);
}

/* Past blanks, comments and spliced line ends, none of which ends a directive. */
static const char *skip_blanks(const char *c) {
  for (;;) {
    size_t length = strspn(c, " \t\r\v\f");
    if (length == 0) length = comment_length(c);
    if (length == 0) length = splice_length(c);
    if (length == 0) return c;
    c += length;
  }
}

/* Past a literal, or to the line end if its other quote is not there. */
static const char *skip_literal(const char *c) {
  const char quote = *c++;
  while (*c != '\0' && *c != '\n' && *c != quote) c += *c == '\\' && c[1] != '\0' ? 2 : 1;
  return *c == quote ? c + 1 : c;
}

static size_t word_length(const char *c) {
  size_t length = 0;
  while (isalnum((unsigned char)c[length]) || c[length] == '_') ++length;
  return length;
}

/* Past a word, a number, in which quotes separate digits, a literal or any other character. */
static const char *skip_token(const char *c) {
  if (*c == '"' || *c == '\'') return skip_literal(c);
  const bool number = isdigit((unsigned char)*c) != 0;
  const char *end = c + word_length(c);
  while (number && *end == '\'' && word_length(end + 1) > 0) end += 1 + word_length(end + 1);
  return end > c ? end : c + 1;
}

/* ---- what is looked for */

static bool is_word(const char *c, const char *word) {
  return word_length(c) == strlen(word) && strncmp(c, word, strlen(word)) == 0;
}

/* "name" or <name>. */
static bool read_name(const char *c, directive *d) {
  if (*c != '"' && *c != '<') return false;
  const char stops[] = {*c == '"' ? '"' : '>', '\n', '\0'};
  const size_t length = strcspn(c + 1, stops);
  if (c[1 + length] != stops[0]) return false;
  d->name = c + 1;
  d->length = length;
  d->quoted = *c == '"';
  d->end = c + length + 2;
  return true;
}

static bool read_include(const char *c, directive *d) {
  const size_t hash = *c == '#' ? 1 : strncmp(c, "%:", 2) == 0 ? 2 : 0;
  const char *word = skip_blanks(c + hash);
  const bool next = is_word(word, "include_next");
  if (hash == 0 || (!next && !is_word(word, "include"))) return false;
  *d = (directive){.begin = c, .end = word + word_length(word)};
  if (next || !read_name(skip_blanks(d->end), d)) return true;
  /* What follows by mistake, such as a semicolon, goes with it, as it does with a warning in compilers.
   */
  while (c = skip_blanks(d->end), *c != '\n' && *c != '\0') d->end = skip_token(c);
  return true;
}

static bool read_question(const char *c, directive *d) {
  static const char word[] = "__has_include";
  if (!is_word(c, word)) return false;
  const char *open = skip_blanks(c + strlen(word));
  *d = (directive){.begin = c, .question = true};
  if (*open != '(' || !read_name(skip_blanks(open + 1), d)) return false;
  d->end = skip_blanks(d->end);
  return *d->end++ == ')';
}

bool directive_next(directive_scan *scan, directive *d) {
  for (;;) {
    scan->at = skip_blanks(scan->at);
    if (*scan->at == '\0') return false;
    if ((!scan->in_line && read_include(scan->at, d)) || read_question(scan->at, d)) {
      scan->at = d->end;
      scan->in_line = true;
      return true;
    }
    scan->in_line = *scan->at != '\n';
    scan->at = skip_token(scan->at);
  }
}
