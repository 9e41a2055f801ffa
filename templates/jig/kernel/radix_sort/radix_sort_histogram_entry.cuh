// The entry point of a radix sort's first kernel. The program defines jig_policy, jig_order, jig_key_t and
// jig_decomposer_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/radix_sort/radix_sort_histogram.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>, 1)
jig_radix_sort_histogram(const __grid_constant__ jig::RadixSortCall jig_call) {
  jig::radix_sort_histogram<jig_policy, jig::radix_keys<jig_order, jig_key_t, jig_decomposer_t>>(jig_call);
}
