// Where a diagonal of the merge path divides two runs, searched for by a warp: 32 places at a time.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// As merge_path() (thread/merge.cuh), the same for all lanes of the warp; for runs that are far away.
template <class A, class B, class Less>
__device__ uint64_t warp_merge_path(const A &a, uint64_t a_count, const B &b, uint64_t b_count,
                                    uint64_t diagonal, Less less) {
  const uint32_t lane = threadIdx.x % warp_threads;
  uint64_t low = diagonal > b_count ? diagonal - b_count : 0, high = min_of(diagonal, a_count);
#pragma unroll 1
  while (low < high) {
    const uint64_t step = (high - low + warp_threads - 1) / warp_threads;
    const uint64_t place = low + (lane + 1) * step - 1;
    const bool is_past = place >= high || bool(less(b[diagonal - 1 - place], a[place]));
    // The places before are known to be of a, and those from the first one on not to be.
    const int before = __popc(~__ballot_sync(full_warp, is_past));
    const uint64_t begin = low + before * step;
    if (before < warp_threads) high = min_of(begin + step - 1, high);
    low = begin;
  }
  return low;
}

}  // namespace jig
