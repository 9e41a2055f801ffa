// Folds what the warps of a grid hold, a value each: over the warps of every block, and once more in the last block,
// to which the others hand what they have.
//
// Where the operator has an identity, warps and blocks without items hold that. Where it has none, the first warps of
// a block hold a value, and every block has one.
#pragma once
#include <jig/block/reduce_warp_reductions.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

template <class Accum, int Threads, class Op> class GridFold {
  using Warp = WarpReduceShuffle<Accum, warp_threads>;
  using Block = BlockReduceWarpReductions<Accum, Threads>;

 public:
  using TempStorage = typename Block::TempStorage;

  __device__ GridFold(TempStorage &storage, Op op) : storage_(storage), op_(op) {}

  // Folds the lanes of this warp into its first lane; the first `valid_threads` threads of the block hold a value.
  __device__ Accum FoldWarp(const Accum &value, int valid_threads) const {
    typename Warp::TempStorage none;
    if constexpr (has_identity<Op>) return Warp(none).Reduce(value, op_);
    else return Warp(none).Reduce(value, op_, valid_threads - int(threadIdx.x / warp_threads * warp_threads));
  }

  // Folds what the first lanes of the first `valid_warps` warps hold. True in the one thread of the grid that has the
  // result: thread 0 of the last of `blocks` blocks. `partials` has room for one value less, at most as many as a block
  // has threads.
  __device__ bool Fold(Accum fold, int valid_warps, Accum &result, TileState<Accum> *partials, uint64_t tag,
                       unsigned blocks = gridDim.x) {
    const int others = blocks - 1;
    Accum own;
    // Once over the warps of every block, and once more over the blocks in the last one.
    for (bool over_blocks = others == 0;; over_blocks = true) {
      // While few blocks wait for each other, the next grid may be brought up. It would have blocks on other
      // multiprocessors than theirs before: where these read much, what L2 keeps near one of them is then far.
      if (!over_blocks && blocks <= Threads / 4) ptx::launch_dependent_grids();
      Block block(storage_, threadIdx.x);
      if constexpr (has_identity<Op>) fold = block.CombineWarps(fold, op_);
      else fold = block.CombineWarps(fold, op_, valid_warps);
      if (over_blocks) break;
      if (blockIdx.x != others) {
        if (threadIdx.x == 0) partials[blockIdx.x].publish(fold, tag);
        return false;
      }
      own = fold;
      // Of few blocks one warp takes what they have.
      const bool are_few = others <= warp_threads;
      if (are_few && threadIdx.x >= warp_threads) return false;
      fold = fold_partials(partials, others, tag);
      if (are_few) break;
      valid_warps = ceil_div(others, warp_threads);
      __syncthreads();
    }
    result = others == 0 || !may_see<Op>(threadIdx.x == 0) ? fold : op_(fold, own);
    return threadIdx.x == 0;
  }

 private:
  // The results of the other blocks, which are fewer than threads, folded in the order of the blocks over
  // each warp. Only the last block waits, and blocks start in the order of their indices, so those that it
  // waits for run or have run, however few are resident at once.
  __device__ Accum fold_partials(TileState<Accum> *partials, int others, uint64_t tag) {
    Accum value;
    const bool wanted = threadIdx.x < others;
    take_by_warp(partials[threadIdx.x], wanted, value, tag);
    if (wanted) partials[threadIdx.x].retire(tag);
    if constexpr (has_identity<Op>) {
      if (!wanted) value = Op::template identity<Accum>();
    }
    return FoldWarp(value, others);
  }

  TempStorage &storage_;
  Op op_;
};

}  // namespace jig
