// How the blocks of a launch share out segments of any lengths, of which only the GPU knows how many items they have.
//
// A chunk is a fixed number of neighbouring segments. Blocks draw chunks, and whoever draws one looks how many items
// it has: what fits a tile is done there and then. Others are listed, and cut into tiles, which any block draws. As a
// chunk begins with a segment, tiles only depend on earlier ones of the same chunk. Every block keeps the number of
// one tile in hand; when a tile of that number is listed it does that next, otherwise another chunk. So tiles begin
// in the order of their numbers and soon after they are listed, while their offsets are in L2.
//
// A tile that is listed and drawn belongs to a block that runs, and blocks only wait for tiles with lower numbers, and,
// at the very end, for chunks that others have drawn: however few blocks are resident, none waits in vain.
//
// How a chunk is cut only depends on its length, so each fold is the same however tiles are numbered.
//
// A block's first chunk may be the one of its index: so it can look at that one while the counters are not ready yet.
// It claims it before anybody sees what comes of it. Those of blocks that have not started are claimed by others.
//
// Nothing needs to be cleared beforehand: block 0 clears the counters and tells the others. A graph's replays have the
// same tag, so whatever else is published carries one that is made of it and the time, which block 0 reads. The last
// block to have taken that retires what block 0 has said.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/agent/segmented_scan/segments.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

// How many segments a chunk has: a multiple of the former, and no more than the latter, if blocks choose it.
constexpr uint32_t min_chunk = 32, most_chunk = 4096;
// Of so many segments at a time a chunk's list says how many items come before.
constexpr int listed_segments = 256;

struct SegmentCounters {
  uint64_t listed;      // chunks << 32 | their tiles
  uint64_t examined;    // of the chunks that have been, those that were listed << 32 | all
  uint32_t tile_draws;
  uint32_t chunk_draws;
  uint32_t started;     // blocks
  uint32_t looked[4];   // tiles: see segment_states.cuh
  uint32_t claimed[8];  // of the chunks that blocks begin with, a bit each
};

// In front of everything. The same as in src/algorithm/segment_plan.c.
struct alignas(256) SegmentControl {
  TileState<array<uint32_t, 3>> start;  // there when all counters are 0; what they were before, and the time
  SegmentCounters counters;
  TileState<uint32_t> has_long;  // there if an earlier launch has left segments
};

// A chunk that is listed.
struct ListedChunk {
  uint64_t items;
  uint32_t first_tile, chunk, tile_items;
  uint32_t in_order;  // whether its items are known to lie side by side, from the next one on; then what is nothing
  uint64_t in;        // before that one (Lead() of segment_scout.cuh) counts, too
};
// `in_order` of a chunk that all know to be so, and that is not listed.
constexpr uint32_t unlisted = 2;

// The same as segment_call in src/algorithm/segment_plan.h.
struct SegmentCall {
  SegmentControl *control;
  TileState<ListedChunk> *list;      // a chunk each
  TileState<uint64_t> *list_starts;  // of each that is listed, before every so many of its segments
  void *tiles, *groups;              // states: see segment_states.cuh
  uint64_t tag, num_segments;
  uint64_t short_items;  // segments that have no more are not for this launch; 0: all are
  uint32_t num_chunks, chunk_segments;
  uint32_t least_segments;  // of a chunk, if blocks choose how many segments it has
  uint32_t part_bits, reach;
  uint32_t share_segments;  // how many are a block's share, where few adjoin
  const uint64_t *num_segments_in;  // where num_segments is, if only the GPU knows it
};

// The call where only the GPU knows how many segments there are, and `given` has that number.
__device__ inline SegmentCall counted_call(SegmentCall given) {
  given.num_chunks = uint32_t(ceil_div(given.num_segments, uint64_t(given.chunk_segments)));
  return given;
}

// Whether there is anything to do. It may be said where there is not: a replay finds what the one before was told.
__device__ inline bool has_work(const SegmentCall &call) {
  uint32_t told;
  return call.short_items == 0 || call.control->has_long.try_take(told, call.tag);
}

