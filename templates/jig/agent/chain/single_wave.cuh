// What a block does in an algorithm whose tiles depend on what all tiles before them come to, if its blocks
// are a single wave: all resident at once, a tile each.
//
// Every block publishes what its tile comes to, and takes what all blocks before it have published: one
// exchange through L2, instead of a chain. Blocks only wait for blocks with lower indices, which start
// first, so however few are resident in fact, none waits for one that cannot start. All of it is folded in
// an order that only depends on the number of tiles: the same input gives the same bits.
//
// Published values carry the launch's tag. A graph's replays have the same tag, and a value may have many
// readers, so the block that is the last to have read them all retires them. Blocks count themselves when
// they have read; block 0 sets the counter to 0 and tells the others.
//
// What a tile offers:
//   State, Op        what it comes to, and how two neighbours' are folded; the order is kept
//   threads, warps   of the block
//   items_per_row    of the block; a tile is some rows
//   Reduce()         loads the tile; what this thread's warp makes of its warp tile, in every lane. Of a warp tile that
//                    is not whole only an Op that takes any bytes (core/operator.cuh) is told
//   is_whole(warp)   whether the warp tile of that warp is; otherwise nothing comes after it
//   Emit(before)     the tile's output, given what comes before the warp tile, if there is any of it
//   finishes         whether there is a Finish(total), which one thread of the last block calls: what everything
//                    comes to, if there was anything
//   in_place()       whether other blocks may overwrite what the tile loads, once it is published
//   most_cluster     blocks of a cluster at most, for cluster.cuh
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/block/reduce_warp_reductions.cuh>
#include <jig/core/count.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

// Every value in a place of its own, so that many blocks can look without all of them asking the same
// part of L2.
template <class State> struct alignas(64) SingleWaveState { TileState<State> aggregate; };

// In front of the states.
struct alignas(64) SingleWaveControl {
  TileState<uint32_t> start;  // there when the counter is 0; what it was before
  uint32_t readers;           // the counter
};

template <class Tile> class AgentSingleWave {
  using State = typename Tile::State;
  using Op = typename Tile::Op;
  static constexpr int threads = Tile::threads, warps = Tile::warps;
  using Block = BlockReduceWarpReductions<State, threads>;

 public:
  struct TempStorage {
    uninitialized<State, warps> warp_totals;
    typename Block::TempStorage fold;
  };

  __device__ AgentSingleWave(TempStorage &storage, SingleWaveControl *control, uint64_t tag, Op op)
      : storage_(storage), control_(control), states_(reinterpret_cast<SingleWaveState<State> *>(control + 1)),
        tag_(tag), op_(op) {}

  // The block's tile is its index's; `blocks` of the grid, the first ones, have one.
  __device__ void Run(Tile &tile, optional<State> init, unsigned blocks = gridDim.x) {
    const int before = blockIdx.x, after = blocks - 1 - before;
    uint32_t readers = 0;
    if (before == 0 && after > 0 && threadIdx.x == 0) {
      // What was there is published, though nobody asks for it, so that it has to be known: nobody counts
      // before the exchange is done.
      control_->start.publish(ptx::exchange_relaxed_gpu(&control_->readers, 0), tag_);
    }
    const State total = tile.Reduce();
    const State folded = exchange(tile, total, after > 0);
    optional<State> carry = init;
    if (before > 0) carry = join(carry, take(tile, before), op_);
    // The counter's answer is not needed until the tile is done.
    if (blocks > 1 && threadIdx.x == 0) readers = ptx::count_relaxed_gpu(&control_->readers);
    if constexpr (Tile::finishes) {
      if (after == 0 && threadIdx.x == 0) tile.Finish(join(carry, block_total_, op_));
    }
    if (threadIdx.x >= warp_threads && may_see<Op>(tile.is_whole(threadIdx.x / warp_threads - 1)))
      carry = join(carry, folded, op_);
    tile.Emit(carry);
    if (blocks == 1 || threadIdx.x >= warp_threads) return;
    if (shuffle_from(readers, 0, warp_threads, full_warp) == blocks - 1) retire(blocks);
  }

 private:
  // Shares what the block's warps have come to, and publishes their fold; what comes before this warp.
  __device__ State exchange(const Tile &tile, const State &total, bool publish) {
    const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
    if (lane == 0) storage_.warp_totals[warp] = total;
    __syncthreads();
    const State folded = Lanes<State>::template ScanHeldByFew<warps>(
        storage_.warp_totals[min_of(lane, warps - 1)], op_, lane < warps && tile.is_whole(lane));
    if (warp == 0 && tile.in_place()) __threadfence();
    if (publish && warp == 0 && lane == warps - 1) states_[blockIdx.x].aggregate.publish(folded, tag_);
    block_total_ = Lanes<State>::Broadcast(folded, warps - 1);
    return Lanes<State>::Broadcast(folded, max_of(warp - 1, 0));
  }

  // The fold of what the first `count` blocks have published; the first warp waits for the counter, too.
  // Each thread takes one value, or several neighbours. The lanes of a warp wait together: one that spun
  // alone would leave the warp diverged.
  __device__ State take(const Tile &tile, int count) {
    const int each = ceil_div(count, threads);
    const int first = threadIdx.x * each, last = min_of(first + each, count);
    bool started = threadIdx.x >= warp_threads;
    State fold, next;
    uint32_t unused;
#pragma unroll 1
    for (int k = 0; k < each; ++k) {
      const bool wanted = first + k < last;
      bool taken = !wanted;
      do {
        if (!taken) taken = states_[first + k].aggregate.try_take(next, tag_);
        if (!started) started = control_->start.try_take(unused, tag_);
      } while (!__all_sync(full_warp, taken & started));
      if (wanted) fold = k == 0 ? next : op_(fold, next);
    }
    if (tile.in_place()) __threadfence();
    fold = Block(storage_.fold, threadIdx.x).Reduce(fold, op_, ceil_div(count, each));
    return Lanes<State>::Broadcast(fold, 0);
  }

  // What the last reader does: it makes the tag disappear.
  __device__ void retire(unsigned blocks) {
#pragma unroll 1
    for (int i = threadIdx.x; i < int(blocks) - 1; i += warp_threads) states_[i].aggregate.retire(tag_);
    if (threadIdx.x == 0) control_->start.retire(tag_);
  }

  TempStorage &storage_;
  SingleWaveControl *control_;
  SingleWaveState<State> *states_;
  uint64_t tag_;
  Op op_;
  State block_total_;
};

}  // namespace jig
