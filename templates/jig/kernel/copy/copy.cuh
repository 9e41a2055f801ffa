// Device-wide copy from one iterator to another, in one launch of a block for each tile.
#pragma once
#include <jig/agent/copy/copy.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, class In, class Out>
__device__ void copy(const In &in, const Out &out, uint64_t num_items) {
  using Agent = AgentCopy<Policy, In, Out>;
  const uint64_t first = uint64_t(blockIdx.x) * Agent::tile_items;
  ptx::wait_for_prerequisite_grids();
  Agent(in, out).Run(first, min_of(first + Agent::tile_items, num_items));
}

}  // namespace jig
