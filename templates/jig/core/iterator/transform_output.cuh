// Stores op(value) into another output iterator.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class Base, class Op, class T> struct TransformOutput {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  Base base;
  Op op;

  __device__ void store(uint64_t i, const T &value) const { base.store(i, op(value)); }
};

}  // namespace jig
