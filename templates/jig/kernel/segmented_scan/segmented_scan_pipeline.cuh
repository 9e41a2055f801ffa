// Device-wide segmented scan by a block for each multiprocessor: of all segments, where these adjoin or are few, or of
// the longest.
#pragma once
#include <jig/agent/segmented_scan/scattered_share.cuh>
#include <jig/agent/segmented_scan/segment_pipeline.cuh>
#include <jig/agent/segmented_scan/segmented_scan.cuh>
#include <jig/agent/segmented_scan/segmented_scan_pipeline.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

// Those that are for this launch.
template <class Own, class All> __device__ Own own_segments(const All &all, uint64_t short_items) {
  if constexpr (is_same<Own, All>) return all;
  else return Own(all, short_items);
}

template <int Threads, int Rows> struct RowsOfWarp { static constexpr int threads = Threads, rows = Rows; };

// Of few segments, as many for each block, but those of more than `most` items; whether there are any such, of all. The
// first of these are looked up before anything else, lest their lengths be waited for.
template <int Threads, class Share, class Each, class All, class Out>
__device__ bool scan_shares(Share &share, Each &each, const All &all, const Out &out, const SegmentCall &call,
                            uint64_t most) {
  const uint32_t count = uint32_t(call.num_segments), segments = call.share_segments;
  const uint32_t first = min_of(segments * blockIdx.x, count), last = min_of(first + segments, count);
  const Segment mine = all[min_of(threadIdx.x, count - 1)];
  if (!each.RunHeld(all, first, last, most)) share.Run(all, first, last, most, out);
  bool has_long = mine.length > most;
#pragma unroll 1
  for (uint32_t i = threadIdx.x + Threads; i < count; i += Threads) has_long |= all[i].length > most;
  return __syncthreads_or(has_long);
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
  using ShareWork =
      SegmentedScanPipeline<OneStage<Policy, Item>, Accum, Item, Out, All, Init, Op, Inclusive, false, true>;
  using Share = AgentScatteredShare<Policy::threads, ShareWork>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  auto &agent_storage = *reinterpret_cast<typename Agent::TempStorage *>(storage);
  const All all = {begins, ends, out_begins};
  const uint64_t most_short = call.share_segments > 0 ? min_of(call.short_items, Share::most_items) : call.short_items;
  const Own segments = own_segments<Own>(all, most_short);
  ptx::wait_for_prerequisite_grids();
  if (Counted && call.num_segments == 0) return;
  if constexpr (!Adjoins) {
    if (call.share_segments > 0) {
      auto &share_storage = *reinterpret_cast<typename Share::TempStorage *>(agent_storage.stage);
      static_assert(sizeof share_storage <= sizeof agent_storage.stage);
      ShareWork share_work(out, all, call, init, op);
      Share share(share_storage, in, share_work);
      using EachPolicy = RowsOfWarp<Policy::threads, (sizeof(Accum) > 8 ? 2 : 8)>;
      using Each = AgentSegmentedScan<EachPolicy, Accum, Pointer<Item>, Out, Op, Inclusive>;
      auto &each_storage = *reinterpret_cast<typename Each::TempStorage *>(storage);
      Each each(each_storage, in, out, op, initial_value<Accum, Op, Inclusive>(init));
      if (!scan_shares<Policy::threads>(share, each, all, out, call, most_short)) return;
    } else if (!has_work(call)) {
      return;
    }
  }
  Work work(out, segments, agent_storage.call, init, op);
  Agent(agent_storage, call, in, segments, work).Run();
}

}  // namespace jig
