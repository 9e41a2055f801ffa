// Device-wide segmented scan of few segments that adjoin, by a block for each multiprocessor.
#pragma once
#include <jig/agent/segmented_scan/block_segment.cuh>
#include <jig/agent/segmented_scan/segment_pipeline.cuh>
#include <jig/agent/segmented_scan/segmented_scan.cuh>
#include <jig/agent/segmented_scan/segmented_scan_pipeline.cuh>
#include <jig/agent/segmented_scan/small_share.cuh>
#include <jig/agent/segmented_scan/warp_segments.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <int Threads> struct OneRow { static constexpr int threads = Threads, rows = 1; };

template <class Policy, bool Counted, bool Inclusive, class Accum, class Item, class Out, class Begins, class Ends,
          class OutBegins, class Init, class Op>
__device__ void segmented_scan_few_adjoining(const Pointer<Item> &in, const Out &out, const Begins &begins,
                                             const Ends &ends, const OutBegins &out_begins, const Init &init, Op op,
                                             const SegmentCall &call) {
  using All = Segments<Begins, Ends, OutBegins>;
  using Work = SegmentedScanPipeline<Policy, Accum, Item, Out, All, Init, Op, Inclusive, false>;
  using Agent = AgentSegmentPipeline<Work, FewScout<typename Work::Stage, All>>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  using ShareWork =
      SegmentedScanPipeline<OneStage<Policy, Item>, Accum, Item, Out, All, Init, Op, Inclusive, false, true>;
  constexpr int alone_rows = sizeof(Accum) > 8 ? 1 : sizeof(Accum) > 4 ? 4 : 5;
  using Alone = WarpSegments<Policy::threads, LaneRows<alone_rows, 2>, Accum, Pointer<Item>, Out, Op, Inclusive>;
  constexpr int single_items = sizeof(Accum) > 8 ? 1 : 4;
  using Single = BlockSegment<Policy::threads, single_items, Accum, Item, Out, Op, Inclusive>;
  constexpr int held_rows = sizeof(Accum) > 8 ? 1 : 3;
  using Tile = SegmentedScanTile<held_rows, 1, Accum, Pointer<Item>, Out, Init, Op, Inclusive>;
  using Share = AgentSmallShare<Policy::threads, held_rows, Policy::stages, ShareWork, Tile>;
  // The pipeline has not begun when it is known that a share is small.
  auto &agent_storage = *reinterpret_cast<typename Agent::TempStorage *>(storage);
  auto &share_storage = *reinterpret_cast<typename Share::TempStorage *>(agent_storage.stage);
  static_assert(sizeof share_storage <= sizeof agent_storage.stage);
  static_assert(sizeof(typename Single::TempStorage) <= sizeof agent_storage.totals + sizeof agent_storage.before);
  const All all = {begins, ends, out_begins};
  Share::Prepare(share_storage, agent_storage.cover);
  __syncthreads();
  // A multiprocessor has no room for another block of this kernel, so that the next launch takes nothing from this one.
  ptx::launch_dependent_grids();
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  Work work(out, all, call, init, op);
  Agent agent(agent_storage, call, in, all, work);
  ShareWork share_work(out, all, call, init, op);
  Tile tile(share_storage.items, in, out, init, op);
  Share share(share_storage, agent_storage.cover, in, share_work, tile);
  const optional<Accum> initial = initial_value<Accum, Op, Inclusive>(init);
  Alone alone(in, out, op, initial);
  Single single(reinterpret_cast<typename Single::TempStorage &>(agent_storage.totals), in, out, op, initial);
  const uint32_t share_segments = Counted ? ceil_div(uint32_t(call.num_segments), gridDim.x) : call.share_segments;
  const FewTurns turns = FewSegments<FewScout<typename Work::Stage, All>, Work::stages, Policy::threads>(
                             call, share_segments, in, all)
                             .Plan(single, alone, share, [&] { agent.Prepare(); });
  if (turns.is_single) {
    single.Run(uint32_t(turns.items));
  } else if (turns.is_short) {
    alone.Run();
  } else if (turns.is_small) {
    share.Run(turns);
  } else if (turns.falls) {
    using Each = AgentSegmentedScan<OneRow<Policy::threads>, Accum, Pointer<Item>, Out, Op, Inclusive>;
    Each(*reinterpret_cast<typename Each::TempStorage *>(storage), in, out, op, initial)
        .RunEach(all, turns.segment, turns.segment + turns.segments);
  } else {
    agent.Run(turns);
  }
}

}  // namespace jig
