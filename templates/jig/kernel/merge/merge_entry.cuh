// The entry points of a merge's kernels, which all take the same. The program defines jig_policy,
// jig_first_keys_in_t, jig_second_keys_in_t, jig_keys_out_t, the same of values, and jig_compare_t; and macros of
// any name, perhaps.
#pragma once
#include <jig/kernel/merge/merge.cuh>

#define JIG_MERGE_ENTRY(jig_name, jig_kernel)                                                                  \
  extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,                                \
                                               jig::policy_min_blocks<jig_policy>)                             \
  jig_name(const jig_first_keys_in_t jig_first_keys, const jig_first_values_in_t jig_first_values,             \
           const jig_second_keys_in_t jig_second_keys, const jig_second_values_in_t jig_second_values,         \
           const jig_keys_out_t jig_keys_out, const jig_values_out_t jig_values_out,                           \
           const jig_compare_t jig_compare, uint64_t jig_first_count, uint64_t jig_second_count,               \
           uint64_t *jig_splits) {                                                                             \
    using jig_records_t =                                                                                      \
        jig::MergeRecords<jig_first_keys_in_t, jig_first_values_in_t, jig_second_keys_in_t,                    \
                          jig_second_values_in_t, jig_keys_out_t, jig_values_out_t>;                           \
    const jig_records_t jig_records = {jig_first_keys, jig_first_values, jig_second_keys, jig_second_values,   \
                                       jig_keys_out,   jig_values_out,   jig_first_count, jig_second_count};   \
    jig::jig_kernel<jig_policy>(jig_records, jig_compare, jig_splits);                                         \
  }
