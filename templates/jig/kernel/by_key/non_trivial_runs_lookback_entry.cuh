// The entry point of a kernel that finds runs. The program defines jig_policy, jig_in_t,
// jig_offsets_out_t, jig_lengths_out_t, jig_num_runs_out_t and jig_equality_t; and macros of any name,
// perhaps.
#pragma once
#include <jig/kernel/by_key/run_length_lookback.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_non_trivial_runs_lookback(const jig_in_t jig_in, const jig_offsets_out_t jig_offsets_out,
                              const jig_lengths_out_t jig_lengths_out,
                              const jig_num_runs_out_t jig_num_runs_out,
                              const jig_equality_t jig_equality, uint64_t jig_num_items,
                              jig::GroupState<jig::RunCount> *jig_groups,
                              jig::Tagged<jig::RunCount> *jig_tiles, uint64_t jig_tag) {
  jig::run_length_lookback<jig_policy, true>(jig_in, jig_offsets_out, jig_lengths_out, jig_num_runs_out,
                                             jig_equality, jig_num_items, jig_groups, jig_tiles, jig_tag);
}
