/* How run-length encoding is tuned, and finding runs of two keys and more. */
#ifndef JIG_POLICY_RUN_LENGTH_H
#define JIG_POLICY_RUN_LENGTH_H

#include "policy/chain.h"

/* Of all kernels but the pipeline, which has a pipeline_tuning. */
#define RUN_LENGTH_TUNING(FIELD) CHAIN_TUNING(FIELD) FIELD(vector_items) FIELD(cluster)
POLICY_STRUCT(run_length_tuning, RUN_LENGTH_TUNING);
extern const policy_space run_length_single_wave_space, run_length_cluster_space,
    run_length_lookback_space, run_length_pipeline_space;
bool run_length_pipeline_fits(const spec *s, int sm);

#endif
