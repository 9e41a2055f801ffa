// The last launch of a merge sort of items that are too large for registers: moves them to where they belong, once
// their places are in order.
#pragma once
#include <jig/agent/merge_sort/merge_sort.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, bool, class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Op>
__device__ void merge_sort_gather(const KeysIn &keys_in, const ValuesIn &values_in, const KeysOut &keys_out,
                                  const ValuesOut &values_out, const Op &, const MergeSortPart &part) {
  using Records = SortRecords<KeysIn, ValuesIn, KeysOut, ValuesOut>;
  const Records records = {keys_in, values_in, keys_out, values_out};
  const auto *sorted = static_cast<const typename Records::Record *>(part.from);
  ptx::wait_for_prerequisite_grids();
  records.template Gather<Policy::threads>(sorted, part.num_items, part.copies);
}

}  // namespace jig
