/* The kernels that find the k best, which may be among others in an algorithm's row. */
#ifndef JIG_ALGORITHM_TOP_K_SEARCH_H
#define JIG_ALGORITHM_TOP_K_SEARCH_H

#include "algorithm/call.h"
#include "algorithm/top_k_plan.h"

/* For the plan of a call: see call_needs(). */
void top_k_search_needs(call *c, const top_k_size *size);

/* Launches them. */
jig_status top_k_search_launch(call *c, const top_k_size *size, const top_k_plan *plan,
                               const void *values);

#endif
