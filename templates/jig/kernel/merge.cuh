// Device-wide merge of two inputs; and before that of many items, where the tiles of the output begin.
#pragma once
#include <jig/agent/merge.cuh>
#include <jig/core/policy.cuh>

namespace jig {

template <class Policy, class Records, class Op>
__device__ void merge_block(const Records &records, const Op &op, const MergeCall &call) {
  using Less = RecordLess<Records, less_of<Op>>;
  using Agent = AgentMerge<Policy, Records, Less>;
  static_assert(sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(1024) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), records, Less{less_of_op<Op>::of(op)})
      .Run(blockIdx.x, call.splits);
}

// A thread for each tile but the first; or a warp, which is faster for few of them.
template <class Policy, class Records, class Op>
__device__ void merge_split(const Records &records, const Op &op, const MergeCall &call) {
  const uint64_t thread = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x;
  const uint64_t first = (call.by_warps ? thread / warp_threads : thread) + 1;
  const uint64_t rank = first * call.tile_items;
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
  if (rank >= records.first_count + records.second_count) return;
  const RecordLess<Records, less_of<Op>> less = {less_of_op<Op>::of(op)};
  const FirstRun<Records> a = {records};
  const SecondRun<Records> b = {records};
  if (!call.by_warps) call.splits[first] = merge_path(a, records.first_count, b, records.second_count, rank, less);
  else {
    const uint64_t split = warp_merge_path(a, records.first_count, b, records.second_count, rank, less);
    if (threadIdx.x % warp_threads == 0) call.splits[first] = split;
  }
}

}  // namespace jig
