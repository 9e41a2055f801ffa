// The first launch of a segmented sort: short segments are sorted, others listed.
#pragma once
#include <jig/agent/segmented_sort_list.cuh>
#include <jig/agent/segmented_sort_small.cuh>
#include <jig/agent/segments.cuh>
#include <jig/kernel/radix_sort.cuh>

namespace jig {

template <class Policy, class Keys, class Value, class Segments>
__device__ void segmented_sort_small(const SegmentedSortCall &call, const Segments &segments, uint64_t first,
                                     uint64_t count) {
  using Agent = AgentSegmentedSortSmall<Policy, Keys, Value>;
  constexpr int warps = Policy::threads / warp_threads;
  __shared__ typename Agent::TempStorage storage[warps];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  SegmentedSortList list(call);
  if (call.control != nullptr && blockIdx.x == 0 && threadIdx.x == 0) list.Begin();
  const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
  const uint64_t mine = (uint64_t(blockIdx.x) * warps + warp) * call.each + lane;
  Segment s = {0, 0, 0};
  if (lane < call.each && mine < count) s = segments[first + mine];
  const bool is_small = s.length <= Agent::max_items;
  if (call.control != nullptr) list.Put(s.in, is_small ? 0 : s.length);
  Agent(storage[warp], call.sort).Run(s.in, is_small ? int(s.length) : 0);
}

}  // namespace jig
