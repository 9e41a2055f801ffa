// The first launch of a merge sort: a tile for each block. Of few items there is one tile, and that is all.
#pragma once
#include <jig/agent/merge_sort/merge_sort_block.cuh>
#include <jig/kernel/merge_sort/merge_sort.cuh>

namespace jig {

template <class Policy, bool Counted, class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Op>
__device__ void merge_sort_block(const KeysIn &keys_in, const ValuesIn &values_in, const KeysOut &keys_out,
                                 const ValuesOut &values_out, const Op &op, const MergeSortPart &part) {
  using Records = SortRecords<KeysIn, ValuesIn, KeysOut, ValuesOut>;
  const Records records = {keys_in, values_in, keys_out, values_out};
  using Less = RecordLess<Records, less_of<Op>>;
  using Agent = AgentMergeSortBlock<Policy, Records, Less>;
  run_merge_sort<Agent, Policy::shared_bytes>(records, Less{less_of_op<Op>::of(op)}, part, [&](Agent &agent) {
    if (Counted && blockIdx.x * uint64_t(Agent::tile_items) >= part.num_items) return;
    agent.Run(blockIdx.x);
  });
}

}  // namespace jig
