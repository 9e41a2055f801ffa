// What the tiles of a kernel tell those behind them, so that a block learns what comes before its tile while earlier
// blocks are still at work (decoupled look-back): the memory behind TilePrefixCallbackOp (tile_prefix.cuh).
//
// Storage: ScanTileState<T>::bytes(num_tiles) bytes of global memory, aligned to 128; jig_tile_state_size() tells the
// host. Before every launch all of it has to be other than what the launch before has left: set to zero by a memset
// in the same stream, or by InitializeStatus() in a kernel before. A launch with a tag that no other one has had takes
// whatever is there; but the replays of a graph share their tag.
//
// Memory order: relaxed. A state hands on its value, of up to 256 bytes, all of it or nothing, and no other memory. If
// blocks with later tiles read, or overwrite, what this one has touched elsewhere, there is a __threadfence() to be put
// before the state is published and another one behind where it is taken.
#pragma once
#include <jig/agent/chain/block_states.cuh>

namespace jig {

template <class T> class ScanTileState : public BlockStates<T> {
  static_assert(!is_wide<T>, "ScanTileState: a state has up to 256 bytes");
  using Group = GroupState<T>;
  using Tile = TileState<T>;

 public:
  // No half of it is what a memset leaves.
  static constexpr uint64_t default_tag = 0x9e3779b97f4a7c15u;

  static __device__ constexpr size_t bytes(int num_tiles) {
    return groups_of(num_tiles) * sizeof(Group) + size_t(num_tiles) * sizeof(Tile);
  }

  __device__ ScanTileState(void *storage, int num_tiles, uint64_t tag = default_tag)
      : ScanTileState(static_cast<Group *>(storage), groups_of(num_tiles), tag) {}

  // By all threads of a grid that has one dimension, as its blocks have; before the launch that uses the states.
  __device__ void InitializeStatus(int num_tiles) {
    const uint64_t step = uint64_t(gridDim.x) * blockDim.x;
    uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < uint64_t(num_tiles); i += step) {
      tiles_[i].retire(tag_);
      if (i >= groups_of(num_tiles)) continue;
      groups_[i].aggregate.retire(tag_);
      groups_[i].prefix.retire(tag_);
    }
  }

 private:
  using BlockStates<T>::groups_;
  using BlockStates<T>::tiles_;
  using BlockStates<T>::tag_;

  static __device__ constexpr size_t groups_of(int num_tiles) {
    return (size_t(num_tiles) + group_tiles - 1) / group_tiles;
  }
  __device__ ScanTileState(Group *groups, size_t count, uint64_t tag)
      : BlockStates<T>(groups, reinterpret_cast<Tile *>(groups + count), tag) {}
};

}  // namespace jig
