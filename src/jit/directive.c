#include "jit/directive.h"

#include <string.h>

#include "spec/spelling.h"

/* "name" or <name>. */
static bool read_name(const char *at, directive *d) {
  if (*at != '"' && *at != '<') return false;
  const char stops[] = {*at == '"' ? '"' : '>', '\n', '\0'};
  const size_t length = strcspn(at + 1, stops);
  if (at[1 + length] != stops[0]) return false;
  d->name = at + 1;
  d->length = length;
  d->quoted = *at == '"';
  d->end = at + length + 2;
  return true;
}

/* What follows the '#' of a directive; the reader gets past what belongs to it. */
static bool read_include(token_reader *reader, const token *hash, directive *d) {
  token_reader ahead = *reader;
  const token word = token_next(&ahead);
  const bool next = token_is(&word, "include_next");
  if (!next && !token_is(&word, "include")) return false;
  *d = (directive){.begin = hash->begin, .end = word.end};
  if (!next && read_name(cxx_past_space(word.end), d)) {
    /* What follows by mistake, such as a semicolon, goes with it, as it does with a warning in compilers.
     */
    ahead.at = d->end;
    for (token t; (t = token_next(&ahead)).kind != TOKEN_LINE_END;) d->end = t.end;
  }
  reader->at = d->end;
  return true;
}

static bool read_question(const token *word, directive *d) {
  if (!token_is(word, "__has_include")) return false;
  const char *open = cxx_past_space(word->end);
  *d = (directive){.begin = word->begin, .question = true};
  if (*open != '(' || !read_name(cxx_past_space(cxx_after(open)), d)) return false;
  d->end = cxx_past_space(cxx_past_splices(d->end));
  return *d->end++ == ')';
}

bool directive_next(token_reader *reader, directive *d) {
  for (token t; (t = token_next(reader)).kind != TOKEN_END;) {
    if (t.kind == TOKEN_HASH && read_include(reader, &t, d)) return true;
    if (!read_question(&t, d)) continue;
    reader->at = d->end;
    return true;
  }
  return false;
}
