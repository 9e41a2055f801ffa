// Keeps nothing of what is stored.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class T> struct Discard {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  __device__ void store(uint64_t, const T &) const {}
};

}  // namespace jig
