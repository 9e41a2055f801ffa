/* How select, unique and the partitions are tuned. */
#ifndef JIG_POLICY_SELECT_H
#define JIG_POLICY_SELECT_H

#include "policy/chain.h"

/* Of both kernels but the pipeline, which has a pipeline_tuning. */
#define SELECT_TUNING(FIELD) CHAIN_TUNING(FIELD) FIELD(vector_items) FIELD(staged_rows) FIELD(cluster)
POLICY_STRUCT(select_tuning, SELECT_TUNING);
extern const policy_space select_single_wave_space, select_long_wave_space, select_lookback_space,
    select_pipeline_space, select_cluster_space;
bool select_pipeline_fits(const spec *s, int sm);
bool select_has_long_wave(const spec *s, int sm);

#endif
