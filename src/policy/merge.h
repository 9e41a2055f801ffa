/* How merge is tuned. */
#ifndef JIG_POLICY_MERGE_H
#define JIG_POLICY_MERGE_H

#include "policy/space.h"

/* Its kernels, in this order. */
enum { MERGE_SMALL, MERGE_SPLIT, MERGE_LARGE, MERGE_LARGEST, MERGE_KERNELS };

/* Of all but the second. The largest tiles are for `least_items` a multiprocessor and more. */
#define MERGE_TUNING(FIELD) \
  FIELD(threads) FIELD(items) FIELD(min_blocks) FIELD(shared_bytes) FIELD(has_splits) FIELD(least_items)
POLICY_STRUCT(merge_tuning, MERGE_TUNING);
#define MERGE_SPLIT_TUNING(FIELD) FIELD(threads) FIELD(min_blocks)
POLICY_STRUCT(merge_split_tuning, MERGE_SPLIT_TUNING);

extern const policy_space merge_small_space, merge_split_space, merge_large_space, merge_largest_space;

#endif
