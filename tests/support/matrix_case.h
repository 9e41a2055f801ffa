/* One case of the matrix: a reduce of items of one type, by its fold in one form, from one kind of
 * iterator to another. */
#ifndef JIG_TESTS_MATRIX_CASE_H
#define JIG_TESTS_MATRIX_CASE_H

#include <jig/reduce.h>

#include "binaries.h"
#include "matrix_type.h"

/* How the operator is given. Forms of one family are as good as each other, but for who made them. */
typedef enum matrix_family {
  WELL_KNOWN,
  SOURCE,
  FUNCTION,
  LTO_VALUE,
  LTO_POINTER,
  PTX_VALUE,
  PTX_POINTER,
  CUBIN,
  OBJECT,
  FATBIN,
  MATRIX_FAMILIES
} matrix_family;

typedef struct matrix_form {
  matrix_family family;
  binary_kind kind; /* of compiled ones, like the rest */
  binary_maker maker;
  bool by_pointer;
} matrix_form;
enum { MATRIX_FORMS = 25 };
extern const matrix_form matrix_forms[MATRIX_FORMS];
bool matrix_is_compiled(const matrix_form *f);

typedef enum matrix_kept { NO_STATE, STATE_BY_VALUE, STATE_ON_DEVICE, MATRIX_STATES } matrix_kept;

typedef enum matrix_in {
  IN_POINTER,
  IN_COUNTING,
  IN_COUNTING_BY,
  IN_CONSTANT,
  IN_TRANSFORM,
  IN_STRIDED,
  IN_REVERSE,
  IN_PERMUTATION,
  IN_ZIP,
  IN_SOURCE,
  MATRIX_INPUTS
} matrix_in;

typedef enum matrix_out {
  OUT_POINTER,
  OUT_STRIDED,
  OUT_REVERSE,
  OUT_PERMUTATION,
  OUT_ZIP,
  OUT_TRANSFORM,
  OUT_DISCARD, /* of one side of a zip */
  MATRIX_OUTPUTS
} matrix_out;

typedef struct matrix_case {
  const matrix_type *type;
  const matrix_form *form;
  matrix_kept kept;
  matrix_in in;
  matrix_out out;
  bool with_init;
} matrix_case;

/* "i32: LTO-IR by pointer of nvcc, with a state, from reverse to pointer"; good for the next few calls.
 */
const char *matrix_case_name(const matrix_case *c);

/* Whether there is such a thing at all: counting structs, say, there is not. */
bool matrix_is_possible(const matrix_case *c);

/* Whether it must have an init: without items a maximum is minus infinity, which the operator of the
 * output, over the bits of an integer, has no result for. */
bool matrix_needs_init(const matrix_case *c);

/* The source that a compiled form is made of: nvcc, which takes a second, makes all types at once. */
const char *matrix_form_file(const matrix_form *f, const matrix_type *t);

/* Items for a type, on the host and on the device; without a device, to build programs only. */
typedef struct matrix_stock {
  const matrix_type *type;
  size_t count;
  unsigned char *host;
  uint32_t *order;           /* a permutation */
  unsigned char *items;      /* on the device */
  unsigned char *spread;     /* with others between them */
  uint32_t *places;          /* the permutation */
  const matrix_state *state; /* matrix_other() */
} matrix_stock;
matrix_stock matrix_stock_new(const matrix_type *t);
void matrix_stock_free(matrix_stock *s);

/* A call's args, and what they point to; to stay where it was set. */
typedef struct matrix_scene {
  const matrix_case *of;
  const matrix_stock *stock;
  jig_reduce_args args;
  jig_iter iters[16];
  matrix_state state;
  uint32_t place;
  char numbered[256];
  _Alignas(16) unsigned char start[256], step[16], init[256];
} matrix_scene;

/* What a call writes: a few places for items, on a device that all are poisoned at first; and numbers. */
enum { MATRIX_PLACES = 5, MATRIX_POISON = 0xcd, MATRIX_NUMBER = 7 };

/* `out` and `numbers` may be NULL, to build only. */
void matrix_scene_set(matrix_scene *scene, const matrix_case *c, const matrix_stock *stock, size_t count,
                      void *out, void *numbers, int sm);
/* What is to be there after the call: MATRIX_PLACES items, and a number. */
void matrix_scene_expect(const matrix_scene *scene, unsigned char *out, uint32_t *number);

#endif
