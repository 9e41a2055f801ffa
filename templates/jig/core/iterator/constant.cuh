// One value at every index.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct Constant {
  using value_type = T;
  static constexpr int run_items = 4;
  using run_type = array<T, run_items>;

  T value;

  __device__ T operator[](uint64_t) const { return value; }
  __device__ bool vectorizable() const { return true; }
  __device__ run_type load_run(uint64_t, bool) const {
    run_type run;
#pragma unroll
    for (int k = 0; k < run_items; ++k) run[k] = value;
    return run;
  }
};

}  // namespace jig
