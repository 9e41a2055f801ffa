// What a block does in an algorithm whose tiles depend on what all tiles before them come to, if there are
// any number of tiles, one for each block: it learns what comes before its tile by looking back at what
// earlier blocks have published (decoupled look-back; Merrill and Garland, "Single-pass Parallel Prefix Scan
// with Decoupled Look-back", 2016), in two levels.
//
// Tiles come in groups of 32. A block takes what the tiles of its group before it come to, all of them,
// and folds them in a tree. The last one of a group so learns what the group comes to, and publishes that.
// What comes before a group is folded from the nearest group whose prefix is known, group by group from
// the left; so every prefix is one and the same fold, whoever makes it and whenever: the same input gives
// the same bits. Looking back over groups takes 32 times fewer steps than over tiles, and the blocks look at
// their own group's places in memory, which few others do.
//
// What stands alone is a prefix by itself, which keeps that fold's bits.
//
// Blocks only wait for blocks with lower indices. Nothing is retired: a graph's replay needs the states
// cleared. What a tile offers is said in wave.cuh.
#pragma once
#include <jig/agent/maybe.cuh>
#include <jig/core/tagged.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

constexpr int group_tiles = 32;

// What a group comes to, and that with everything before it.
template <class State> struct alignas(128) GroupState {
  Tagged<State> aggregate, prefix;
};

template <class Tile> class AgentLookback {
  using State = typename Tile::State;
  using Op = typename Tile::Op;
  static constexpr int warps = Tile::warps;

 public:
  struct TempStorage {
    uninitialized<State, warps> warp_totals;
    uninitialized<State> prefix;
  };

  __device__ AgentLookback(TempStorage &storage, GroupState<State> *groups, Tagged<State> *tiles,
                           uint64_t tag, Op op)
      : storage_(storage), groups_(groups), tiles_(tiles), tag_(tag), op_(op) {}

  // The block's tile is its index's.
  __device__ void Run(Tile &tile, maybe<State> init) {
    const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
    const State total = tile.Reduce();
    if (lane == 0) storage_.warp_totals[warp] = total;
    __syncthreads();
    const State folded = Lanes<State>::ScanHeld(storage_.warp_totals[min_of(lane, warps - 1)], op_,
                                                lane < warps && tile.is_whole(lane));
    const State block_total = Lanes<State>::Broadcast(folded, warps - 1);
    if (warp == 0 && tile.in_place()) __threadfence();
    if (warp == 0) look_back(block_total);
    if (warp == 0 && tile.in_place()) __threadfence();
    __syncthreads();
    maybe<State> carry = init;
    if (blockIdx.x > 0) carry = join(carry, storage_.prefix[0], op_);
    if constexpr (Tile::finishes) {
      if (is_last() && threadIdx.x == 0) tile.Finish(join(carry, block_total, op_));
    }
    if (warp > 0 && may_see<Op>(tile.is_whole(warp - 1)))
      carry = join(carry, Lanes<State>::Broadcast(folded, warp - 1), op_);
    tile.Emit(carry);
  }

 private:
  // For the first warp: publishes what the tile comes to, and finds out what comes before it.
  __device__ void look_back(const State &aggregate) {
    const int lane = threadIdx.x, place = blockIdx.x % group_tiles, group = blockIdx.x / group_tiles;
    if (lane == 0 && place < group_tiles - 1) tiles_[blockIdx.x].publish(aggregate, tag_);
    maybe<State> prefix = {false, aggregate};
    State in_group = aggregate;
    if (place > 0) in_group = take_tiles(place);
    if (place == group_tiles - 1 && lane == 0 && may_see<Op>(!is_last())) {
      groups_[group].aggregate.publish(op_(in_group, aggregate), tag_);
    }
    if (group > 0 && !(place > 0 && stands_alone(in_group))) prefix = {true, take_groups(group)};
    if (place > 0) prefix = join(prefix, in_group, op_);
    if (lane == 0) storage_.prefix[0] = prefix.value;
  }

  static __device__ bool is_last() { return blockIdx.x == gridDim.x - 1; }

  // The fold of the first `count` tiles of this block's group; in every lane.
  __device__ State take_tiles(int count) {
    const int lane = threadIdx.x;
    State value;
    bool taken = lane >= count;
    do {
      if (!taken) taken = tiles_[blockIdx.x - count + lane].try_take(value, tag_);
    } while (!__all_sync(full_warp, taken));
    typename WarpReduceShuffle<State, warp_threads>::TempStorage none;
    return Lanes<State>::Broadcast(WarpReduceShuffle<State, warp_threads>(none).Reduce(value, op_, count), 0);
  }

  // The fold of the first `count` groups; in every lane. Lane k looks at the k-th group to the left, until
  // one has its prefix and all that are nearer their aggregates.
  __device__ State take_groups(int count) {
    const int lane = threadIdx.x, group = count - 1 - lane;
    State value, found;
    bool has_prefix = false, has_aggregate = false;
    int nearest;
    while (true) {
      if (group >= 0 && !has_prefix) {
        has_prefix = groups_[group].prefix.try_take(found, tag_);
        if (has_prefix) value = found;
        else if (group == 0) has_prefix = groups_[0].aggregate.try_take(value, tag_);
        else if (!has_aggregate) has_aggregate = groups_[group].aggregate.try_take(value, tag_);
        if (has_aggregate && stands_alone(value)) has_prefix = true;
      }
      const uint32_t prefixes = __ballot_sync(full_warp, has_prefix);
      const uint32_t aggregates = __ballot_sync(full_warp, has_aggregate | has_prefix);
      nearest = __ffs(prefixes) - 1;
      if (prefixes != 0 && __ffs(~aggregates) - 1 - nearest > 0) break;
      if (prefixes != 0 && ~aggregates == 0) break;
    }
    State fold = Lanes<State>::Broadcast(value, nearest);
#pragma unroll 1
    for (int k = nearest - 1; k >= 0; --k) fold = op_(fold, Lanes<State>::Broadcast(value, k));
    if (nearest > 0 && lane == 0) groups_[count - 1].prefix.publish(fold, tag_);
    return fold;
  }

  TempStorage &storage_;
  GroupState<State> *groups_;
  Tagged<State> *tiles_;
  uint64_t tag_;
  Op op_;
};

}  // namespace jig
