// One value at every index.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct Constant {
  using value_type = T;
  static constexpr int vector_items = is_wide<T> ? 1 : 4;
  using vector_type = array<T, vector_items>;

  T value;

  __device__ T operator[](uint64_t) const { return value; }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t, bool) const {
    vector_type vector;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) vector[k] = value;
    return vector;
  }
};

}  // namespace jig
