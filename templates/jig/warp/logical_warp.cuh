// Which lanes are a logical warp of 1 to 32 threads. A power of two splits the hardware warp into logical warps; any
// other width is one logical warp, the first lanes of the hardware warp.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

template <int Threads> struct LogicalWarp {
  static_assert(Threads >= 1 && Threads <= warp_threads, "a logical warp has 1 to 32 threads");
  static constexpr bool divides = is_power_of_two(Threads);

  // This lane's number in its logical warp.
  static __device__ int lane() { return int(ptx::lane_id() % unsigned(divides ? Threads : warp_threads)); }
  // Where its first lane is in the hardware warp.
  static __device__ int first() { return divides ? int(ptx::lane_id()) & -Threads : 0; }
  static __device__ uint32_t mask() { return (full_warp >> (warp_threads - Threads)) << first(); }
  // Whether x holds, for each lane of the logical warp; those above are 0. Lanes of other logical warps need not call.
  static __device__ uint32_t ballot(bool x) {
    return __ballot_sync(mask(), x) >> first() & full_warp >> (warp_threads - Threads);
  }
  static __device__ void sync() { __syncwarp(mask()); }
};

}  // namespace jig
