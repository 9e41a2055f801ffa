// start, start + 1, start + 2, ... in T's arithmetic; integers wrap around.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct Counting {
  using value_type = T;
  static constexpr int vector_items = 4;
  using vector_type = array<T, vector_items>;

  T start;

  __device__ T operator[](uint64_t i) const {
    return static_cast<T>(opaque(wrapping<T>(start) + wrapping<T>(i)));
  }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const {
    vector_type vector;
#pragma unroll
    for (int k = 0; k < vector_items; ++k) vector[k] = (*this)[i + k];
    return vector;
  }

 private:
  // Hides from the compiler how neighbours are related: NVRTC 13.0, where it widens them and loads are
  // conditional, widens the first alone and adds 1, 2 and 3 to that, as if none could wrap around.
  template <class U> static __device__ U opaque(U x) {
    if constexpr (is_same<U, uint32_t>) asm("" : "+r"(x));
    if constexpr (is_same<U, uint64_t>) asm("" : "+l"(x));
    return x;
  }
};

}  // namespace jig
