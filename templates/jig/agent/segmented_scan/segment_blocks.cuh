// What a block does in an algorithm over segments, if it works on one tile (segment_tile.cuh) after the other.
//
// Of a few segments each block measures all by itself. If a tile for each block is enough, it takes the one that is its
// index's; where no segment is long, tiles end where a segment does, so that blocks need nothing of each other.
// Otherwise work is shared out as segment_work.cuh says.
//
// What a work offers, of which a block has one object:
//   State, Op, op()      what a tile comes to, and how two neighbours' are folded; the order is kept. What stands
//                        alone has the beginning of a segment
//   Reduce(tile)         loads a tile; what this thread's warp makes of its warp tile, in every lane
//   Emit(tile, before)   the tile's output, given what comes before the warp tile; of which a segment's
//                        first item makes no use
#pragma once
#include <jig/agent/segmented_scan/segment_states.cuh>
#include <jig/agent/segmented_scan/segment_tile.cuh>

namespace jig {

template <int Threads, int MaxRows, class Segments, class Work> class AgentSegmentBlocks {
  using Tile = SegmentTile<Threads, MaxRows, Segments>;
  using State = typename Work::State;
  using Op = typename Work::Op;
  static constexpr int warps = Tile::warps;
  // How many segments a block measures by itself, and up to how many rows of its tile one does alone.
  static constexpr int few_segments = 4 * Threads, alone_rows = min_of(2, MaxRows);

 public:
  struct TempStorage {
    typename Tile::TempStorage tile;
    uninitialized<State, warps> warp_totals;
    uninitialized<State> prefix;
    SegmentTurn turn;
    uint64_t tag;
  };

  __device__ AgentSegmentBlocks(TempStorage &storage, const SegmentCall &call, const Segments &segments, Work &work)
      : storage_(storage), call_(call), tile_(storage.tile, segments), work_(work), sharing_(call), rounds_(call) {}

  __device__ void Run() {
    bool shares = call_.num_segments > few_segments, has_started = false;
#pragma unroll 1
    while (true) {
      SegmentTurn turn = {SegmentTurn::Few};
      if (shares) {
        if (!has_started) start();
        has_started = true;
        turn = next_turn();
        if (__any_sync(full_warp, turn.kind == SegmentTurn::End)) return;
      }
      const uint64_t items = measure(turn);
      Task task = {};
      if (turn.kind == SegmentTurn::Few) shares = !split(items, task);
      else if (turn.kind == SegmentTurn::Chunk) task = examine(turn, items);
      else task = tile_of(turn);
      if (__any_sync(full_warp, task.count > 0)) {
        tile_.Place(task.first, task.count);
        process(task);
      }
      if (__all_sync(full_warp, !shares)) return;
    }
  }

 private:
  // Items of the segments that have been measured, and how they hang together with others.
  struct Task {
    uint64_t first;
    int count;
    bool is_linked;       // with other tiles
    uint32_t blocks;      // that have one each; 0: the tile is one of a chunk's
    uint32_t first_tile;  // of its chunk
    uint32_t tile;        // which one it is there
  };

  // ---- what is next

  __device__ void start() {
    if (warp() == 0) {
      if (blockIdx.x == 0) sharing_.Begin();
      tag_ = sharing_.Start();
      sharing_.Leave(gridDim.x);
      if (lane() == 0) storage_.tag = tag_;
    }
    __syncthreads();
    sharing_.Join(storage_.tag);
    if (warp() == 0) sharing_.Draw();
  }

  __device__ SegmentTurn next_turn() {
    __syncthreads();
    if (warp() == 0) {
      const SegmentTurn turn = sharing_.Next([] {});
      if (lane() == 0) storage_.turn = turn;
    }
    __syncthreads();
    return storage_.turn;
  }

  __device__ uint64_t measure(const SegmentTurn &turn) {
    uint64_t first = 0, before = 0;
    uint32_t segments = uint32_t(call_.num_segments), each = ceil_div(segments, uint32_t(Threads));
    if (turn.kind != SegmentTurn::Few) {
      first = uint64_t(turn.chunk) * call_.chunk_segments;
      segments = uint32_t(min_of(call_.num_segments - first, uint64_t(call_.chunk_segments)));
      each = ceil_div(call_.chunk_segments, uint32_t(Threads));
    }
    if (turn.kind == SegmentTurn::Tile) {
      // The part of the chunk that has the tile; whatever begins no later than its first item may be left out.
      const uint64_t start = sharing_.TakeStart(turn.entry);
      const bool exists = lane() < sharing_.starts();
      const uint32_t begin = __popc(__ballot_sync(full_warp, exists && start <= turn.first)) - 1;
      const uint32_t end = __popc(__ballot_sync(full_warp, exists && start < turn.first + turn.count));
      before = Lanes<uint64_t>::Broadcast(start, int(begin));
      first += begin * listed_segments;
      segments = min_of(segments, end * listed_segments) - begin * listed_segments;
      each = ceil_div(segments, uint32_t(Threads));
    }
    return tile_.Measure(first, segments, each, before);
  }

  // ---- a tile for each block

  // Whether that is enough. By all threads.
  __device__ bool split(uint64_t items, Task &task) {
    if (items > uint64_t(gridDim.x) * Tile::max_items) return false;
    // Whole rows for every warp: what a tile comes to that is not the last one has to be known.
    const uint32_t count = uint32_t(items), rows = max_of(ceil_div(count, gridDim.x * Threads), uint32_t(alone_rows));
    const uint32_t each = rows * Threads;
    uint32_t begin = min_of(each * blockIdx.x, count), end = min_of(begin + each, count);
    task.is_linked = __syncthreads_or(tile_.longest() > Tile::max_items - each) && each < count;
    if (begin == end) return true;
    if (!task.is_linked) tile_.MoveToEnds(begin, end);
    else if (blockIdx.x == 0 && warp() == 0) sharing_.Begin();
    task.first = begin;
    task.count = int(end - begin);
    task.blocks = ceil_div(count, each);
    task.tile = blockIdx.x;
    return true;
  }

  // ---- work that is shared out

  // What fits a tile is done at once.
  __device__ Task examine(const SegmentTurn &turn, uint64_t items) {
    Task task = {0, int(items)};
    if (items > Tile::max_items) {
      list(turn.chunk, items);
      task.count = 0;
    }
    if (threadIdx.x == 0) sharing_.Examined(items > Tile::max_items);
    return task;
  }

  __device__ void list(uint32_t chunk, uint64_t items) {
    if (warp() == 0) {
      const uint32_t each = tile_items_of(items, call_.num_chunks, Threads, MaxRows);
      const uint32_t entry = sharing_.List(chunk, items, each);
      if (lane() == 0) storage_.turn.entry = entry;
    }
    __syncthreads();
    const uint32_t first = threadIdx.x * ceil_div(call_.chunk_segments, uint32_t(Threads));
    if (first % listed_segments == 0 && first < call_.chunk_segments)
      sharing_.PutStart(storage_.turn.entry, int(first / listed_segments), tile_.start());
  }

  static __device__ Task tile_of(const SegmentTurn &turn) {
    return {turn.first, turn.count, true, 0, turn.first_tile, turn.tile};
  }

  // ---- a tile

  __device__ void process(const Task &task) {
    const State total = work_.Reduce(tile_);
    if (lane() == 0) storage_.warp_totals[warp()] = total;
    __syncthreads();
    const State folded =
        Lanes<State>::ScanHeld(storage_.warp_totals[min_of(lane(), warps - 1)], work_.op(), lane() < warps);
    if (task.is_linked) {
      if (warp() == 0) look_back(task, Lanes<State>::Broadcast(folded, warps - 1));
      __syncthreads();
    }
    optional<State> carry = {tile_.is_open(), folded};
    if (carry.exists) carry.value = storage_.prefix[0];
    if (warp() > 0) carry = join(carry, Lanes<State>::Broadcast(folded, warp() - 1), work_.op());
    work_.Emit(tile_, carry.value);
  }

  // By the first warp: publishes what a tile comes to, and finds out what comes before it.
  __device__ void look_back(const Task &task, const State &total) {
    if (task.blocks > 0) {
      tag_ = sharing_.Start();
      sharing_.Leave(task.blocks);
    }
    SegmentStates<State> states(call_, tag_, task.first_tile);
    rounds_.Await(task.first_tile + task.tile);
    if (lane() == 0) states.put_tile(task.tile, total);
    if (tile_.is_open()) {
      TileGroups<State, Op, SegmentStates<State>> groups(states, work_.op());
      const optional<State> before = groups.Before(task.tile, true, [&] { return total; });
      if (lane() == 0) storage_.prefix[0] = before.value;
    } else if (task.tile % group_tiles == group_tiles - 1 && lane() == 0) {
      // What begins with a segment stands alone, and so does a group that it is the last of.
      states.put_aggregate(task.tile / group_tiles, total);
    }
    if (lane() == 0) rounds_.Looked(task.first_tile + task.tile);
  }

  static __device__ int lane() { return threadIdx.x % warp_threads; }
  static __device__ int warp() { return threadIdx.x / warp_threads; }

  TempStorage &storage_;
  const SegmentCall &call_;
  Tile tile_;
  Work &work_;
  // Of the first warp.
  SegmentWork sharing_;
  SegmentRounds rounds_;
  uint64_t tag_;
};

}  // namespace jig
