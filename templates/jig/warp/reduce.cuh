// Reduce over the lanes of a logical warp of 1 .. 32 threads.
//
// A width that is a power of two splits the hardware warp into independent logical warps and works by
// shuffles: all 32 lanes call. Any other width is one logical warp, the first lanes of the hardware
// warp, and works through shared memory: those lanes call. Order is kept, so the operator only has to
// be associative. The result is defined in the first lane of each logical warp. Before TempStorage is
// used again, __syncwarp() over the lanes that called.
#pragma once
#include <jig/core/operator.cuh>
#include <jig/warp/reduce_shared.cuh>
#include <jig/warp/reduce_shuffle.cuh>

namespace jig {

template <class T, int LogicalThreads = warp_threads> class WarpReduce {
  static_assert(LogicalThreads >= 1 && LogicalThreads <= warp_threads,
                "WarpReduce: a logical warp has 1 to 32 threads");
  using Implementation = conditional<is_power_of_two(LogicalThreads),
                                     WarpReduceShuffle<T, LogicalThreads>,
                                     WarpReduceShared<T, LogicalThreads>>;

 public:
  using TempStorage = typename Implementation::TempStorage;
  __device__ explicit WarpReduce(TempStorage &storage) : implementation_(storage) {}

  template <class Op> __device__ T Reduce(T input, Op op) { return implementation_.Reduce(input, op); }

  // The first valid_items >= 1 lanes of the logical warp hold a value.
  template <class Op> __device__ T Reduce(T input, Op op, int valid_items) {
    return implementation_.Reduce(input, op, valid_items);
  }

  __device__ T Sum(T input) { return Reduce(input, plus()); }
  __device__ T Sum(T input, int valid_items) { return Reduce(input, plus(), valid_items); }

 private:
  Implementation implementation_;
};

}  // namespace jig
