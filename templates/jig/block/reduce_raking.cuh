// Block reduce by raking: all values go to shared memory, and the first warp folds them, each lane its
// own contiguous segment and then the lanes together. One barrier, one value of shared memory per
// thread, few shuffles. Order is kept.
#pragma once
#include <jig/core/uniform.cuh>
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
  // Addresses are kept: the compiler would compute the first warp's behind the barrier, while all others wait.
  __device__ BlockReduceRaking(TempStorage &storage, unsigned thread)
      : thread_(thread),
        own_(ptx::kept_shared_address(&storage.values[thread / segment * stride + thread % segment])),
        segment_(ptx::kept_shared_address(&storage.values) + thread * (stride * int(sizeof(T)))) {}

  template <class Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, Threads); }

  template <class Op> __device__ T Reduce(T input, Op op, int valid_threads) {
    if (valid_threads == Threads || thread_ < valid_threads) {
      ptx::shared_at<T>(own_) = input;
    }
    __syncthreads();
    if (is_in_first_warp<Threads>(thread_)) {
      const int held = valid_threads - thread_ * segment;
      if (is_whole(valid_threads) || held > 0) input = at(0);
#pragma unroll
      for (int i = 1; i < segment; ++i) {
        if (is_whole(valid_threads) || i < held) input = op(input, at(i));
      }
      const WarpReduceShuffle<T, warp_threads> warp{};
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

  // The i-th value of this lane's segment.
  __device__ T at(int i) const { return ptx::shared_at<T>(segment_ + i * int(sizeof(T))); }

  int thread_;
  uint32_t own_, segment_;
};

}  // namespace jig
