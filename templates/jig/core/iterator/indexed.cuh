// (base[i], i): each item of another input iterator together with its index.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct indexed_value {
  T value;
  uint64_t index;
};

// A vector whose items share one starting index.
template <class Vector, class T> struct indexed_vector {
  static constexpr int size = Vector::size;
  Vector values;
  uint64_t first;
  __device__ indexed_value<T> operator[](int i) const { return {values[i], first + i}; }
};

template <class Base> struct Indexed {
  using value_type = indexed_value<typename Base::value_type>;
  static constexpr int vector_items = Base::vector_items;
  using vector_type = indexed_vector<typename Base::vector_type, typename Base::value_type>;

  Base base;

  __device__ value_type operator[](uint64_t i) const { return {base[i], i}; }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return {base.load_vector(i, vectorize), i}; }
};

}  // namespace jig
