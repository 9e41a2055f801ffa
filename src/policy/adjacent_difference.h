/* How adjacent difference is tuned. */
#ifndef JIG_POLICY_ADJACENT_DIFFERENCE_H
#define JIG_POLICY_ADJACENT_DIFFERENCE_H

#include "policy/policy.h"

/* A thread has `unroll` vectors of `items` neighbours at a time. */
#define ADJACENT_DIFFERENCE_TUNING(FIELD) FIELD(threads) FIELD(items) FIELD(unroll) FIELD(min_blocks)
POLICY_STRUCT(adjacent_difference_tuning, ADJACENT_DIFFERENCE_TUNING);
policy adjacent_difference_policy(const spec *s, int sm);

#endif
