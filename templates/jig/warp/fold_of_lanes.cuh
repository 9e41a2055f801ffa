// The fold of every lane's value, in every lane.
#pragma once
#include <jig/warp/reduce_redux.cuh>

namespace jig {

// Of numbers, by an operator that does not mind their order. All lanes of the warp take part.
template <class T, class Op> __device__ T fold_of_lanes(T value, Op op) {
  if constexpr (has_redux<T, Op>) {
    return warp_redux(value, op, full_warp);
  } else {
#pragma unroll
    for (int delta = warp_threads / 2; delta > 0; delta /= 2)
      value = op(value, __shfl_xor_sync(full_warp, value, delta));
    return value;
  }
}

}  // namespace jig
