/* Calls by operators from source, for `cold`: of every algorithm that takes one and whose first call the
 * first tier may serve (src/jit/first_tier.h). */
#ifndef JIG_BENCH_SOURCE_CASES_H
#define JIG_BENCH_SOURCE_CASES_H

#include "cases.h"

/* Ends with one that has no name. They have no peers, and no `fill`: zeros are what they are called with.
 */
extern const bench_case source_cases[];

#endif
