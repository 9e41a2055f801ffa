// Device-wide scan in one launch, a block for each tile.
#pragma once
#include <jig/agent/scan_lookback.cuh>
#include <jig/kernel/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Init, class Op>
__device__ void scan_lookback(const In &in, const Out &out, const Init &init, Op op, uint64_t num_items,
                              GroupState<Accum> *groups, Tagged<Accum> *tiles, uint64_t tag) {
  using Agent = AgentScanLookback<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Agent(storage, tiles, groups, tag, op).Scan(in, out, initial_value<Accum, Op, Inclusive>(init), num_items);
}

}  // namespace jig