// What a block does next.
struct alignas(16) SegmentTurn {
  // What is not drawn is a tile of few segments (Few), one of a chunk that is the block's (Own), or of one in which
  // offsets turn out to fall (Alone).
  enum Kind : uint32_t { Chunk, Tile, End, Few, Own, Alone } kind;
  uint32_t chunk;
  // Of a tile: which chunk in the list that is, the number of its first tile, and how far from that this one is.
  uint32_t entry, first_tile, tile;
  int count;          // how many items it has
  uint64_t first;     // from which one of the chunk's on
  uint32_t in_order;  // as the list says, and where the chunk's items are then
  uint32_t is_own;    // of a chunk: whether it is the one that the block begins with, and claims
  uint64_t in;

  __device__ uint32_t number() const { return first_tile + tile; }
};

// How many items a chunk's tiles have: as many units, `most` at most, as leave every block of the launch a tile, if all
// chunks are like this one.
__device__ inline uint32_t tile_items_of(uint64_t items, uint32_t num_chunks, int unit, int most) {
  const uint64_t row = uint64_t(gridDim.x) * unit, all = min_of(items, row * most) * num_chunks;
  int units = 1;
#pragma unroll 1
  while (units < most && row * units < all) ++units;
  return units * unit;
}

// By a warp of each block.
class SegmentWork {
 public:
  // owns_first: a block's first chunk is the one of its index, if there is one.
  __device__ explicit SegmentWork(const SegmentCall &call, bool owns_first = false) : call_(call) {
    if (owns_first) owned_ = min_of(min_of(gridDim.x, call.num_chunks), uint32_t(sizeof(SegmentCounters::claimed) * 8));
  }

  // Whether the block's first chunk is its own, unless somebody else claims it.
  __device__ bool owns() const { return blockIdx.x < owned_; }

  // Of block 0, before any other waits.
  __device__ void Begin() { Tell(Clear()); }

  // The same in two steps, the first one of which may turn out not to be needed.
  __device__ uint32_t Clear() {
    uint32_t *const words = reinterpret_cast<uint32_t *>(&call_.control->counters);
    uint32_t before = 0;
    if (lane() < int(sizeof(SegmentCounters) / sizeof *words)) before = ptx::exchange_relaxed_gpu(&words[lane()], 0);
    return before;
  }
  __device__ void Tell(uint32_t before) {
    // What was there is published, though nobody asks for it, so that it has to be known: nobody counts before all
    // exchanges are done.
    const uint32_t any = __ballot_sync(full_warp, before != 0);
    const uint64_t time = ptx::time_ns();
    if (lane() == 0) call_.control->start.publish({any, uint32_t(time), uint32_t(time >> 32)}, call_.tag);
  }

  // Waits until the counters are 0; the tag of what is published from then on.
  __device__ uint64_t Start() {
    array<uint32_t, 3> said;
    bool there = false;
    do {
      there = call_.control->start.try_take(said, call_.tag);
    } while (!__all_sync(full_warp, there));
    return call_.tag + (uint64_t(said[2]) << 32 | said[1]) * 0x9e3779b97f4a7c15u;
  }

  // For a warp that lists chunks, or draws. There may be a chunk of so many tiles, the first ones, that all know, and
  // that is not listed.
  __device__ void Join(uint64_t tag, uint32_t known_tiles = 0) {
    tag_ = tag;
    known_tiles_ = known_tiles;
  }

  // Of each of so many blocks, once, after that.
  __device__ void Leave(uint32_t blocks) {
    if (lane() == 0 && ptx::count_relaxed_gpu(&counters().started) == blocks - 1)
      call_.control->start.retire(call_.tag);
  }

  // Whether one of the chunks that blocks begin with is this block's to do.
  __device__ bool Claim(uint32_t chunk) {
    uint32_t before = 0;
    const uint32_t bit = 1u << chunk % 32;
    if (lane() == 0) before = ptx::fetch_or_relaxed_gpu(&counters().claimed[chunk / 32], bit);
    return (broadcast(before) & bit) == 0;
  }

