// A pass of a merge sort that merges runs by four.
#pragma once
#include <jig/agent/merge_sort/merge_sort_merge4.cuh>
#include <jig/kernel/merge_sort/merge_sort.cuh>

namespace jig {

template <class Policy, bool Counted, bool Apart, class KeysIn, class ValuesIn, class KeysOut, class ValuesOut,
          class Op>
__device__ void merge_sort_merge4(const KeysIn &keys_in, const ValuesIn &values_in, const KeysOut &keys_out,
                                  const ValuesOut &values_out, const Op &op, const MergeSortPart &part) {
  using Records = SortRecords<KeysIn, ValuesIn, KeysOut, ValuesOut>;
  const Records records = {keys_in, values_in, keys_out, values_out};
  using Less = RecordLess<Records, less_of<Op>>;
  using Agent = AgentMergeSortMerge4<Policy, Records, Less, Apart>;
  const uint32_t tiles = uint32_t(part.tiles), group = blockIdx.x / tiles;
  run_merge_sort<Agent, Policy::shared_bytes>(
      records, Less{less_of_op<Op>::of(op)}, part,
      [&](Agent &agent) {
        if (Counted && group * merged_runs * part.run >= part.num_items) return;
        agent.Run(group, blockIdx.x - group * tiles);
      });
}

}  // namespace jig
