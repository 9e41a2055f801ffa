// How a warp finds out what comes before a tile, from what the tiles before it have published (decoupled look-back;
// Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016), in two levels.
//
// Tiles come in groups of 32. A warp takes what the tiles of its group before its own come to, all of them,
// and folds them in a tree. The last one of a group so learns what the group comes to, and publishes that.
// What comes before a group is folded from the nearest group whose prefix is known, group by group from
// the left; so every prefix is one and the same fold, whoever makes it and whenever: the same input gives
// the same bits. Looking back over groups takes 32 times fewer steps than over tiles, and warps look at
// their own group's places in memory, which few others do.
//
// What stands alone is a prefix by itself, which keeps that fold's bits.
//
// Where the states are is said by a class:
//   Index            numbers tiles, and groups
//   reach()          at how many groups a warp looks at once, 2 to 32
//   try_tile(i, state), try_aggregate(group, state), try_prefix(group, state)   whether it is there; if so, it
//   put_aggregate(group, state), put_prefix(group, state)                       publishes it
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/core/tile_state.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

constexpr int group_tiles = 32;

// What a group comes to, and that with everything before it.
template <class State> struct alignas(128) GroupState { TileState<State> aggregate, prefix; };

// `LinearBlock`: the block has one dimension, or a first one of whole warps.
template <class State, class Op, class Places, bool LinearBlock = true> class TileGroups {
  using Index = typename Places::Index;

 public:
  __device__ TileGroups(const Places &places, Op op) : places_(places), op_(op) {
    if constexpr (!LinearBlock) lane_ = ptx::lane_id() % warp_threads;
  }

  // What comes before a tile, in every lane. total() is what the tile comes to: asked for once, of the last one of a
  // group, if that `has_total`, which a tile that nobody comes after need not.
  template <class Total> __device__ optional<State> Before(Index tile, bool has_total, Total total) {
    const int place = int(tile % group_tiles);
    const Index group = tile / group_tiles;
    optional<State> prefix;
    prefix.exists = false;
    State in_group;
    if (place > 0) in_group = InGroup(tile);
    if (has_total && place == group_tiles - 1) PutAggregate(tile, in_group, total);
    if (group > 0 && !(place > 0 && needs_no_prefix(in_group))) prefix = {true, BeforeGroup(group)};
    if (place > 0) prefix = join(prefix, in_group, op_);
    return prefix;
  }

  // What comes before a tile within its group, of which it is not the first.
  __device__ State InGroup(Index tile) { return take_tiles(tile - tile % group_tiles, int(tile % group_tiles)); }

  // The same of a tile that others publish: if it is the last of its group, what that comes to is published, too.
  __device__ State InGroupOf(Index tile) {
    const int place = int(tile % group_tiles);
    const bool is_last = place == group_tiles - 1;
    State own;
    const State in_group = take_tiles(tile - place, place, is_last, &own);
    if (is_last) PutAggregate(tile, in_group, [&] { return own; });
    return in_group;
  }

  // Publishes what a group comes to, given the same of its last tile, and that tile's total().
  template <class Total> __device__ void PutAggregate(Index tile, const State &in_group, Total total) {
    if (lane() == 0) places_.put_aggregate(tile / group_tiles, op_(in_group, total()));
  }

  // What comes before group `count`, which is not the first. Lane k looks at the k-th group to the left, until one has
  // its prefix and all that are nearer their aggregates.
  __device__ State BeforeGroup(Index count) {
    const bool looks = lane() < places_.reach() && Index(lane()) < count;
    const Index group = count - 1 - lane();
    State value, found;
    bool has_prefix = false, has_aggregate = false;
    int nearest;
    while (true) {
      if (looks && !has_prefix) {
        has_prefix = places_.try_prefix(group, found);
        if (has_prefix) value = found;
        else if (!has_aggregate) has_aggregate = places_.try_aggregate(group, value);
        if (has_aggregate && (group == 0 || needs_no_prefix(value))) has_prefix = true;
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
    if (nearest > 0 && lane() == 0) places_.put_prefix(count - 1, fold);
    return fold;
  }

  // The same for a warp that asks for groups in ascending order. What it has learned is kept: if that is not far back,
  // only the aggregates since then are asked for, which takes half the time. Publishes it, if it `tells`.
  __device__ State BeforeNextGroup(Index count, bool tells) {
    if (count != known_) before_known_ = count - known_ <= Index(places_.reach()) ? go_on(count) : BeforeGroup(count);
    known_ = count;
    if (tells && lane() == 0) places_.put_prefix(count - 1, before_known_);
    return before_known_;
  }

 private:
  // Lane k looks at the k-th group after the known one.
  __device__ State go_on(Index count) {
    const int groups = int(count - known_);
    State value;
    bool has = lane() >= groups;
    int first = 0;  // nothing before it matters
    do {
      if (!has) has = places_.try_aggregate(known_ + lane(), value);
      const uint32_t alone = __ballot_sync(full_warp, has && lane() < groups && needs_no_prefix(value));
      if (alone != 0) first = warp_threads - 1 - __clz(alone);
    } while (!__all_sync(full_warp, has || lane() < first));
    State fold = Lanes<State>::Broadcast(value, first);
    if (known_ > 0 && !needs_no_prefix(fold)) fold = op_(before_known_, fold);
#pragma unroll 1
    for (int k = first + 1; k < groups; ++k) fold = op_(fold, Lanes<State>::Broadcast(value, k));
    return fold;
  }

  // The fold of `count` tiles. Those that come before one that stands alone are not waited for; that one takes their
  // places, which keeps the tree. The tile behind them may be taken along.
  __device__ State take_tiles(Index first, int count, bool takes_next = false, State *next = nullptr) {
    State value;
    bool taken = lane() >= count + takes_next;
    int last = 0;
    do {
      if (!taken) taken = places_.try_tile(first + lane(), value);
      if constexpr (may_need_no_prefix<State>) {
        const uint32_t alone = __ballot_sync(full_warp, taken && lane() < count && needs_no_prefix(value));
        last = alone == 0 ? 0 : warp_threads - 1 - __clz(alone);
      }
    } while (!__all_sync(full_warp, taken || lane() < last));
    if constexpr (may_need_no_prefix<State>) {
      const State nearest = Lanes<State>::Broadcast(value, last);
      if (lane() < last) value = nearest;
    }
    if (next != nullptr) *next = Lanes<State>::Broadcast(value, count);
    return Lanes<State>::Broadcast(WarpReduceShuffle<State, warp_threads>().ReduceTo(value, op_, count - 1), 0);
  }

  __device__ int lane() const {
    if constexpr (LinearBlock) return threadIdx.x % warp_threads;
    else return lane_;
  }

  Places places_;
  Op op_;
  int lane_;  // of other blocks
  Index known_ = 0;  // a group, and what comes before it
  State before_known_;
};

}  // namespace jig
