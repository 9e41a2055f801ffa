/* How reduce and arg-reduce are tuned. */
#ifndef JIG_POLICY_REDUCE_H
#define JIG_POLICY_REDUCE_H

#include "policy/policy.h"

#define REDUCE_TUNING(FIELD) FIELD(threads) FIELD(unroll) FIELD(lane_vectors) FIELD(min_blocks)
POLICY_STRUCT(reduce_tuning, REDUCE_TUNING);
policy reduce_policy(const spec *s, int sm);

/* For accumulators of that size, and vectors of an input that a thread holds while it loads more. */
reduce_tuning reduce_tuning_for(size_t vector_bytes, size_t accum_bytes, int sm);

/* What an item takes while it waits: as it was loaded, before any transform. */
size_t reduce_item_bytes(const jig_iter *in);

#endif
