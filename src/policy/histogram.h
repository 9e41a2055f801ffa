/* How a histogram is tuned. */
#ifndef JIG_POLICY_HISTOGRAM_H
#define JIG_POLICY_HISTOGRAM_H

#include "policy/space.h"

/* A thread has `unroll` units of `items` neighbours at a time, which are whole pixels. */
#define HISTOGRAM_TUNING(FIELD) \
  FIELD(threads) FIELD(items) FIELD(unroll) FIELD(min_blocks) FIELD(shared_bytes) FIELD(cluster)
POLICY_STRUCT(histogram_tuning, HISTOGRAM_TUNING);

#define HISTOGRAM_INIT_TUNING(FIELD) FIELD(threads)
POLICY_STRUCT(histogram_init_tuning, HISTOGRAM_INIT_TUNING);
extern const policy_space histogram_space, histogram_init_space, histogram_convert_space;

#endif
