// The entry point of a segmented sort's first kernel. The program defines jig_policy, jig_order, jig_key_t,
// jig_decomposer_t, jig_value_t, jig_begin_offsets_t and jig_end_offsets_t; and macros of any name, perhaps.
#pragma once
#include <jig/kernel/segmented_sort/segmented_sort_small.cuh>

extern "C" __global__ void __launch_bounds__(jig::policy_threads<jig_policy>,
                                             jig::policy_min_blocks<jig_policy>)
jig_segmented_sort_small(const jig_begin_offsets_t jig_begin_offsets, const jig_end_offsets_t jig_end_offsets,
                         const __grid_constant__ jig::SegmentedSortCall jig_call, uint64_t jig_first,
                         uint64_t jig_count) {
  using jig_segments_t = jig::Segments<jig_begin_offsets_t, jig_end_offsets_t, jig::none>;
  const jig::none jig_nothing{};
  const jig_segments_t jig_segments = {jig_begin_offsets, jig_end_offsets, jig_nothing};
  jig::segmented_sort_small<jig_policy, jig::radix_keys<jig_order, jig_key_t, jig_decomposer_t>, jig_value_t>(
      jig_call, jig_segments, jig_first, jig_count);
}
