// A pass of a radix sort, or a part of one.
#pragma once
#include <jig/agent/radix_sort/radix_sort_pass.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

// What there is of a part, where only the GPU knows how many items there are.
__device__ inline RadixSortPart counted_part(RadixSortPart part, uint64_t num_items) {
  part.num_items = uint32_t(min_of(num_items - min_of(part.first_item, num_items), uint64_t(part.num_items)));
  return part;
}

template <class Policy, bool Counted, class Keys, class Value, class KeysIn, class ValuesIn>
__device__ void radix_sort_pass(const KeysIn &keys_in, const ValuesIn &values_in, const RadixSortCall &call,
                                const RadixSortPart &planned) {
  using Inputs = RadixInputs<Keys, Value, KeysIn, ValuesIn>;
  using SortKeys = typename Inputs::Keys;
  using SortValue = typename Inputs::Value;
  using PassKeys = conditional<makes_records<SortKeys, SortValue>, RecordKeys<SortKeys>, SortKeys>;
  using Agent =
      AgentRadixSortPass<Policy, PassKeys, SortValue, typename Inputs::KeysIn, typename Inputs::ValuesIn>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_items == 0) return;
  const RadixSortPart counted = Counted ? counted_part(planned, call.num_items) : planned;
  const RadixSortPart &part = Counted ? counted : planned;
  // A kept address makes pairs 1 % faster on an H200, and keys of low entropy 10 % slower.
  const uint32_t address =
      Agent::always_indexed ? ptx::kept_shared_address(storage) : ptx::shared_address(storage);
  const Inputs in(keys_in, values_in, call);
  Agent agent(ptx::shared_at<typename Agent::TempStorage>(address), in.keys_in, in.values_in, call, part);
  if (Counted && blockIdx.x * uint64_t(Policy::threads * part.rows) >= part.num_items) agent.Leave();
  else agent.Run();
}

}  // namespace jig
