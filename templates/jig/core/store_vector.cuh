// Stores a vector, a few neighbours that one thread holds, through an output iterator: by wide words where the
// iterator is a pointer and its alignment allows.
#pragma once
#include <jig/core/iterator/pointer.cuh>

namespace jig {

template <int Bytes> struct wide_word { using type = uint8_t; };
template <> struct wide_word<4> { using type = uint32_t; };
template <> struct wide_word<8> { using type = uint2; };
template <> struct wide_word<16> { using type = uint4; };

// The widest words that Bytes bytes are made of.
template <int Bytes> constexpr int word_bytes_of = Bytes % 16 == 0 ? 16 : Bytes % 8 == 0 ? 8 : Bytes % 4 == 0 ? 4 : 0;

// Whether vectors of N items, the first of which has an index that N divides, can be stored by words; the
// same for every thread.
template <int N, class Out> __device__ bool can_store_vectors(const Out &) { return false; }
template <int N, class T> __device__ bool can_store_vectors(const Pointer<T> &out) {
  constexpr int bytes = word_bytes_of<N * int(sizeof(T))>;
  if constexpr (bytes == 0 || N == 1 || is_wide<T>) return false;
  else return reinterpret_cast<uintptr_t>(out.data) % bytes == 0;
}

template <bool Vectorize, class Out, class T, int N>
__device__ void store_vector(const Out &out, uint64_t first, const array<T, N> &items) {
#pragma unroll
  for (int k = 0; k < N; ++k) out.store(first + k, static_cast<typename Out::value_type>(items[k]));
}

template <bool Vectorize, class Item, int N>
__device__ void store_vector(const Pointer<Item> &out, uint64_t first, const packed_vector<Item, N> &vector) {
  constexpr int bytes = N * int(sizeof(Item)), word_bytes = word_bytes_of<bytes>;
  if constexpr (Vectorize && word_bytes > 0) {
    using Word = typename wide_word<word_bytes>::type;
    const auto words = bit_cast<array<Word, bytes / word_bytes>>(vector);
    Word *target = reinterpret_cast<Word *>(out.data + first);
#pragma unroll
    for (int w = 0; w < words.size; ++w) target[w] = words[w];
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) out.data[first + k] = vector[k];
  }
}

template <bool Vectorize, class Item, class T, int N>
__device__ void store_vector(const Pointer<Item> &out, uint64_t first, const array<T, N> &items) {
  if constexpr (is_wide<Item>) {
#pragma unroll
    for (int k = 0; k < N; ++k) copy_item(out.data + first + k, &items[k]);
  } else if constexpr (Vectorize && word_bytes_of<N * int(sizeof(Item))> > 0) {
    packed_vector<Item, N> vector{};
#pragma unroll
    for (int k = 0; k < N; ++k) vector.set(k, static_cast<Item>(items[k]));
    store_vector<Vectorize>(out, first, vector);
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) out.data[first + k] = static_cast<Item>(items[k]);
  }
}

}  // namespace jig
