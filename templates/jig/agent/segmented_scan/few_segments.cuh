// How the blocks of a pipeline (segment_pipeline.cuh) share out segments that adjoin, if there are so few that every
// block can look up where all shares begin: none is listed, and there are no chunks.
//
// There are as many shares as blocks, of as many segments each. If all have a tile at most, or a few and none much more
// than others, a block's share is its own. Otherwise all items are one sequence of tiles: one for each block, or more,
// which blocks draw.
//
// A small share of its own is no matter for a pipeline (small_share.cuh), one of few short segments is for warps by
// themselves (warp_segments.cuh), and a single segment for threads that hold its items (block_segment.cuh).
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
  uint64_t in, items;          // where the first of them begins; how many items, with what comes before (Lead())
  uint32_t tile_items;
  bool falls;     // then there are no items
  bool is_small;  // of a share: its threads are enough; nothing comes before
  bool is_short;  // of a share: warps take its segments by themselves
  bool is_single;  // of a share: threads hold the items of its only segment

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
  // `share` is how many segments are each block's.
  __device__ FewSegments(const SegmentCall &call, uint32_t share, const Pointer<Item> &in, const Segments &segments)
      : count_(uint32_t(call.num_segments)), share_(share), in_(in), segments_(segments) {}

  // By all threads, of which there are no fewer than blocks. All is looked up at once, as each answer takes longer than
  // all else, each by the threads that need it; prepare() is called meanwhile. If the share is single, short or small, its
  // items are on their way before it is known what all blocks do.
  template <class Single, class Alone, class Share, class Prepare>
  __device__ FewTurns Plan(Single &single, Alone &alone, Share &small, Prepare prepare) const {
    const uint32_t lane = threadIdx.x % warp_threads, first = first_of(blockIdx.x), last = first_of(blockIdx.x + 1),
                   mine = min_of(first + lane, last),
                   other = Threads - 1 - threadIdx.x;  // whose share the thread looks at
    const bool looks = other < gridDim.x;
    const Offset own_from = segments_.begins[mine], own_to = segments_.begins[min_of(mine + 1, last)],
                 share_to = segments_.begins[last];
    Offset from, to;
    if (looks) {
      from = segments_.begins[first_of(other)];
      to = segments_.begins[first_of(other + 1)];
    }
    prepare();
    const uint64_t length = wide(own_to) - wide(own_from), begin = wide(Lanes<Offset>::Broadcast(own_from, 0)),
                   items = wide(share_to) - begin;
    FewTurns turns = {SegmentTurn::Own, first, last - first, begin, items, Stage::tile_items};
    turns.is_single = share_ == 1 && items <= Single::most_items;
    if (!turns.is_single)
      turns.is_short = turns.segments <= warp_threads && __all_sync(full_warp, length <= Alone::most_items);
    bool falls = false;
    if (turns.is_single) {
      single.Begin(begin, uint32_t(items));
    } else if (turns.is_short) {
      alone.Begin(turns.segments, wide(own_from), uint32_t(length));
    } else {
      turns.is_small = items <= min_of(Share::most_items, tile_items - Stage::align) ||
                       (items <= Share::most_items && fits(items));
      if (turns.is_small) small.Begin(turns);
      if (threadIdx.x < warp_threads && mine < last) falls = look(small, turns, wide(own_from), wide(own_to));
#pragma unroll 1
      for (uint32_t i = first + warp_threads + threadIdx.x; i < last; i += Threads)
        falls |= look(small, turns, begin_of(i), begin_of(i + 1));
    }
    const bool is_long = looks && !fits(wide(to) - wide(from));
    if (!__syncthreads_or(falls || is_long)) {
      if (!turns.is_small && !turns.is_short && !turns.is_single) set_items(turns, begin, items);
      return turns;
    }
    if (turns.is_small) small.Leave(turns);
    turns.is_small = turns.is_short = turns.is_single = false;
    const Offset all_from = segments_.begins[0], all_to = segments_.begins[count_];
    const bool is_apart = !__syncthreads_or(is_long);
    turns.falls = is_apart ? __syncthreads_or(falls) : all_fall();
    if (turns.falls) return turns;
    if (is_apart) set_items(turns, begin, items);
    else share_tiles(turns, wide(all_from), wide(all_to) - wide(all_from));
    return turns;
  }

 private:
  __device__ uint32_t first_of(uint32_t block) const { return min_of(share_ * block, count_); }
  static __device__ uint64_t wide(Offset offset) { return uint64_t(int64_t(offset)); }
  __device__ uint64_t begin_of(uint32_t i) const { return wide(segments_.begins[i]); }

  // Whether a share may be a block's own. What all have is only asked for if it matters.
  __device__ bool fits(uint64_t items) const {
    return items <= tile_items - Stage::align ||
           (items <= tile_items * Stages - Stage::align &&
            items * gridDim.x * 4 <= (begin_of(count_) - begin_of(0)) * 5);
  }

  // Of one of the block's segments; whether its offsets fall.
  template <class Share>
  static __device__ bool look(Share &small, const FewTurns &turns, uint64_t begin, uint64_t end) {
    if (turns.is_small) small.Mark(turns, begin);
    return int64_t(end) < int64_t(begin);
  }

  // Whether the offsets of any segment do.
  __device__ bool all_fall() const {
    constexpr int at_once = 5;
    bool found = false;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < count_; i += at_once * Threads) {
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const uint32_t mine = min_of(i + k * Threads, count_ - 1);
        found |= segments_.begins[mine + 1] < segments_.begins[mine];
      }
    }
    return __syncthreads_or(found);
  }

  __device__ void set_items(FewTurns &turns, uint64_t begin, uint64_t items) const {
    turns.in = begin;
    turns.items = items > 0 ? items + Scout::Lead(in_, begin) : 0;
  }

  // All items in tiles.
  __device__ void share_tiles(FewTurns &turns, uint64_t begin, uint64_t items) const {
    turns.segment = 0;
    turns.segments = count_;
    set_items(turns, begin, items);
    if (turns.items > gridDim.x * tile_items) {
      turns.kind = SegmentTurn::Tile;
      if (threadIdx.x == 0) prefetch(turns);
      return;
    }
    // Whole rows: what a tile comes to that is not the last one has to be known.
    turns.kind = SegmentTurn::Few;
    const uint32_t rows = ceil_div(uint32_t(turns.items), gridDim.x * Stage::row_items);
    turns.tile_items = max_of(rows, 1u) * Stage::row_items;
  }

  // Some will soon draw each of the first tiles.
  __device__ void prefetch(const FewTurns &turns) const {
    constexpr uint32_t vector = 16;
    const uintptr_t from =
        reinterpret_cast<uintptr_t>(in_.data + (turns.in + blockIdx.x * tile_items)) / vector * vector;
    ptx::bulk_prefetch(reinterpret_cast<const void *>(from), Stage::tile_items * sizeof(Item));
  }

  const uint32_t count_, share_;
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

  // Arrives at the barrier twice: when all but what bulk copies bring is there.
  __device__ void Fill(Stage &stage, const SegmentTurn &turn, uint64_t *barrier, uint64_t &) const {
    const SegmentPlace place = place_of(turn);
    copy(stage, place, barrier);
    clear(stage);
    if (lane() < place.lead) stage.mark(lane());
    mark_heads(stage, place, turn.chunk, turn.entry);
    finish(stage, place, false, barrier);
  }

 private:
  // Marks where `count` segments from `first` on begin. What is empty begins where the next one does, or behind the
  // items.
  __device__ void mark_heads(Stage &stage, const SegmentPlace &tile, uint64_t first, uint32_t count) const {
    const uint32_t part = ceil_div(count, uint32_t(warp_threads));
    const auto place = [&](uint32_t i) { return uint64_t(int64_t(segments_.begins[first + i])) - tile.in; };
    // Each lane looks where its part of the segments begins.
    const int64_t start = int64_t(place(min_of(lane() * part, count)));
    if (part == 1) {
      if (uint64_t(start) < uint64_t(tile.count)) stage.mark(uint32_t(start));
      return;
    }
    const uint32_t begin = __popc(__ballot_sync(full_warp, lane() == 0 || start <= 0)) - 1;
    const uint32_t end = __popc(__ballot_sync(full_warp, lane() == 0 || start < tile.count));
#pragma unroll 4
    for (uint32_t i = begin * part + lane(); i < min_of(end * part, count); i += warp_threads) {
      const uint64_t at = place(i);
      if (at < uint64_t(tile.count)) stage.mark(uint32_t(at));
    }
  }

  const Segments &segments_;
};

}  // namespace jig
