// The longest of few segments, tile by tile by whichever block draws a tile. Every block knows where all begin, so that
// nothing is listed.
//
// Where they are so even that it takes less time, a block does one by itself, and nothing is waited for. Otherwise
// tiles are numbered through all segments. They begin in the order of their numbers, and each waits for earlier ones of
// its segment only: however few blocks are resident, none waits in vain.
#pragma once
#include <jig/agent/segmented_scan/segment_states.cuh>
#include <jig/agent/segmented_scan/segments.cuh>
#include <jig/agent/segmented_scan/sum_before.cuh>

namespace jig {

// Scan is an AgentSegmentedScan, of blocks of Threads threads.
template <int Threads, class Accum, class Op, class Segments, class Scan> class AgentLongSegments {
  static constexpr int warps = Threads / warp_threads;
  // How many tiles a block does by itself in the time that one takes where all blocks hand on sums.
  static constexpr uint32_t alone_tiles = 8;

  // Of a tile: the number of its segment's first one, and which of those it is.
  struct Place {
    uint32_t first_tile, tile;
    bool is_last;
  };

 public:
  struct TempStorage {
    uint32_t tiles[warps];  // of each warp's segments
    uint32_t drawn;
    uint32_t first_tile;  // of the segment that has the drawn one
    Segment segment;
    uninitialized<Accum> prefix;
  };

  __device__ AgentLongSegments(TempStorage &storage, const SegmentCall &call, const Segments &segments, Op op,
                               Scan &scan)
      : storage_(storage), call_(call), segments_(segments), op_(op), scan_(scan), sharing_(call), rounds_(call) {}

  // By all threads of all blocks of the launch. A tile's items are on their way while the one before is looked at.
  __device__ void Run() {
    const uint32_t tiles = count();
    if (!__syncthreads_or(most_ > tiles / max_of(gridDim.x / alone_tiles, 1u))) {
      scan_.RunEach(segments_, blockIdx.x, call_.num_segments, gridDim.x);
      return;
    }
    if (warp() == 0) start();
    typename Scan::Tile ahead;
    Place next = {};
    bool has_next = find(tiles, next, ahead);
#pragma unroll 1
    while (has_next) {
      typename Scan::Tile tile = ahead;
      const Place place = next;
      has_next = find(tiles, next, ahead);
      scan_.RunTile(tile, [&](const Accum &total) -> optional<Accum> {
        if (warp() == 0) look_back(place, total);
        if (place.tile == 0) return {false};
        __syncthreads();
        return {true, storage_.prefix[0]};
      });
    }
  }

 private:
  static __device__ uint32_t tiles_of(const Segment &s) {
    return uint32_t(ceil_div(s.length, uint64_t(Scan::tile_items)));
  }

  // Of all segments. Each thread has some neighbouring ones.
  __device__ uint32_t count() {
    const uint32_t segments = uint32_t(call_.num_segments), each = ceil_div(segments, uint32_t(Threads));
    mine_ = min_of(threadIdx.x * each, segments);
    const uint32_t end = min_of(mine_ + each, segments);
    uint32_t tiles = 0;
#pragma unroll 1
    for (uint32_t i = mine_; i < end; ++i) {
      const uint32_t own = tiles_of(segments_[i]);
      tiles += own;
      most_ = max_of(most_, own);
    }
    uint32_t all;
    first_tile_ = sum_before(tiles, storage_.tiles, all);
    end_tile_ = first_tile_ + tiles;
    return all;
  }

  __device__ void start() {
    if (blockIdx.x == 0) sharing_.Begin();
    tag_ = sharing_.Start();
    sharing_.Leave(gridDim.x);
    drawn_ = sharing_.DrawTile();
  }

  // The tile that has been drawn, if there is one, which is loaded; meanwhile another is drawn.
  __device__ bool find(uint32_t tiles, Place &place, typename Scan::Tile &loaded) {
    if (threadIdx.x == 0) storage_.drawn = drawn_;
    __syncthreads();
    const uint32_t tile = storage_.drawn;
    if (tile >= tiles) return false;
    if (warp() == 0) drawn_ = sharing_.DrawTile();
    if (tile >= first_tile_ && tile < end_tile_) find_own(tile);
    __syncthreads();
    const Segment s = storage_.segment;
    const uint32_t first_tile = storage_.first_tile;
    place = {first_tile, tile - first_tile, tile - first_tile == tiles_of(s) - 1};
    scan_.Load(s, uint64_t(place.tile) * Scan::tile_items, loaded);
    return true;
  }

  // By the thread that has its segment. As numbers rise, it goes on from where it was.
  __device__ void find_own(uint32_t tile) {
    Segment s = segments_[mine_];
#pragma unroll 1
    for (uint32_t tiles = tiles_of(s); tile - first_tile_ >= tiles; tiles = tiles_of(s)) {
      first_tile_ += tiles;
      s = segments_[++mine_];
    }
    storage_.segment = s;
    storage_.first_tile = first_tile_;
  }

  // By the first warp: publishes what a tile comes to, unless it is its segment's last, and finds out what comes before
  // it.
  __device__ void look_back(const Place &place, const Accum &total) {
    SegmentStates<Accum> states(call_, tag_, place.first_tile);
    rounds_.Await(place.first_tile + place.tile);
    if (!place.is_last && lane() == 0) states.put_tile(place.tile, total);
    if (place.tile > 0) {
      TileGroups<Accum, Op, SegmentStates<Accum>> groups(states, op_);
      const optional<Accum> before = groups.Before(place.tile, !place.is_last, [&] { return total; });
      if (lane() == 0) storage_.prefix[0] = before.value;
    }
    if (lane() == 0) rounds_.Looked(place.first_tile + place.tile);
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  TempStorage &storage_;
  const SegmentCall &call_;
  const Segments &segments_;
  Op op_;
  Scan &scan_;
  uint32_t mine_, first_tile_, end_tile_;  // of this thread's segments that are not over
  uint32_t most_ = 0;                      // tiles that one of them has
  // Of the first warp.
  SegmentWork sharing_;
  SegmentRounds rounds_;
  uint64_t tag_;
  uint32_t drawn_;  // what comes next
};

}  // namespace jig
