/* Finds where C++ text asks for headers, token by token, as the compiler does: what it sees and jig does
 * not it would open by itself.
 *
 * Whether a condition leaves a line out is not known: what is found may be never reached. What is no text
 * that source_check() has let pass, as a header, may end early, at a comment or raw string that is not
 * closed; the compiler refuses that. */
#ifndef JIG_JIT_DIRECTIVE_H
#define JIG_JIT_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "spec/tokens.h"

typedef struct directive {
  const char *begin, *end; /* from '#' to the name, or what else follows it; __has_include( ) */
  const char *name;        /* between the quotes; NULL if there is none there, or for an #include_next */
  size_t length;           /* of the name */
  bool quoted;             /* "name", not <name> */
  bool question;           /* __has_include, of a name that stands there */
} directive;

/* The next one; the reader begins as {.at = text}. */
bool directive_next(token_reader *reader, directive *d);

#endif
