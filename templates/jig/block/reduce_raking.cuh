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
    if (valid_threads == Threads || thread_ < valid_threads) {
      storage_.values[thread_ / segment * stride + thread_ % segment] = input;
    }
    __syncthreads();
    if (thread_ < warp_threads) {
      int held = valid_threads - thread_ * segment;
      if (held > 0) input = storage_.values[thread_ * stride];
#pragma unroll
      for (int i = 1; i < segment; ++i) {
        if (is_whole(valid_threads) || i < held) input = op(input, storage_.values[thread_ * stride + i]);
      }
      const WarpReduceShuffle<T, warp_threads> warp;
      if (is_whole(valid_threads)) input = warp.Reduce(input, op);
      else input = warp.Reduce(input, op, ceil_div(valid_threads, segment));
    }
    return input;
  }

 private:
  // Whether every lane has a whole segment, which is known when this is compiled unless some threads have no value.
  static __device__ bool is_whole(int valid_threads) {
    return Threads == warp_threads * segment && valid_threads == Threads;
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
