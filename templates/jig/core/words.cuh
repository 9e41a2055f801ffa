// The words that an item is made of, the last one filled up with zeros, and back: what operators that are PTX go by.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> __device__ array<uint32_t, (sizeof(T) + 3) / 4> words_of(const T &item) {
  array<uint32_t, (sizeof(T) + 3) / 4> words = {};
  memcpy(words.data, &item, sizeof(T));
  return words;
}

template <class T, int N> __device__ T item_of(const array<uint32_t, N> &words) {
  static_assert(sizeof(T) <= N * 4);
  alignas(T) unsigned char bytes[sizeof(T)];
  memcpy(bytes, words.data, sizeof(T));
  return *reinterpret_cast<const T *>(bytes);
}

}  // namespace jig
