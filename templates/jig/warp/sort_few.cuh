// Sorting a few items one after another in shared memory, by a logical warp: those of the one thread of a tile that has
// not all of its items. By odd-even transposition, as thread_sort(), so that no others are looked at.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// By the lanes of member_mask, which are numbered from 0 to lanes - 1. What they have written to shared memory before
// is there.
template <class T, class Less>
__device__ void sort_few(uint32_t items, int count, int lane, int lanes, uint32_t member_mask, Less less) {
#pragma unroll 1
  for (int phase = 0; phase < count; ++phase) {
    __syncwarp(member_mask);
#pragma unroll 1
    for (int j = 2 * lane + phase % 2; j + 1 < count; j += 2 * lanes) {
      T &lower = ptx::shared_at<T>(items + j * int(sizeof(T)));
      T &upper = ptx::shared_at<T>(items + (j + 1) * int(sizeof(T)));
      const T a = lower, b = upper;
      if (!less(b, a)) continue;
      lower = b;
      upper = a;
    }
  }
  __syncwarp(member_mask);
}

}  // namespace jig
