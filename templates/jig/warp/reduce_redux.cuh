// The warp's own reduction unit (redux.sync): one instruction folds 32-bit integers over the lanes.
#pragma once
#include <jig/core/operator.cuh>

namespace jig {

template <class T, class Op>
constexpr bool has_redux =
#if __CUDA_ARCH__ >= 800
    is_any_of<T, int32_t, uint32_t> && (is_any_of<Op, plus, bit_and, bit_or, bit_xor> ||
                                        is_minimum<Op> || is_maximum<Op>);
#else
    false;
#endif

// The fold of x over the lanes of member_mask, in every one of them.
template <class T, class Op> __device__ T warp_redux(T x, Op, uint32_t member_mask) {
#if __CUDA_ARCH__ >= 800
  if constexpr (is_same<Op, plus>) return T(ptx::redux_add(uint32_t(x), member_mask));
  else if constexpr (is_minimum<Op>) return ptx::redux_min(x, member_mask);
  else if constexpr (is_maximum<Op>) return ptx::redux_max(x, member_mask);
  else if constexpr (is_same<Op, bit_and>) return T(ptx::redux_and(uint32_t(x), member_mask));
  else if constexpr (is_same<Op, bit_or>) return T(ptx::redux_or(uint32_t(x), member_mask));
  else return T(ptx::redux_xor(uint32_t(x), member_mask));
#else
  return x;
#endif
}

}  // namespace jig
