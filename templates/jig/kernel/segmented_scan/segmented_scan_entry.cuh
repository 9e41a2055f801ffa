// The entry point of a segmented scan's kernel. The program defines jig_policy, jig_accum_t, jig_in_t,
// jig_out_t, jig_begin_offsets_t, jig_end_offsets_t, jig_out_offsets_t, jig_init_t, jig_op_t and jig_mode;
// and macros of any name, perhaps.
#pragma once
#include <jig/kernel/segmented_scan/segmented_scan.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_segmented_scan(const jig_in_t jig_in, const jig_out_t jig_out,
                   const jig_begin_offsets_t jig_begin_offsets, const jig_end_offsets_t jig_end_offsets,
                   const jig_out_offsets_t jig_out_offsets, const jig_init_t jig_init,
                   const jig_op_t jig_op, const __grid_constant__ jig::SegmentCall jig_call, int jig_each) {
  using jig_segments_t = jig::Segments<jig_begin_offsets_t, jig_end_offsets_t, jig_out_offsets_t>;
  const jig_segments_t jig_segments = {jig_begin_offsets, jig_end_offsets, jig_out_offsets};
  jig::segmented_scan<jig_policy, jig_mode == 0, jig_accum_t>(jig_in, jig_out, jig_segments, jig_init,
                                                              jig_op, jig_call, jig_each);
}
