// Loads a run of any length, a few neighbours that one thread will hold, from an input iterator: by
// vectors where the iterator is a pointer and its alignment allows. For what is loaded beside an input
// whose own runs have another length; see store_run.cuh for the other direction.
#pragma once
#include <jig/core/store_run.cuh>

namespace jig {

// What load_items<N>() of an iterator yields: `size` items, read by operator[].
template <class In, int N> struct items_of {
  using type = conditional<N == In::run_items, typename In::run_type, array<typename In::value_type, N>>;
};
template <class T, int N> struct items_of<Pointer<T>, N> {
  using type = packed_run<T, N>;
};

// Whether runs of N items, the first of which has an index that N divides, may be loaded with `vectorize`:
// if they are loaded by vectors, whether these are aligned. The same for every thread.
template <int N, class In> __device__ bool can_load_runs(const In &in) {
  if constexpr (N == In::run_items) return in.vectorizable();
  else return true;
}
template <int N, class T> __device__ bool can_load_runs(const Pointer<T> &in) {
  constexpr int bytes = vector_bytes_of<N * int(sizeof(T))>;
  if constexpr (bytes == 0) return true;
  else return reinterpret_cast<uintptr_t>(in.data) % bytes == 0;
}

// Items first .. first + N - 1.
template <int N, class In>
__device__ typename items_of<In, N>::type load_items(const In &in, uint64_t first, bool vectorize) {
  if constexpr (N == In::run_items) {
    return in.load_run(first, vectorize);
  } else {
    typename items_of<In, N>::type items;
#pragma unroll
    for (int k = 0; k < N; ++k) items[k] = in[first + k];
    return items;
  }
}

template <int N, class T>
__device__ packed_run<T, N> load_items(const Pointer<T> &in, uint64_t first, bool vectorize) {
  constexpr int bytes = N * int(sizeof(T)), vector = vector_bytes_of<bytes>;
  if constexpr (vector > 0) {
    using Vector = typename store_vector<vector>::type;
    if (vectorize) {
      const Vector *source = reinterpret_cast<const Vector *>(in.data + first);
      array<Vector, bytes / vector> vectors;
#pragma unroll
      for (int v = 0; v < vectors.size; ++v) vectors[v] = source[v];
      return bit_cast<packed_run<T, N>>(vectors);
    }
  }
  packed_run<T, N> items{};
#pragma unroll
  for (int k = 0; k < N; ++k) items.set(k, in.data[first + k]);
  return items;
}

}  // namespace jig
