// Reduce over the lanes of a logical warp of 1 .. 32 threads.
//
// A width that is a power of two splits the hardware warp into independent logical warps and works by
// shuffles: all 32 lanes call. Any other width is one logical warp, the first lanes of the hardware
// warp, and works through shared memory: those lanes call. Order is kept, so the operator only has to
// be associative. The result is defined in the first lane of each logical warp; of a segmented reduce, in the
// first lane of each segment.
//
// The default constructor is for widths that need no shared memory, the powers of two. Before TempStorage, one for
// each logical warp, is used again, __syncwarp() over the lanes that called.
#pragma once
#include <jig/core/operator.cuh>
#include <jig/thread/reduce.cuh>
#include <jig/warp/reduce_segmented.cuh>
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
  __device__ WarpReduce() : implementation_() {}
  __device__ explicit WarpReduce(TempStorage &storage) : implementation_(storage) {}

  template <class Op> __device__ T Reduce(T input, Op op) { return implementation_.Reduce(input, op); }

  // The first valid_items >= 1 lanes of the logical warp hold a value.
  template <class Op> __device__ T Reduce(T input, Op op, int valid_items) {
    return implementation_.Reduce(input, op, valid_items);
  }

  // Each lane's items, in blocked arrangement.
  template <int N, class Op> __device__ T Reduce(const array<T, N> &items, Op op) {
    return Reduce(thread_reduce<T>(items, op), op);
  }

  // A segment begins in each lane with a flag, and in the first one; or ends in each lane with a flag, and in the
  // last one.
  template <class Op> __device__ T HeadSegmentedReduce(T input, bool is_head, Op op) {
    return implementation_.ReduceTo(input, op, last_by_heads<LogicalThreads>(is_head));
  }
  template <class Op> __device__ T TailSegmentedReduce(T input, bool is_tail, Op op) {
    return implementation_.ReduceTo(input, op, last_by_tails<LogicalThreads>(is_tail));
  }

  __device__ T Sum(T input) { return Reduce(input, plus()); }
  __device__ T Sum(T input, int valid_items) { return Reduce(input, plus(), valid_items); }
  template <int N> __device__ T Sum(const array<T, N> &items) { return Reduce(items, plus()); }
  __device__ T HeadSegmentedSum(T input, bool is_head) { return HeadSegmentedReduce(input, is_head, plus()); }
  __device__ T TailSegmentedSum(T input, bool is_tail) { return TailSegmentedReduce(input, is_tail, plus()); }

  // Numbers: NaNs are passed over.
  __device__ T Max(T input) { return Reduce(input, maximum<false>()); }
  __device__ T Max(T input, int valid_items) { return Reduce(input, maximum<false>(), valid_items); }
  template <int N> __device__ T Max(const array<T, N> &items) { return Reduce(items, maximum<false>()); }
  __device__ T Min(T input) { return Reduce(input, minimum<false>()); }
  __device__ T Min(T input, int valid_items) { return Reduce(input, minimum<false>(), valid_items); }
  template <int N> __device__ T Min(const array<T, N> &items) { return Reduce(items, minimum<false>()); }

 private:
  Implementation implementation_;
};

}  // namespace jig
