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

// Doubles as integers of the same order, which take a third of the instructions to compare, with half as many one after
// the other. A NaN is below and above all, or, if it is passed over, neither below nor above any.
template <bool PropagateNan> struct double_keys {
  static constexpr int64_t least = int64_t(1) << 63, greatest = ~least;

  static __device__ int64_t key_of(double x) {
    const int64_t bits = bit_cast<int64_t>(x);
    return bits ^ ((bits >> 63) & greatest);
  }
  static __device__ extremes<int64_t> of(double x) {
    const int64_t key = key_of(x);
    if (x == x) return {key, key};
    if constexpr (PropagateNan) return {least, greatest};
    else return identity<extremes<int64_t>>();
  }
  static __device__ double value_of(int64_t key) {
    if (PropagateNan && (key == least || key == greatest)) return canonical_nan<double>();
    return bit_cast<double>(key ^ ((key >> 63) & greatest));
  }

  static constexpr bool commutative = true;
  __device__ extremes<int64_t> operator()(const extremes<int64_t> &a, const extremes<int64_t> &b) const {
    return {min_of(a.min, b.min), max_of(a.max, b.max)};
  }
  template <class Accum> static __device__ Accum identity() {
    return {key_of(highest<double>()), key_of(lowest<double>())};
  }
};
template <bool P> constexpr bool is_well_known<double_keys<P>> = true;

template <class Vector, bool P> struct double_key_vector {
  static constexpr int size = Vector::size;
  Vector values;
};

template <class Accum, class Vector, bool P>
__device__ Accum thread_reduce(const double_key_vector<Vector, P> &vector, double_keys<P> op) {
  Accum fold = op.of(vector.values[0]);
#pragma unroll
  for (int k = 1; k < Vector::size; ++k) fold = op(fold, op.of(vector.values[k]));
  return fold;
}

template <class Base, bool P> struct DoubleKeys {
  using value_type = extremes<int64_t>;
  static constexpr int vector_items = Base::vector_items;
  using vector_type = double_key_vector<typename Base::vector_type, P>;

  Base base;

  __device__ value_type operator[](uint64_t i) const { return double_keys<P>::of(base[i]); }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return {base.load_vector(i, vectorize)}; }
};

}  // namespace jig
