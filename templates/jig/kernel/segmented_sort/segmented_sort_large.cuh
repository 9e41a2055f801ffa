// The second launch of a segmented sort: what the first one has listed, from the longest segments on.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_large.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value>
__device__ void segmented_sort_large(const SegmentedSortCall &call) {
  using Agent = AgentSegmentedSortLarge<Policy, Keys, Value>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), call).Run();
}

}  // namespace jig
