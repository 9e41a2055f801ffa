// Device-wide scan in one launch of a block for each multiprocessor.
#pragma once
#include <jig/agent/scan/scan_pipeline.cuh>
#include <jig/kernel/scan/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class Item, class Out, class Init, class Op,
          class Count>
__device__ void scan_pipeline(const Pointer<Item> &in, const Out &out, const Init &init, Op op, Count num_items,
                              PipelineControl *control, uint64_t tag) {
  using Work = ScanPipeline<Policy, Accum, Item, Out, Op, Inclusive>;
  using Agent = AgentPipeline<Work>;
  static_assert(Agent::threads == Policy::threads && sizeof(typename Agent::TempStorage) <= Policy::shared_bytes);
  extern __shared__ __align__(128) unsigned char storage[];
  ptx::wait_for_prerequisite_grids();
  const uint64_t count = num_items;
  if (has_none<Count>(count)) return;
  Work work(in, out, count, op);
  Agent(*reinterpret_cast<typename Agent::TempStorage *>(storage), control, tag, op)
      .Run(work, initial_value<Accum, Op, Inclusive>(init));
}

}  // namespace jig