  // Once, by a warp that draws.
  __device__ void Draw() {
    next_chunk_ = owned_;
    if (owned_ < call_.num_chunks) draw_chunk();
  }

  // After that, if there is such a chunk.
  __device__ void DrawKnown(const ListedChunk &chunk) {
    chunk_ = chunk;
    listed_ = known_tiles_;
    draw_tile();
    has_tile_ = true;
  }

  // The number of a tile, in lane 0, where nothing else is drawn.
  __device__ uint32_t DrawTile() { return lane() == 0 ? ptx::count_relaxed_gpu(&counters().tile_draws) : 0; }

  // What is next, when await() has returned: until then the tile that is in hand can be looked up.
  template <class Await> __device__ SegmentTurn Next(Await await) {
    SegmentTurn turn;
    turn.is_own = 0;
    // Numbers of tiles are only drawn if there are any.
    uint32_t tile = has_tile_ ? broadcast(next_tile_) : 0;
    bool is_ready = false;
#pragma unroll 1
    while (true) {
      const bool is_listed = tile < uint32_t(listed_);
      if (is_listed) find(turn, tile);
      if (!is_ready) await();
      is_ready = true;
      if (is_listed) {
        draw_tile();
        return turn;
      }
      uint64_t examined = 0;
      const bool draws = broadcast(next_chunk_) < call_.num_chunks;
      // What is listed is final once all chunks have been examined, and is not read before that is known.
      if (!draws) examined = broadcast(ptx::load_relaxed_gpu(&counters().examined));
      if (draws) {
        listed_ = broadcast(seen_listed_);
      } else if (uint32_t(examined >> 32) != uint32_t(listed_ >> 32) || uint32_t(examined) < call_.num_chunks) {
        if (uint32_t(examined) == call_.num_chunks) __threadfence();
        listed_ = broadcast(ptx::load_relaxed_gpu(&counters().listed)) + known_tiles_;
      }
      if (!has_tile_ && listed_ != 0) {
        draw_tile();
        has_tile_ = true;
        tile = broadcast(next_tile_);
      }
      if (tile < uint32_t(listed_)) continue;
      turn.chunk = broadcast(next_chunk_);
      turn.kind = SegmentTurn::Chunk;
      if (draws) {
        draw_chunk();
        return turn;
      }
      if (claim_another(turn.chunk)) return turn;
      turn.kind = SegmentTurn::End;
      if (examined == (listed_ >> 32 << 32 | call_.num_chunks)) return turn;
    }
  }

  // Lists a chunk; in every lane. How many items come before every so many of its segments is to be put where
  // TakeStart() finds it.
  __device__ uint32_t List(uint32_t chunk, uint64_t items, uint32_t tile_items, bool in_order = false,
                           uint64_t in = 0) {
    uint64_t before = 0;
    const uint64_t tiles = ceil_div(items, uint64_t(tile_items));
    if (lane() == 0) before = ptx::fetch_add_relaxed_gpu(&counters().listed, uint64_t(1) << 32 | tiles);
    before = broadcast(before);
    const uint32_t entry = uint32_t(before >> 32), first_tile = uint32_t(before) + known_tiles_;
    if (lane() == 0) call_.list[entry].publish({items, first_tile, chunk, tile_items, in_order, in}, tag_);
    return entry;
  }
  __device__ int starts() const { return int(ceil_div(call_.chunk_segments, uint32_t(listed_segments))); }
  __device__ void PutStart(uint32_t entry, int i, uint64_t items) const {
    call_.list_starts[uint64_t(entry) * starts() + i].publish(items, tag_);
  }
  // Every lane's own; of those that there are not, the last one. No items come before the first.
  __device__ uint64_t TakeStart(uint32_t entry) const {
    TileState<uint64_t> &mine = call_.list_starts[uint64_t(entry) * starts() + min_of(lane(), starts() - 1)];
    uint64_t items = 0;
    while (starts() > 1 && !__all_sync(full_warp, mine.try_take(items, tag_))) continue;
    return items;
  }

