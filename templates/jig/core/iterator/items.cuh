// For iterators that have no wide loads: vectors of a few items, loaded one by one.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// As many as registers have room for; GENERATED_ITEMS in src/spec/iterator.c.
template <class T> constexpr int loose_items = is_wide<T> ? 1 : 4;
template <class T> using loose_vector = array<T, loose_items<T>>;

// What reference() of an iterator yields; for decltype only, and only of those that have one.
template <class In>
__device__ auto reference_in(uint64_t i) -> decltype(static_cast<const In *>(nullptr)->reference(i));

// Whether the items of an iterator lie in memory.
template <class...> using void_of = void;
template <class In, class = void> constexpr bool has_references = false;
template <class In>
constexpr bool has_references<In, void_of<decltype(reference_in<In>(0))>> = true;

template <class In> __device__ loose_vector<typename In::value_type> load_loose_vector(const In &in, uint64_t i) {
  loose_vector<typename In::value_type> vector;
#pragma unroll
  for (int k = 0; k < vector.size; ++k) vector[k] = in[i + k];
  return vector;
}

}  // namespace jig
