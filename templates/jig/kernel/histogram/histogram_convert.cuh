// Makes counts of the words that a histogram of counters of 1, 2, and 16 bytes has counted in.
#pragma once
#include <jig/agent/histogram/histogram_call.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, int Active, class Counter>
__device__ void histogram_convert(const HistogramConversion &call) {
  ptx::wait_for_prerequisite_grids();
#pragma unroll
  for (int c = 0; c < Active; ++c) {
    const auto *words = static_cast<const histogram_word<Counter> *>(call.words[c]);
    Counter *counts = static_cast<Counter *>(call.counts[c]);
    for (uint64_t i = uint64_t(blockIdx.x) * Policy::threads + threadIdx.x; i < call.bins[c];
         i += uint64_t(gridDim.x) * Policy::threads)
      counts[i] = static_cast<Counter>(words[i]);
  }
}

}  // namespace jig
