// The entry point of a reduce by key's kernel. The program defines jig_policy, jig_accum_t,
// jig_keys_in_t, jig_unique_out_t, jig_values_in_t, jig_aggregates_out_t, jig_num_runs_out_t, jig_op_t and
// jig_equality_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/by_key/reduce_by_key_lookback.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_reduce_by_key_lookback(const jig_keys_in_t jig_keys_in, const jig_unique_out_t jig_unique_out,
                           const jig_values_in_t jig_values_in,
                           const jig_aggregates_out_t jig_aggregates_out,
                           const jig_num_runs_out_t jig_num_runs_out, const jig_op_t jig_op,
                           const jig_equality_t jig_equality, uint64_t jig_num_items,
                           jig::GroupState<jig::OpenRun<jig_accum_t, uint64_t>> *jig_groups,
                           jig::Tagged<jig::OpenRun<jig_accum_t, uint64_t>> *jig_tiles, uint64_t jig_tag) {
  jig::reduce_by_key_lookback<jig_policy, jig_accum_t>(jig_keys_in, jig_unique_out, jig_values_in,
                                                       jig_aggregates_out, jig_num_runs_out, jig_op,
                                                       jig_equality, jig_num_items, jig_groups, jig_tiles,
                                                       jig_tag);
}
