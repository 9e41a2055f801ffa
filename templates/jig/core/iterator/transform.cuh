// op(base[i]): an operator over another input iterator, loaded as wide as that one allows.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// A vector as the base has loaded it: each item is transformed when it is needed, so that what waits to be
// folded takes no more registers than what was loaded.
template <class Vector, class Op, class Result> struct transform_vector {
  static constexpr int size = Vector::size;
  Vector raw;
  const Op *op;
  __device__ Result operator[](int i) const { return (*op)(raw[i]); }
};

template <class Base, class Op, class Result> struct Transform {
  using value_type = Result;
  static constexpr int vector_items = Base::vector_items;
  using vector_type = transform_vector<typename Base::vector_type, Op, Result>;

  Base base;
  Op op;

  __device__ Result operator[](uint64_t i) const { return op(base[i]); }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return {base.load_vector(i, vectorize), &op}; }
};

}  // namespace jig
