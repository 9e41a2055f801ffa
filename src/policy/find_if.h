/* How find-if and is-sorted are tuned. */
#ifndef JIG_POLICY_FIND_IF_H
#define JIG_POLICY_FIND_IF_H

#include "policy/reduce.h"

/* Of the kernels that take no hint, `steps` at most. */
#define FIND_TUNING(FIELD) REDUCE_TUNING(FIELD) FIELD(steps)
POLICY_STRUCT(find_tuning, FIND_TUNING);

/* Its input is read as reduce's is, which has all of its tuning; and in few steps. */
extern const policy_space find_if_space, find_if_step_space;
/* The same, with the item before each vector. */
extern const policy_space is_sorted_space, is_sorted_step_space;

#endif
