/* How algorithms are tuned that call an operator for each item or index. */
#ifndef JIG_POLICY_FOR_EACH_H
#define JIG_POLICY_FOR_EACH_H

#include "policy/vector.h"

extern const policy_space for_each_space, bulk_space;

#endif
