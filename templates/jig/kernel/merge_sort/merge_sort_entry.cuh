// The entry points of a merge sort's kernels, which all take the same. The program defines jig_policy, jig_keys_in_t,
// jig_keys_out_t, jig_values_in_t, jig_values_out_t and jig_compare_t; and macros of any name, perhaps.
#pragma once

#define JIG_MERGE_SORT_ENTRY(jig_name, jig_kernel)                                                             \
  extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,                                \
                                               jig::policy_min_blocks<jig_policy>)                             \
  jig_name(const jig_keys_in_t jig_keys_in, const jig_values_in_t jig_values_in,                               \
           const jig_keys_out_t jig_keys_out, const jig_values_out_t jig_values_out,                           \
           const jig_compare_t jig_compare, const __grid_constant__ jig::MergeSortPart jig_part) {             \
    using jig_records_t = jig::SortRecords<jig_keys_in_t, jig_values_in_t, jig_keys_out_t, jig_values_out_t>;  \
    const jig_records_t jig_records = {jig_keys_in, jig_values_in, jig_keys_out, jig_values_out};              \
    jig::jig_kernel<jig_policy>(jig_records, jig_compare, jig_part);                                           \
  }
