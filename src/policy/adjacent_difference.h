/* How adjacent difference is tuned. */
#ifndef JIG_POLICY_ADJACENT_DIFFERENCE_H
#define JIG_POLICY_ADJACENT_DIFFERENCE_H

#include "policy/vector.h"

extern const policy_space adjacent_difference_space;

/* Items whose size is no power of two have another kernel, for many of them. */
extern const policy_space adjacent_difference_staged_space;
bool adjacent_difference_is_staged(const spec *s);

#endif
