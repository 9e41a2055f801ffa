/* How batched copies are tuned. */
#ifndef JIG_POLICY_COPY_BATCHED_H
#define JIG_POLICY_COPY_BATCHED_H

#include "policy/space.h"

/* Units are bytes, or items of an iterator that are copied one by one.
 *
 * In the first launch a warp leaves buffers of more than `most_units` to the second one; and, if its
 * others are more than `most_of_warp` together, those of more than `few_units`. There a warp takes
 * `tile_units` at a time. A thread loads `unroll` vectors or `unroll_units` units before it stores them.
 */
#define COPY_BATCHED_TUNING(FIELD) \
  FIELD(threads)                   \
  FIELD(min_blocks)                \
  FIELD(unroll)                    \
  FIELD(unroll_units) FIELD(most_units) FIELD(most_of_warp) FIELD(few_units) FIELD(tile_units)
POLICY_STRUCT(copy_batched_tuning, COPY_BATCHED_TUNING);

/* Of bytes, and of items. */
extern const policy_space memcpy_batched_space, memcpy_batched_long_space, copy_batched_space,
    copy_batched_long_space;

#endif
