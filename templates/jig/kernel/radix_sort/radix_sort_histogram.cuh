// The first launch of a radix sort: how many keys have each digit.
#pragma once
#include <jig/agent/radix_sort/radix_sort_histogram.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys> __device__ void radix_sort_histogram(const RadixSortCall &call) {
  using Agent = AgentRadixSortHistogram<Policy, Keys>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  Agent(ptx::shared_at<typename Agent::TempStorage>(ptx::kept_shared_address(storage)), call).Run();
}

}  // namespace jig
