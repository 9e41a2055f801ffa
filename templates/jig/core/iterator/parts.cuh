// What iterators share that are made of any number of others.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

template <int... K> struct places {};
template <int N, int... K> struct places_up_to : places_up_to<N - 1, N - 1, K...> {};
template <int... K> struct places_up_to<0, K...> { using type = places<K...>; };

// One of the parts of a struct that has them as its base classes, in order.
template <int K, class Part> struct zip_part { Part part; };
template <int K, class Part> __device__ const Part &zip_get(const zip_part<K, Part> &whole) {
  return whole.part;
}

// How many items a vector of each has, if that is the same; otherwise 0.
template <class First, class... Others> __device__ constexpr int common_vector_items() {
  return ((Others::vector_items == First::vector_items) && ...) ? First::vector_items : 0;
}

}  // namespace jig
