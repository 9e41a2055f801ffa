/* How find-if and is-sorted are tuned. */
#ifndef JIG_POLICY_FIND_IF_H
#define JIG_POLICY_FIND_IF_H

#include "policy/reduce.h"

/* Its input is read as reduce's is. */
policy find_if_policy(const spec *s, int sm);
/* The same, with the item before each vector. */
policy is_sorted_policy(const spec *s, int sm);

#endif
