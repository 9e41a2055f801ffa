// What the threads of a block have before each of them.
#pragma once
#include <jig/agent/chain/optional.cuh>

namespace jig {

// The sum of what the threads before this one have, each its `own`, and that of all in `all`. By all threads of a block
// of whole warps; `sums` may be used again when these have met.
template <int Warps, class T> __device__ T sum_before(T own, T (&sums)[Warps], T &all) {
  const int lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
  const T scanned = Lanes<T>::InclusiveScan(own, plus{});
  if (lane == warp_threads - 1) sums[warp] = scanned;
  __syncthreads();
  T before = scanned - own;
  all = 0;
#pragma unroll 4
  for (int w = 0; w < Warps; ++w) {
    if (w == warp) before += all;
    all += sums[w];
  }
  return before;
}

}  // namespace jig
