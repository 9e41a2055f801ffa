// A pass of a radix sort, or a part of one.
#pragma once
#include <jig/agent/radix_sort_pass.cuh>
#include <jig/kernel/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value>
__device__ void radix_sort_pass(const RadixSortCall &call, const RadixSortPart &part) {
  using PassKeys = conditional<makes_records<Keys, Value>, RecordKeys<Keys>, Keys>;
  using Agent = AgentRadixSortPass<Policy, PassKeys, Value>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), call, part).Run();
}

}  // namespace jig
