/* Iterators: checks, and the bytes that a kernel gets for one.
 *
 * In device code an iterator is a struct of its moving parts (a pointer, a start value, an operator's
 * state), members in the order they are given, laid out as C++ lays out plain structs; a stateless
 * operator is an empty struct of one byte. The program asserts that both sides agree. */
#ifndef JIG_SPEC_ITERATOR_H
#define JIG_SPEC_ITERATOR_H

#include <stdbool.h>

#include <jig/iterator.h>
#include <jig/status.h>

enum {
  ITER_MAX_DEPTH = 16,
  /* Bytes for one iterator or operator among a kernel's parameters, of which there are 4096 in all. */
  PARAMETER_MAX_SIZE = 1024,
};

typedef enum iter_role { ITER_INPUT, ITER_OUTPUT } iter_role;

/* Whether the description is sound, pointers and values aside: JIG_SUCCESS, or
 * JIG_ERROR_INVALID_ARGUMENT saying what is wrong with `what`. */
jig_status iter_check(const jig_iter *iter, iter_role role, const char *what);

/* Whether its pointers and values can be used: none is NULL, pointers are aligned. */
jig_status iter_check_values(const jig_iter *iter, const char *what);

typedef struct value_layout {
  size_t size, align;
} value_layout;
value_layout iter_layout(const jig_iter *iter);
value_layout op_layout(const jig_op *op);

/* "pointer", ...: in specs, and the name of the template's file. Of a kind that exists. */
const char *iter_name(jig_iter_kind kind);

/* What a transform is of; NULL for every other iterator. */
const jig_iter *iter_base(const jig_iter *iter);

/* How many consecutive items a thread loads at once; Iterator::run_items in device code. */
unsigned iter_run_items(const jig_iter *iter);

/* Writes the bytes of a checked iterator or operator to a buffer of layout size. */
void iter_pack(const jig_iter *iter, unsigned char *bytes);
void op_pack(const jig_op *op, unsigned char *bytes);

/* Whether any memory that the iterator points to, as num_items items, overlaps [begin, begin + size). */
bool iter_overlaps(const jig_iter *iter, uint64_t num_items, const void *begin, size_t size);

#endif
