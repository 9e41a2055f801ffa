/* How reduce and arg-reduce are tuned. */
#ifndef JIG_POLICY_REDUCE_H
#define JIG_POLICY_REDUCE_H

#include "policy/policy.h"

#define REDUCE_TUNING(FIELD) FIELD(threads) FIELD(unroll) FIELD(lane_vectors) FIELD(min_blocks)
POLICY_STRUCT(reduce_tuning, REDUCE_TUNING);
policy reduce_policy(const spec *s, int sm);

/* For that input, and accumulators of that size. */
policy reduce_policy_for(const jig_iter *in, size_t accum_bytes, int sm);

#endif
