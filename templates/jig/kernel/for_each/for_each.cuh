// Calls an operator for each item, in one launch of a block for each tile.
#pragma once
#include <jig/agent/for_each/for_each.cuh>

namespace jig {

template <class Policy, bool Copies, class In, class Op>
__device__ void for_each(const In &in, const Op &op, uint64_t num_items, uint32_t block_items) {
  using Agent = conditional<Copies, AgentForEachCopy<Policy, In, Op>, AgentForEach<Policy, In, Op>>;
  const uint64_t first = uint64_t(blockIdx.x) * block_items;
  Agent(in, op).Run(first, min_of(first + block_items, num_items));
}

}  // namespace jig
