// Reduce over a logical warp of a power-of-two width, by shuffles. Every logical warp of a hardware
// warp reduces its own values; all 32 lanes take part. No shared memory.
//
// The barrier before the shuffles costs one instruction and saves many: a compiler in doubt whether the
// lanes are together emits every shuffle a second time, for lanes that come one by one.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/warp/reduce_redux.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

// The steps of large values are a loop: written out, those of 256 bytes took a minute to compile.
template <class T> struct steps_at_once {
  enum { value = sizeof(T) <= 64 ? 5 : 1 };
};

template <class T, int LogicalThreads> class WarpReduceShuffle {
 public:
  struct TempStorage {};
  WarpReduceShuffle() = default;
  __device__ explicit WarpReduceShuffle(TempStorage &) {}

  // Lanes too far up may combine with themselves; the first lane never meets what they make of it.
  template <class Op> __device__ T Reduce(T input, Op op) const {
    if constexpr (has_redux<T, Op> && LogicalThreads == warp_threads) {
      return warp_redux(input, op, full_warp);
    } else {
      __syncwarp();
#pragma unroll steps_at_once<T>::value
      for (int delta = 1; delta < LogicalThreads; delta *= 2) {
        T other = input;
        if (may_see<Op>(shuffle_down(other, delta, LogicalThreads, full_warp))) input = op(input, other);
      }
      return input;
    }
  }

  // Only the first valid_items lanes hold a value, or all if that is more; the operator never sees any other.
  template <class Op> __device__ T Reduce(T input, Op op, int valid_items) const {
    const int lane = ptx::lane_id() % LogicalThreads;
    if (!takes_any_bytes<Op>) valid_items = min_of(valid_items, LogicalThreads);
    __syncwarp();
#pragma unroll steps_at_once<T>::value
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      T other = input;
      shuffle_down(other, delta, LogicalThreads, full_warp);
      if (lane + delta < valid_items) input = op(input, other);
    }
    return input;
  }

  // Each lane's fold of the lanes up to `last`, which are a segment: all of them say the same.
  template <class Op> __device__ T ReduceTo(T input, Op op, int last) const {
    __syncwarp();
#pragma unroll steps_at_once<T>::value
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      if constexpr (is_same<Op, plus> && is_any_of<T, int32_t, uint32_t, float>) {
        using Word = conditional<is_same<T, float>, float, uint32_t>;
        input = T(ptx::shuffle_down_add(Word(input), delta, LogicalThreads, full_warp, last));
      } else {
        T other = input;
        if (shuffle_down(other, delta, LogicalThreads, full_warp, last)) input = op(input, other);
      }
    }
    return input;
  }
};

}  // namespace jig
