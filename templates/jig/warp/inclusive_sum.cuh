// A warp's prefix sum of integers.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// The sum of x of this lane and of all below it. By a whole warp. `Unroll` is 1 where code that runs once had better be
// short.
template <int Unroll = 5, class T> __device__ T inclusive_sum(T x) {
#pragma unroll Unroll
  for (int delta = 1; delta < warp_threads; delta *= 2) {
    const T lower = __shfl_up_sync(full_warp, x, delta);
    if (int(ptx::lane_id()) >= delta) x += lower;
  }
  return x;
}

}  // namespace jig
