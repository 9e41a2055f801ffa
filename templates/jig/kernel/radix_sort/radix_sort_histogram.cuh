// The first launch of a radix sort: how many keys have each digit.
#pragma once
#include <jig/agent/radix_sort/radix_sort_histogram.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, bool Counted, class Keys, class KeysIn>
__device__ void radix_sort_histogram(const KeysIn &keys_in, const RadixSortCall &call) {
  using Inputs = RadixInputs<Keys, none, KeysIn, NoOrder>;
  using Agent = AgentRadixSortHistogram<Policy, typename Inputs::Keys, typename Inputs::KeysIn>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_items == 0) return;  // nor does a pass look at what this would say
  const NoOrder no_order{};
  const Inputs in(keys_in, no_order, call);
  Agent(ptx::shared_at<typename Agent::TempStorage>(ptx::kept_shared_address(storage)), in.keys_in, call).Run();
}

}  // namespace jig
