// The entry point of a kernel that finds runs. The program defines jig_policy, jig_in_t,
// jig_offsets_out_t, jig_lengths_out_t, jig_num_runs_out_t and jig_equality_t; and macros of any name,
// perhaps.
#pragma once
#include <jig/kernel/by_key/run_length_wave.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_non_trivial_runs_wave(const jig_in_t jig_in, const jig_offsets_out_t jig_offsets_out,
                          const jig_lengths_out_t jig_lengths_out,
                          const jig_num_runs_out_t jig_num_runs_out, const jig_equality_t jig_equality,
                          uint64_t jig_num_items, int jig_rows, jig::WaveControl *jig_control,
                          uint64_t jig_tag) {
  jig::run_length_wave<jig_policy, true>(jig_in, jig_offsets_out, jig_lengths_out, jig_num_runs_out,
                                         jig_equality, jig_num_items, jig_rows, jig_control, jig_tag);
}
