// start, start + step, start + 2 * step, ... in T's arithmetic; integers wrap around.
#pragma once
#include <jig/core/iterator/counting.cuh>
#include <jig/core/iterator/items.cuh>
#include <jig/core/operator.cuh>

namespace jig {

template <class T> struct CountingBy {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  T start, step;

  // Each item from its index, so that errors do not add up, and the same bits however it is loaded.
  __device__ T operator[](uint64_t i) const {
    const T item = sum(start, static_cast<T>(wrapping<T>(i) * wrapping<T>(step)));
    // Counting hides from the compiler how neighbouring integers are related, and says why.
    if constexpr (is_integer<T>) return Counting<T>{item}[0];
    else return item;
  }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }
};

}  // namespace jig
