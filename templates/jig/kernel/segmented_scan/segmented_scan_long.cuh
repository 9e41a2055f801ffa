// What remains of a device-wide segmented scan: the longest segments, by as many blocks as the GPU has room for.
#pragma once
#include <jig/agent/segmented_scan/segment_blocks.cuh>
#include <jig/agent/segmented_scan/segmented_scan_tile.cuh>

namespace jig {

template <class Policy, bool Counted, bool Inclusive, class Accum, class In, class Out, class Begins, class Ends,
          class OutBegins, class Init, class Op>
__device__ void segmented_scan_long(const In &in, const Out &out, const Begins &begins, const Ends &ends,
                                    const OutBegins &out_begins, const Init &init, Op op, const SegmentCall &given) {
  const SegmentCall counted = Counted ? counted_call(given) : given;
  const SegmentCall &call = Counted ? counted : given;
  using Segments = LongSegments<Begins, Ends, OutBegins>;
  constexpr int threads = Policy::threads, rows = Policy::rows;
  using Work = SegmentedScanTile<rows, threads * rows, Accum, In, Out, Init, Op, Inclusive>;
  using Agent = AgentSegmentBlocks<threads, rows, Segments, Work>;
  __shared__ typename Agent::TempStorage storage;
  __shared__ typename Work::TempStorage items;
  const Segments segments({begins, ends, out_begins}, call.short_items);
  ptx::wait_for_prerequisite_grids();
  if ((Counted && call.num_segments == 0) || !has_work(call)) return;
  Work work(items, in, out, init, op);
  Agent(storage, call, segments, work).Run();
}

}  // namespace jig
