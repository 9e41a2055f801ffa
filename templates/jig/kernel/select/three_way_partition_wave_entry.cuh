// The entry point of a partition into three outputs's kernel. The program defines jig_policy, jig_in_t,
// jig_first_out_t, jig_second_out_t, jig_unselected_out_t, jig_num_selected_out_t, jig_first_op_t and
// jig_second_op_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/select/three_way_partition.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_three_way_partition_wave(const jig_in_t jig_in, const jig_first_out_t jig_first_out,
                             const jig_second_out_t jig_second_out,
                             const jig_unselected_out_t jig_unselected_out,
                             const jig_num_selected_out_t jig_num_selected_out,
                             const jig_first_op_t jig_first_op, const jig_second_op_t jig_second_op,
                             uint64_t jig_num_items, int jig_rows, jig::WaveControl *jig_control,
                             uint64_t jig_tag) {
  jig::three_way_partition<jig_policy>(
                                       jig::WaveChain<jig::class_counts<2>>{jig_rows, jig_control, jig_tag},
                                       jig_in, jig_first_out, jig_second_out, jig_unselected_out,
                                       jig_num_selected_out, jig_first_op, jig_second_op, jig_num_items);
}
