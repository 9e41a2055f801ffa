/* Value types of every layout, each with three operators that can be had in every form: as a body, as a
 * function, compiled by value and by pointer; and the same on the host.
 *
 * fold: maps composed, x -> m x + n in modular arithmetic: associative and nothing more, and every item
 *       counts. A number holds m and n in its upper and lower half, floating-point ones as a small whole
 *       number; of several elements the first is m and the others are as many n. Bools are xor'ed.
 * turn: an item with one bit changed.
 * make: an item of an index. */
#ifndef JIG_TESTS_MATRIX_TYPE_H
#define JIG_TESTS_MATRIX_TYPE_H

#include <jig/operator.h>
#include <stdbool.h>

#include "numbers.h"

typedef struct matrix_type {
  const char *tag;  /* what symbols begin with */
  const char *name; /* in device code, jig's and others' text; NULL: opaque */
  size_t size, align;
  jig_type_kind element;
  unsigned count;      /* of elements */
  unsigned bits;       /* of each element that are used, or of each half of a number's */
  const char *members; /* of a struct */
} matrix_type;

enum { MATRIX_TYPES = 27 };
extern const matrix_type matrix_types[MATRIX_TYPES];

/* What operators may have as their state: how many bits count, and which one to turn. */
typedef struct matrix_state {
  uint64_t mask, flip;
} matrix_state;
extern const jig_type matrix_state_type;
/* What operators without a state compute with; and another state. */
matrix_state matrix_plain(const matrix_type *t);
matrix_state matrix_other(const matrix_type *t);

/* The type for jig; a struct's definition has an operator+, which is fold. Kept for the program's life.
 */
jig_type matrix_jig_type(const matrix_type *t);
/* Whether the struct is one of a few members of the elements' type, so that jig_zip() makes it of them.
 */
bool matrix_has_members(const matrix_type *t);

typedef enum matrix_op { MATRIX_FOLD, MATRIX_TURN, MATRIX_MAKE } matrix_op;

/* The operator's texts: a body, a function "f", and a source file that exports it by value (if the type
 * is not opaque) and by pointer, with a state and without; of all types, if t is NULL. Kept for the
 * program's life. */
const char *matrix_body(const matrix_type *t, matrix_op op, bool with_state);
const char *matrix_function(const matrix_type *t, matrix_op op, bool with_state);
const char *matrix_file(const matrix_type *t);
/* A name in that file. */
const char *matrix_symbol(const matrix_type *t, matrix_op op, bool by_pointer, bool with_state);

/* The same on the host. The result is none of the operands. */
void matrix_fold(const matrix_type *t, matrix_state s, const void *a, const void *b, void *result);
void matrix_turn(const matrix_type *t, matrix_state s, const void *x, void *result);
void matrix_make(const matrix_type *t, matrix_state s, uint64_t i, void *result);

#endif
