// Where segments of a logical warp's lanes end: each begins with a flag (heads), or ends with one (tails).
#pragma once
#include <jig/warp/logical_warp.cuh>

namespace jig {

// The last lane of this lane's segment, given which lanes are known to be the last of theirs.
template <int Threads> __device__ int last_of_segment(uint32_t lasts) {
  const uint32_t ahead = (lasts | 1u << (Threads - 1)) & full_warp << LogicalWarp<Threads>::lane();
  return __ffs(ahead) - 1;
}

// By all lanes of the logical warp.
template <int Threads> __device__ int last_by_heads(bool is_head) {
  return last_of_segment<Threads>(LogicalWarp<Threads>::ballot(is_head) >> 1);
}
template <int Threads> __device__ int last_by_tails(bool is_tail) {
  return last_of_segment<Threads>(LogicalWarp<Threads>::ballot(is_tail));
}

}  // namespace jig
