/* Args that outlast their call: a copy of the struct and of all that decides what is compiled, which it
 * points to (iterators' bases, texts, compiled operators). The host memory that calls read values and
 * states from, or write to, stays the caller's: each call finds it as it is then. */
#ifndef JIG_SPEC_ARGS_COPY_H
#define JIG_SPEC_ARGS_COPY_H

#include "spec/layout.h"

/* One block, to be free()d; NULL when out of memory. What cannot be sound, such as iterators in a circle,
 * is cut off. */
void *args_copy(const struct_layout *layout, const void *args);

/* To how many iterators a field of args points that is CONTENT_ITERS. */
size_t args_iters(const struct_field *field, const void *args);

/* Puts the pointers, values, counts and so on of an iterator, and of its bases, into a copy of one that
 * differs in these alone: see iter_equal(). */
void iter_move(jig_iter *copy, const jig_iter *from);

#endif
