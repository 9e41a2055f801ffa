// Device-wide reduce by key in one launch of a block for each multiprocessor.
#pragma once
#include <jig/agent/by_key/reduce_by_key_pipeline.cuh>
#include <jig/agent/chain/pipeline.cuh>

namespace jig {

template <class Policy, class Accum, class Key, class Unique, class Value, class Aggregates, class NumRuns, class Op,
          class Equality, class Count>
__device__ void reduce_by_key_pipeline(const Pointer<Key> &keys, const Unique &unique, const Pointer<Value> &values,
                                       const Aggregates &aggregates, const NumRuns &num_runs, Op op,
                                       const Equality &equality, Count num_items, PipelineControl *control,
                                       uint64_t tag) {
  using Work = ReduceByKeyPipeline<Policy, Accum, Key, Unique, Value, Aggregates, NumRuns, Op, Equality>;
  using Agent = AgentPipeline<Work>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  if (has_none<Count>(count)) return store_zeros(num_runs);
  const typename Work::Places places = {keys, unique, values, aggregates, num_runs, count};
  Work work(places, op, equality);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), control, tag, {op}).Run(work, {});
}

}  // namespace jig
