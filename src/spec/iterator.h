/* Iterators: one table of what kinds there are, and everything that follows from it.
 *
 * In device code an iterator is a struct of its bases, in order, then its operator, then the moving parts
 * of its own (a pointer, a start, a step, ...), laid out as C++ lays out plain structs; a stateless
 * operator is an empty struct of one byte. The program asserts that both sides agree.
 *
 * A new kind is an enumerator and a function in jig/iterator.h, a row of the table in iterator.c, and the
 * device class that the row names, in templates/jig/core/iterator. */
#ifndef JIG_SPEC_ITERATOR_H
#define JIG_SPEC_ITERATOR_H

#include <stdbool.h>

#include <jig/iterator.h>
#include <jig/status.h>

#include "spec/operator.h"
#include "spec/type.h"

enum {
  ITER_MAX_DEPTH = 16,
  ITER_MAX_BASES = 8,
  /* In one spec: bases are arrays, and the same ones may be met again and again. */
  ITER_MAX_COUNT = 64,
};

typedef enum iter_role { ITER_INPUT = 1, ITER_OUTPUT = 2 } iter_role;

/* ---- kinds: the functions below take any value of the enumeration, the others kinds that exist. */

bool iter_kind_exists(jig_iter_kind kind);

/* The kind of that name; JIG_ITER_NONE if there is none, or no name. */
jig_iter_kind iter_kind_from_name(const char *name);

/* "pointer", ...: in specs, and the name of the template's file; "Pointer", ...: the class in there. */
const char *iter_name(jig_iter_kind kind);
const char *iter_class(jig_iter_kind kind);

/* How many bases an iterator of that kind may have. */
unsigned iter_min_bases(jig_iter_kind kind);
unsigned iter_max_bases(jig_iter_kind kind);

/* Whether it has an operator. */
bool iter_has_op(jig_iter_kind kind);

/* Whether its items are structs with a member for each base, of the base's type. The class then has any
 * number of template arguments for the bases, and the item type before them. */
bool iter_groups(jig_iter_kind kind);

/* ---- one iterator */

/* How many bases it has, and each of them. Before it was checked the number may be 0 where another one
 * makes no sense, and a base NULL. */
unsigned iter_base_count(const jig_iter *iter);
const jig_iter *iter_base_at(const jig_iter *iter, unsigned k);

/* The signature of its operator, if it has one. */
op_signature iter_op_signature(const jig_iter *iter);

/* Whether the description is sound, pointers and values aside: JIG_SUCCESS, or
 * JIG_ERROR_INVALID_ARGUMENT saying what is wrong with `what`, which is in that slot. */
jig_status iter_check(const jig_iter *iter, iter_role role, const char *what, const char *slot);

/* How many iterators a checked one is made of, itself included. */
unsigned iter_count(const jig_iter *iter);

/* Whether there can be memory for items 0 .. num_items - 1 of a checked iterator, wherever its pointers
 * point to. */
bool iter_fits_memory(const jig_iter *iter, uint64_t num_items);

/* Of an iterator of which nobody says how many items it has, as many as can be looked at: one, or none if
 * it has an end, or is made of one that has, before which there are none. */
uint64_t iter_known_items(const jig_iter *iter);

/* For a spec's slot: NULL for an iterator that was left out. */
static inline const jig_iter *iter_given(const jig_iter *iter) {
  return iter->kind != JIG_ITER_NONE ? iter : NULL;
}

value_layout iter_layout(const jig_iter *iter);

/* What its items are made of, before any operator of jig_iter_transform(). */
static inline const jig_iter *iter_source(const jig_iter *iter) {
  while (iter->kind == JIG_ITER_TRANSFORM) iter = iter->base;
  return iter;
}

/* How many consecutive items a thread loads at once; Iterator::vector_items in device code. */
unsigned iter_vector_items(const jig_iter *iter);
/* The same where kernels get the places of items that are too large for registers: jig::Places. */
static inline unsigned iter_place_items(const jig_iter *iter) {
  return iter->type.size > TYPE_HELD_SIZE ? 4 : iter_vector_items(iter);
}
/* Whether it loads each of them from an address of its own. */
bool iter_loads_each(const jig_iter *iter);
/* Whether its items lie in memory, wherever: reference() of the iterator in device code. */
static inline bool iter_has_references(const jig_iter *iter) {
  while (iter->kind == JIG_ITER_REVERSE || iter->kind == JIG_ITER_PERMUTATION)
    iter = iter_base_at(iter, 0);
  return iter->kind == JIG_ITER_POINTER || iter->kind == JIG_ITER_STRIDED;
}
/* Whether its items lie one behind the other in memory: a pointer, with a hint or not. */
static inline bool iter_is_pointed(const jig_iter *iter) {
  return iter->kind == JIG_ITER_POINTER || iter->kind >= JIG_ITER_POINTER_STREAMING;
}

/* Writes the bytes of a checked iterator, as many as its layout has; how many. */
size_t iter_pack(const jig_iter *iter, unsigned char *bytes);

/* Whether reading item i takes nothing from what `out`, a pointer to num_items items, points to but its
 * item i, as far as pointers tell. */
bool iter_reads_in_place(const jig_iter *in, const jig_iter *out, uint64_t num_items);

#endif
