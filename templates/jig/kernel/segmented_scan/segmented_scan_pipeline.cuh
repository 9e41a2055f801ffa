// Device-wide segmented scan by a block for each multiprocessor: of all segments, where these adjoin, or of the
// longest.
#pragma once
#include <jig/agent/segmented_scan/segment_pipeline.cuh>
#include <jig/agent/segmented_scan/segmented_scan_pipeline.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

// Those that are for this launch.
template <class Own, class All> __device__ Own own_segments(const All &all, uint64_t short_items) {
  if constexpr (is_same<Own, All>) return all;
  else return Own(all, short_items);
}

template <class Policy, bool Adjoins, bool Counted, bool Inclusive, class Accum, class Item, class Out, class Begins,
          class Ends, class OutBegins, class Init, class Op>
__device__ void segmented_scan_pipeline(const Pointer<Item> &in, const Out &out, const Begins &begins, const Ends &ends,
                                        const OutBegins &out_begins, const Init &init, Op op,
                                        const SegmentCall &given) {
  const SegmentCall counted = Counted ? counted_call(given) : given;
  const SegmentCall &call = Counted ? counted : given;
  using All = Segments<Begins, Ends, OutBegins>;
  using Own = conditional<Adjoins, All, LongSegments<Begins, Ends, OutBegins>>;
  using Work = SegmentedScanPipeline<Policy, Accum, Item, Out, Own, Init, Op, Inclusive>;
  using Agent = AgentSegmentPipeline<Work, SegmentScout<typename Work::Stage, Own, Adjoins>>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  auto &agent_storage = *reinterpret_cast<typename Agent::TempStorage *>(storage);
  const Own segments = own_segments<Own>(All{begins, ends, out_begins}, call.short_items);
  ptx::wait_for_prerequisite_grids();
  if ((Counted && call.num_segments == 0) || (!Adjoins && !has_work(call))) return;
  Work work(out, segments, agent_storage.call, init, op);
  Agent(agent_storage, call, in, segments, work).Run();
}

}  // namespace jig
