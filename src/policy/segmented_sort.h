/* How segmented sort is tuned. */
#ifndef JIG_POLICY_SEGMENTED_SORT_H
#define JIG_POLICY_SEGMENTED_SORT_H

#include "policy/space.h"

/* Its kernels, in this order. */
enum { SEGMENTED_SORT_SMALL, SEGMENTED_SORT_LARGE, SEGMENTED_SORT_KERNELS };

#define SEGMENTED_SORT_SMALL_TUNING(FIELD) \
  FIELD(threads) FIELD(warp_items) FIELD(min_blocks) FIELD(small_items)
POLICY_STRUCT(segmented_sort_small_tuning, SEGMENTED_SORT_SMALL_TUNING);
#define SEGMENTED_SORT_LARGE_TUNING(FIELD) \
  FIELD(threads) FIELD(warp_items) FIELD(min_blocks) FIELD(log_spread) FIELD(shared_bytes)
POLICY_STRUCT(segmented_sort_large_tuning, SEGMENTED_SORT_LARGE_TUNING);

extern const policy_space segmented_sort_small_space, segmented_sort_large_space;

#endif
