// A segmented top-k's launch for short segments, which lists the others.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_list.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_small.cuh>
#include <jig/kernel/segmented_top_k/segmented_top_k.cuh>

namespace jig {

template <class Policy, class Keys, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut, class Begins,
          class Ends>
__device__ void segmented_top_k_small(const KeysIn &keys_in, const KeysOut &keys_out, const ValuesIn &values_in,
                                      const ValuesOut &values_out, const Begins &begins, const Ends &ends,
                                      const SegmentedTopKCall &call) {
  using Sink = SegmentedTopKSink<Keys, KeysIn, KeysOut, ValuesIn, ValuesOut>;
  using Agent = AgentSegmentedTopKSmall<Policy, Keys, Sink>;
  constexpr int warps = Policy::threads / warp_threads;
  __shared__ typename Agent::TempStorage storage[warps];
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  const Sink sink = {keys_in, keys_out, values_in, values_out, Keys(call, keys_in)};
  const TopKSegments<Begins, Ends> segments = {begins, ends, call.segment_size};
  SegmentedTopKList<Policy::tile, Policy::capacity> list(call);
  if (call.control != nullptr && blockIdx.x == 0 && threadIdx.x == 0) list.Begin();
  const uint64_t warp = uint64_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
  const uint64_t first = warp * call.each, end = min_of(call.num_segments, first + call.each);
  // Where the next segments are is asked for before these are searched.
  uint64_t mine = first + threadIdx.x % warp_threads;
  TopKSegment next = {0, 0};
  if (mine < end) next = segments[mine];
#pragma unroll 1
  while (__any_sync(full_warp, mine < end)) {
    const uint64_t number = mine;
    const TopKSegment segment = {next.begin, mine < end ? next.length : 0};
    mine += warp_threads;
    if (mine < end) next = segments[mine];
    const bool is_short = segment.length <= uint64_t(Agent::max_items);
    if (call.control != nullptr) list.Put(number, {segment.begin, is_short ? 0 : segment.length});
    Agent(storage[threadIdx.x / warp_threads], sink, call)
        .Run(number, {segment.begin, is_short ? segment.length : 0});
  }
}

}  // namespace jig
