// A histogram, in one launch by itself, or after that of histogram_init().
#pragma once
#include <jig/agent/histogram/histogram.cuh>

namespace jig {

template <class Policy, int Channels, int Active, bool IsRange, class Counter, class Level, class In>
__device__ void histogram(const In &in, const HistogramCall &call) {
  using Agent = AgentHistogram<Policy, Channels, Active, IsRange, histogram_word<Counter>, Level, In>;
  extern __shared__ __align__(16) unsigned char storage[];
  Agent(in, call, ptx::kept_shared_address(storage)).Run();
}

}  // namespace jig
