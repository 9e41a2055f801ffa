// The entry point of a reduce by key's kernel. The program defines jig_policy, jig_accum_t,
// jig_keys_in_t, jig_unique_out_t, jig_values_in_t, jig_aggregates_out_t, jig_num_runs_out_t, jig_op_t and
// jig_equality_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/by_key/reduce_by_key_ring.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_reduce_by_key_ring(const jig_keys_in_t jig_keys_in, const jig_unique_out_t jig_unique_out,
                       const jig_values_in_t jig_values_in, const jig_aggregates_out_t jig_aggregates_out,
                       const jig_num_runs_out_t jig_num_runs_out, const jig_op_t jig_op,
                       const jig_equality_t jig_equality, uint64_t jig_num_items,
                       jig::RingControl *jig_control, uint64_t jig_tag) {
  jig::reduce_by_key_ring<jig_policy, jig_accum_t>(jig_keys_in, jig_unique_out, jig_values_in,
                                                   jig_aggregates_out, jig_num_runs_out, jig_op,
                                                   jig_equality, jig_num_items, jig_control, jig_tag);
}
