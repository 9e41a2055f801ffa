// Puts aside what neighbouring tiles of an adjacent difference need of each other, a thread for each two tiles.
#pragma once
#include <jig/agent/adjacent_difference/adjacent_difference.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, bool Left, class In>
__device__ void adjacent_difference_borders(const In &in, typename In::value_type *borders, uint64_t num_borders) {
  constexpr int tile_items = adjacent_difference_tile_items<Policy>;
  const uint64_t tile = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (tile < num_borders) borders[tile] = in[(tile + 1) * tile_items - (Left ? 1 : 0)];
}

}  // namespace jig
