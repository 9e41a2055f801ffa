// A radix sort of as many items as fit one block.
#pragma once
#include <jig/agent/radix_sort_block.cuh>
#include <jig/kernel/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value>
__device__ void radix_sort_block(const RadixSortCall &call, int rows) {
  using Agent = AgentRadixSortBlock<Policy, Keys, Value>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), call, rows).Run();
}

}  // namespace jig
