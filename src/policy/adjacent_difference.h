/* How adjacent difference is tuned. */
#ifndef JIG_POLICY_ADJACENT_DIFFERENCE_H
#define JIG_POLICY_ADJACENT_DIFFERENCE_H

#include "policy/vector.h"

policy adjacent_difference_policy(const spec *s, int sm);

#endif
