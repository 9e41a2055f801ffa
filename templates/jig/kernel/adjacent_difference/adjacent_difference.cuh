// Device-wide adjacent difference, in one launch of a block for each tile, or for each step of it.
#pragma once
#include <jig/agent/adjacent_difference/adjacent_difference.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

// borders, which are there only where the result may lie where the input does, are what
// adjacent_difference_borders() made of all but the last block.
template <class Policy, bool Left, class In, class Out, class Op>
__device__ void adjacent_difference(const In &in, const Out &out, const Op &op, uint64_t num_items,
                                    const typename In::value_type *borders, int in_place, uint32_t block_items) {
  using Given = difference_of_op<Op>;
  const typename Given::type &difference = Given::of(op);
  ptx::wait_for_prerequisite_grids();
  AgentAdjacentDifference<Policy, Left, In, Out, typename Given::type>(in, out, difference, num_items, borders,
                                                                           block_items)
      .Run(in_place != 0);
}

}  // namespace jig
