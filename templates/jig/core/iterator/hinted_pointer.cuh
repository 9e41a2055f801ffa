// An iterator over T in global memory that is loaded and stored with a cache hint: otherwise as Pointer is, wide words
// included. Which hints there are is said by jig_cache_hint; each is a kind of iterator, in a file of its own.
#pragma once
#include <jig/core/hinted_memory.cuh>
#include <jig/core/load_vector.cuh>

namespace jig {

// `Memory` loads and stores words with a hint.
template <class Memory, class T> struct HintedPointer {
  using value_type = T;
  static constexpr int word_bytes = 16;
  static constexpr int vector_items = Pointer<T>::vector_items;
  static constexpr bool has_words = Pointer<T>::has_words;
  using vector_type = memory_vector<T, vector_items>;

  T *data;

  __device__ T operator[](uint64_t i) const {
    T item;
    const item_word<T> *from = reinterpret_cast<const item_word<T> *>(data + i);
    if constexpr (is_wide<T>) {
#pragma unroll 4
      for (int w = 0; w < int(sizeof(T) / sizeof(*from)); ++w)
        reinterpret_cast<item_word<T> *>(&item)[w] = Memory::load(from + w);
    } else {
      array<item_word<T>, sizeof(T) / sizeof(*from)> words;
#pragma unroll
      for (int w = 0; w < words.size; ++w) words[w] = Memory::load(from + w);
      memcpy(&item, &words, sizeof(T));
    }
    return item;
  }
  __device__ void store(uint64_t i, const T &item) const {
    item_word<T> *to = reinterpret_cast<item_word<T> *>(data + i);
    if constexpr (is_wide<T>) {
#pragma unroll 4
      for (int w = 0; w < int(sizeof(T) / sizeof(*to)); ++w)
        Memory::store(to + w, reinterpret_cast<const item_word<T> *>(&item)[w]);
    } else {
      array<item_word<T>, sizeof(T) / sizeof(*to)> words;
      memcpy(&words, &item, sizeof(T));
#pragma unroll
      for (int w = 0; w < words.size; ++w) Memory::store(to + w, words[w]);
    }
  }

  __device__ bool vectorizable() const { return has_words && reinterpret_cast<uintptr_t>(data) % word_bytes == 0; }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return load<vector_items>(i, vectorize); }

  template <int N> __device__ memory_vector<T, N> load(uint64_t first, bool vectorize) const {
    constexpr int bytes = N * int(sizeof(T)), wide_bytes = word_bytes_of<bytes>;
    if constexpr (is_wide<T>) {
      array<T, N> items;
#pragma unroll
      for (int k = 0; k < N; ++k) items[k] = (*this)[first + k];
      return items;
    } else {
      if constexpr (wide_bytes > 0) {
        using Word = typename wide_word<wide_bytes>::type;
        if (vectorize) {
          array<Word, bytes / wide_bytes> words;
#pragma unroll
          for (int w = 0; w < words.size; ++w)
            words[w] = Memory::load(reinterpret_cast<const Word *>(data + first) + w);
          return bit_cast<packed_vector<T, N>>(words);
        }
      }
      packed_vector<T, N> items{};
#pragma unroll
      for (int k = 0; k < N; ++k) items.set(k, (*this)[first + k]);
      return items;
    }
  }

  template <int N> __device__ void store_words(uint64_t first, const packed_vector<T, N> &vector) const {
    constexpr int bytes = N * int(sizeof(T)), wide_bytes = word_bytes_of<bytes>;
    using Word = typename wide_word<wide_bytes>::type;
    const auto words = bit_cast<array<Word, bytes / wide_bytes>>(vector);
#pragma unroll
    for (int w = 0; w < words.size; ++w) Memory::store(reinterpret_cast<Word *>(data + first) + w, words[w]);
  }
};

// Vectors of any length, as of Pointer.
template <class Memory, class T, int N> struct items_of<HintedPointer<Memory, T>, N> {
  using type = memory_vector<T, N>;
};
template <int N, class Memory, class T> __device__ bool can_load_vectors(const HintedPointer<Memory, T> &in) {
  return can_load_vectors<N>(Pointer<T>{in.data});
}
template <int N, class Memory, class T>
__device__ memory_vector<T, N> load_items(const HintedPointer<Memory, T> &in, uint64_t first, bool vectorize) {
  return in.template load<N>(first, vectorize);
}
template <int N, class Memory, class T> __device__ bool can_store_vectors(const HintedPointer<Memory, T> &out) {
  return can_store_vectors<N>(Pointer<T>{out.data});
}
template <bool Vectorize, class Memory, class Item, class T, int N>
__device__ void store_vector(const HintedPointer<Memory, Item> &out, uint64_t first, const array<T, N> &items) {
  if constexpr (Vectorize && word_bytes_of<N * int(sizeof(Item))> > 0 && !is_wide<Item>) {
    packed_vector<Item, N> vector{};
#pragma unroll
    for (int k = 0; k < N; ++k) vector.set(k, static_cast<Item>(items[k]));
    out.store_words(first, vector);
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) out.store(first + k, static_cast<Item>(items[k]));
  }
}

}  // namespace jig
