// The first launch of a segmented sort: short segments are sorted, others listed.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort_list.cuh>
#include <jig/agent/segmented_sort/segmented_sort_small.cuh>
#include <jig/core/count.cuh>
#include <jig/kernel/radix_sort/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class Begins, class Ends, class KeysIn, class ValuesIn,
          class Count>
__device__ void segmented_sort_small(const Begins &begins, const Ends &ends, const KeysIn &keys_in,
                                     const ValuesIn &values_in, const SegmentedSortCall &call, uint64_t first,
                                     uint64_t count, Count num_segments) {
  using Inputs = RadixInputs<Keys, Value, KeysIn, ValuesIn>;
  using Agent = radix_agent<AgentSegmentedSortSmall, Policy, Inputs>;
  constexpr int warps = Policy::threads / warp_threads;
  __shared__ typename Agent::TempStorage storage[warps];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if constexpr (is_same<Count, DeviceCount>)
    count = min_of(count, num_segments - min_of(first, uint64_t(num_segments)));
  SegmentedSortList list(call);
  if (call.control != nullptr && blockIdx.x == 0 && threadIdx.x == 0) list.Begin();
  const uint64_t warp = uint64_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
  const uint64_t end = min_of(count, (warp + 1) * call.each);
  const Inputs in(keys_in, values_in, call.sort);
  uint64_t mine = warp * call.each + threadIdx.x % warp_threads;
  // Where the next segments begin and end is asked for before these are sorted.
  decltype(begins[0]) begin = 0;
  decltype(ends[0]) behind = 0;
  auto look = [&] {
    if (mine >= end) return;
    begin = begins[first + mine];
    behind = ends[first + mine];
  };
  look();
#pragma unroll 1
  while (__any_sync(full_warp, mine < end)) {
    const bool is_there = mine < end && int64_t(behind) > int64_t(begin);
    const uint64_t from = uint64_t(int64_t(begin)), length = is_there ? uint64_t(int64_t(behind)) - from : 0;
    mine += warp_threads;
    look();
    auto agent = [&] { return Agent(storage[threadIdx.x / warp_threads], in.keys_in, in.values_in, call.sort); };
    uint64_t left = length;
    if constexpr (Agent::has_tiny) {
      if (agent().RunTiny(from, length <= uint64_t(call.tiny_items) ? int(length) : 0)) left = 0;
      if (!__any_sync(full_warp, left > 0)) continue;
    }
    const bool is_small = left <= Agent::max_items;
    if (call.control != nullptr) list.Put(from, is_small ? 0 : left);
    agent().Run(from, is_small ? int(left) : 0);
  }
}

}  // namespace jig
