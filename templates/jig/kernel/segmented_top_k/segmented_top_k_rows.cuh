// A segmented top-k's launch for few rows, each of which the threads of a block hold, or of a cluster.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_rows.cuh>
#include <jig/kernel/segmented_top_k/segmented_top_k.cuh>

namespace jig {

template <class Policy, class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut, class Begins,
          class Ends>
__device__ void segmented_top_k_rows(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                                     const ValuesOut &values_out, const Begins &, const Ends &,
                                     const SegmentedTopKCall &call) {
  using Sink = SegmentedTopKSink<Keys, KeysIn, KeysOut, ValuesIn, ValuesOut>;
  using Agent = AgentSegmentedTopKRow<Policy, Keys, Sink>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  uint64_t row = blockIdx.x;
  if constexpr (Policy::cluster > 1) row /= ptx::cluster_blocks();
  if (row >= call.num_segments) return;
  const Sink sink = {keys_in, keys_out, values_in, values_out, Keys(call, keys_in)};
  const typename Agent::Source source(keys_in, sink.keys, row * call.segment_size, call.segment_size);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), sink, source,
        uint32_t(min_of(call.k, call.segment_size)), row * call.k, call.is_sorted)
      .Run();
}

}  // namespace jig
