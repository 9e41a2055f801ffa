// Loading a thread's items of a tile, where each of them has a place of its own. position(j) is the place in the tile
// of the thread's j-th; the tile starts at item `start` of the input.
#pragma once
#include <jig/core/iterator/of_pointer.cuh>

namespace jig {

template <class In, class T, int N, class Position>
__device__ void thread_load(const In &in, uint64_t start, array<T, N> &items, Position position) {
#pragma unroll
  for (int j = 0; j < N; ++j) items[j] = in[start + uint64_t(position(j))];
}

// Only what lies in the first valid_items places; other items stay as they are.
template <class In, class T, int N, class Position>
__device__ void thread_load(const In &in, uint64_t start, array<T, N> &items, Position position, int valid_items) {
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (int(position(j)) < valid_items) items[j] = in[start + uint64_t(position(j))];
  }
}

// N items from `first` on, by the vectors of an iterator: by wide words where `vectorize`.
template <class In, class T, int N>
__device__ void thread_load_vectors(const In &in, uint64_t first, array<T, N> &items, bool vectorize) {
  constexpr int vector_items = In::vector_items;
  static_assert(N % vector_items == 0,
                "vectorized loads: the items per thread are a multiple of vector_items (of pointers, 16 bytes)");
#pragma unroll
  for (int j = 0; j < N; j += vector_items) {
    const auto vector = in.load_vector(first + uint64_t(j), vectorize);
#pragma unroll
    for (int k = 0; k < vector_items; ++k) items[j + k] = vector[k];
  }
}

}  // namespace jig
