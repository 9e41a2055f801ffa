// How the blocks of a pipeline (segment_pipeline.cuh) share out segments that adjoin, if there are so few that a block
// can look at all of them: none is listed, and there are no chunks.
//
// There are as many shares as blocks, of as many segments each. If all have a tile at most, or a few and none much more
// than others, a block's share is its own. Otherwise all items are one sequence of tiles: one for each block, or more,
// which blocks draw.
//
// Before that it is known whether offsets fall, of a share or of all segments. If so, the pipeline has nothing to do,
// and a block goes through its share segment by segment.
#pragma once
#include <jig/agent/segmented_scan/segment_filler.cuh>

namespace jig {

// What a block has to do, in every thread.
struct FewTurns {
  SegmentTurn::Kind kind;      // Own: its share; Few: one of the tiles; Tile: those that it draws
  uint32_t segment, segments;  // which segments may begin in its tiles, or if offsets fall: are its share
  uint64_t in, items;          // where the first of them begins, and how many items there are, with what comes before (Lead())
  uint32_t tile_items;
  bool falls;  // then there are no items

  __device__ bool has(uint32_t tile) const { return uint64_t(tile) * tile_items < items; }
  __device__ SegmentTurn turn(uint32_t tile) const {
    SegmentTurn turn = {kind, segment, segments, 0, tile};
    turn.first = uint64_t(tile) * tile_items;
    turn.count = int(min_of(items - turn.first, uint64_t(tile_items)));
    turn.in = in;
    return turn;
  }
};

template <class Scout, int Stages, int Threads> class FewSegments {
  using Item = typename Scout::Item;
  using Stage = typename Scout::Stage;
  using Segments = typename Scout::Segments;
  using Offset = typename Segments::Offset;
  static constexpr uint64_t tile_items = Stage::tile_items;

 public:
  __device__ FewSegments(const SegmentCall &call, const Pointer<Item> &in, const Segments &segments)
      : count_(uint32_t(call.num_segments)), in_(in), segments_(segments) {}

  // By all threads, of which there are no fewer than blocks.
  __device__ FewTurns Plan() const {
    const uint32_t share = ceil_div(count_, gridDim.x), own = first_of(share, blockIdx.x);
    const uint32_t end = first_of(share, blockIdx.x + 1);
    const uint64_t items = items_of(0, count_);
    // Of a share for each thread: all blocks look at all of them.
    const uint64_t shared = items_of(first_of(share, threadIdx.x), first_of(share, threadIdx.x + 1));
    const bool fits = shared <= tile_items - Stage::align ||
                      (shared <= tile_items * Stages - Stage::align && shared * gridDim.x * 4 <= items * 5);
    FewTurns turns = {SegmentTurn::Own, own, end - own};
    turns.tile_items = Stage::tile_items;
    turns.falls = falls(own, end);
    if (__syncthreads_or(!fits)) turns = all(turns);
    else if (!turns.falls) set_items(turns, own, end);
    return turns;
  }

 private:
  __device__ uint32_t first_of(uint32_t share, uint32_t i) const { return min_of(share * i, count_); }

  // Of neighbouring segments, if offsets do not fall.
  __device__ uint64_t items_of(uint32_t first, uint32_t last) const {
    return uint64_t(int64_t(segments_.begins[last])) - uint64_t(int64_t(segments_.begins[first]));
  }

  // Whether the offsets of these do.
  __device__ bool falls(uint32_t first, uint32_t last) const {
    bool found = false;
#pragma unroll 4
    for (uint32_t i = first + threadIdx.x; i < last; i += Threads)
      found = found || segments_.begins[i + 1] < segments_.begins[i];
    return __syncthreads_or(found);
  }

  __device__ void set_items(FewTurns &turns, uint32_t first, uint32_t last) const {
    turns.in = uint64_t(int64_t(segments_.begins[first]));
    const uint64_t items = items_of(first, last);
    turns.items = items > 0 ? items + Scout::Lead(in_, turns.in) : 0;
  }

  __device__ FewTurns all(FewTurns turns) const {
    turns.falls = falls(0, count_);
    if (turns.falls) return turns;
    turns.segment = 0;
    turns.segments = count_;
    set_items(turns, 0, count_);
    if (turns.items > gridDim.x * tile_items) {
      turns.kind = SegmentTurn::Tile;
      if (threadIdx.x == 0) prefetch(turns);
      return turns;
    }
    // Whole rows: what a tile comes to that is not the last one has to be known.
    turns.kind = SegmentTurn::Few;
    const uint32_t rows = ceil_div(uint32_t(turns.items), gridDim.x * Stage::row_items);
    turns.tile_items = max_of(rows, 1u) * Stage::row_items;
    return turns;
  }

  // Some will soon draw each of the first tiles.
  __device__ void prefetch(const FewTurns &turns) const {
    constexpr uint32_t vector = 16;
    const uintptr_t from = reinterpret_cast<uintptr_t>(in_.data + (turns.in + blockIdx.x * tile_items)) / vector * vector;
    ptx::bulk_prefetch(reinterpret_cast<const void *>(from), Stage::tile_items * sizeof(Item));
  }

  const uint32_t count_;
  const Pointer<Item> &in_;
  const Segments &segments_;
};

// Marks where segments begin in a tile, and has its items brought.
template <class StageOf, class SegmentsOf> class FewScout : SegmentFiller<StageOf> {
  using Filler = SegmentFiller<StageOf>;
  using Filler::clear, Filler::copy, Filler::finish, Filler::lane, Filler::place_of;

 public:
  using Stage = StageOf;
  using Item = typename Stage::item_type;
  using Segments = SegmentsOf;
  static constexpr bool are_few = true;
  using Filler::Lead;

  // Of the same form as SegmentScout's, as Fill() is.
  __device__ FewScout(const SegmentCall &, const Pointer<Item> &in, const Segments &segments, SegmentStart &,
                      SegmentCover &)
      : Filler(in), segments_(segments) {}

  // Arrives at the barrier twice: when all but what bulk copies bring is there. Those segments that are empty begin where
  // the next one does, or behind the items.
  __device__ void Fill(Stage &stage, const SegmentTurn &turn, uint64_t *barrier, uint64_t &) const {
    const SegmentPlace place = place_of(turn);
    const uint64_t begin = place.in;
    copy(stage, place, barrier);
    clear(stage);
    if (lane() < place.lead) stage.mark(lane());
    // A lane looks where its part of the segments begins.
    const uint32_t segments = turn.entry, part = ceil_div(segments, uint32_t(warp_threads));
    const int64_t start = int64_t(before(turn, min_of(lane() * part, segments)) - begin);
    const uint32_t first = __popc(__ballot_sync(full_warp, lane() == 0 || start <= 0)) - 1;
    const uint32_t last = __popc(__ballot_sync(full_warp, lane() == 0 || start < turn.count));
#pragma unroll 4
    for (uint32_t i = first * part + lane(); i < min_of(last * part, segments); i += warp_threads) {
      const uint64_t at = before(turn, i) - begin;
      if (at < uint64_t(turn.count)) stage.mark(uint32_t(at));
    }
    finish(stage, place, false, barrier);
  }

 private:
  // Where one of the turn's segments begins.
  __device__ uint64_t before(const SegmentTurn &turn, uint32_t i) const {
    return uint64_t(int64_t(segments_.begins[turn.chunk + i]));
  }

  const Segments &segments_;
};

}  // namespace jig
