// op(i): items made of their indices.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class Op, class T> struct Source {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  Op op;

  __device__ T operator[](uint64_t i) const { return op(i); }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }
};

}  // namespace jig
