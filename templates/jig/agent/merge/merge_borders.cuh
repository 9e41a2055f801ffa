// Where the tiles of a merge begin in its runs, so that each item is in one tile whatever the order says.
//
// A search for where a tile begins looks at items along its own diagonal. If runs are not in order, or less is no
// order, what is found for two borders may not go together: a tile would have less than nothing of a run. So borders
// are the nodes of a binary tree: the level of number n is that of its lowest set bit, and above it are the numbers
// that one comes to by clearing its low bits and setting one more. What has been found for a border counts if it lies
// between those of the borders above it that are nearest on both sides. Otherwise the runs are taken one after another
// from the left one on, up to the right one. So all who want to know a border come to the same, by looking at a few
// others; and if runs are in order all that is found counts.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// A border of level `level`, or above it: one of those that decide about border `odd`, whose level is 0.
__device__ inline uint32_t border_above(uint32_t odd, int level) { return (odd >> level | 1) << level; }
__device__ inline int border_levels(uint32_t tiles) { return warp_threads - __clz(int(tiles - 1)); }

// Of a merge of Runs runs, by all lanes of a warp.
template <class Count, int Runs> class MergeBorders {
 public:
  // So many items of each run but the last come before; of the last one what is missing to the border's rank. (Of two
  // runs a search finds nothing that is more than there is of one.)
  using Place = array<Count, Runs - 1>;

  // end: how many items the runs have; all together `items`, in so many tiles.
  __device__ MergeBorders(const Place &end, uint64_t items, uint32_t tile_items, uint32_t tiles)
      : end_(end), items_(items), tile_items_(tile_items), tiles_(tiles) {}

  // How many outputs come before a border.
  __device__ uint64_t rank(uint32_t border) const { return min_of(border * uint64_t(tile_items_), items_); }

  // For the tile that has border `odd` in front of it or behind it: what counts for border_above(odd, lane), given what
  // has been found for it, if there is such a border.
  __device__ Place Settle(uint32_t odd, Place found) const {
    if (border_above(odd, lane()) >= tiles_) found = end_;
    return __all_sync(full_warp, fits(odd, found)) ? found : repaired(odd, found);
  }

 private:
  static __device__ int lane() { return threadIdx.x % warp_threads; }

  // Whether the lane's border and the next one towards the middle, `odd`, have the places to go with that.
  __device__ bool fits(uint32_t odd, const Place &found) const {
    const bool is_left = odd >> lane() & 1;
    const uint32_t nearer = (is_left ? odd : ~odd) & ((1u << lane()) - 1);
    const int other = warp_threads - 1 - __clz(int(nearer | 1));
    const uint64_t own_rank = rank(border_above(odd, lane())), other_rank = rank(border_above(odd, other));
    const Place inner = from_lane(found, other);
    if (Runs > 2 && !are_in_order(Place{}, 0, found, own_rank)) return false;
    return is_left ? are_in_order(found, own_rank, inner, other_rank)
                   : are_in_order(inner, other_rank, found, own_rank);
  }

  // From the top down, what counts.
  __device__ Place repaired(uint32_t odd, Place found) const {
    Place left{}, right = end_;
    uint64_t left_rank = 0, right_rank = items_;
#pragma unroll 1
    for (int level = warp_threads - 1; level >= 0; --level) {
      const uint64_t own_rank = rank(border_above(odd, level));
      Place place = from_lane(found, level);
      if (!are_in_order(left, left_rank, place, own_rank) || !are_in_order(place, own_rank, right, right_rank))
        place = between(left, right, own_rank - left_rank);
      if (lane() == level) found = place;
      const bool is_left = odd >> level & 1;
      (is_left ? left : right) = place;
      (is_left ? left_rank : right_rank) = own_rank;
    }
    return found;
  }

  // So many items behind the left place, of one run after another.
  static __device__ Place between(Place place, const Place &right, uint64_t items) {
#pragma unroll
    for (int r = 0; r < Runs - 1; ++r) {
      const Count taken = Count(min_of(items, uint64_t(right[r] - place[r])));
      place[r] += taken;
      items -= taken;
    }
    return place;
  }

  // Whether of each run no fewer items come before the second place.
  static __device__ bool are_in_order(const Place &a, uint64_t a_rank, const Place &b, uint64_t b_rank) {
    bool in_order = true;
    uint64_t of_last = b_rank - a_rank;
#pragma unroll
    for (int r = 0; r < Runs - 1; ++r) {
      in_order &= uint64_t(b[r]) - a[r] <= of_last;  // which is no less than nothing
      of_last -= b[r] - a[r];
    }
    return in_order;
  }

  static __device__ Place from_lane(Place place, int lane) {
#pragma unroll
    for (int r = 0; r < Runs - 1; ++r) place[r] = __shfl_sync(full_warp, place[r], lane);
    return place;
  }

  Place end_;
  uint64_t items_;
  uint32_t tile_items_, tiles_;
};

}  // namespace jig
