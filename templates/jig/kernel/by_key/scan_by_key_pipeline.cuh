// Device-wide scan by key in one launch of a block for each multiprocessor.
#pragma once
#include <jig/agent/by_key/scan_by_key_pipeline.cuh>
#include <jig/agent/chain/pipeline.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class Key, class Value, class Out, class Init, class Op,
          class Equality, class Count>
__device__ void scan_by_key_pipeline(const Pointer<Key> &keys, const Pointer<Value> &in, const Out &out,
                                     const Init &init, Op op, const Equality &equality, Count num_items,
                                     PipelineControl *control, uint64_t tag) {
  using Work = ScanByKeyPipeline<Policy, Accum, Key, Value, Out, Init, Op, Equality, Inclusive>;
  using Agent = AgentPipeline<Work>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  if (has_none<Count>(count)) return;
  Work work(keys, in, out, init, op, equality, count);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), control, tag, {op}).Run(work, {});
}

}  // namespace jig
