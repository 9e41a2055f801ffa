// Device-wide transform from one iterator, whose operator computes, to another, in one launch of a block for each tile.
#pragma once
#include <jig/agent/copy/copy.cuh>
#include <jig/agent/transform/transform_if.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Agent> __device__ void transform_tile(const Agent &agent, uint64_t num_items) {
  const uint64_t first = uint64_t(blockIdx.x) * Agent::tile_items;
  ptx::wait_for_prerequisite_grids();
  agent.Run(first, min_of(first + Agent::tile_items, num_items));
}

template <class Policy, class In, class Stencil, class Out>
__device__ void transform(const In &in, const Stencil &stencil, const Out &out, uint64_t num_items) {
  if constexpr (is_same<Stencil, none>) transform_tile(AgentCopy<Policy, In, Out>(in, out), num_items);
  else transform_tile(AgentTransformIf<Policy, In, Stencil, Out>(in, stencil, out), num_items);
}

}  // namespace jig
