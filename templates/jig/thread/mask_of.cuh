// A mask of the items of a vector that pass a test.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class Vector, class Test> __device__ uint32_t mask_of(const Vector &vector, const Test &test) {
  uint32_t mask = 0;
#pragma unroll
  for (int k = 0; k < Vector::size; ++k) mask |= uint32_t(bool(test(vector[k]))) << k;
  return mask;
}

}  // namespace jig
