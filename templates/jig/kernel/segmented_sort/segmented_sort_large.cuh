// The second launch of a segmented sort: what the first one has listed, from the longest segments on.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_large.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn>
__device__ void segmented_sort_large(const KeysIn &keys_in, const ValuesIn &values_in, const SegmentedSortCall &call) {
  using Inputs = RadixInputs<Keys, Value, KeysIn, ValuesIn>;
  using Agent = radix_agent<AgentSegmentedSortLarge, Policy, Inputs>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  const Inputs in(keys_in, values_in, call.sort);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), in.keys_in, in.values_in, call).Run();
}

}  // namespace jig
