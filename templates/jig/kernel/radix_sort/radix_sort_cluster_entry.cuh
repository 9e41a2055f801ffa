// The entry point of a radix sort by one block or cluster. The program defines jig_policy, jig_order, jig_key_t,
// jig_decomposer_t and jig_value_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/radix_sort/radix_sort_cluster.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>, 1)
jig_radix_sort_cluster(const __grid_constant__ jig::RadixSortCall jig_call, int jig_rows) {
  using jig_keys_t = jig::radix_keys<jig_order, jig_key_t, jig_decomposer_t>;
  jig::radix_sort_cluster<jig_policy, jig_keys_t, jig_value_t>(jig_call, jig_rows);
}
