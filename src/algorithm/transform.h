/* A transform as part of another algorithm's call, on its stream. */
#ifndef JIG_ALGORITHM_TRANSFORM_H
#define JIG_ALGORITHM_TRANSFORM_H

#include "algorithm/call.h"

/* The spec of a call's program; it points to the iterators. The stencil may be NULL. `counted`: the
 * number of items is read on the GPU. */
void transform_describe(const jig_iter *in, const jig_iter *stencil, const jig_iter *out, bool counted,
                        spec *s);

/* Whether a launch of its program can have so many items. */
jig_status transform_check(call *c, uint64_t num_items);

/* Launches it, of the call's spec; nothing about pointers is checked. */
jig_status transform_launch(call *c, item_count num_items);

#endif
