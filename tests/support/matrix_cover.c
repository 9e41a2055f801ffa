#include "matrix_cover.h"

#include <stdlib.h>
#include <string.h>

/* Each property of a case, and where its values begin when those of all properties are numbered. */
enum {
  TYPE = 0,
  FAMILY = TYPE + MATRIX_TYPES,
  IN = FAMILY + MATRIX_FAMILIES,
  OUT = IN + MATRIX_INPUTS,
  KEPT = OUT + MATRIX_OUTPUTS,
  FORM = KEPT + MATRIX_STATES,
  VALUES = FORM + MATRIX_FORMS,
  PROPERTIES = 6
};

typedef struct values {
  unsigned char of[PROPERTIES];
} values;

static values values_of(const matrix_case *c) {
  return (values){{(unsigned char)(TYPE + (c->type - matrix_types)),
                   (unsigned char)(FAMILY + c->form->family), (unsigned char)(IN + c->in),
                   (unsigned char)(OUT + c->out), (unsigned char)(KEPT + c->kept),
                   (unsigned char)(FORM + (c->form - matrix_forms))}};
}

/* Of a form only which states it was used with matters: the family stands for the rest. */
static bool matters(unsigned char a, unsigned char b) {
  return b < FORM || (a >= KEPT && a < FORM);
}

/* Calls back with every case that there is. */
static void for_each(const bool there[MATRIX_FORMS], void (*visit)(const matrix_case *, void *),
                     void *user) {
  matrix_case c;
  memset(&c, 0, sizeof c);
  for (size_t t = 0; t < MATRIX_TYPES; ++t) {
    for (size_t f = 0; f < MATRIX_FORMS; ++f) {
      if (!there[f]) continue;
      for (int n = 0; n < MATRIX_STATES * MATRIX_INPUTS * MATRIX_OUTPUTS; ++n) {
        c.type = &matrix_types[t];
        c.form = &matrix_forms[f];
        c.kept = (matrix_kept)(n / (MATRIX_INPUTS * MATRIX_OUTPUTS));
        c.in = (matrix_in)(n / MATRIX_OUTPUTS % MATRIX_INPUTS);
        c.out = (matrix_out)(n % MATRIX_OUTPUTS);
        if (matrix_is_possible(&c)) visit(&c, user);
      }
    }
  }
}

static void add(matrix_cases *cases, const matrix_case *c) {
  if ((cases->count & (cases->count - 1)) == 0) /* full at every power of two */
    cases->all = realloc(cases->all, (cases->count > 0 ? 2 * cases->count : 1) * sizeof *c);
  cases->all[cases->count++] = *c;
}

static void add_visited(const matrix_case *c, void *cases) {
  add(cases, c);
}

static bool missing[VALUES][VALUES]; /* pairs, the lower number first */

static int mark(const values *v, bool now) {
  int changed = 0;
  for (int a = 0; a < PROPERTIES; ++a) {
    for (int b = a + 1; b < PROPERTIES; ++b) {
      bool *pair = &missing[v->of[a]][v->of[b]];
      changed += *pair != now;
      *pair = now;
    }
  }
  return changed;
}

static int gain(const values *v) {
  int pairs = 0;
  for (int a = 0; a < PROPERTIES; ++a) {
    for (int b = a + 1; b < PROPERTIES; ++b) pairs += missing[v->of[a]][v->of[b]];
  }
  return pairs;
}

static bool has(const values *v, int value) {
  return memchr(v->of, value, sizeof v->of) != NULL;
}

/* The case that covers the most among those with this pair. */
static size_t best_with(const values *all, size_t count, int a, int b) {
  size_t best = 0;
  int most = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!has(&all[i], a) || !has(&all[i], b)) continue;
    const int pairs = gain(&all[i]);
    if (pairs > most) {
      most = pairs;
      best = i;
    }
  }
  return best;
}

static int by_type(const void *a, const void *b) {
  const matrix_case *x = a, *y = b;
  if (x->type != y->type) return x->type < y->type ? -1 : 1;
  return x->form < y->form ? -1 : x->form > y->form;
}

matrix_cases matrix_cover(const bool there[MATRIX_FORMS]) {
  matrix_cases possible = {NULL, 0}, chosen = {NULL, 0};
  for_each(there, add_visited, &possible);
  values *all = malloc(possible.count * sizeof *all);
  memset(missing, 0, sizeof missing);
  for (size_t i = 0; i < possible.count; ++i) {
    all[i] = values_of(&possible.all[i]);
    (void)mark(&all[i], true);
  }
  for (int a = 0; a < VALUES; ++a) {
    for (int b = a + 1; b < VALUES; ++b)
      missing[a][b] = missing[a][b] && matters((unsigned char)a, (unsigned char)b);
  }
  for (int a = 0; a < VALUES; ++a) {
    for (int b = a + 1; b < VALUES; ++b) {
      if (!missing[a][b]) continue;
      const size_t best = best_with(all, possible.count, a, b);
      (void)mark(&all[best], false);
      possible.all[best].with_init = chosen.count % 2 == 1 || matrix_needs_init(&possible.all[best]);
      add(&chosen, &possible.all[best]);
    }
  }
  free(all);
  free(possible.all);
  qsort(chosen.all, chosen.count, sizeof *chosen.all, by_type);
  return chosen;
}

/* Of the cases that differ in their outputs only, each time another one. */
static void add_one_output(const matrix_case *c, void *user) {
  matrix_cases *cases = user;
  const matrix_case *last = cases->count > 0 ? &cases->all[cases->count - 1] : NULL;
  const bool same = last != NULL && last->type == c->type && last->form == c->form &&
                    last->kept == c->kept && last->in == c->in;
  if (!same) add(cases, c);
  matrix_case *newest = &cases->all[cases->count - 1];
  if (same && c->out == (matrix_out)(cases->count % MATRIX_OUTPUTS)) newest->out = c->out;
  newest->with_init = cases->count % 2 == 0 || matrix_needs_init(newest);
}

matrix_cases matrix_full(const bool there[MATRIX_FORMS]) {
  matrix_cases cases = {NULL, 0};
  for_each(there, add_one_output, &cases);
  return cases;
}

void matrix_shard(matrix_cases *cases, size_t i, size_t n) {
  size_t kept = 0;
  for (size_t k = i; k < cases->count; k += n) cases->all[kept++] = cases->all[k];
  cases->count = kept;
}
