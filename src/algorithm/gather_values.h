/* Values that sorts do not move, or keys: what is sorted in their stead is their indices, by which a
 * transform gathers the values in the end. */
#ifndef JIG_ALGORITHM_GATHER_VALUES_H
#define JIG_ALGORITHM_GATHER_VALUES_H

#include "algorithm/call.h"

/* In the place of such values: indices, counted, of 8 or of 4 bytes; these for less than 2^32 items. */
typedef struct gather_index {
  jig_type type;
  jig_iter counted;
} gather_index;
extern const gather_index gather_index64, gather_index32;

typedef struct gather_values {
  call c; /* for the transform within the sort's call */
  spec s;
  jig_iter values, indices, places, in, stencil, out;
} gather_values;

/* The transform of `values_in` by such indices that are at a pointer. If only some values are sorted, the
 * others' indices are all ones there. `counted`: the GPU says how many there are. */
void gather_describe(gather_values *g, const jig_iter *values_in, const gather_index *index,
                     bool only_some, bool counted);

/* Obtains that program, for so many items at most; a size query, too, does. */
jig_status gather_prepare(call *c, gather_values *g, uint64_t num_items);

/* Before the sort, if only some values are sorted, by indices of 8 bytes; and after it. */
jig_status gather_clear(const call *c, void *indices, uint64_t num_items);
jig_status gather_launch(gather_values *g, void *indices, const jig_iter *values_out,
                         item_count num_items);

#endif
