// A radix sort of as many items as fit one block, or one cluster of blocks.
#pragma once
#include <jig/agent/radix_sort/radix_sort_cluster.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class Value, class KeysIn, class ValuesIn>
__device__ void radix_sort_cluster(const KeysIn &keys_in, const ValuesIn &values_in, const RadixSortCall &call,
                                   int rows) {
  using Inputs = RadixInputs<Keys, Value, KeysIn, ValuesIn>;
  using Agent = radix_agent<AgentRadixSortCluster, Policy, Inputs, true>;
  using Storage = typename Agent::TempStorage;
  static_assert(sizeof(Storage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_items == 0) return;
  const Inputs in(keys_in, values_in, call);
  Agent(ptx::shared_at<Storage>(ptx::kept_shared_address(storage)), in.keys_in, in.values_in, call, rows).Run();
}

}  // namespace jig
