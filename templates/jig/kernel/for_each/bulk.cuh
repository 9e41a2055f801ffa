// Calls an operator for each index, in one launch of a block for each tile.
#pragma once
#include <jig/agent/for_each/bulk.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, int Rank, class Op>
__device__ void bulk(const Op &op, uint64_t num_items, const Extents &extents) {
  using Agent = AgentBulk<Policy, Rank, Op>;
  const uint64_t first = uint64_t(blockIdx.x) * Agent::tile_items;
  ptx::wait_for_prerequisite_grids();
  Agent(op, extents).Run(first, min_of(first + Agent::tile_items, num_items), num_items);
}

}  // namespace jig
