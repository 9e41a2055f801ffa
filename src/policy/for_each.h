/* How algorithms are tuned that call an operator for each item or index. */
#ifndef JIG_POLICY_FOR_EACH_H
#define JIG_POLICY_FOR_EACH_H

#include "policy/vector.h"

policy for_each_policy(const spec *s, int sm);
policy bulk_policy(const spec *s, int sm);

#endif
