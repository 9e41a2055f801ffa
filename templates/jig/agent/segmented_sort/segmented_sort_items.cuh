// Where the items of a segmented sort lie in a block's shared memory, and how values get to where their keys are.
#pragma once
#include <jig/agent/radix_sort/radix_warp_group.cuh>
#include <jig/agent/segmented_sort/segmented_sort.cuh>

namespace jig {

// Values are read in order and put where keys are no longer needed, if they fit there; others are read from
// where they are. Either way they are told by their indices.
template <class Value, class Kept, class From> class ItemValues {
  static constexpr bool is_staged = sizeof(Value) <= sizeof(Kept) && alignof(Value) <= alignof(Kept);

 public:
  // `from` is a pointer or indexed like one; `room` is where keys lie in shared memory.
  __device__ ItemValues(const From &from, uint32_t room) : from_(from), room_(room) {}

  // By a warp group; a barrier behind it.
  __device__ void stage(const WarpGroup &warp_group, int count) const {
    if constexpr (is_staged) {
#pragma unroll 4
      for (int i = warp_group.thread(); i < count; i += warp_group.threads()) at(i) = from_[i];
      warp_group.sync();
    }
  }

  __device__ Value operator[](int index) const {
    if constexpr (is_staged) return at(index);
    else return from_[index];
  }

 private:
  __device__ Value &at(int i) const { return ptx::shared_at<Value>(room_ + i * int(sizeof(Value))); }

  From from_;
  uint32_t room_;
};

// What a warp group is to sort: by the digits of some passes, from where keys lie in the input of a step to the same
// place in its output, or where each digit's go.
struct WarpGroupWork {
  uint64_t first;  // item
  int32_t num_items, first_pass, last_pass;
  uint32_t step, steps;
};

// A tile that a block has, beside what it is to sort; see segmented_sort_tile.cuh.
struct SegmentedSortTileState {
  LargeSegment *segment;
  uint64_t bins;    // which of all bins is the segment's first
  uint32_t number;  // among all tiles, or among those of a segment that the block has by itself
  bool is_single_tile;
  bool is_group;  // it is no tile, but some digits' keys, which are to be sorted by all other digits
};

// Of a block. Every warp has a share of the items; a warp group has its warps'.
template <class Policy, class Keys, bool HasIndices> struct alignas(1024) SegmentedSortStorage {
  using Kept = typename Keys::Kept;
  static constexpr int warps = Policy::threads / warp_threads, share = Policy::warp_items;
  static constexpr int max_items = warps * share;
  static_assert(max_items < 65536, "indices and lengths have 16 bits");

  uint32_t counters[warps][radix_digits];
  uint64_t offsets[radix_digits];
  uint32_t running[radix_digits];  // where the next tile's keys go of a segment that the block has by itself
  WarpGroupWork work[warps];
  uint32_t totals[warps];
  uint32_t next[warps];  // what each warp group takes next
  uint32_t counts[segmented_sort_classes + 2];  // how long the lists are, and how many tiles there are
  SegmentedSortTileState tile;
  Kept keys[2][max_items];
  uint16_t indices[2][HasIndices ? max_items : 1];

  __device__ RadixWarpGroup<Keys, HasIndices> warp_group(const WarpGroup &warp_group) {
    return {warp_group, ptx::shared_address(counters), ptx::shared_address(totals), work[warp_group.first()].num_items};
  }
  __device__ WarpGroupItems<Kept> items(const WarpGroup &warp_group, int which) {
    const int first = which * max_items + warp_group.first() * share;
    return {ptx::shared_address(keys) + first * int(sizeof(Kept)), ptx::shared_address(indices) + first * 2};
  }
};

}  // namespace jig
