// The warp's own reduction unit (redux.sync): one instruction folds 32-bit integers over the lanes, three of them sums
// of 64 bits.
#pragma once
#include <jig/core/operator.cuh>

namespace jig {

template <class T, class Op>
constexpr bool has_redux =
#if __CUDA_ARCH__ >= 800
    (is_any_of<T, int32_t, uint32_t> && (is_any_of<Op, plus, bit_and, bit_or, bit_xor> ||
                                         is_minimum<Op> || is_maximum<Op>)) ||
    (is_any_of<T, int64_t, uint64_t> && is_same<Op, plus>);
#else
    false;
#endif

// The fold of x over the lanes of member_mask, in every one of them.
template <class T, class Op> __device__ T warp_redux(T x, Op, uint32_t member_mask) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 8) {
    // In parts of which the lanes' sums fit a word.
    const uint64_t all = uint64_t(x);
    const uint32_t low = ptx::redux_add(uint32_t(all) & 0x7ffffff, member_mask),
                   middle = ptx::redux_add(uint32_t(all >> 27) & 0x7ffffff, member_mask),
                   high = ptx::redux_add(uint32_t(all >> 54), member_mask);
    return T(low + (uint64_t(middle) << 27) + (uint64_t(high) << 54));
  } else if constexpr (is_same<Op, plus>) return T(ptx::redux_add(uint32_t(x), member_mask));
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
