/* Which cases of the matrix to run. */
#ifndef JIG_TESTS_MATRIX_COVER_H
#define JIG_TESTS_MATRIX_COVER_H

#include "matrix_case.h"

typedef struct matrix_cases {
  matrix_case *all; /* malloc'ed; types one after the other */
  size_t count;
} matrix_cases;

/* Of the forms that are there: as few cases as have every two of type, family of forms, input, output and
 * kind of state together, and every form with every kind of state. */
matrix_cases matrix_cover(const bool there[MATRIX_FORMS]);

/* Every type with every form, every kind of state and every input; outputs take turns. */
matrix_cases matrix_full(const bool there[MATRIX_FORMS]);

/* Keeps every n-th case, from number i of 0 .. n - 1. */
void matrix_shard(matrix_cases *cases, size_t i, size_t n);

#endif
