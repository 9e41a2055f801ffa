/* The inputs and outputs of a call, checked together. */
#ifndef JIG_ALGORITHM_CALL_PLACES_H
#define JIG_ALGORITHM_CALL_PLACES_H

#include "algorithm/call.h"

/* Where a call reads and writes: `count` items of an iterator. */
typedef struct call_place {
  const jig_iter *iter;
  uint64_t count;
  const char *name;
  bool is_output;
} call_place;

/* Whether there can be so many items in all of them, which is for `argument` to answer for: "num_items".
 * To be asked in size queries, too. */
jig_status call_check_counts(const call *c, const char *argument, const call_place *places, size_t count);

/* Whether all of them can be used: they are somewhere, not in the temp storage, and no output overlaps
 * anything else. */
jig_status call_check_places(const call *c, const call_place *places, size_t count);

#endif
