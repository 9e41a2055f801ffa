// The two launches of a batched copy, whatever a buffer is.
#pragma once
#include <jig/agent/copy_batched/copy_batched.cuh>

namespace jig {

template <class Policy, bool Long, class Buffers, class Copy>
__device__ void batched(const BatchedCall &call, const Buffers &buffers, const Copy &copy) {
  constexpr int warps = Policy::threads / warp_threads;
  const uint64_t warp = uint64_t(blockIdx.x) * warps + threadIdx.x / warp_threads;
  const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if constexpr (Long) {
    if (is_first) BatchedList(call).End();
    AgentCopyBatchedLong<Buffers, Copy>(call, buffers, copy).Run(warp, uint64_t(gridDim.x) * warps);
  } else {
    __shared__ typename Copy::Storage shared[warps];
    if (is_first) BatchedList(call).Begin();
    AgentCopyBatched<Policy, Buffers, Copy>(shared[threadIdx.x / warp_threads], call, buffers, copy).Run(warp);
  }
}

}  // namespace jig
