// The second launch of a segmented sort: what the first one has listed, from the longest segments on.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_large.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn>
__device__ void segmented_sort_large(const KeysIn &keys_in, const ValuesIn &values_in, const SegmentedSortCall &call) {
  using Agent = AgentSegmentedSortLarge<Policy, Keys, Value, KeysIn, ValuesIn>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), keys_in, values_in, call).Run();
}

}  // namespace jig
