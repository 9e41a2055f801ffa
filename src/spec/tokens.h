/* C++ text token by token. */
#ifndef JIG_SPEC_TOKENS_H
#define JIG_SPEC_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum token_kind {
  TOKEN_END,
  TOKEN_NAME, /* a keyword, too */
  TOKEN_NUMBER,
  TOKEN_LITERAL,     /* a string or character, raw or not */
  TOKEN_OPEN,        /* a bracket, which `closer` closes */
  TOKEN_CLOSE,       /* `closer` */
  TOKEN_PUNCTUATION, /* one character, or "::", "<<", "<<<" or "%:" */
  TOKEN_HASH,        /* which begins a directive */
  TOKEN_LINE_END     /* of a directive; other ones are no tokens */
} token_kind;

typedef struct token {
  token_kind kind;
  const char *begin, *end;
  char closer;         /* ')', ']' or '}' */
  const char *problem; /* with a literal: "this string is not closed"; NULL: none */
} token;

/* The token that begins here, where neither a blank, a comment, a line's end nor a directive does. */
token token_at(const char *at);

typedef struct token_reader {
  const char *at;
  bool in_line, in_directive; /* a token came before, in the same line; a '#' did */
} token_reader;

/* The next token of a text that source_check() has let pass; of any other, the end may come early. The
 * reader begins as {.at = text}. */
token token_next(token_reader *reader);

/* Whether a token is a name, or punctuation, of that spelling. */
bool token_is(const token *t, const char *spelling);

/* Whether two texts have the same tokens, whatever is between them; and a hash for which that holds. */
bool tokens_equal(const char *begin, const char *end, const char *other, const char *other_end);
uint64_t tokens_hash(const char *begin, const char *end);

#endif
