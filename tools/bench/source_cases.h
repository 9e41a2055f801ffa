/* Calls by operators from source, for `cold` and `linked`: of every algorithm that takes one and whose
 * first call the first tier may serve (src/jit/first_tier.h), and of iterators that have one. */
#ifndef JIG_BENCH_SOURCE_CASES_H
#define JIG_BENCH_SOURCE_CASES_H

#include "cases.h"

/* Ends with one that has no name. They have no peers. Their sizes are a multiple of 256, 512 at least. */
extern const bench_case source_cases[];

/* NULL: none has that name. */
const bench_case *source_case_find(const char *name);

/* Fills a cache with the kernels that a case is linked with. */
void source_case_prepare(const bench_case *c, const char *cache, const char *arch);

#endif
