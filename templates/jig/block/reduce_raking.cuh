// Block reduce by raking: all values go to shared memory, and the first warp folds them, each lane its
// own contiguous segment and then the lanes together. One barrier, one value of shared memory per
// thread, few shuffles. Order is kept.
#pragma once
#include <jig/warp/reduce.cuh>

namespace jig {

template <class T, int Threads> class BlockReduceRaking {
  static constexpr int segment = ceil_div(Threads, warp_threads);
  // An odd distance between the lanes' segments keeps them in different banks.
  static constexpr int stride = segment | 1;

 public:
  struct TempStorage {
    uninitialized<T, warp_threads * stride> values;
  };
  __device__ BlockReduceRaking(TempStorage &storage, unsigned thread) : storage_(storage), thread_(thread) {}

  template <class Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, Threads); }

  template <class Op> __device__ T Reduce(T input, Op op, int valid_threads) {
    if (thread_ < valid_threads) {
      storage_.values[thread_ / segment * stride + thread_ % segment] = input;
    }
    __syncthreads();
    if (thread_ < warp_threads) {
      int held = valid_threads - thread_ * segment;
      if (held > 0) input = storage_.values[thread_ * stride];
#pragma unroll
      for (int i = 1; i < segment; ++i) {
        if (i < held) input = op(input, storage_.values[thread_ * stride + i]);
      }
      typename WarpReduceShuffle<T, warp_threads>::TempStorage none;
      WarpReduceShuffle<T, warp_threads> warp(none);
      input = warp.Reduce(input, op, ceil_div(valid_threads, segment));
    }
    return input;
  }

 private:
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
