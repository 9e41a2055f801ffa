// Storing a thread's items of a tile, where each of them has a place of its own: see load.cuh.
#pragma once
#include <jig/core/iterator/of_pointer.cuh>
#include <jig/core/store_vector.cuh>

namespace jig {

template <class Out, class T, int N, class Position>
__device__ void thread_store(const Out &out, uint64_t start, const array<T, N> &items, Position position) {
#pragma unroll
  for (int j = 0; j < N; ++j) out.store(start + uint64_t(position(j)), items[j]);
}

template <class Out, class T, int N, class Position>
__device__ void thread_store(const Out &out, uint64_t start, const array<T, N> &items, Position position,
                             int valid_items) {
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (int(position(j)) < valid_items) out.store(start + uint64_t(position(j)), items[j]);
  }
}

// Whether an output has vectors that N items are made of.
template <class Out, int N> constexpr bool stores_vectors = false;
template <class T, int N> constexpr bool stores_vectors<Pointer<T>, N> = Pointer<T>::has_words;

// N items from `first` on; false, and nothing is stored, if that cannot be done by whole vectors.
template <class Out, class T, int N>
__device__ bool thread_store_vectors(const Out &out, uint64_t start, uint64_t first, const array<T, N> &items) {
  if constexpr (stores_vectors<Out, N>) {
    static_assert(N % Out::vector_items == 0,
                  "vectorized stores: the items per thread are a multiple of vector_items (16 bytes)");
    if (!out.vectorizable() || start % Out::vector_items != 0) return false;
    store_vector<true>(out, first, items);
    return true;
  } else {
    return false;
  }
}

}  // namespace jig
