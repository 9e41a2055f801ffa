// Where look-back has its states (tile_groups.cuh) if there is one for each tile: none is ever used again in a launch.
#pragma once
#include <jig/agent/chain/tile_groups.cuh>

namespace jig {

template <class State> class BlockStates {
 public:
  using Index = int;

  __device__ BlockStates(GroupState<State> *groups, TileState<State> *tiles, uint64_t tag)
      : groups_(groups), tiles_(tiles), tag_(tag) {}

  static __device__ int reach() { return warp_threads; }
  __device__ void put_tile(int i, const State &state) { tiles_[i].publish(state, tag_); }
  __device__ bool try_tile(int i, State &state) { return tiles_[i].try_take(state, tag_); }
  __device__ bool try_aggregate(int i, State &state) { return groups_[i].aggregate.try_take(state, tag_); }
  __device__ bool try_prefix(int i, State &state) { return groups_[i].prefix.try_take(state, tag_); }
  __device__ void put_aggregate(int i, const State &state) { groups_[i].aggregate.publish(state, tag_); }
  __device__ void put_prefix(int i, const State &state) { groups_[i].prefix.publish(state, tag_); }

 protected:
  GroupState<State> *groups_;
  TileState<State> *tiles_;
  uint64_t tag_;
};

}  // namespace jig
