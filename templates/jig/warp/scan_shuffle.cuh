// Scan over a logical warp of a power-of-two width, by shuffles. Every logical warp of a hardware warp
// scans its own values; all 32 lanes take part. No shared memory.
#pragma once
#include <jig/warp/shuffle.cuh>

namespace jig {

template <class T, int LogicalThreads> class WarpScanShuffle {
 public:
  struct TempStorage {};
  __device__ explicit WarpScanShuffle(TempStorage &) {}

  // A lane that has no lane so far below combines with itself and drops the result: that takes no
  // branch, and for simple operators one instruction beside the shuffle. The barrier is explained in
  // reduce_shuffle.cuh.
  template <class Op> __device__ T InclusiveScan(T input, Op op) {
    __syncwarp();
#pragma unroll
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      T lower = input;
      const bool exists = shuffle_up(lower, delta, LogicalThreads, full_warp);
      const T folded = op(lower, input);
      if (exists) input = folded;
    }
    return input;
  }

  // Only the first valid_lanes lanes hold a value; the operator never sees any other.
  template <class Op> __device__ T InclusiveScan(T input, Op op, int valid_lanes) {
    const int lane = ptx::lane_id() % LogicalThreads;
    __syncwarp();
#pragma unroll
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      T lower = input;
      const bool exists = shuffle_up(lower, delta, LogicalThreads, full_warp);
      if (exists && lane < valid_lanes) input = op(lower, input);
    }
    return input;
  }

  // The value of the lane below; the first lane's own.
  __device__ T Previous(T value) {
    __syncwarp();
    shuffle_up(value, 1, LogicalThreads, full_warp);
    return value;
  }

  __device__ T Broadcast(T value, int source_lane) {
    __syncwarp();
    return shuffle_from(value, source_lane, LogicalThreads, full_warp);
  }
};

}  // namespace jig
