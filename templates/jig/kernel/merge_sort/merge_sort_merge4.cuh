// A pass of a merge sort that merges runs by four.
#pragma once
#include <jig/agent/merge_sort/merge_sort_merge4.cuh>
#include <jig/kernel/merge_sort/merge_sort.cuh>

namespace jig {

template <class Policy, class Records, class Op>
__device__ void merge_sort_merge4(const Records &records, const Op &op, const MergeSortPart &part) {
  using Less = RecordLess<Records, less_of<Op>>;
  using Agent = AgentMergeSortMerge4<Policy, Records, Less>;
  const uint32_t tiles = uint32_t(part.tiles), group = blockIdx.x / tiles;
  run_merge_sort<Agent, Policy::shared_bytes>(
      records, Less{less_of_op<Op>::of(op)}, part,
      [&](Agent &agent) { agent.Run(group, blockIdx.x - group * tiles); });
}

}  // namespace jig
