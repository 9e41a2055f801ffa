// What a block does in a device-wide scan of any number of tiles, one for each block: it learns what comes
// before its tile by looking back at what earlier blocks have published (decoupled look-back; Merrill and
// Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016), in two levels.
//
// Tiles come in groups of 32. A block takes what the tiles of its group before it come to, all of them,
// and folds them in a tree. The last one of a group so learns what the group comes to, and publishes that.
// What comes before a group is folded from the nearest group whose prefix is known, group by group from
// the left; so every prefix is one and the same fold, whoever makes it and whenever: the same input gives
// the same bits. Looking back over groups takes 32 times fewer steps than over tiles, and the blocks look at
// their own group's places in memory, which few others do.
//
// Blocks only wait for blocks with lower indices. Nothing is retired: a graph's replay needs the states
// cleared.
#pragma once
#include <jig/agent/scan_tile.cuh>
#include <jig/core/tagged.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

constexpr int group_tiles = 32;

// What a group comes to, and that with everything before it.
template <class Accum> struct alignas(128) GroupState {
  Tagged<Accum> aggregate, prefix;
};

template <class Policy, class Accum, class In, class Out, class Op, bool Inclusive> class AgentScanLookback {
  using Tile = ScanTile<Policy, Accum, In, Out, Op, Inclusive>;
  using Lanes = ScanLanes<Accum>;
  static constexpr int warps = Tile::warps;

 public:
  struct TempStorage {
    uninitialized<Accum, warps> warp_totals;
    uninitialized<Accum> prefix;
  };

  __device__ AgentScanLookback(TempStorage &storage, Tagged<Accum> *tiles, GroupState<Accum> *groups,
                               uint64_t tag, Op op)
      : storage_(storage), tiles_(tiles), groups_(groups), tag_(tag), op_(op) {}

  __device__ void Scan(const In &in, const Out &out, maybe<Accum> init, uint64_t num_items) {
    const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
    Tile tile(in, num_items, blockIdx.x, Tile::max_rows, op_);
    const Accum total = tile.Reduce();
    if (lane == 0) storage_.warp_totals[warp] = total;
    __syncthreads();
    const Accum folded = Lanes::InclusiveScan(storage_.warp_totals[min_of(lane, warps - 1)], op_);
    if (warp == 0) look_back(Lanes::Broadcast(folded, warps - 1));
    __syncthreads();
    maybe<Accum> carry = init;
    if (blockIdx.x > 0) carry = join(carry, storage_.prefix[0], op_);
    if (warp > 0) carry = join(carry, Lanes::Broadcast(folded, warp - 1), op_);
    tile.Store(out, carry);
  }

 private:
  // For the first warp: publishes what the tile comes to, and finds out what comes before it.
  __device__ void look_back(const Accum &aggregate) {
    const int lane = threadIdx.x, place = blockIdx.x % group_tiles, group = blockIdx.x / group_tiles;
    if (lane == 0 && place < group_tiles - 1) tiles_[blockIdx.x].publish(aggregate, tag_);
    maybe<Accum> prefix = {false, aggregate};
    Accum in_group = aggregate;
    if (place > 0) in_group = take_tiles(place);
    if (place == group_tiles - 1 && lane == 0) {
      groups_[group].aggregate.publish(op_(in_group, aggregate), tag_);
    }
    if (group > 0) prefix = {true, take_groups(group)};
    if (place > 0) prefix = join(prefix, in_group, op_);
    if (lane == 0) storage_.prefix[0] = prefix.value;
  }

  // The fold of the first `count` tiles of this block's group; in every lane.
  __device__ Accum take_tiles(int count) {
    const int lane = threadIdx.x;
    Accum value;
    bool taken = lane >= count;
    do {
      if (!taken) taken = tiles_[blockIdx.x - count + lane].try_take(value, tag_);
    } while (!__all_sync(full_warp, taken));
    typename WarpReduceShuffle<Accum, warp_threads>::TempStorage none;
    return Lanes::Broadcast(WarpReduceShuffle<Accum, warp_threads>(none).Reduce(value, op_, count), 0);
  }

  // The fold of the first `count` groups; in every lane. Lane k looks at the k-th group to the left, until
  // one has its prefix and all that are nearer their aggregates.
  __device__ Accum take_groups(int count) {
    const int lane = threadIdx.x, group = count - 1 - lane;
    Accum value, found;
    bool has_prefix = false, has_aggregate = false;
    int nearest;
    while (true) {
      if (group >= 0 && !has_prefix) {
        has_prefix = groups_[group].prefix.try_take(found, tag_);
        if (has_prefix) value = found;
        else if (group == 0) has_prefix = groups_[0].aggregate.try_take(value, tag_);
        else if (!has_aggregate) has_aggregate = groups_[group].aggregate.try_take(value, tag_);
      }
      const uint32_t prefixes = __ballot_sync(full_warp, has_prefix);
      const uint32_t aggregates = __ballot_sync(full_warp, has_aggregate | has_prefix);
      nearest = __ffs(prefixes) - 1;
      if (prefixes != 0 && __ffs(~aggregates) - 1 - nearest > 0) break;
      if (prefixes != 0 && ~aggregates == 0) break;
    }
    Accum fold = Lanes::Broadcast(value, nearest);
    for (int k = nearest - 1; k >= 0; --k) fold = op_(fold, Lanes::Broadcast(value, k));
    if (nearest > 0 && lane == 0) groups_[count - 1].prefix.publish(fold, tag_);
    return fold;
  }

  TempStorage &storage_;
  Tagged<Accum> *tiles_;
  GroupState<Accum> *groups_;
  uint64_t tag_;
  Op op_;
};

}  // namespace jig
