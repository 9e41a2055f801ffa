// Block reduce for commutative operators: the threads past the first warp leave their values in shared
// memory, each lane of the first warp folds the ones a whole number of warps above its own, and the
// lanes are folded together. One barrier, and a warp's values less of shared memory than raking. The
// order of the operands is not kept.
#pragma once
#include <jig/core/uniform.cuh>
#include <jig/warp/reduce.cuh>

namespace jig {

template <class T, int Threads> class BlockReduceRakingCommutativeOnly {
 public:
  struct TempStorage {
    uninitialized<T, max_of(Threads - warp_threads, 1)> values;
  };
  __device__ BlockReduceRakingCommutativeOnly(TempStorage &storage, unsigned thread)
      : thread_(thread), values_(ptx::kept_shared_address(&storage.values) + thread * int(sizeof(T))) {}

  template <class Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, Threads); }

  template <class Op> __device__ T Reduce(T input, Op op, int valid_threads) {
    if (thread_ >= warp_threads && thread_ < valid_threads) {
      at(0) = input;
    }
    __syncthreads();
    if (is_in_first_warp<Threads>(thread_)) {
#pragma unroll
      for (int other = warp_threads; other < Threads; other += warp_threads) {
        if (is_whole(valid_threads) || thread_ + other < valid_threads) {
          input = op(input, at(other));
        }
      }
      const WarpReduceShuffle<T, warp_threads> warp{};
      if (is_whole(valid_threads)) input = warp.Reduce(input, op);
      else input = warp.Reduce(input, op, min_of(valid_threads, warp_threads));
    }
    return input;
  }

 private:
  // Known when this is compiled unless some threads have no value.
  static __device__ bool is_whole(int valid_threads) {
    return Threads % warp_threads == 0 && valid_threads == Threads;
  }

  // The value of the thread that comes so many behind.
  __device__ T &at(int other) const { return ptx::shared_at<T>(values_ + (other - warp_threads) * int(sizeof(T))); }

  int thread_;
  uint32_t values_;  // kept, as in raking
};

}  // namespace jig
