#include "spec/tokens.h"

#include <ctype.h>
#include <string.h>

#include "spec/spelling.h"

static const char *past_line(const char *at) {
  while (*at != '\0' && *at != '\n') at = cxx_after(at);
  return at;
}

/* Past what is no token. */
static const char *past_nothing(token_reader *r) {
  const char *at = cxx_past_splices(r->at);
  for (;;) {
    const char *begin = at;
    if (*at == '/' && *cxx_after(at) == '/') {
      at = past_line(at);
    } else if (*at == '/' && *cxx_after(at) == '*') {
      at = cxx_past_comment(at);
      if (at == NULL) return begin + strlen(begin);
      if (memchr(begin, '\n', (size_t)(at - begin)) != NULL && !r->in_directive) r->in_line = false;
    } else if (*at == '\n' && !r->in_directive) {
      at = cxx_after(at);
      r->in_line = false;
    } else if (cxx_is_blank(*at)) {
      at = cxx_after(at);
    } else {
      return at;
    }
  }
}

/* A string or character; up to the line's end if it is not closed. */
static void read_literal(token *t, const char *at) {
  const char quote = *at;
  t->kind = TOKEN_LITERAL;
  for (at = cxx_after(at); *at != '\0' && *at != '\n' && *at != quote; at = cxx_after(at))
    if (*at == '\\' && *cxx_after(at) != '\0' && *cxx_after(at) != '\n') at = cxx_after(at);
  t->end = *at == quote ? cxx_past_suffix(cxx_after(at)) : at;
  if (*at != quote)
    t->problem = quote == '"' ? "this string is not closed" : "this character is not closed";
}

/* R"delimiter( anything )delimiter", in which a backslash is no more than that; from the first quote on.
 */
static void read_raw_string(token *t, const char *at) {
  enum { MAX_DELIMITER = 16 };
  char closer[MAX_DELIMITER + 3] = ")";
  const char *delimiter = at + 1;
  const size_t length = strcspn(delimiter, "( )\\\t\v\f\n");
  t->kind = TOKEN_LITERAL;
  t->end = cxx_after(at);
  t->problem = "this raw string has no '(' after at most 16 characters";
  if (delimiter[length] != '(' || length > MAX_DELIMITER) return;
  memcpy(closer + 1, delimiter, length);
  closer[length + 1] = '"';
  const char *end = strstr(delimiter + length + 1, closer);
  t->end = end != NULL ? cxx_past_suffix(cxx_past_splices(end + strlen(closer))) : at + strlen(at);
  t->problem = end != NULL ? NULL : "this raw string is not closed";
}

static bool announces_raw_string(const char *begin, const char *quote) {
  static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R"};
  for (size_t i = 0; i < sizeof raw / sizeof raw[0]; ++i)
    if (cxx_past_spelling(begin, raw[i]) == quote) return true;
  return false;
}

/* With the quotes that separate its digits. */
static void read_number(token *t) {
  t->kind = TOKEN_NUMBER;
  while (cxx_is_name_char(*t->end) || *t->end == '\'') t->end = cxx_after(t->end);
}

/* A name, or the raw string that it announces. */
static void read_name(token *t) {
  t->kind = TOKEN_NAME;
  while (cxx_is_name_char(*t->end)) t->end = cxx_after(t->end);
  if (*t->end == '"' && announces_raw_string(t->begin, t->end)) read_raw_string(t, t->end);
}

