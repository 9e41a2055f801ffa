// What a block does in an algorithm whose tiles depend on what all tiles before them come to, if there are
// any number of tiles, one for each block: it learns what comes before its tile by looking back at what
// earlier blocks have published, as tile_groups.cuh says.
//
// Blocks only wait for blocks with lower indices. Nothing is retired: a graph's replay needs the states
// cleared. What a tile offers is said in single_wave.cuh.
#pragma once
#include <jig/agent/chain/block_states.cuh>
#include <jig/core/count.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// If it Prefetches, a tile also offers resident_blocks, how many a multiprocessor has, and Prefetch(tile, parts), which
// brings the first of so many parts of another tile near.
template <class Tile, bool Prefetches = false> class AgentLookback {
  using State = typename Tile::State;
  using Op = typename Tile::Op;
  static constexpr int warps = Tile::warps;

 public:
  struct TempStorage {
    uninitialized<State, warps> warp_totals;
    uninitialized<State> prefix;
  };

  __device__ AgentLookback(TempStorage &storage, GroupState<State> *groups, TileState<State> *tiles, uint64_t tag,
                           Op op)
      : storage_(storage), states_(groups, tiles, tag), op_(op) {}

  // The block's tile is its index's; `blocks` of the grid, the first ones, have one.
  __device__ void Run(Tile &tile, optional<State> init, unsigned blocks = gridDim.x) {
    const bool is_last = blockIdx.x == blocks - 1;
    const int warp = uniform_warp(), lane = threadIdx.x % warp_threads;
    const State total = tile.Reduce();
    if (lane == 0) storage_.warp_totals[warp] = total;
    __syncthreads();
    const State folded = Lanes<State>::template ScanHeldByFew<warps>(
        storage_.warp_totals[min_of(lane, warps - 1)], op_, lane < warps && tile.is_whole(lane));
    const State block_total = Lanes<State>::Broadcast(folded, warps - 1);
    if (warp == 0 && tile.in_place()) __threadfence();
    if (warp == 0) look_back(block_total, is_last);
    if (warp == 0 && tile.in_place()) __threadfence();
    __syncthreads();
    optional<State> carry = init;
    if (blockIdx.x > 0) carry = join(carry, storage_.prefix[0], op_);
    if constexpr (Tile::finishes) {
      if (is_last && threadIdx.x == 0) tile.Finish(join(carry, block_total, op_));
    }
    if (warp > 0 && may_see<Op>(tile.is_whole(warp - 1)))
      carry = join(carry, Lanes<State>::Broadcast(folded, warp - 1), op_);
    if constexpr (Prefetches) prefetch(tile);
    tile.Emit(carry);
  }

 private:
  // While the tile is stored, and nothing is loaded for this block any more, the tile of the one that will follow it on
  // the multiprocessor is brought to L2. Of few tiles L2 may have much already, which others drive out: a quarter of
  // each then.
  static __device__ void prefetch(const Tile &tile) {
    const unsigned resident = Tile::resident_blocks * ptx::multiprocessors();
    if (threadIdx.x == Tile::threads - 1) tile.Prefetch(blockIdx.x + resident, gridDim.x > 4 * resident ? 1 : 4);
  }

  // For the first warp: publishes what the tile comes to, and finds out what comes before it.
  __device__ void look_back(const State &aggregate, bool is_last) {
    if (threadIdx.x == 0 && blockIdx.x % group_tiles < group_tiles - 1) states_.put_tile(blockIdx.x, aggregate);
    const optional<State> prefix = TileGroups<State, Op, BlockStates<State>>(states_, op_).Before(
        int(blockIdx.x), may_see<Op>(!is_last), [&] { return aggregate; });
    if (threadIdx.x == 0) storage_.prefix[0] = prefix.value;
  }

  TempStorage &storage_;
  BlockStates<State> states_;
  Op op_;
};

}  // namespace jig
