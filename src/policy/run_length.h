/* How run-length encoding is tuned, and finding runs of two keys and more: both kernels by a
 * chain_tuning, the pipeline by a pipeline_tuning. */
#ifndef JIG_POLICY_RUN_LENGTH_H
#define JIG_POLICY_RUN_LENGTH_H

#include "policy/chain.h"

policy run_length_single_wave_policy(const spec *s, int sm);
policy run_length_lookback_policy(const spec *s, int sm);
policy run_length_pipeline_policy(const spec *s, int sm);
bool run_length_pipeline_fits(const spec *s, int sm);

#endif
