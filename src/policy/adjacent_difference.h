/* How adjacent difference is tuned. */
#ifndef JIG_POLICY_ADJACENT_DIFFERENCE_H
#define JIG_POLICY_ADJACENT_DIFFERENCE_H

#include "policy/vector.h"

extern const policy_space adjacent_difference_space;

#endif
