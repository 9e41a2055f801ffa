// values[indices[i]]: a gather, and as an output a scatter.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class Values, class Indices, class T> struct Permutation {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  Values values;
  Indices indices;

  __device__ T operator[](uint64_t i) const { return values[uint64_t(indices[i])]; }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }
  __device__ void store(uint64_t i, const T &value) const {
    values.store(uint64_t(indices[i]), value);
  }
  template <class Base = Values> __device__ auto reference(uint64_t i) const -> decltype(reference_in<Base>(0)) {
    return values.reference(uint64_t(indices[i]));
  }
};

}  // namespace jig
