/* How copy is tuned. */
#ifndef JIG_POLICY_COPY_H
#define JIG_POLICY_COPY_H

#include "policy/policy.h"

/* A thread has `unroll` vectors of `items` neighbours at a time. */
#define COPY_TUNING(FIELD) FIELD(threads) FIELD(items) FIELD(unroll) FIELD(min_blocks)
POLICY_STRUCT(copy_tuning, COPY_TUNING);
policy copy_policy(const spec *s, int sm);
/* The same of jig_transform(), whose `stencil` may be there. */
policy transform_policy(const spec *s, int sm);

#endif
