// Device-wide segmented scan of few segments, wherever they lie: each block has a share of them, and all blocks
// together do the longest.
#pragma once
#include <jig/agent/segmented_scan/long_segments.cuh>
#include <jig/agent/segmented_scan/segmented_scan.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Counted, bool Inclusive, class Accum, class In, class Out, class Begins, class Ends,
          class OutBegins, class Init, class Op>
__device__ void segmented_scan_few(const In &in, const Out &out, const Begins &begins, const Ends &ends,
                                   const OutBegins &out_begins, const Init &init, Op op, const SegmentCall &given) {
  const SegmentCall counted = Counted ? counted_call(given) : given;
  const SegmentCall &call = Counted ? counted : given;
  using Scan = AgentSegmentedScan<Policy, Accum, In, Out, Op, Inclusive>;
  using Long = LongSegments<Begins, Ends, OutBegins>;
  using LongScan = AgentLongSegments<Policy::threads, Accum, Op, Long, Scan>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ typename LongScan::TempStorage long_storage;
  const Segments<Begins, Ends, OutBegins> all = {begins, ends, out_begins};
  // The next launch may come up while this one waits, if it leaves nearly all blocks idle.
  if (!Counted && call.num_segments <= 16) ptx::launch_dependent_grids();
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  // Whether any segment is long all blocks look up, lest they wait for each other. The first ones are asked for before
  // anything else, but for the block's own, and looked at behind these.
  const uint32_t count = uint32_t(call.num_segments);
  const auto bounds = [&](uint32_t i) { return all.bounds(min_of(i, count - 1)); };
  const typename Long::Bounds first = bounds(threadIdx.x), second = bounds(threadIdx.x + Policy::threads);
  Scan scan(storage, in, out, op, initial_value<Accum, Op, Inclusive>(init));
  typename Scan::Once once;
  scan.RunShare(all, count, call.short_items, once);
  bool has_long = first.is_longer(call.short_items) || second.is_longer(call.short_items);
  // Several at once, as each answer takes long.
  constexpr int at_once = 4;
#pragma unroll 1
  for (uint32_t i = threadIdx.x + 2 * Policy::threads; i < count; i += at_once * Policy::threads) {
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      has_long |= bounds(i + k * Policy::threads).is_longer(call.short_items);
  }
  ptx::launch_dependent_grids();
  const bool any_long = __syncthreads_or(has_long);
  scan.EndShare(once);
  if (!any_long) return;
  const Long segments(all, call.short_items);
  LongScan(long_storage, call, segments, op, scan).Run();
}

}  // namespace jig
