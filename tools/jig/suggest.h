/* "Did you mean": of words that there are those that a wrong one may stand for. */
#ifndef JIG_CLI_SUGGEST_H
#define JIG_CLI_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_MAX = 3 };

typedef struct suggestions {
  const char *word;
  const char *prefix;             /* of all names, as people write them; NULL: none */
  const char *names[SUGGEST_MAX]; /* the nearest first */
  int distances[SUGGEST_MAX], count;
} suggestions;

/* Looks at one of the words that there are; it has to last as long as the suggestions. */
void suggest_try(suggestions *s, const char *name);

/* "; did you mean 'radix_sort' or 'merge_sort'?", or "" where nothing is near; in a static buffer. */
const char *suggest_text(const suggestions *s);

/* What is said of a word that is no algorithm: those that it may stand for, or else all that there are.
 */
const char *suggest_algorithm(const char *word);

#endif