/* The brackets, and tokens of which no part is one; the longer first. */
static void read_punctuation(token *t) {
  static const struct {
    const char *spelling;
    token_kind kind;
    char closer;
  } rows[] = {{"<<<", TOKEN_PUNCTUATION, 0}, {"<<", TOKEN_PUNCTUATION, 0}, {"::", TOKEN_PUNCTUATION, 0},
              {"%:", TOKEN_PUNCTUATION, 0},  {"<:", TOKEN_OPEN, ']'},      {"<%", TOKEN_OPEN, '}'},
              {":>", TOKEN_CLOSE, ']'},      {"%>", TOKEN_CLOSE, '}'},     {"(", TOKEN_OPEN, ')'},
              {"[", TOKEN_OPEN, ']'},        {"{", TOKEN_OPEN, '}'},       {")", TOKEN_CLOSE, ')'},
              {"]", TOKEN_CLOSE, ']'},       {"}", TOKEN_CLOSE, '}'}};
  const char *scope = cxx_past_spelling(t->begin, "<::");
  t->end = cxx_after(t->begin);
  if (scope != NULL && *scope != ':' && *scope != '>') return; /* "<" and "::" */
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const char *end = cxx_past_spelling(t->begin, rows[i].spelling);
    if (end == NULL) continue;
    t->kind = rows[i].kind;
    t->end = end;
    t->closer = rows[i].closer;
    return;
  }
}

token token_at(const char *at) {
  token t = {.kind = TOKEN_PUNCTUATION, .begin = at, .end = at};
  if (*at == '"' || *at == '\'')
    read_literal(&t, at);
  else if (isdigit((unsigned char)*at))
    read_number(&t);
  else if (cxx_is_name_char(*at))
    read_name(&t);
  else
    read_punctuation(&t);
  return t;
}

token token_next(token_reader *r) {
  const char *at = past_nothing(r);
  token t = {.begin = at, .end = at};
  if (*at == '\0') {
    t.kind = r->in_directive ? TOKEN_LINE_END : TOKEN_END;
    r->in_directive = false;
  } else if (*at == '\n') {
    t.kind = TOKEN_LINE_END;
    t.end = cxx_after(at);
    r->in_directive = r->in_line = false;
  } else {
    t = token_at(at);
    if (!r->in_line && (token_is(&t, "#") || token_is(&t, "%:"))) {
      t.kind = TOKEN_HASH;
      r->in_directive = true;
    }
    r->in_line = true;
  }
  r->at = t.end;
  return t;
}

bool token_is(const token *t, const char *spelling) {
  return (t->kind == TOKEN_NAME || t->kind == TOKEN_PUNCTUATION) &&
         cxx_past_spelling(t->begin, spelling) == t->end;
}

/* ---- sequences */

static bool same_spelling(const token *a, const token *b) {
  const char *x = a->begin, *y = b->begin;
  if (a->kind != b->kind) return false;
  if (a->kind == TOKEN_OPEN || a->kind == TOKEN_CLOSE) return a->closer == b->closer;
  if (a->kind == TOKEN_HASH || a->kind == TOKEN_LINE_END) return true;
  for (; x < a->end && y < b->end && *x == *y; x = cxx_after(x)) y = cxx_after(y);
  return x >= a->end && y >= b->end;
}

bool tokens_equal(const char *begin, const char *end, const char *other, const char *other_end) {
  token_reader a = {.at = begin}, b = {.at = other};
  for (;;) {
    const token x = token_next(&a), y = token_next(&b);
    const bool x_ends = x.kind == TOKEN_END || x.begin >= end,
               y_ends = y.kind == TOKEN_END || y.begin >= other_end;
    if (x_ends || y_ends) return x_ends && y_ends;
    if (!same_spelling(&x, &y)) return false;
  }
}

/* FNV-1a. */
uint64_t tokens_hash(const char *begin, const char *end) {
  uint64_t hash = 0xcbf29ce484222325u;
  token_reader reader = {.at = begin};
  for (token t; (t = token_next(&reader)).kind != TOKEN_END && t.begin < end;) {
    const bool spelled = t.kind <= TOKEN_LITERAL || t.kind == TOKEN_PUNCTUATION;
    hash = (hash ^ (unsigned)t.kind ^ (unsigned)(unsigned char)t.closer) * 0x100000001b3u;
    for (const char *c = t.begin; spelled && c < t.end; c = cxx_after(c))
      hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  }
  return hash;
}
