#include "suggest.h"

#include <stdio.h>
#include <string.h>

#include "jit/algorithm.h"

enum { LONGEST = 32, FAR = 1000, WITHIN = 10 /* farther than what is misspelt, nearer than nothing */ };

static int least(int a, int b) {
  return a < b ? a : b;
}

/* How many letters have to be changed, left out, put in or swapped with their neighbour. */
static int edits(const char *a, const char *b) {
  const size_t m = strlen(a), n = strlen(b);
  int d[LONGEST + 1][LONGEST + 1];
  if (m > LONGEST || n > LONGEST) return FAR;
  for (size_t i = 0; i <= m; ++i) {
    for (size_t k = 0; k <= n; ++k) {
      d[i][k] = (int)(i + k);
      if (i == 0 || k == 0) continue;
      d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
    }
  }
  return d[m][n];
}

static int distance(const char *word, const char *name) {
  const size_t length = strlen(word);
  const int count = edits(word, name);
  if (count <= (length < 4 ? 1 : 2)) return count;
  if (length >= 3 && strncmp(name, word, length) == 0) return WITHIN;
  return length >= 3 && strstr(name, word) != NULL ? WITHIN + 1 : FAR;
}

void suggest_try(suggestions *s, const char *name) {
  const int own = distance(s->word, name);
  if (own == FAR || (s->count > 0 && s->distances[0] < WITHIN && own >= WITHIN)) return;
  if (s->count > 0 && own < WITHIN && s->distances[0] >= WITHIN) s->count = 0;
  int at = s->count < SUGGEST_MAX ? s->count++ : SUGGEST_MAX;
  for (; at > 0 && s->distances[at - 1] > own; --at) {
    if (at == SUGGEST_MAX) continue;
    s->names[at] = s->names[at - 1];
    s->distances[at] = s->distances[at - 1];
  }
  if (at == SUGGEST_MAX) return;
  s->names[at] = name;
  s->distances[at] = own;
}

const char *suggest_text(const suggestions *s) {
  static char text[SUGGEST_MAX * 64 + 32];
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < s->count; ++i)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s'%s%.60s'",
                               i == 0              ? "; did you mean "
                               : i + 1 == s->count ? " or "
                                                   : ", ",
                               s->prefix != NULL ? s->prefix : "", s->names[i]);
  if (s->count > 0) (void)snprintf(text + length, sizeof text - length, "?");
  return text;
}

const char *suggest_algorithm(const char *word) {
  suggestions s = {.word = word};
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row)
    suggest_try(&s, (*row)->schema.algorithm);
  return suggest_text(&s);
}
