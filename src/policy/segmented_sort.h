/* How segmented sort is tuned. */
#ifndef JIG_POLICY_SEGMENTED_SORT_H
#define JIG_POLICY_SEGMENTED_SORT_H

#include "policy/space.h"

/* Its kernels, in this order. */
enum {
  SEGMENTED_SORT_SMALL,
  SEGMENTED_SORT_LARGE,
  SEGMENTED_SORT_FEW,
  SEGMENTED_SORT_FEW_LONG,
  SEGMENTED_SORT_KERNELS
};

#define SEGMENTED_SORT_SMALL_TUNING(FIELD) \
  FIELD(threads) FIELD(warp_items) FIELD(min_blocks) FIELD(small_items)
POLICY_STRUCT(segmented_sort_small_tuning, SEGMENTED_SORT_SMALL_TUNING);
#define SEGMENTED_SORT_LARGE_TUNING(FIELD) \
  FIELD(threads) FIELD(warp_items) FIELD(min_blocks) FIELD(log_spread) FIELD(shared_bytes)
POLICY_STRUCT(segmented_sort_large_tuning, SEGMENTED_SORT_LARGE_TUNING);
/* As of a radix sort by one block; segments of up to compared_items are sorted by comparing. A block
 * takes used_bytes of shared memory; those that are to have a multiprocessor each ask for all
 * shared_bytes. */
/* clang-format off */
#define SEGMENTED_SORT_FEW_TUNING(FIELD)                                           \
  FIELD(threads) FIELD(rows) FIELD(indexed_rows) FIELD(min_blocks)                 \
  FIELD(compared_items) FIELD(cluster) FIELD(frequent_digits) FIELD(frequent_share) \
  FIELD(used_bytes) FIELD(shared_bytes)
/* clang-format on */
POLICY_STRUCT(segmented_sort_few_tuning, SEGMENTED_SORT_FEW_TUNING);

extern const policy_space segmented_sort_small_space, segmented_sort_large_space,
    segmented_sort_few_space, segmented_sort_few_long_space;

#endif
