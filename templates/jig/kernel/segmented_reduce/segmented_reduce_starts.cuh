// The launch before a segmented reduce of segments that are anywhere in the input. The order of an arg-reduce is named
// in its program, too.
#pragma once
#include <jig/agent/segmented_reduce/segment_starts.cuh>
#include <jig/core/less.cuh>

namespace jig {

template <class Policy, bool Counted, class Begins, class Ends>
__device__ void segmented_reduce_starts(const Begins &begins, const Ends &ends, const SegmentedReduceCall &call,
                                        TileState<uint64_t> *sums) {
  using Agent = AgentSegmentStarts<Policy, Begins, Ends>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  ptx::launch_dependent_grids();
  Agent(storage, begins, ends, call, sums).Run();
}

}  // namespace jig
