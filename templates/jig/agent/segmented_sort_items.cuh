// Where the items of a segmented sort lie in a block's shared memory, and how values get to where their keys are.
#pragma once
#include <jig/agent/radix_team.cuh>
#include <jig/agent/segmented_sort.cuh>

namespace jig {

// Values are read in order and put where keys are no longer needed, if they fit there; others are read from
// where they are. Either way they are told by their indices.
template <class Value, class Kept> class ItemValues {
  static constexpr bool is_staged = sizeof(Value) <= sizeof(Kept) && alignof(Value) <= alignof(Kept);

 public:
  __device__ ItemValues(const Value *from, Kept *room) : from_(from), room_(reinterpret_cast<Value *>(room)) {}

  // By a team; a barrier behind it.
  __device__ void stage(const WarpTeam &team, int count) const {
    if constexpr (is_staged) {
#pragma unroll 4
      for (int i = team.thread(); i < count; i += team.threads()) room_[i] = from_[i];
      team.sync();
    }
  }

  __device__ Value operator[](int index) const {
    if constexpr (is_staged) return room_[index];
    else return from_[index];
  }

 private:
  const Value *from_;
  Value *room_;
};

// Of a block. Every warp has a share of the items; a team has its warps'.
template <class Policy, class Keys, bool HasIndices> struct alignas(1024) SegmentedSortStorage {
  using Kept = typename Keys::Kept;
  static constexpr int warps = Policy::threads / warp_threads, share = Policy::warp_items;
  static constexpr int max_items = warps * share;
  static_assert(max_items < 65536, "indices and lengths have 16 bits");

  uint32_t counters[warps][radix_digits];
  uint64_t offsets[radix_digits];
  uint32_t totals[warps];
  uint32_t next[warps];  // what each team takes next
  uint32_t shared_word;  // what one thread tells the others
  Kept keys[2][max_items];
  uint16_t indices[2][HasIndices ? max_items : 1];

  __device__ RadixTeam<Keys, HasIndices> team(const WarpTeam &team, int num_items) {
    return {team, counters + team.first, totals + team.first, num_items};
  }
  __device__ TeamItems<Kept> items(const WarpTeam &team, int which) {
    return {keys[which] + team.first * share, indices[which] + (HasIndices ? team.first * share : 0)};
  }
};

}  // namespace jig