  // A chunk has been looked at, and listed if it had to be; by one thread.
  __device__ void Examined(bool is_listed) {
    ptx::add_relaxed_gpu(&counters().examined, uint64_t(is_listed) << 32 | 1);
  }

 private:
  // A tile's turn. Its chunk is the last one in the list that begins no later; where that is never goes back, and
  // mostly it stays.
  __device__ void find(SegmentTurn &turn, uint32_t tile) {
    const uint32_t count = uint32_t(listed_ >> 32);
    turn.first = uint64_t(tile - chunk_.first_tile) * chunk_.tile_items;
    bool found = turn.first < chunk_.items;
#pragma unroll 1
    while (__any_sync(full_warp, !found)) {
      ListedChunk mine;
      const bool exists = seen_ + lane() < count;
      while (!__all_sync(full_warp, !exists || call_.list[seen_ + lane()].try_take(mine, tag_))) continue;
      const int begun = __popc(__ballot_sync(full_warp, exists && mine.first_tile <= tile));
      seen_ += begun - 1;
      found = begun < warp_threads || seen_ + 1 >= count;
      chunk_ = shuffle_from(mine, begun - 1, warp_threads, full_warp);
      turn.first = uint64_t(tile - chunk_.first_tile) * chunk_.tile_items;
    }
    turn.kind = SegmentTurn::Tile;
    turn.chunk = chunk_.chunk;
    turn.entry = chunk_.in_order == unlisted ? ~unlisted : seen_;
    turn.first_tile = chunk_.first_tile;
    turn.tile = tile - chunk_.first_tile;
    turn.in_order = chunk_.in_order;
    turn.in = chunk_.in;
    turn.count = int(min_of(uint64_t(chunk_.tile_items), chunk_.items - turn.first));
  }

  // Lane 0 has what was drawn, when it is asked for; and with a chunk what was listed then.
  __device__ void draw_tile() {
    if (lane() == 0) next_tile_ = ptx::count_relaxed_gpu(&counters().tile_draws);
  }
  __device__ void draw_chunk() {
    if (lane() != 0) return;
    next_chunk_ = owned_ + ptx::count_relaxed_gpu(&counters().chunk_draws);
    seen_listed_ = ptx::load_relaxed_gpu(&counters().listed) + known_tiles_;
  }

  // Of the chunks that blocks begin with, one whose block has not claimed it.
  __device__ bool claim_another(uint32_t &chunk) {
    if (claimed_all_) return false;
    const uint32_t first = lane() * 32;
    uint32_t left = 0;
    if (first < owned_)
      left = ~ptx::load_relaxed_gpu(&counters().claimed[lane()]) & full_warp >> (32 - min_of(owned_ - first, 32u));
    const uint32_t lanes = __ballot_sync(full_warp, left != 0);
    claimed_all_ = lanes == 0;
    if (claimed_all_) return false;
    const int from = __ffs(lanes) - 1;
    chunk = from * 32 + __ffs(Lanes<uint32_t>::Broadcast(left, from)) - 1;
    return Claim(chunk);
  }

  template <class T> static __device__ T broadcast(const T &value) {
    __syncwarp();
    return shuffle_from(value, 0, warp_threads, full_warp);
  }
  static __device__ int lane() { return threadIdx.x % warp_threads; }
  __device__ SegmentCounters &counters() const { return call_.control->counters; }

  const SegmentCall &call_;
  uint32_t owned_ = 0;  // so many chunks are nobody's draw
  bool claimed_all_ = false, has_tile_ = false;
  uint64_t tag_;
  uint32_t known_tiles_;
  uint64_t listed_ = 0;  // as it was seen last
  uint64_t seen_listed_ = 0;
  uint32_t next_tile_, next_chunk_;
  uint32_t seen_ = 0;  // which chunk in the list the last tile was of
  ListedChunk chunk_ = {0, 0, 0, 0, 0, 0};
};

}  // namespace jig
