/* How find-if and is-sorted are tuned. */
#ifndef JIG_POLICY_FIND_IF_H
#define JIG_POLICY_FIND_IF_H

#include "policy/reduce.h"

/* Its input is read as reduce's is; and in one step. */
extern const policy_space find_if_space, find_if_step_space;
/* The same, with the item before each vector. */
extern const policy_space is_sorted_space;

#endif
