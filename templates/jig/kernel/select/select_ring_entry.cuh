// The entry point of a select's kernel. The program defines jig_policy, jig_in_t, jig_flags_t,
// jig_out_t, jig_num_selected_out_t and jig_op_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/select/select_ring.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_select_ring(const jig_in_t jig_in, const jig_flags_t jig_flags, const jig_out_t jig_out,
                const jig_num_selected_out_t jig_num_selected_out, const jig_op_t jig_op,
                uint64_t jig_num_items, int jig_in_place, jig::RingControl *jig_control,
                uint64_t jig_tag) {
  jig::select<jig_policy>(jig::RingChain<jig::class_counts<1>>{jig_control, jig_tag}, jig_in, jig_flags,
                          jig_out, jig_num_selected_out, jig_op, jig_num_items, jig_in_place != 0);
}
