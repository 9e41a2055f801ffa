/* How segmented reduce and segmented arg-reduce are tuned. */
#ifndef JIG_POLICY_SEGMENTED_REDUCE_H
#define JIG_POLICY_SEGMENTED_REDUCE_H

#include "policy/space.h"

/* A thread holds `lane_items` neighbours of a tile of segments. Of a long one, or of its part of a
 * segment of a group, it loads `unroll` vectors at once; of a group that has no vectors `unroll_items`
 * items. A warp alone takes up to `few_rows` rows of items of a block's first segment. */
#define SEGMENTED_REDUCE_TUNING(FIELD) \
  FIELD(threads)                       \
  FIELD(min_blocks)                    \
  FIELD(unroll) FIELD(unroll_items) FIELD(lane_items) FIELD(tiny_vectors) FIELD(few_rows)
POLICY_STRUCT(segmented_reduce_tuning, SEGMENTED_REDUCE_TUNING);

/* Of segments of any lengths, of few that adjoin, of others, of a block each, of more of these, and of
 * halves of blocks; of parts of one size; of groups, whose lanes load items or vectors, or segments of
 * one or two; and of the kernel before. */
extern const policy_space segmented_reduce_space, segmented_arg_reduce_space, segmented_reduce_few_space,
    segmented_reduce_few_apart_space, segmented_reduce_blocks_space, segmented_reduce_more_blocks_space,
    segmented_reduce_half_blocks_space, segmented_reduce_parts_space, segmented_reduce_items_space,
    segmented_reduce_vectors_space, segmented_reduce_tiny_space, segmented_reduce_starts_space;

/* Whether segments of one size may be cut into blocks of the kernel for that. */
bool segmented_reduce_has_parts(const spec *s);

/* Whether more segments than a block has threads may have a block each, or half of one, by the kernels
 * for that. */
bool segmented_reduce_has_more_blocks(const spec *s);

#endif
