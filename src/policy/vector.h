/* Vectors of items that one thread loads from an input and stores to an output. */
#ifndef JIG_POLICY_VECTOR_H
#define JIG_POLICY_VECTOR_H

#include "spec/iterator.h"

enum { VECTOR_BYTES = 16 };

/* How many neighbours a thread loads and stores at once: a vector of the larger items; 1 where one side
 * has no vectors. */
int vector_items(const jig_iter *in, const jig_iter *out);

#endif
