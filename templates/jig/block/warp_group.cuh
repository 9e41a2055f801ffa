// A part of a block's warps that works by itself.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/core/uniform.cuh>

namespace jig {

// A power of two of a block's warps that are neighbours and meet at barriers of their own.
struct WarpGroup {
  int log_warps;
  int own_warp;  // this thread's, in the block

  WarpGroup() = default;
  // Given uniform_warp(), the compiler knows that the group is the same for all lanes.
  __device__ WarpGroup(int log, int warp) : log_warps(log), own_warp(warp) {}

  __device__ int warps() const { return 1 << log_warps; }
  __device__ int first() const { return own_warp & -warps(); }
  __device__ int warp() const { return own_warp & (warps() - 1); }
  __device__ int threads() const { return warps() * warp_threads; }
  __device__ int thread() const { return int(threadIdx.x) & (threads() - 1); }
  __device__ void sync() const {
    if (log_warps == 0) __syncwarp();
    else ptx::sync_threads(barrier(), threads());
  }
  // Whether x holds for any thread; a barrier as well.
  __device__ bool any(bool x) const {
    if (log_warps > 0) return uniform(ptx::sync_threads_or(barrier(), threads(), x));
    __syncwarp();
    return __any_sync(full_warp, x);
  }

 private:
  // Groups of several warps begin at even ones, below the 30th.
  __device__ int barrier() const { return 1 + first() / 2; }
};

}  // namespace jig
