// A block's share of segments and their items.
//
// Segments and items are lined up: a segment, its items, the next segment, its items. A place in that line is a
// diagonal of the merge path of segments and items ("Merge-based Parallel Sparse Matrix-Vector Multiplication", Merrill
// and Garland, 2016), and every block has as many places; a segment takes as many as items that are as much work. It is
// the block's in which it begins. But a long one is cut where shares end: the parts in other blocks are theirs.
#pragma once
#include <jig/agent/segmented_reduce/segment_items.cuh>

namespace jig {

template <int Threads, class Items> class SegmentShares {
  static constexpr uint64_t segment_places = 16;

 public:
  __device__ SegmentShares(const Items &items, uint64_t least)
      : items_(items), total_(items.end() - items.first() + items.count() * segment_places),
        share_(max_of(least, ceil_div(total_, uint64_t(gridDim.x)))) {}

  // Where a block's share begins in the line.
  __device__ uint64_t begin(uint64_t block) const { return min_of(block * share_, total_); }
  // In whose share a segment is.
  __device__ uint64_t block_of(uint64_t segment) const { return place_of(segment, items_.start(segment)) / share_; }
  // The position of the first item at or behind a place, before which there are so many segments; or one before the
  // last of these begins. Never outside of all items, even if offsets are in no order.
  __device__ uint64_t position(uint64_t place, uint64_t segments) const {
    return min_of(items_.first() + place - min_of(segments * segment_places, place), items_.end());
  }

  // How many segments are before each of two places, by the block. Each thread looks at one of as many segments as
  // there are threads. Those that are asked about depend on earlier answers alone: so offsets in no order are answered
  // as if they were in some, the same for all blocks.
  __device__ void Find(const uint64_t (&places)[2], uint64_t (&before)[2]) const { find<false>(places, before, 0); }
  __device__ void Find(const uint64_t (&places)[2], uint64_t (&before)[2], uint64_t first_look) const {
    find<true>(places, before, first_look);
  }

  // What each thread looks at first, whatever the places; so it may be loaded before these are known.
  static __device__ uint64_t FirstLook(const Items &items) {
    return items.start(min_of((threadIdx.x + 1) * ceil_div(items.count(), uint64_t(Threads)), items.count()) - 1);
  }

 private:
  template <bool Looked>
  __device__ void find(const uint64_t (&places)[2], uint64_t (&before)[2], uint64_t first_look) const {
    uint64_t left[2];
    bool is_first = Looked;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const bool is_within = places[i] > 0 && places[i] < total_;
      before[i] = places[i] == 0 || is_within ? 0 : items_.count();
      left[i] = is_within ? items_.count() : 0;
    }
#pragma unroll 1
    while (left[0] > 0 || left[1] > 0) {
      uint64_t steps[2];
      bool is_before[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        steps[i] = ceil_div(left[i], uint64_t(Threads));
        const uint64_t mine = before[i] + (threadIdx.x + 1) * steps[i] - 1;
        is_before[i] = mine < before[i] + left[i] &&
                       place_of(mine, is_first ? first_look : items_.start(mine)) < places[i];
      }
      is_first = false;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const uint64_t passed = __syncthreads_count(is_before[i]) * steps[i];
        before[i] += passed;
        left[i] = steps[i] > 0 ? min_of(steps[i] - 1, left[i] - passed) : 0;
      }
    }
  }

  __device__ uint64_t place_of(uint64_t segment, uint64_t start) const {
    return start - items_.first() + segment * segment_places;
  }

  const Items &items_;
  uint64_t total_, share_;
};

}  // namespace jig
