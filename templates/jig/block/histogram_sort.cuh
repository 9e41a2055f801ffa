// Histogram of a block by sorting: where a bin's run begins and ends in the sorted tile tells how many items it has.
#pragma once
#include <jig/block/discontinuity.cuh>
#include <jig/block/radix_sort.cuh>

namespace jig {

// How many bits the numbers below `count` have.
__device__ constexpr int bits_below(int count) {
  int bits = 0;
  while (bits < 31 && (1 << bits) < count) ++bits;
  return bits;
}

template <class T, int N, int Bins, int DimX, int DimY, int DimZ> class BlockHistogramSort {
  static constexpr int threads = DimX * DimY * DimZ;
  // Bins are not negative: no more than these bits of them differ.
  static constexpr int bits = min_of(bits_below(Bins), int(sizeof(T)) * 8);
  using Sort = BlockRadixSort<T, DimX, N, none, 4, BlockRadixRankAlgorithm::basic, DimY, DimZ>;
  using Flags = BlockDiscontinuity<T, DimX, DimY, DimZ>;

 public:
  struct TempStorage {
    union {
      typename Sort::TempStorage sort;
      struct {
        typename Flags::TempStorage flags;
        int begins[Bins], ends[Bins];
      };
    };
  };
  __device__ explicit BlockHistogramSort(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  template <class Counter> __device__ void Composite(array<T, N> items, Counter *counters) {
    Sort(storage_.sort).Sort(items, 0, bits);  // ends with a barrier
    for (int bin = thread_; bin < Bins; bin += threads) storage_.begins[bin] = storage_.ends[bin] = 0;
    array<bool, N> heads, tails;
    Flags(storage_.flags).FlagHeadsAndTails(heads, tails, items, [](T a, T b) { return a != b; });  // with a barrier
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (heads[i]) storage_.begins[items[i]] = thread_ * N + i;
      if (tails[i]) storage_.ends[items[i]] = thread_ * N + i + 1;
    }
    __syncthreads();
    for (int bin = thread_; bin < Bins; bin += threads)
      counters[bin] += Counter(storage_.ends[bin] - storage_.begins[bin]);
  }

 private:
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
