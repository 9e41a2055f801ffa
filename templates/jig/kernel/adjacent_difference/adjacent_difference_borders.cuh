// Puts aside what neighbouring tiles of an adjacent difference need of each other, a thread for each two tiles.
#pragma once
#include <jig/agent/adjacent_difference/adjacent_difference.cuh>
#include <jig/core/count.cuh>

namespace jig {

template <class Policy, bool Left, class In, class Count>
__device__ void adjacent_difference_borders(const In &in, typename In::value_type *borders, uint64_t num_borders,
                                            Count num_items) {
  constexpr int tile_items = adjacent_difference_tile_items<Policy>;
  const uint64_t tile = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if constexpr (is_same<Count, DeviceCount>) num_borders = (max_of(uint64_t(num_items), uint64_t(1)) - 1) / tile_items;
  if (tile < num_borders) borders[tile] = in[(tile + 1) * tile_items - (Left ? 1 : 0)];
}

}  // namespace jig
