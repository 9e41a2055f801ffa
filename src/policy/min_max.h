/* How a minimum with a maximum is tuned. */
#ifndef JIG_POLICY_MIN_MAX_H
#define JIG_POLICY_MIN_MAX_H

#include "policy/reduce.h"

/* As reduce's, of accumulators that are two items with their indices. */
extern const policy_space min_max_space;

#endif
