// What comes before a tile, as the callback of a block's scan: BlockScan's InclusiveScanWithPrefix() and
// ExclusiveScanWithPrefix() call it with what the tile comes to. It publishes that, waits for what the tiles before
// come to, and returns the fold of those: so a scan of any length, or whatever else needs one, reads its input once.
//
// The first tile has nothing before it, unless there is an initial value; the scan asks HasPrefix().
//
// The operator only has to be associative. Tiles are folded in their order, in one and the same way however blocks are
// scheduled: the same input gives the same bits.
//
// A block has 32 threads or more, of any dimensions. Tile t only waits for tiles before t, so all of these have to be
// done by blocks that have started: those with lower indices, if the tile is the block's index; or any, if tile numbers
// are drawn from a GridQueue. Every tile has to be published, also one without items.
//
// The Get functions are for all threads of the block, once the scan has returned (after a __syncthreads() if the
// callback was called otherwise). The storage may be used again after a __syncthreads().
#pragma once
#include <jig/grid/tile_state.cuh>

namespace jig {

template <class T, class Op> class TilePrefixCallbackOp {
 public:
  struct TempStorage {
    uninitialized<T> exclusive_prefix, block_aggregate;
  };

  __device__ TilePrefixCallbackOp(TempStorage &storage, const ScanTileState<T> &states, Op op, int tile)
      : storage_(storage), states_(states), op_(op), tile_(tile), initial_{false} {}
  // `initial` comes before the first tile.
  __device__ TilePrefixCallbackOp(TempStorage &storage, const ScanTileState<T> &states, Op op, int tile,
                                  const T &initial)
      : storage_(storage), states_(states), op_(op), tile_(tile), initial_{true, initial} {}

  // Whether anything comes before the tile.
  __device__ bool HasPrefix() const { return tile_ > 0 || initial_.exists; }

  // By the lanes of the block's first warp, together. What comes before the tile, in each of them, if anything does.
  __device__ T operator()(const T &block_aggregate) {
    const bool is_first_lane = ptx::lane_id() == 0;
    if (is_first_lane && tile_ % group_tiles < group_tiles - 1) states_.put_tile(tile_, block_aggregate);
    optional<T> prefix = Groups(states_, op_).Before(tile_, true, [&] { return block_aggregate; });
    if (initial_.exists) prefix.value = prefix.exists ? op_(initial_.value, prefix.value) : initial_.value;
    if (is_first_lane) {
      storage_.exclusive_prefix[0] = prefix.value;
      storage_.block_aggregate[0] = block_aggregate;
    }
    return prefix.value;
  }

  // What comes before the tile; nothing does before the first one without an initial value.
  __device__ T GetExclusivePrefix() const { return storage_.exclusive_prefix[0]; }
  // The same with the tile.
  __device__ T GetInclusivePrefix() const {
    Op op = op_;
    return HasPrefix() ? op(GetExclusivePrefix(), GetBlockAggregate()) : GetBlockAggregate();
  }
  // What the tile alone comes to.
  __device__ T GetBlockAggregate() const { return storage_.block_aggregate[0]; }
  __device__ int GetTileIndex() const { return tile_; }

 private:
  using Groups = TileGroups<T, Op, ScanTileState<T>, false>;

  TempStorage &storage_;
  ScanTileState<T> states_;
  Op op_;
  int tile_;
  optional<T> initial_;
};

}  // namespace jig
