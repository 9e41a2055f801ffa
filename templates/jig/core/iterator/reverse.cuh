// base[last - i]: another iterator from its end.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <class Base, class T> struct Reverse {
  using value_type = T;
  static constexpr int vector_items = loose_items<T>;
  using vector_type = loose_vector<T>;

  Base base;
  uint64_t last;

  __device__ T operator[](uint64_t i) const { return base[last - i]; }
  __device__ bool vectorizable() const { return true; }
  __device__ vector_type load_vector(uint64_t i, bool) const { return load_loose_vector(*this, i); }
  __device__ void store(uint64_t i, const T &value) const { base.store(last - i, value); }
  template <class In = Base> __device__ auto reference(uint64_t i) const -> decltype(reference_in<In>(0)) {
    return base.reference(last - i);
  }
};

}  // namespace jig
