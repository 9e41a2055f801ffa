// The entry point of a scan by key's kernel. The program defines jig_policy, jig_accum_t, jig_keys_in_t,
// jig_values_in_t, jig_values_out_t, jig_init_t, jig_op_t, jig_equality_t and jig_mode; and macros of
// any name, perhaps.
#pragma once
#include <jig/kernel/by_key/scan_by_key_lookback.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_scan_by_key_lookback(const jig_keys_in_t jig_keys_in, const jig_values_in_t jig_values_in,
                         const jig_values_out_t jig_values_out,
                         const jig_init_t jig_init, const jig_op_t jig_op,
                         const jig_equality_t jig_equality, uint64_t jig_num_items,
                         jig::GroupState<jig::OpenRun<jig_accum_t, bool>> *jig_groups,
                         jig::Tagged<jig::OpenRun<jig_accum_t, bool>> *jig_tiles, uint64_t jig_tag) {
  jig::scan_by_key_lookback<jig_policy, jig_mode == 0, jig_accum_t>(
      jig_keys_in, jig_values_in, jig_values_out, jig_init, jig_op, jig_equality, jig_num_items,
      jig_groups, jig_tiles,
      jig_tag);
}
