// The first launch of a segmented sort of few segments, a block for each: what fits it is sorted, the others are
// listed.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_few.cuh>
#include <jig/agent/segmented_sort/segmented_sort_list.cuh>
#include <jig/core/count.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class Begins, class Ends, class KeysIn, class ValuesIn,
          class Count>
__device__ void segmented_sort_few(const Begins &begins, const Ends &ends, const KeysIn &keys_in,
                                   const ValuesIn &values_in, const SegmentedSortCall &call, uint64_t,
                                   uint64_t count, Count num_segments) {
  using Inputs = RadixInputs<Keys, Value, KeysIn, ValuesIn>;
  using Agent = radix_agent<AgentSegmentedSortFew, Policy, Inputs>;
  using Storage = typename Agent::TempStorage;
  static_assert(sizeof(Storage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if constexpr (is_same<Count, DeviceCount>) count = min_of(count, uint64_t(num_segments));
  SegmentedSortList list(call);
  if (call.control != nullptr && blockIdx.x == 0 && threadIdx.x == 0) list.Begin();
  if (blockIdx.x >= count) return;
  const int64_t begin = begins[blockIdx.x], end = ends[blockIdx.x];
  const uint64_t length = end > begin ? end - begin : 0;
  if (Agent::fits(length, call.sort)) {
    const Inputs in(keys_in, values_in, call.sort);
    Agent(ptx::shared_at<Storage>(ptx::kept_shared_address(storage)), in.keys_in, in.values_in, call.sort)
        .Run(begin, int(length));
  } else if (call.control != nullptr && threadIdx.x < warp_threads) {
    list.Put(begin, threadIdx.x == 0 ? length : 0);
  }
}

}  // namespace jig
