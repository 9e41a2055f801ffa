// Device-wide transform from one iterator, whose operator computes, to another, in one launch of a block for each tile,
// or for each step of it.
#pragma once
#include <jig/agent/copy/copy.cuh>
#include <jig/agent/transform/transform_if.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, class In, class Stencil, class Out>
__device__ void transform(const In &in, const Stencil &stencil, const Out &out, uint64_t num_items,
                          uint32_t block_items) {
  if constexpr (is_same<Stencil, none>) {
    using Agent = AgentCopy<Policy, In, Out>;
    block_items = Agent::items_of_block(block_items);
    Agent(in, out).Run(uint64_t(blockIdx.x) * block_items, block_items, num_items);
  } else {
    using Agent = AgentTransformIf<Policy, In, Stencil, Out>;
    const uint64_t first = uint64_t(blockIdx.x) * Agent::tile_items;
    ptx::wait_for_prerequisite_grids();
    Agent(in, stencil, out).Run(first, min_of(first + Agent::tile_items, num_items));
  }
}

}  // namespace jig
