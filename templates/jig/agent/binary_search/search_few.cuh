// What a warp does to find where one needle at a time belongs in a range that is in order, where needles are few: it
// looks at as many items at once as it has lanes.
#pragma once
#include <jig/agent/binary_search/search_range.cuh>

namespace jig {

template <class Policy, int Bound, class In, class Needles, class Less> struct SearchFew {
  using T = typename In::value_type;
  static constexpr int warps = Policy::threads / warp_threads;

  SearchRange<In, Less> range;
  const Needles &needles;
  uint64_t num_needles;

  template <class Out, class UpperOut> __device__ void Run(const Out &out, const UpperOut &upper_out) const {
    const bool is_first = threadIdx.x % warp_threads == 0;
    uint64_t i = uint64_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
    for (; i < num_needles; i += uint64_t(gridDim.x) * warps) {
      const T needle = needles[i];
      const uint64_t place = range.template search_warp<Bound == search_upper>(needle, 0, range.num_items);
      if (is_first) out.store(i, static_cast<typename Out::value_type>(place));
      if constexpr (Bound == search_both) {
        const uint64_t upper = range.template search_warp<true>(needle, place, range.num_items);
        if (is_first) upper_out.store(i, static_cast<typename UpperOut::value_type>(upper));
      }
    }
  }
};

}  // namespace jig
