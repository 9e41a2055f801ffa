// The last launch of a radix sort that goes by the highest digits only before it.
#pragma once
#include <jig/agent/radix_sort/radix_sort_local.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class Value>
__device__ void radix_sort_local(const RadixSortCall &call, uint32_t chunk_items) {
  using Inputs = RadixInputs<Keys, Value, none, none>;
  using SortKeys = typename Inputs::Keys;
  using SortValue = typename Inputs::Value;
  constexpr bool has_records = makes_records<SortKeys, SortValue>;
  using Agent = AgentRadixSortLocal<Policy, conditional<has_records, RecordKeys<SortKeys>, SortKeys>,
                                    conditional<has_records, none, SortValue>>;
  using Storage = typename Agent::TempStorage;
  static_assert(sizeof(Storage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  if ((Counted && call.num_items == 0) || call.control->top_passes == 0) return;
  Agent(ptx::shared_at<Storage>(ptx::kept_shared_address(storage)), call).Run(chunk_items);
}

}  // namespace jig
