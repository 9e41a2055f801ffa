// Clears the counts of a histogram. The next launch counts meanwhile, and waits before it adds to them.
#pragma once
#include <jig/agent/histogram/histogram_call.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, int Active, class Counter> __device__ void histogram_init(const HistogramCall &call) {
  // First of all: what the next launch reads before it waits is there when this has waited.
  ptx::wait_for_prerequisite_grids();
  ptx::launch_dependent_grids();
#pragma unroll
  for (int c = 0; c < Active; ++c) {
    using Word = histogram_word<Counter>;
    Word *counts = static_cast<Word *>(call.channels[c].counts);
    for (uint64_t i = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x; i < call.channels[c].bins;
         i += uint64_t(gridDim.x) * Policy::threads)
      counts[i] = 0;
  }
}

}  // namespace jig
