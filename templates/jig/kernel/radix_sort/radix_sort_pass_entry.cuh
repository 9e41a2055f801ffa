// The entry point of a radix sort's passes. The program defines jig_policy, jig_order, jig_key_t,
// jig_decomposer_t and jig_value_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/radix_sort/radix_sort_pass.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_radix_sort_pass(const __grid_constant__ jig::RadixSortCall jig_call,
                    const __grid_constant__ jig::RadixSortPart jig_part) {
  using jig_keys_t = jig::radix_keys<jig_order, jig_key_t, jig_decomposer_t>;
  jig::radix_sort_pass<jig_policy, jig_keys_t, jig_value_t>(jig_call, jig_part);
}
