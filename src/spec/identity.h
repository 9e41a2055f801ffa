/* Which specs are the same, and keeping one: for the in-memory table of programs, which finds by a hash
 * that is not cryptographic, and believes only what it has compared in full. */
#ifndef JIG_SPEC_IDENTITY_H
#define JIG_SPEC_IDENTITY_H

#include "spec/spec.h"

/* A copy of a checked spec with all that it points to, without what moves from call to call; one block,
 * to be free()d. NULL when out of memory. */
spec *spec_copy(const spec *s);

/* Whether everything that decides what is compiled is the same as in a copy by spec_copy(): all that
 * spec_hash() is made of, byte for byte; and what is reserved in bases is 0. What is given need not have
 * been checked. No heap, no formatting. */
bool spec_equal(const spec *given, const spec *kept);

/* The same of an iterator and one that calls were made with, by args_copy(). */
bool iter_equal(const jig_iter *given, const jig_iter *kept);

#endif
