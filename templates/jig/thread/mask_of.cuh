// Which items of a vector pass a test: a mask of them; or whether any does, which takes less.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class Vector, class Test> __device__ uint32_t mask_of(const Vector &vector, const Test &test) {
  uint32_t mask = 0;
#pragma unroll
  for (int k = 0; k < Vector::size; ++k) mask |= uint32_t(bool(test(vector[k]))) << k;
  return mask;
}

template <class Vector, class Test> __device__ bool any_of(const Vector &vector, const Test &test) {
  bool found = false;
#pragma unroll
  for (int k = 0; k < Vector::size; ++k) found |= bool(test(vector[k]));
  return found;
}

}  // namespace jig
