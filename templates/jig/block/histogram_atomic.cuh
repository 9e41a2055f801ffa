// Histogram of a block by an atomic addition for each item.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> class BlockHistogramAtomic {
 public:
  struct TempStorage {};
  __device__ explicit BlockHistogramAtomic(TempStorage &) {}

  template <int N, class Counter> __device__ void Composite(const array<T, N> &items, Counter *counters) {
#pragma unroll
    for (int i = 0; i < N; ++i) atomicAdd(counters + items[i], Counter(1));
  }
};

}  // namespace jig
