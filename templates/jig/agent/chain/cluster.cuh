// What a block does in an algorithm whose tiles depend on what all tiles before them come to, if its blocks are one
// cluster, a tile each, or if it is the only one. A tile is as in single_wave.cuh.
//
// Every block sends what its tile comes to to those behind it, from shared memory to shared memory: there is no memory
// to be cleared, and nothing that a replay could find.
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/core/cluster.cuh>
#include <jig/core/count.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// What the blocks of a cluster, Most of them at most, have sent to this one.
template <class State, int Most> class ClusterTotals {
  static constexpr int words = word_count<State>;

 public:
  // By all threads, as all that is here: before anything is sent, and when this block has something to send.
  __device__ void open() {
    if (threadIdx.x == 0) mail_.open();
    BlockCluster().arrive_relaxed();
  }
  __device__ void wait_for_others() const { BlockCluster().wait(); }
  // By the first warp.
  __device__ void send(const State &total, unsigned blocks) {
    const auto payload = to_words(total);
    if (threadIdx.x <= blockIdx.x || threadIdx.x >= blocks) return;
#pragma unroll
    for (int w = 0; w < words; ++w) mail_.send(&totals_[blockIdx.x][w], payload[w], threadIdx.x);
  }
  // The fold of the first `count`.
  template <class Op> __device__ State take(int count, Op op) {
    const int lane = threadIdx.x % warp_threads, from = min_of(lane, count - 1);
    array<uint32_t, words> payload;
    mail_.await(count * words, 0);
#pragma unroll
    for (int w = 0; w < words; ++w) payload[w] = totals_[from][w];
    const State folded = Lanes<State>::template ScanHeldByFew<Most>(from_words<State>(payload), op, lane < count);
    return Lanes<State>::Broadcast(folded, count - 1);
  }

 private:
  ClusterMail mail_;
  uint32_t totals_[Most][words];
};

template <class Tile> class AgentCluster {
  using State = typename Tile::State;
  using Op = typename Tile::Op;
  static constexpr int warps = Tile::warps, most_blocks = Tile::most_cluster;
  struct NoTotals {};

 public:
  struct TempStorage {
    uninitialized<State, warps> warp_totals;
    conditional<(most_blocks > 1), ClusterTotals<State, most_blocks>, NoTotals> totals;
  };

  __device__ AgentCluster(TempStorage &storage, Op op) : storage_(storage), op_(op) {}

  // The block's tile is its index's; `blocks` of the grid, the first ones, have one.
  __device__ void Run(Tile &tile, optional<State> init, unsigned blocks = gridDim.x) {
    const int warp = uniform_warp(), lane = threadIdx.x % warp_threads, before = blockIdx.x;
    const bool sends = most_blocks > 1 && blocks > 1;
    if constexpr (most_blocks > 1)
      if (sends) storage_.totals.open();
    const State warp_total = tile.Reduce();
    if (lane == 0) storage_.warp_totals[warp] = warp_total;
    if constexpr (most_blocks > 1)
      if (sends) storage_.totals.wait_for_others();
    __syncthreads();
    const State folded = Lanes<State>::template ScanHeldByFew<warps>(
        storage_.warp_totals[min_of(lane, warps - 1)], op_, lane < warps && tile.is_whole(lane));
    const State total = Lanes<State>::Broadcast(folded, warps - 1);
    optional<State> carry = init;
    if constexpr (most_blocks > 1) {
      if (sends && warp == 0) {
        if (tile.in_place()) __threadfence();
        storage_.totals.send(total, blocks);
      }
      if (before > 0) {
        carry = join(carry, storage_.totals.take(before, op_), op_);
        if (tile.in_place()) __threadfence();
      }
    }
    if constexpr (Tile::finishes) {
      if (before == int(blocks) - 1 && threadIdx.x == 0) tile.Finish(join(carry, total, op_));
    }
    if (warp > 0 && may_see<Op>(tile.is_whole(warp - 1)))
      carry = join(carry, Lanes<State>::Broadcast(folded, max_of(warp - 1, 0)), op_);
    tile.Emit(carry);
  }

 private:
  TempStorage &storage_;
  Op op_;
};

}  // namespace jig
