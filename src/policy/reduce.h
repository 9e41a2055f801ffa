/* How reduce and arg-reduce are tuned. */
#ifndef JIG_POLICY_REDUCE_H
#define JIG_POLICY_REDUCE_H

#include "policy/space.h"

#define REDUCE_TUNING(FIELD) FIELD(threads) FIELD(unroll) FIELD(lane_vectors) FIELD(min_blocks)
POLICY_STRUCT(reduce_tuning, REDUCE_TUNING);
extern const policy_space reduce_space;

/* What is tried of all that read their input so. */
#define REDUCE_KNOBS(row)                                                       \
  KNOB(row, threads, 128, 256, 512, 1024), KNOB(row, unroll, 1, 2, 3, 4, 6, 8), \
      KNOB(row, lane_vectors, 1, 2, 3, 4, 6, 8), KNOB(row, min_blocks, 1, 2, 3, 4, 6, 8)

/* For that input, and accumulators of that size. */
policy reduce_policy_for(const jig_iter *in, size_t accum_bytes, int sm);

#endif
