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

/* Past a string or character; to the line's end if it is not closed. */
static const char *past_literal(const char *at) {
  const char quote = *at;
  for (at = cxx_after(at); *at != '\0' && *at != '\n' && *at != quote; at = cxx_after(at))
    if (*at == '\\' && *cxx_after(at) != '\0' && *cxx_after(at) != '\n') at = cxx_after(at);
  return *at == quote ? cxx_past_suffix(cxx_after(at)) : at;
}

/* Past R"delimiter( anything )delimiter", from the first quote on. */
static const char *past_raw_string(const char *at) {
  enum { MAX_DELIMITER = 16 };
  char closer[MAX_DELIMITER + 3] = ")";
  const size_t length = strcspn(at + 1, "( )\\\t\v\f\n");
  if (at[1 + length] != '(' || length > MAX_DELIMITER) return past_literal(at);
  memcpy(closer + 1, at + 1, length);
  closer[length + 1] = '"';
  const char *end = strstr(at + length + 1, closer);
  return end != NULL ? cxx_past_suffix(cxx_past_splices(end + strlen(closer))) : at + strlen(at);
}

static bool announces_raw_string(const char *begin, const char *quote) {
  static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R"};
  for (size_t i = 0; i < sizeof raw / sizeof raw[0]; ++i)
    if (cxx_past_spelling(begin, raw[i]) == quote) return true;
  return false;
}

static const char *past_number(const char *at) {
  do at = cxx_after(at);
  while (cxx_is_name_char(*at) || *at == '.' || (*at == '\'' && cxx_is_name_char(*cxx_after(at))));
  return at;
}

/* A name, or the raw string that it announces. */
static void read_name(token *t) {
  while (cxx_is_name_char(*t->end)) t->end = cxx_after(t->end);
  if (*t->end != '"' || !announces_raw_string(t->begin, t->end)) return;
  t->kind = TOKEN_LITERAL;
  t->end = past_raw_string(t->end);
}

static void read_punctuation(token *t) {
  static const struct {
    const char *spelling;
    token_kind kind;
    char closer;
  } rows[] = {{"::", TOKEN_PUNCTUATION, 0}, {"<<", TOKEN_PUNCTUATION, 0}, {"<:", TOKEN_OPEN, ']'},
              {"<%", TOKEN_OPEN, '}'},      {":>", TOKEN_CLOSE, ']'},     {"%>", TOKEN_CLOSE, '}'},
              {"(", TOKEN_OPEN, ')'},       {"[", TOKEN_OPEN, ']'},       {"{", TOKEN_OPEN, '}'},
              {")", TOKEN_CLOSE, ')'},      {"]", TOKEN_CLOSE, ']'},      {"}", TOKEN_CLOSE, '}'}};
  const char *scope = cxx_past_spelling(t->begin, "<::");
  t->end = cxx_after(t->begin);
  if (scope != NULL && *scope != ':' && *scope != '>') return; /* "<" and "::" */
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const char *end = cxx_past_spelling(t->begin, rows[i].spelling);
    if (end == NULL) continue;
    *t = (token){rows[i].kind, t->begin, end, rows[i].closer};
    return;
  }
}

token token_next(token_reader *r) {
  const char *at = past_nothing(r), *second = *at != '\0' ? cxx_after(at) : at;
  token t = {TOKEN_PUNCTUATION, at, at, 0};
  const bool digraph = *at == '%' && *second == ':';
  if (*at == '\0') {
    t.kind = r->in_directive ? TOKEN_LINE_END : TOKEN_END;
    r->in_directive = false;
  } else if (*at == '\n') {
    t = (token){TOKEN_LINE_END, at, second, 0};
    r->in_directive = r->in_line = false;
  } else if (!r->in_line && (*at == '#' || digraph)) {
    t = (token){TOKEN_HASH, at, digraph ? cxx_after(second) : second, 0};
    r->in_directive = true;
  } else if (*at == '"' || *at == '\'') {
    t = (token){TOKEN_LITERAL, at, past_literal(at), 0};
  } else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)*second))) {
    t = (token){TOKEN_NUMBER, at, past_number(at), 0};
  } else if (cxx_is_name_char(*at)) {
    t.kind = TOKEN_NAME;
    read_name(&t);
  } else {
    read_punctuation(&t);
  }
  if (t.kind != TOKEN_LINE_END) r->in_line = true;
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
