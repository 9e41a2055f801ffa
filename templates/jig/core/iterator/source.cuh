// op(i): items made of their indices.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class Op, class T> struct Source {
  using value_type = T;
  static constexpr int run_items = loose_items;
  using run_type = loose_run<T>;

  Op op;

  __device__ T operator[](uint64_t i) const { return op(i); }
  __device__ bool vectorizable() const { return true; }
  __device__ run_type load_run(uint64_t i, bool) const { return load_loose_run(*this, i); }
};

}  // namespace jig
