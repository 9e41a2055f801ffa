// Before a pass of a merge sort that merges runs by four: where its tiles begin.
#pragma once
#include <jig/agent/merge_sort/merge_sort_split.cuh>
#include <jig/kernel/merge_sort/merge_sort.cuh>

namespace jig {

template <class Policy, bool Counted, bool Apart, class KeysIn, class ValuesIn, class KeysOut, class ValuesOut,
          class Op>
__device__ void merge_sort_split(const KeysIn &keys_in, const ValuesIn &values_in, const KeysOut &keys_out,
                                 const ValuesOut &values_out, const Op &op, const MergeSortPart &part) {
  using Records = SortRecords<KeysIn, ValuesIn, KeysOut, ValuesOut>;
  const Records records = {keys_in, values_in, keys_out, values_out};
  using Less = RecordLess<Records, less_of<Op>>;
  using Agent = AgentMergeSortSplit<Policy, Records, Less, Apart>;
  const uint64_t search = uint64_t(blockIdx.x) * (Policy::threads / warp_threads) + threadIdx.x / warp_threads;
  run_merge_sort<Agent, Policy::shared_bytes>(
      records, Less{less_of_op<Op>::of(op)}, part,
      [&](Agent &agent) { agent.Run(search); });
}

}  // namespace jig
