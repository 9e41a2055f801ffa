// Where segments of a logical warp's lanes end: each begins with a flag (heads), or ends with one (tails).
#pragma once
#include <jig/warp/logical_warp.cuh>

namespace jig {

// One past the last lane of this lane's segment. By all lanes of the logical warp.
template <int Threads> __device__ int end_by_heads(bool is_head) {
  const uint32_t heads = LogicalWarp<Threads>::ballot(is_head);
  const uint32_t above = heads & (full_warp - 1) << LogicalWarp<Threads>::lane();
  return above != 0 ? __ffs(above) - 1 : Threads;
}
template <int Threads> __device__ int end_by_tails(bool is_tail) {
  const uint32_t tails = LogicalWarp<Threads>::ballot(is_tail);
  const uint32_t ahead = tails & full_warp << LogicalWarp<Threads>::lane();
  return ahead != 0 ? __ffs(ahead) : Threads;
}

}  // namespace jig
