// Where a needle belongs in a range that is in order: before which items, and searches in memory.
#pragma once
#include <jig/core/less.cuh>
#include <jig/core/types.cuh>

namespace jig {

enum search_bound { search_lower, search_upper, search_both };

template <class In, class Less> struct SearchRange {
  using T = typename In::value_type;
  const In &in;
  const Less &less;
  uint64_t num_items;

  // Whether an item belongs before the needle's place.
  template <bool Upper> __device__ bool before(const T &item, const T &needle) const {
    if constexpr (Upper) return !less(needle, item);
    else return less(item, needle);
  }

  template <bool Upper> __device__ uint64_t search_lane(const T &needle) const {
    uint64_t first = 0, count = num_items;
#pragma unroll 1
    while (count > 0) {
      const uint64_t half = count / 2;
      const bool is_before = before<Upper>(in[first + half], needle);
      first = is_before ? first + half + 1 : first;
      count = is_before ? count - half - 1 : half;
    }
    return first;
  }

  // In items first .. end - 1, by all lanes of a warp.
  template <bool Upper> __device__ uint64_t search_warp(const T &needle, uint64_t first, uint64_t end) const {
    const uint32_t lane = threadIdx.x % warp_threads;
#pragma unroll 1
    while (first < end) {
      const uint64_t step = (end - first) / warp_threads + 1, p = first + (lane + 1) * step - 1;
      const uint32_t lanes = __ballot_sync(full_warp, p < end && before<Upper>(in[p], needle));
      first += __popc(lanes) * step;
      end = min_of(end, first + step - 1);
    }
    return first;
  }
};

}  // namespace jig
