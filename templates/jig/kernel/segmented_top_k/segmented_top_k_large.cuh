// A segmented top-k's launch for segments that are not short: those that are listed, or all of one size.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_large.cuh>
#include <jig/kernel/segmented_top_k/segmented_top_k.cuh>

namespace jig {

template <class Policy, class Keys, bool IsListed, bool HasParts, class KeysIn, class KeysOut, class ValuesIn,
          class ValuesOut, class Begins, class Ends>
__device__ void segmented_top_k_large(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                                      const ValuesOut &values_out, const Begins &begins, const Ends &ends,
                                      const SegmentedTopKCall &call) {
  using Sink = SegmentedTopKSink<Keys, KeysIn, KeysOut, ValuesIn, ValuesOut>;
  using Segments = TopKSegments<Begins, Ends>;
  using Agent = AgentSegmentedTopKLarge<Policy, Keys, Segments, Sink, IsListed, HasParts>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  const Sink sink = {keys_in, keys_out, values_in, values_out, Keys(call, keys_in)};
  const Segments segments = {begins, ends, call.segment_size};
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), segments, sink, call).Run();
}

}  // namespace jig
