/* How algorithms are tuned that work on runs of equal neighbouring keys. */
#ifndef JIG_POLICY_BY_KEY_H
#define JIG_POLICY_BY_KEY_H

#include "policy/chain.h"

/* Of all kernels but the pipeline, which has a pipeline_tuning. */
#define BY_KEY_TUNING(FIELD) CHAIN_TUNING(FIELD) FIELD(vector_items) FIELD(staged_rows) FIELD(cluster)
POLICY_STRUCT(by_key_tuning, BY_KEY_TUNING);
extern const policy_space by_key_single_wave_space, by_key_cluster_space, by_key_lookback_space,
    by_key_pipeline_space;
bool by_key_pipeline_fits(const spec *s, int sm);

/* A look-back of fewer rows, of folds that have no pipeline on any GPU. */
extern const policy_space by_key_fewer_rows_space;
enum { BY_KEY_FEWER_ROWS = CHAIN_CLUSTER }; /* in the place of the clusters' kernel */
bool by_key_fewer_rows_fits(const spec *s, int sm);

#endif
