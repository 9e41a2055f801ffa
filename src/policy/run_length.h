/* How run-length encoding is tuned, and finding runs of two keys and more: both kernels by a
 * chain_tuning, the pipeline by a pipeline_tuning. */
#ifndef JIG_POLICY_RUN_LENGTH_H
#define JIG_POLICY_RUN_LENGTH_H

#include "policy/chain.h"

extern const policy_space run_length_single_wave_space, run_length_lookback_space,
    run_length_pipeline_space;
bool run_length_pipeline_fits(const spec *s, int sm);

#endif
