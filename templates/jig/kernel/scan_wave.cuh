// Device-wide scan in one launch of blocks that are all resident.
#pragma once
#include <jig/agent/scan_wave.cuh>
#include <jig/kernel/scan.cuh>

namespace jig {

template <class Policy, bool Inclusive, class Accum, class In, class Out, class Init, class Op>
__device__ void scan_wave(const In &in, const Out &out, const Init &init, Op op, uint64_t num_items, int rows,
                          WaveControl *control, uint64_t tag) {
  using Agent = AgentScanWave<Policy, Accum, In, Out, Op, Inclusive>;
  __shared__ typename Agent::TempStorage storage;
  ptx::wait_for_prerequisite_grids();
  Agent(storage, control, reinterpret_cast<WaveState<Accum> *>(control + 1), tag, op)
      .Scan(in, out, initial_value<Accum, Op, Inclusive>(init), num_items, rows);
}

}  // namespace jig
