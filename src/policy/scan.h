/* How scan is tuned. */
#ifndef JIG_POLICY_SCAN_H
#define JIG_POLICY_SCAN_H

#include "policy/chain.h"

/* Of both kernels but the pipeline, which has a pipeline_tuning. */
#define SCAN_TUNING(FIELD) CHAIN_TUNING(FIELD) FIELD(vector_items) FIELD(cluster)
POLICY_STRUCT(scan_tuning, SCAN_TUNING);
extern const policy_space scan_single_wave_space, scan_lookback_space, scan_pipeline_space,
    scan_cluster_space;
bool scan_pipeline_fits(const spec *s, int sm);

#endif
