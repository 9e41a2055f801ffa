// Counts the items of a block by their value, a bin: integers from 0 to Bins - 1.
//
//   sort    sorts out which lanes hold the same bin, and counts them at once; the same time whatever the items
//   atomic  an atomic addition for each item; less time if many bins are hit
//
// Counters are in shared or global memory, Bins of any type of number that atomicAdd() takes; with `sort`, of any
// integer type. Histogram() writes them, Composite() adds to what they hold. Both end before the counters may be
// read: that takes a __syncthreads(), and so does what has set counters in shared memory before Composite().
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own, none with `atomic`; the other one the caller's, which may be used again
// after a __syncthreads().
#pragma once
#include <jig/block/histogram_atomic.cuh>
#include <jig/block/histogram_sort.cuh>
#include <jig/block/thread_id.cuh>

namespace jig {

enum class BlockHistogramAlgorithm { sort, atomic };

template <class T, int DimX, int ItemsPerThread, int Bins,
          BlockHistogramAlgorithm Algorithm = BlockHistogramAlgorithm::sort, int DimY = 1, int DimZ = 1>
class BlockHistogram {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockHistogram: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockHistogram: a thread has one item or more");
  static_assert(Bins >= 1, "BlockHistogram: there is one bin or more");
  static_assert(is_integer<T>, "BlockHistogram: bins are integers");
  using Implementation =
      conditional<Algorithm == BlockHistogramAlgorithm::sort,
                  BlockHistogramSort<T, Bins, threads>,
                  BlockHistogramAtomic<T, Bins, threads>>;
  using Items = array<T, ItemsPerThread>;

 public:
  using TempStorage = typename Implementation::TempStorage;

  __device__ BlockHistogram() : BlockHistogram(private_storage()) {}
  __device__ explicit BlockHistogram(TempStorage &storage)
      : implementation_(storage, linear_thread_id<DimX, DimY, DimZ>()),
        thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // Zeros; to be followed by a barrier.
  template <class Counter> __device__ void InitHistogram(Counter *counters) {
    each_bin<Bins, threads>(thread_, [&](int bin) { counters[bin] = Counter(0); });
  }

  template <class Counter> __device__ void Histogram(const Items &items, Counter *counters) {
    implementation_.Histogram(items, counters);
  }

  template <class Counter> __device__ void Composite(const Items &items, Counter *counters) {
    implementation_.Composite(items, counters);
  }

 private:
  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  Implementation implementation_;
  int thread_;
};

}  // namespace jig
