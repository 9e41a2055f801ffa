// Histogram of a block by sorting: where a bin's run begins and ends in the sorted tile tells how many items it has.
#pragma once
#include <jig/block/radix_sort.cuh>

namespace jig {

// How many bits the numbers below `count` have.
__device__ constexpr int bits_below(int count) {
  int bits = 0;
  while (bits < 31 && (1 << bits) < count) ++bits;
  return bits;
}

template <class T, int N, int Bins, int DimX, int DimY, int DimZ> class BlockHistogramSort {
  static constexpr int threads = DimX * DimY * DimZ, tile_items = threads * N;
  // Bins are not negative: no more than these bits of them differ.
  static constexpr int bits = min_of(bits_below(Bins), int(sizeof(T)) * 8);
  using Sort = BlockRadixSort<T, DimX, N, none, 4, BlockRadixRankAlgorithm::basic, DimY, DimZ>;

 public:
  struct TempStorage {
    typename Sort::TempStorage sort;
    T last_items[threads];
    int begins[Bins], ends[Bins];
  };
  __device__ BlockHistogramSort(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  template <class Counter> __device__ void Histogram(const array<T, N> &items, Counter *counters) {
    count(items, [&](int bin, int found) { counters[bin] = Counter(found); });
  }
  template <class Counter> __device__ void Composite(const array<T, N> &items, Counter *counters) {
    count(items, [&](int bin, int found) { counters[bin] += Counter(found); });
  }

 private:
  template <class Note> __device__ void count(array<T, N> items, Note note) {
    for (int bin = thread_; bin < Bins; bin += threads) storage_.begins[bin] = storage_.ends[bin] = 0;
    Sort(storage_.sort).Sort(items, 0, bits);
    storage_.last_items[thread_] = items[N - 1];
    __syncthreads();
    find_runs(items);
    __syncthreads();
    for (int bin = thread_; bin < Bins; bin += threads) note(bin, storage_.ends[bin] - storage_.begins[bin]);
  }

  __device__ void find_runs(const array<T, N> &items) {
    T before = thread_ > 0 ? storage_.last_items[thread_ - 1] : items[0];
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (items[i] != before) {
        storage_.ends[before] = thread_ * N + i;
        storage_.begins[items[i]] = thread_ * N + i;
      }
      before = items[i];
    }
    if (thread_ == threads - 1) storage_.ends[before] = tile_items;
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
