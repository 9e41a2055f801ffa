/* Which specs share a program: those that only differ in types between which no kernel tells a
 * difference; or in the promise that a well-known operator of numbers is commutative, which it is.
 *
 * What kernels do with a slot's items is in the schema, `use`. From that:
 *
 * - items that are only moved are unsigned integers of their size or, if there are none or their
 * alignment is another, opaque bytes; so are structs, unless the spec has a text that could speak of
 * them,
 * - integers that are moved and compared by ==, or with 0, are unsigned, and so is bool,
 * - integers that are stored as counts and indices are unsigned,
 * - integers that are folded by an operator to which signs are nothing (plus, multiplies, bit_and, ...)
 * are unsigned, where all that are as large as the accumulator are of its type; and so are those that are
 * taken from their neighbours.
 *
 * Sizes, alignments and which types are equal stay the same, and with them whatever the host computes.
 * Calls, their specs and errors have the types that the caller gave; programs, their sources and what is
 * in the cache have these. */
#ifndef JIG_SPEC_SHARED_H
#define JIG_SPEC_SHARED_H

#include "spec/spec.h"

enum { SHARED_MAX_ITERS = 24 };

typedef struct shared_spec {
  spec s;
  jig_type types[SPEC_MAX_SLOTS]; /* of slots, by their numbers */
  jig_op ops[SPEC_MAX_SLOTS];
  jig_iter iters[SHARED_MAX_ITERS];
  unsigned iter_count;
  bool calls; /* for spec_called() */
} shared_spec;

/* The spec of the program that serves a checked spec: that itself, or one in `room`, which points to what
 * the first points to. Of what it returns, the same once more. */
const spec *spec_shared(const spec *s, shared_spec *room);

/* The same of one whose operators are called, op_is_called(): numbers that are operands of these and,
 * beside that, are moved, are unsigned integers of their size. Equal types stay equal where one is stored
 * as the other. */
const spec *spec_called(const spec *s, shared_spec *room);

/* What a type is to an operator that is called: a number, bool aside, is an unsigned integer. */
jig_type spec_bits_of(const jig_type *type);

#endif
