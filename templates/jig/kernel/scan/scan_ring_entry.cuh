// The entry point of a scan's kernel. The program defines jig_policy, jig_accum_t, jig_in_t, jig_out_t,
// jig_init_t, jig_op_t and jig_mode; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/scan/scan_ring.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_scan_ring(const jig_in_t jig_in, const jig_out_t jig_out, const jig_init_t jig_init, const jig_op_t jig_op,
              uint64_t jig_num_items, jig::RingControl *jig_control, uint64_t jig_tag) {
  jig::scan_ring<jig_policy, jig_mode == 0, jig_accum_t>(jig_in, jig_out, jig_init, jig_op, jig_num_items,
                                                         jig_control, jig_tag);
}
