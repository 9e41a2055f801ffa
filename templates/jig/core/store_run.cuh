// Stores a run, a few neighbours that one thread holds, through an output iterator: by vectors where the
// iterator is a pointer and its alignment allows.
#pragma once
#include <jig/core/iterator/pointer.cuh>

namespace jig {

template <int Bytes> struct store_vector { using type = uint8_t; };
template <> struct store_vector<4> { using type = uint32_t; };
template <> struct store_vector<8> { using type = uint2; };
template <> struct store_vector<16> { using type = uint4; };

// The widest vectors that Bytes bytes are made of.
template <int Bytes>
constexpr int vector_bytes_of = Bytes % 16 == 0 ? 16 : Bytes % 8 == 0 ? 8 : Bytes % 4 == 0 ? 4 : 0;

// Whether runs of N items, the first of which has an index that N divides, can be stored by vectors; the
// same for every thread.
template <int N, class Out> __device__ bool can_store_runs(const Out &) { return false; }
template <int N, class T> __device__ bool can_store_runs(const Pointer<T> &out) {
  constexpr int bytes = vector_bytes_of<N * int(sizeof(T))>;
  if constexpr (bytes == 0 || N == 1) return false;
  else return reinterpret_cast<uintptr_t>(out.data) % bytes == 0;
}

template <bool Vectorize, class Out, class T, int N>
__device__ void store_run(const Out &out, uint64_t first, const array<T, N> &items) {
#pragma unroll
  for (int k = 0; k < N; ++k) out.store(first + k, static_cast<typename Out::value_type>(items[k]));
}

template <bool Vectorize, class Item, int N>
__device__ void store_run(const Pointer<Item> &out, uint64_t first, const packed_run<Item, N> &run) {
  constexpr int bytes = N * int(sizeof(Item)), vector = vector_bytes_of<bytes>;
  if constexpr (Vectorize && vector > 0) {
    using Vector = typename store_vector<vector>::type;
    const auto vectors = bit_cast<array<Vector, bytes / vector>>(run);
    Vector *target = reinterpret_cast<Vector *>(out.data + first);
#pragma unroll
    for (int v = 0; v < bytes / vector; ++v) target[v] = vectors[v];
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) out.data[first + k] = run[k];
  }
}

template <bool Vectorize, class Item, class T, int N>
__device__ void store_run(const Pointer<Item> &out, uint64_t first, const array<T, N> &items) {
  if constexpr (Vectorize && vector_bytes_of<N * int(sizeof(Item))> > 0) {
    packed_run<Item, N> run{};
#pragma unroll
    for (int k = 0; k < N; ++k) run.set(k, static_cast<Item>(items[k]));
    store_run<Vectorize>(out, first, run);
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) out.data[first + k] = static_cast<Item>(items[k]);
  }
}

}  // namespace jig
