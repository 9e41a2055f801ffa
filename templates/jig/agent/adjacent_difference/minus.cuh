// The difference of two items where no operator is given.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// a - b as C++ has it: of integers that are narrower than an int, an int. Wider ones wrap around, and floating-point
// ones are rounded by themselves, never contracted with a multiplication before.
struct minus {
  template <class T> __device__ auto operator()(const T &a, const T &b) const {
    if constexpr (is_same<T, float>) return __fsub_rn(a, b);
    else if constexpr (is_same<T, double>) return __dsub_rn(a, b);
    else if constexpr (is_integer<T> && sizeof(T) < 4) return int32_t(a) - int32_t(b);
    else if constexpr (is_integer<T>) return static_cast<T>(wrapping<T>(a) - wrapping<T>(b));
    else return a - b;
  }
};

// An operator, or minus in the place of none.
template <class Op> struct difference_of_op {
  using type = Op;
  static __device__ const Op &of(const Op &op) { return op; }
};
template <> struct difference_of_op<none> {
  using type = minus;
  static __device__ minus of(none) { return {}; }
};

}  // namespace jig
