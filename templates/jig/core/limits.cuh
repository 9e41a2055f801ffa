// The extreme values of the number types: what a minimum or maximum over nothing is.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// The largest (smallest) value of T: infinities for the floating-point types, halves included.
template <class T> __device__ T highest() {
  if constexpr (is_same<T, bool>) return true;
  else if constexpr (is_same<T, float>) return bit_cast<float>(0x7f800000);
  else if constexpr (is_same<T, double>) return bit_cast<double>(0x7ff0000000000000);
  else if constexpr (!is_integer<T>) return T(highest<float>());
  else if constexpr (T(-1) < T(0)) return T(~(T(1) << (sizeof(T) * 8 - 1)));
  else return T(-1);
}

template <class T> __device__ T lowest() {
  if constexpr (is_same<T, bool>) return false;
  else if constexpr (!is_integer<T>) return -highest<T>();
  else return T(~highest<T>());
}

// The NaN that the hardware makes, of float or double.
template <class T> __device__ T canonical_nan() {
  if constexpr (is_same<T, float>) return bit_cast<float>(0x7fffffff);
  else return bit_cast<double>(0x7fffffffffffffff);
}

}  // namespace jig
