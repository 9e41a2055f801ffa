// Where tiles of segments publish what they come to. How many tiles there will be nobody knows before the launch, so
// states are used again and again: there are so many parts of so many states, and the state of a tile is that of its
// number modulo all of them.
//
// A tile looks back at tiles of its own part and of the one before at most (`reach` groups, and its own). So a state
// can be used anew when all tiles of the part it was of have looked back, and all of the next part: tiles of a part
// wait for those of three parts earlier. Tiles count themselves when they have looked. They do so after that wait, so
// what is counted for a part is never mixed up with a later one that uses the same counter.
//
// Every use of a state has a tag of its own, so that none is taken for another.
#pragma once
#include <jig/agent/segmented_scan/segment_work.cuh>
#include <jig/agent/chain/tile_groups.cuh>

namespace jig {

constexpr int state_parts = 4;

// States as those of one chunk's tiles, numbered from its first.
template <class State> class SegmentStates {
 public:
  using Index = uint32_t;

  __device__ SegmentStates(const SegmentCall &call, uint64_t tag, uint32_t first_tile)
      : call_(&call), tag_(tag), first_(first_tile) {}

  __device__ int reach() const { return int(call_->reach); }
  __device__ void put_tile(uint32_t i, const State &state) { tile(i).publish(state, tag_of(first_ + i)); }
  __device__ bool try_tile(uint32_t i, State &state) { return tile(i).try_take(state, tag_of(first_ + i)); }
  __device__ bool try_aggregate(uint32_t g, State &state) { return group(g).aggregate.try_take(state, group_tag(g)); }
  __device__ bool try_prefix(uint32_t g, State &state) { return group(g).prefix.try_take(state, group_tag(g)); }
  __device__ void put_aggregate(uint32_t g, const State &state) { group(g).aggregate.publish(state, group_tag(g)); }
  __device__ void put_prefix(uint32_t g, const State &state) { group(g).prefix.publish(state, group_tag(g)); }

 private:
  __device__ uint32_t bits() const { return call_->part_bits + 2; }
  __device__ uint32_t place_of(uint32_t tile) const { return tile & (1u << bits()) - 1; }
  __device__ TileState<State> &tile(uint32_t i) const {
    return static_cast<TileState<State> *>(call_->tiles)[place_of(first_ + i)];
  }
  // Only a group that is whole has a state. Those of two such groups of different chunks, which need not begin at
  // multiples of 32, are different ones, too.
  __device__ GroupState<State> &group(uint32_t g) const {
    return static_cast<GroupState<State> *>(call_->groups)[place_of(first_ + g * group_tiles) / group_tiles];
  }
  __device__ uint64_t group_tag(uint32_t g) const { return tag_of(first_ + g * group_tiles); }
  // How often a state has been used changes both halves.
  __device__ uint64_t tag_of(uint32_t tile) const { return tag_ ^ uint64_t(tile >> bits()) * 0x100000001u; }

  const SegmentCall *call_;
  uint64_t tag_;
  uint32_t first_;
};

// By a warp.
class SegmentRounds {
 public:
  __device__ explicit SegmentRounds(const SegmentCall &call)
      : looked_(call.control->counters.looked), part_bits_(call.part_bits) {}

  // Waits until a tile's state may be used.
  __device__ void Await(uint32_t tile) {
#pragma unroll 1
    for (; free_ <= tile >> part_bits_; ++free_) {
      const uint32_t earlier = free_ - (state_parts - 1), wanted = earlier / state_parts + 1 << part_bits_;
      const uint32_t *const looked = &looked_[earlier % state_parts];
      while (!__all_sync(full_warp, int32_t(ptx::load_relaxed_gpu(looked) - wanted) >= 0)) continue;
    }
  }

  // By one lane, after that: a tile has looked back. The values that it has found are in use, so that its loads are
  // over.
  __device__ void Looked(uint32_t tile) {
    ptx::add_relaxed_gpu(&looked_[(tile >> part_bits_) % state_parts], 1);
  }

 private:
  uint32_t *looked_;
  uint32_t part_bits_;
  uint32_t free_ = state_parts - 1;  // the first part that is not known to be free
};

}  // namespace jig
