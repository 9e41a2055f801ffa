// op(base[i]): an operator over another input iterator, loaded as wide as that one allows.
#pragma once
#include <jig/core/iterator/items.cuh>
#include <jig/core/load_vector.cuh>

namespace jig {

// A vector as the base has loaded it: each item is transformed when it is needed, so that what waits to be
// folded takes no more registers than what was loaded.
template <class Vector, class Op, class Result> struct transform_vector {
  static constexpr int size = Vector::size;
  Vector raw;
  const Op *op;
  __device__ made_item<Result> operator[](int i) const { return (*op)(raw[i]); }
};

template <class Base, class Op, class Result> struct Transform {
  using value_type = Result;
  static constexpr int vector_items = Base::vector_items;
  using vector_type = transform_vector<typename Base::vector_type, Op, Result>;

  Base base;
  Op op;

  __device__ made_item<Result> operator[](uint64_t i) const {
    if constexpr (is_wide<typename Base::value_type> && has_references<Base>) return op(base.reference(i));
    else return op(base[i]);
  }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return {base.load_vector(i, vectorize), &op}; }
};

// Vectors of any length are loaded from the base as such.
template <class Base, class Op, class Result, int N> struct items_of<Transform<Base, Op, Result>, N> {
  using type = transform_vector<typename items_of<Base, N>::type, Op, Result>;
};
template <int N, class Base, class Op, class Result>
__device__ bool can_load_vectors(const Transform<Base, Op, Result> &in) {
  return can_load_vectors<N>(in.base);
}
template <int N, class Base, class Op, class Result>
__device__ typename items_of<Transform<Base, Op, Result>, N>::type
load_items(const Transform<Base, Op, Result> &in, uint64_t first, bool vectorize) {
  return {load_items<N>(in.base, first, vectorize), &in.op};
}

}  // namespace jig
