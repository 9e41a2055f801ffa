// Loads a vector of any length, a few neighbours that one thread will hold, from an input iterator: by
// wide words where the iterator is a pointer and its alignment allows. For what is loaded beside an input
// whose own vectors have another length; see store_vector.cuh for the other direction.
#pragma once
#include <jig/core/store_vector.cuh>

namespace jig {

// What load_items<N>() of an iterator yields: `size` items, read by operator[].
template <class In, int N> struct items_of {
  using type = conditional<N == In::vector_items, typename In::vector_type, array<typename In::value_type, N>>;
};
template <class T, int N> struct items_of<Pointer<T>, N> {
  using type = memory_vector<T, N>;
};

// Whether vectors of N items, the first of which has an index that N divides, may be loaded with `vectorize`:
// if they are loaded by words, whether these are aligned. The same for every thread.
template <int N, class In> __device__ bool can_load_vectors(const In &in) {
  if constexpr (N == In::vector_items) return in.vectorizable();
  else return true;
}
template <int N, class T> __device__ bool can_load_vectors(const Pointer<T> &in) {
  constexpr int bytes = word_bytes_of<N * int(sizeof(T))>;
  if constexpr (bytes == 0 || is_wide<T>) return true;
  else return reinterpret_cast<uintptr_t>(in.data) % bytes == 0;
}

// Items first .. first + N - 1.
template <int N, class In>
__device__ typename items_of<In, N>::type load_items(const In &in, uint64_t first, bool vectorize) {
  if constexpr (N == In::vector_items) {
    return in.load_vector(first, vectorize);
  } else {
    typename items_of<In, N>::type items;
#pragma unroll
    for (int k = 0; k < N; ++k) items[k] = in[first + k];
    return items;
  }
}

template <int N, class T>
__device__ packed_vector<T, N> load_packed(const Pointer<T> &in, uint64_t first, bool vectorize) {
  constexpr int bytes = N * int(sizeof(T)), word_bytes = word_bytes_of<bytes>;
  if constexpr (word_bytes > 0) {
    using Word = typename wide_word<word_bytes>::type;
    if (vectorize) {
      const Word *source = reinterpret_cast<const Word *>(in.data + first);
      array<Word, bytes / word_bytes> words;
#pragma unroll
      for (int w = 0; w < words.size; ++w) words[w] = source[w];
      return bit_cast<packed_vector<T, N>>(words);
    }
  }
  packed_vector<T, N> items{};
#pragma unroll
  for (int k = 0; k < N; ++k) items.set(k, in.data[first + k]);
  return items;
}

template <int N, class T>
__device__ memory_vector<T, N> load_items(const Pointer<T> &in, uint64_t first, bool vectorize) {
  if constexpr (!is_wide<T>) {
    return load_packed<N>(in, first, vectorize);
  } else {
    array<T, N> items;
#pragma unroll
    for (int k = 0; k < N; ++k) copy_item(&items[k], in.data + first + k);
    return items;
  }
}

}  // namespace jig
