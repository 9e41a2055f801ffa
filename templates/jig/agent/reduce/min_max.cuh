// What makes a reduce find a minimum and a maximum at once: items that stand for themselves as either, and an operator
// of two.
#pragma once
#include <jig/agent/reduce/arg_reduce.cuh>

namespace jig {

template <class T> struct extremes {
  T min, max;
};

template <class Vector, class T> struct extremes_vector {
  static constexpr int size = Vector::size;
  Vector values;
};

template <class Base> struct BothExtremes {
  using value_type = extremes<typename Base::value_type>;
  static constexpr int vector_items = Base::vector_items;
  using vector_type = extremes_vector<typename Base::vector_type, typename Base::value_type>;

  Base base;

  __device__ value_type operator[](uint64_t i) const {
    const typename Base::value_type item = base[i];
    return {item, item};
  }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return {base.load_vector(i, vectorize)}; }
};

template <class Least, class Greatest> struct both_extremes {
  static constexpr bool commutative = true;
  Least least;
  Greatest greatest;

  template <class T> __device__ extremes<T> operator()(const extremes<T> &a, const extremes<T> &b) const {
    return {least(a.min, b.min), greatest(a.max, b.max)};
  }
  template <class Accum> static __device__ Accum identity() {
    using T = decltype(Accum::min);
    return {Least::template identity<T>(), Greatest::template identity<T>()};
  }
};
template <class Least, class Greatest>
constexpr bool is_well_known<both_extremes<Least, Greatest>> = is_well_known<Least>;

template <class Accum, class Least, class Greatest, class Vector, class T>
__device__ Accum thread_reduce(const extremes_vector<Vector, T> &vector, both_extremes<Least, Greatest> op) {
  return {thread_reduce<T>(vector.values, op.least), thread_reduce<T>(vector.values, op.greatest)};
}

}  // namespace jig
