// What all lanes of a warp have alike, so that the compiler knows it. Where it does not, it takes a branch for one that
// may part the lanes, and compiles what lanes do together behind it twice: for all of them, and for some.
//
// By all lanes of a warp.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// `value` has to be the same in all lanes already.
__device__ inline bool uniform(bool value) { return __any_sync(full_warp, value); }

// Whether `x` holds for any thread of the block: a barrier of all of them.
__device__ inline bool sync_any(bool x) { return uniform(__syncthreads_or(x)); }

// Whether a thread of a block of so many is in the first warp; by all lanes of a warp where no warp is cut.
template <int Threads> __device__ bool is_in_first_warp(int thread) {
  const bool is_first = thread < warp_threads;
  if constexpr (Threads % warp_threads == 0) return uniform(is_first);
  else return is_first;
}

// The number of the warp in its block.
__device__ inline int uniform_warp() { return __shfl_sync(full_warp, int(threadIdx.x / warp_threads), 0); }

}  // namespace jig
