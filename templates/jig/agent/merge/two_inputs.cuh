// Loads from either of two inputs that are worked on as one.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct Pointer;

// Item i of a or of b: one load, from either of two addresses, where both are pointers.
template <class A, class B>
__device__ typename A::value_type item_of_either(const A &a, const B &b, bool of_a, uint64_t i) {
  using T = typename A::value_type;
  if constexpr (is_same<A, Pointer<T>> && is_same<B, Pointer<T>>) return (of_a ? a.data : b.data)[i];
  else return of_a ? a[i] : b[i];
}

}  // namespace jig
