// A pass of a radix sort, or a part of one.
#pragma once
#include <jig/agent/radix_sort/radix_sort_pass.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class KeysIn, class ValuesIn>
__device__ void radix_sort_pass(const KeysIn &keys_in, const ValuesIn &values_in, const RadixSortCall &call,
                                const RadixSortPart &part) {
  using PassKeys = conditional<makes_records<Keys, Value>, RecordKeys<Keys>, Keys>;
  using Agent = AgentRadixSortPass<Policy, PassKeys, Value, KeysIn, ValuesIn>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  // A kept address makes pairs 1 % faster on an H200, and keys of low entropy 10 % slower.
  const uint32_t address =
      Agent::always_indexed ? ptx::kept_shared_address(storage) : ptx::shared_address(storage);
  Agent(ptx::shared_at<typename Agent::TempStorage>(address), keys_in, values_in, call, part).Run();
}

}  // namespace jig
