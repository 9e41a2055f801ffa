// Device-wide merge of two inputs; and before that of many items, where the tiles of the output begin.
#pragma once
#include <jig/agent/merge/merge.cuh>
#include <jig/agent/merge/merge_words.cuh>
#include <jig/core/count.cuh>

namespace jig {

template <class Policy, class FirstKeys, class FirstValues, class SecondKeys, class SecondValues, class Keys,
          class Values, class Op, class FirstCount, class SecondCount>
__device__ void merge_block(const FirstKeys &first_keys, const FirstValues &first_values,
                            const SecondKeys &second_keys, const SecondValues &second_values, const Keys &keys,
                            const Values &values, const Op &op, FirstCount first_num_items,
                            SecondCount second_num_items, const uint64_t *splits, uint32_t) {
  using Records = MergeRecords<FirstKeys, FirstValues, SecondKeys, SecondValues, Keys, Values>;
  using Less = RecordLess<Records, less_of<Op>>;
  constexpr bool by_words = Policy::has_splits && are_narrow_keys<Records>;
  using Agent = conditional<by_words, AgentMergeWords<Policy, Records, Less>, AgentMerge<Policy, Records, Less>>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  const uint64_t first_count = first_num_items, second_count = second_num_items;
  using Count = either_count<FirstCount, SecondCount>;
  if (has_none<Count>(first_count + second_count)) return;
  if (!ActiveBlocks<Count>(first_count + second_count, Agent::tile_items).has_this()) return;
  const Records records = {first_keys, first_values, second_keys, second_values,
                           keys,       values,       first_count, second_count};
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), records, Less{less_of_op<Op>::of(op)})
      .Run(blockIdx.x, splits);
}

// A thread for each tile, and one for the end.
template <class Policy, class FirstKeys, class FirstValues, class SecondKeys, class SecondValues, class Keys,
          class Values, class Op>
__device__ void merge_split(const FirstKeys &first_keys, const FirstValues &first_values,
                            const SecondKeys &second_keys, const SecondValues &second_values, const Keys &keys,
                            const Values &values, const Op &op, uint64_t first_count, uint64_t second_count,
                            uint64_t *splits, uint32_t tile_items) {
  using Records = MergeRecords<FirstKeys, FirstValues, SecondKeys, SecondValues, Keys, Values>;
  const Records records = {first_keys, first_values, second_keys, second_values,
                           keys,       values,       first_count, second_count};
  const uint64_t tile = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x;
  const uint64_t items = records.first_count + records.second_count;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (tile > 0 && (tile - 1) * tile_items >= items) return;
  const RecordLess<Records, less_of<Op>> less = {less_of_op<Op>::of(op)};
  splits[tile] = merge_path(FirstRun<Records>{records}, records.first_count, SecondRun<Records>{records},
                            records.second_count, min_of(tile * tile_items, items), less);
}

}  // namespace jig
