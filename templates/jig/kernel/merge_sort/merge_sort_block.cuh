// The first launch of a merge sort: a tile for each block. Of few items there is one tile, and that is all.
#pragma once
#include <jig/agent/merge_sort/merge_sort_block.cuh>
#include <jig/kernel/merge_sort/merge_sort.cuh>

namespace jig {

template <class Policy, class Records, class Op>
__device__ void merge_sort_block(const Records &records, const Op &op, const MergeSortPart &part) {
  using Less = RecordLess<Records, less_of<Op>>;
  using Agent = AgentMergeSortBlock<Policy, Records, Less>;
  run_merge_sort<Agent, Policy::shared_bytes>(records, Less{less_of_op<Op>::of(op)}, part,
                                              [](Agent &agent) { agent.Run(blockIdx.x); });
}

}  // namespace jig
