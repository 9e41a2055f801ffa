// Device-wide segmented scan: a block for every few neighbouring segments, of which the longest are left to another
// launch.
#pragma once
#include <jig/agent/segmented_scan/segment_work.cuh>
#include <jig/agent/segmented_scan/segmented_scan.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Counted, bool Inclusive, class Accum, class In, class Out, class Begins, class Ends,
          class OutBegins, class Init, class Op>
__device__ void segmented_scan(const In &in, const Out &out, const Begins &begins, const Ends &ends,
                               const OutBegins &out_begins, const Init &init, Op op, const SegmentCall &call,
                               int each) {
  using Agent = AgentSegmentedScan<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename Agent::TempStorage storage;
  const Segments<Begins, Ends, OutBegins> segments = {begins, ends, out_begins};
  ptx::wait_for_prerequisite_grids();
  if (Counted && uint64_t(blockIdx.x) * each >= call.num_segments) return;
  const uint64_t first = uint64_t(blockIdx.x) * each, last = min_of(first + each, call.num_segments);
  Agent agent(storage, in, out, op, initial_value<Accum, Op, Inclusive>(init));
  agent.Run(segments, first, last, call.short_items, [&] { call.control->has_long.publish(1, call.tag); });
}

}  // namespace jig
