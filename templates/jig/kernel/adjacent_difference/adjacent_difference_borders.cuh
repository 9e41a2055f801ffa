// Puts aside what neighbouring blocks of an adjacent difference need of each other, a thread for each two of them.
#pragma once
#include <jig/core/count.cuh>
#include <jig/core/operator.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, bool Left, class In, class Count>
__device__ void adjacent_difference_borders(const In &in, typename In::value_type *borders, uint64_t num_borders,
                                            Count num_items, uint32_t block_items) {
  const uint64_t block = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if constexpr (is_same<Count, DeviceCount>) num_borders = (max_of(uint64_t(num_items), uint64_t(1)) - 1) / block_items;
  if (block < num_borders) borders[block] = in[(block + 1) * block_items - (Left ? 1 : 0)];
}

}  // namespace jig
