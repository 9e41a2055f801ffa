// Histogram of a block by an atomic addition for each item.
#pragma once
#include <jig/block/bins.cuh>

namespace jig {

template <class T, int Bins, int Threads> class BlockHistogramAtomic {
 public:
  struct TempStorage {};
  __device__ BlockHistogramAtomic(TempStorage &, int thread) : thread_(thread) {}

  template <int N, class Counter> __device__ void Histogram(const array<T, N> &items, Counter *counters) {
    each_bin<Bins, Threads>(thread_, [&](int bin) { counters[bin] = Counter(0); });
    __syncthreads();
    Composite(items, counters);
  }

  template <int N, class Counter> __device__ void Composite(const array<T, N> &items, Counter *counters) {
#pragma unroll
    for (int i = 0; i < N; ++i) atomicAdd(counters + items[i], Counter(1));
  }

 private:
  int thread_;
};

}  // namespace jig
