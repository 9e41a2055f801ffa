// The entry point of a segmented sort's second kernel. The program defines jig_policy, jig_order, jig_key_t,
// jig_decomposer_t and jig_value_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/segmented_sort/segmented_sort_large.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_segmented_sort_large(const __grid_constant__ jig::SegmentedSortCall jig_call) {
  jig::segmented_sort_large<jig_policy, jig::radix_keys<jig_order, jig_key_t, jig_decomposer_t>, jig_value_t>(jig_call);
}
