/* Finds where C++ text asks for headers.
 *
 * Comments, line ends behind a backslash and %: for # are understood; literals are, but for raw strings.
 * Whether a condition leaves a line out is not known: what is found may be never reached. */
#ifndef JIG_JIT_DIRECTIVE_H
#define JIG_JIT_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct directive {
  const char *begin, *end; /* from '#' to the name, or what else follows it; __has_include( ) */
  const char *name;        /* between the quotes; NULL if there is none there, or for an #include_next */
  size_t length;           /* of the name */
  bool quoted;             /* "name", not <name> */
  bool question;           /* __has_include, of a name that stands there */
} directive;

typedef struct directive_scan {
  const char *at;
  bool in_line; /* something that is no blank came before, in the same line */
} directive_scan;

/* The next one; the scan begins as {.at = text}. */
bool directive_next(directive_scan *scan, directive *d);

#endif
