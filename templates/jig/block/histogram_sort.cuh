// Histogram of a block in which the lanes of a warp that hold one bin find each other by ballots, and one of them
// counts them all: the same time whatever the items. Nothing is sorted, though that is the algorithm's name: nobody
// asks for the items' order.
#pragma once
#include <jig/block/bins.cuh>
#include <jig/core/ptx.cuh>
#include <jig/warp/match_digit.cuh>

namespace jig {

// How many bits the numbers below `count` have.
__device__ constexpr int bits_below(int count) {
  int bits = 0;
  while (bits < 31 && (1 << bits) < count) ++bits;
  return bits;
}

template <class T, int Bins, int Threads> class BlockHistogramSort {
  // Bins are not negative: no more than these bits of them differ.
  static constexpr int bits = min_of(bits_below(Bins), int(sizeof(T)) * 8);

 public:
  struct TempStorage {
    uint32_t found[Bins];
  };
  __device__ BlockHistogramSort(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  template <int N, class Counter> __device__ void Histogram(const array<T, N> &items, Counter *counters) {
    count(items);
    each_bin<Bins, Threads>(thread_, [&](int bin) { counters[bin] = Counter(storage_.found[bin]); });
  }
  template <int N, class Counter> __device__ void Composite(const array<T, N> &items, Counter *counters) {
    count(items);
    each_bin<Bins, Threads>(thread_, [&](int bin) { counters[bin] += Counter(storage_.found[bin]); });
  }

 private:
  template <int N> __device__ void count(const array<T, N> &items) {
    each_bin<Bins, Threads>(thread_, [&](int bin) { storage_.found[bin] = 0; });
    const int in_warp = min_of(Threads - thread_ / warp_threads * warp_threads, int(warp_threads));
    const uint32_t lanes = full_warp >> (warp_threads - in_warp);
    const uint32_t below = ptx::lanes_below();
    array<uint32_t, N> peers;
#pragma unroll
    for (int i = 0; i < N; ++i) peers[i] = match_digit<bits>(uint32_t(items[i]), lanes);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; ++i)
      if ((peers[i] & below) == 0) atomicAdd(&storage_.found[items[i]], __popc(peers[i]));
    __syncthreads();
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
