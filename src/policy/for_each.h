/* How algorithms are tuned that call an operator for each item or index. */
#ifndef JIG_POLICY_FOR_EACH_H
#define JIG_POLICY_FOR_EACH_H

#include "policy/policy.h"

/* A thread has `unroll` vectors of `items` neighbours at a time. */
#define FOR_EACH_TUNING(FIELD) FIELD(threads) FIELD(items) FIELD(unroll) FIELD(min_blocks)
POLICY_STRUCT(for_each_tuning, FOR_EACH_TUNING);
policy for_each_policy(const spec *s, int sm);
policy bulk_policy(const spec *s, int sm);

#endif
