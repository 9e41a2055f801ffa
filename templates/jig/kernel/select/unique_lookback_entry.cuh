// The entry point of a unique's kernel. The program defines jig_policy, jig_in_t, jig_out_t,
// jig_values_in_t, jig_values_out_t, jig_num_selected_out_t and jig_equality_t; and macros of any name,
// perhaps.
#pragma once
#include <jig/kernel/select/unique.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_unique_lookback(const jig_in_t jig_in, const jig_out_t jig_out, const jig_values_in_t jig_values_in,
                    const jig_values_out_t jig_values_out,
                    const jig_num_selected_out_t jig_num_selected_out, const jig_equality_t jig_equality,
                    uint64_t jig_num_items, int jig_in_place,
                    jig::GroupState<jig::class_counts<1>> *jig_groups,
                    jig::Tagged<jig::class_counts<1>> *jig_tiles, uint64_t jig_tag) {
  jig::unique<jig_policy>(jig::LookbackChain<jig::class_counts<1>>{jig_groups, jig_tiles, jig_tag}, jig_in,
                          jig_out, jig_values_in, jig_values_out, jig_num_selected_out, jig_equality,
                          jig_num_items, jig_in_place != 0);
}
