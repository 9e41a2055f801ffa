// Device-wide run-length encoding, and finding runs of two keys and more, in one launch of a block for each
// multiprocessor.
#pragma once
#include <jig/agent/by_key/run_length_pipeline.cuh>
#include <jig/agent/chain/pipeline.cuh>

namespace jig {

template <class Policy, bool NonTrivial, class Key, class First, class Lengths, class NumRuns, class Equality,
          class Count>
__device__ void run_length_pipeline(const Pointer<Key> &keys, const First &first, const Lengths &lengths,
                                    const NumRuns &num_runs, const Equality &equality, Count num_items,
                                    PipelineControl *control, uint64_t tag) {
  using Work = RunLengthPipeline<Policy, NonTrivial, Key, First, Lengths, NumRuns, Equality>;
  using Agent = AgentPipeline<Work>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  __shared__ typename Work::Sorted sorted;
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  if (has_none<Count>(count)) return store_zeros(num_runs);
  const typename Work::Places places = {keys, first, lengths, num_runs, count};
  Work work(sorted, places, equality);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), control, tag, {}).Run(work, {});
}

}  // namespace jig
