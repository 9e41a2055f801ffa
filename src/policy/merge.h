/* How merge is tuned. */
#ifndef JIG_POLICY_MERGE_H
#define JIG_POLICY_MERGE_H

#include "policy/policy.h"

/* Its kernels, in this order. */
enum { MERGE_SMALL, MERGE_SPLIT, MERGE_LARGE, MERGE_KERNELS };

/* Of the first and the last. */
#define MERGE_TUNING(FIELD) \
  FIELD(threads) FIELD(items) FIELD(min_blocks) FIELD(shared_bytes) FIELD(has_splits)
POLICY_STRUCT(merge_tuning, MERGE_TUNING);
#define MERGE_SPLIT_TUNING(FIELD) FIELD(threads) FIELD(min_blocks) FIELD(tile_items)
POLICY_STRUCT(merge_split_tuning, MERGE_SPLIT_TUNING);

policy merge_small_policy(const spec *s, int sm);
policy merge_split_policy(const spec *s, int sm);
policy merge_large_policy(const spec *s, int sm);

#endif
