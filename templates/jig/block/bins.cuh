// The bins of a block's histogram, shared out among its threads.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Calls f(bin) for this thread's bins. Of a few there is no loop.
template <int Bins, int Threads, class F> __device__ void each_bin(int thread, F f) {
  constexpr int rounds = (Bins + Threads - 1) / Threads;
#pragma unroll (rounds <= 8 ? rounds : 1)
  for (int r = 0; r < rounds; ++r) {
    const int bin = r * Threads + thread;
    if (bin < Bins) f(bin);
  }
}

}  // namespace jig
