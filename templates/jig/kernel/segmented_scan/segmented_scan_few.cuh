// Device-wide segmented scan of few segments that adjoin, by a block for each multiprocessor.
#pragma once
#include <jig/agent/segmented_scan/segment_pipeline.cuh>
#include <jig/agent/segmented_scan/segmented_scan.cuh>
#include <jig/agent/segmented_scan/segmented_scan_pipeline.cuh>
#include <jig/agent/segmented_scan/small_share.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <int Threads> struct OneRow { static constexpr int threads = Threads, rows = 1; };

template <class Policy, bool Counted, bool Inclusive, class Accum, class Item, class Out, class Begins, class Ends,
          class OutBegins, class Init, class Op>
__device__ void segmented_scan_few(const Pointer<Item> &in, const Out &out, const Begins &begins, const Ends &ends,
                                   const OutBegins &out_begins, const Init &init, Op op, const SegmentCall &call) {
  using All = Segments<Begins, Ends, OutBegins>;
  using Work = SegmentedScanPipeline<Policy, Accum, Item, Out, All, Init, Op, Inclusive, false>;
  using Agent = AgentSegmentPipeline<Work, FewScout<typename Work::Stage, All>>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  const All all = {begins, ends, out_begins};
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  Work work(out, all, call, init, op);
  const FewTurns turns = Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), call, in, all, work).Run();
  if (turns.is_small) {
    using Tile = SegmentedScanTile<Work::small_rows, 1, Accum, Pointer<Item>, Out, Init, Op, Inclusive>;
    using Share = AgentSmallShare<Policy::threads, Work::small_rows, Tile>;
    auto &shared = *reinterpret_cast<typename Share::TempStorage *>(storage);
    Tile tile(shared.items, in, out, init, op);
    Share(shared, tile).Run(all, turns);
    return;
  }
  if (!turns.falls) return;
  using Each = AgentSegmentedScan<OneRow<Policy::threads>, Accum, Pointer<Item>, Out, Op, Inclusive>;
  __syncthreads();
  Each(*reinterpret_cast<typename Each::TempStorage *>(storage), in, out, op, initial_value<Accum, Op, Inclusive>(init))
      .RunEach(all, turns.segment, turns.segment + turns.segments);
}

}  // namespace jig
