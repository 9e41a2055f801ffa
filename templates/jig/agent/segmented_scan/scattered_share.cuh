// A block's share of a few segments that lie anywhere: shared memory holds as many at a time as fit there, side by
// side. Longer ones are left alone.
//
// All warps look at the same segments, one for each lane. Items come and go in parts of segments, which warps take by
// turns.
#pragma once
#include <jig/agent/segmented_scan/segment_filler.cuh>

namespace jig {

// Work is a SegmentedScanPipeline with a warp tile for each of the block's warps.
template <int Threads, class Work> class AgentScatteredShare : SegmentFiller<typename Work::Stage> {
  using Filler = SegmentFiller<typename Work::Stage>;
  using Item = typename Work::Item;
  using Stage = typename Work::Stage;
  using State = typename Work::State;
  using Filler::lane;
  static constexpr int warps = Threads / warp_threads;
  static_assert(Stage::warp_tiles == warps);
  static constexpr int part_rows = min_of(64 / int(sizeof(Item)), 16), part_items = part_rows * warp_threads;

 public:
  static constexpr uint64_t most_items = Stage::tile_items;

  struct TempStorage {
    Stage stage;
    uninitialized<State, warps> totals;
  };

  __device__ AgentScatteredShare(TempStorage &storage, const Pointer<Item> &in, Work &work)
      : Filler(in), storage_(storage), work_(work) {}

  // Segments first .. last - 1, but those of more than `most` items; out is where what comes of them goes to.
  template <class Segments, class Out>
  __device__ void Run(const Segments &segments, uint32_t first, uint32_t last, uint64_t most, const Out &out) {
    if (threadIdx.x == 0) storage_.stage.lead = storage_.stage.first_byte = 0;
#pragma unroll 1
    while (first < last) {
      Parts parts = {};
      if (first + lane() < last) parts.s = segments[first + lane()];
      storage_.stage.template Clear<Threads>();
      if (parts.s.length > most) parts.s.length = 0;
      const uint64_t end = Lanes<uint64_t>::InclusiveScan(parts.s.length, plus{});
      const int taken = __popc(__ballot_sync(full_warp, end <= most_items));
      if (lane() >= taken) parts.s.length = 0;
      parts.start = uint32_t(end - parts.s.length);
      process(parts, int(Lanes<uint64_t>::Broadcast(end, taken - 1)), out);
      first += taken;
    }
    ptx::fence_bulk_copies();  // of a pipeline, whose storage it may be
  }

 private:
  using Filler::in_;
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  // Of the lane's segment: where it begins in the stage, and which of its parts is the warp's first one.
  struct Parts {
    Segment s;
    uint32_t start, first;
  };

  template <class Out> __device__ void process(Parts &parts, int items, const Out &out) {
    Stage &stage = storage_.stage;
    if (threadIdx.x == 0) {
      stage.count = items;
      stage.even_rows = uint8_t(max_of(ceil_div(items, warps * Stage::row_items), 1));
    }
    deal(parts);
    __syncthreads();
    for_each_part(parts, [&](uint64_t in, uint64_t, uint32_t place, int count) { load(in, place, count); });
    if (warp() == 0 && parts.s.length > 0) stage.mark(parts.start);
    Filler::template mark_end<Threads>(stage, 0, items);
    __syncthreads();
    scan(items);
    __syncthreads();
    for_each_part(parts, [&](uint64_t, uint64_t to, uint32_t place, int count) {
#pragma unroll 4
      for (int k = lane(); k < count; k += warp_threads) out.store(to + k, Work::ResultAt(stage, place + k));
    });
  }

  // Parts to warps, by turns.
  static __device__ void deal(Parts &parts) {
    const uint32_t count = ceil_div(uint32_t(parts.s.length), uint32_t(part_items));
    const uint32_t before = Lanes<uint32_t>::InclusiveScan(count, plus{}) - count;
    parts.first = (warp() + warps - before % warps) % warps;
  }

  // Calls then(in, out, place, count) for each of the warp's.
  template <class Then> static __device__ void for_each_part(const Parts &parts, Then then) {
#pragma unroll 1
    for (uint32_t left = __ballot_sync(full_warp, parts.first * part_items < parts.s.length); left != 0;
         left &= left - 1) {
      const Parts mine = shuffle_from(parts, __ffs(left) - 1, warp_threads, full_warp);
#pragma unroll 1
      for (uint32_t at = mine.first * part_items; at < mine.s.length; at += warps * part_items)
        then(mine.s.in + at, mine.s.out + at, mine.start + at,
             int(min_of(uint32_t(mine.s.length) - at, uint32_t(part_items))));
    }
  }

  __device__ void load(uint64_t in, uint32_t place, int count) const {
    Item items[part_rows];
#pragma unroll
    for (int r = 0; r < part_rows; ++r) {
      const int i = r * warp_threads + lane();
      if (i < count) items[r] = in_[in + i];
    }
#pragma unroll
    for (int r = 0; r < part_rows; ++r) {
      const int i = r * warp_threads + lane();
      if (i < count) store_word(storage_.stage.items() + place + i, items[r]);
    }
  }

  __device__ void scan(int items) {
    Stage &stage = storage_.stage;
    const int used = ceil_div(items, stage.even_rows * Stage::row_items);
    if (warp() < used) {
      const State total = work_.Reduce(stage, warp());
      if (lane() == 0) storage_.totals[warp()] = total;
    }
    __syncthreads();
    if (warp() >= used) return;
    const State folded = Lanes<State>::ScanHeld(storage_.totals[min_of(lane(), used - 1)], work_.op(), lane() < warp());
    work_.EmitRows(stage, warp(), Lanes<State>::Broadcast(folded, max_of(warp() - 1, 0)));
  }

  TempStorage &storage_;
  Work &work_;
};

}  // namespace jig
