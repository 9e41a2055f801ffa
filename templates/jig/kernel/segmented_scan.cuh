// Device-wide segmented scan in one launch: a block for every few neighbouring segments.
#pragma once
#include <jig/agent/segmented_scan.cuh>
#include <jig/kernel/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Segments, class Init,
          class Op>
__device__ void segmented_scan(const In &in, const Out &out, const Segments &segments, const Init &init,
                               Op op, uint64_t num_segments, int each) {
  using Agent = AgentSegmentedScan<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  const uint64_t first = uint64_t(blockIdx.x) * each, last = min_of(first + each, num_segments);
  Agent(storage, in, out, op, initial_value<Accum, Op, Inclusive>(init)).Run(segments, first, last);
}

}  // namespace jig
