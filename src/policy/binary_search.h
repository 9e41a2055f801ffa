/* How binary search is tuned. */
#ifndef JIG_POLICY_BINARY_SEARCH_H
#define JIG_POLICY_BINARY_SEARCH_H

#include "policy/space.h"

/* A thread has up to `needles` at once. 2^sample_bits - 1 items of the range are kept in shared memory,
 * and as many of what is near a tile's needles. Of needles in order a warp looks at sweep_rows times its
 * lanes at once, among 2^sweep_bits - 1 items; 0 rows: it does not. */
#define BINARY_SEARCH_TUNING(FIELD) \
  FIELD(threads) FIELD(needles) FIELD(sample_bits) FIELD(sweep_rows) FIELD(sweep_bits) FIELD(min_blocks)
POLICY_STRUCT(binary_search_tuning, BINARY_SEARCH_TUNING);
extern const policy_space binary_search_space;
/* The same for one needle of each thread. */
extern const policy_space binary_search_row_space;

/* Of few needles each has a warp. */
#define BINARY_SEARCH_FEW_TUNING(FIELD) FIELD(threads) FIELD(min_blocks)
POLICY_STRUCT(binary_search_few_tuning, BINARY_SEARCH_FEW_TUNING);
extern const policy_space binary_search_few_space;

#endif
