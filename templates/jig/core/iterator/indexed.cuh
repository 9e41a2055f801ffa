// (base[i], i): each item of another input iterator together with its index.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct indexed_value {
  T value;
  uint64_t index;
};

// A run whose items share one starting index.
template <class Run, class T> struct indexed_run {
  static constexpr int size = Run::size;
  Run values;
  uint64_t first;
  __device__ indexed_value<T> operator[](int i) const { return {values[i], first + i}; }
};

template <class Base> struct Indexed {
  using value_type = indexed_value<typename Base::value_type>;
  static constexpr int run_items = Base::run_items;
  using run_type = indexed_run<typename Base::run_type, typename Base::value_type>;

  Base base;

  __device__ value_type operator[](uint64_t i) const { return {base[i], i}; }
  __device__ bool vectorizable() const { return base.vectorizable(); }
  __device__ run_type load_run(uint64_t i, bool vectorize) const {
    return {base.load_run(i, vectorize), i};
  }
};

}  // namespace jig
