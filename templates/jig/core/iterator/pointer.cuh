// An iterator over T in global memory.
//
// What every input iterator offers, and agents rely on:
//   value_type       the type of an item
//   vector_items     how many items a thread loads at once: a vector
//   operator[](i)    item i
//   vectorizable()   whether vectors can be loaded by whole 16-byte words; the same for every thread
//   load_vector(i, v)   the vector of items i .. i + vector_items - 1, i being a multiple of vector_items, by
//                    16-byte loads if v, which must be false where vectorizable() is
// An output iterator has value_type and store(i, value); one over items in memory has reference(i), item i itself.
#pragma once
#include <jig/core/vector.cuh>
#include <jig/core/wide_items.cuh>

namespace jig {

template <class T> struct Pointer {
  using value_type = T;
  static constexpr int word_bytes = 16;
  // The shortest vector that fills whole words, unless that is long.
  static constexpr int whole_items = word_bytes / gcd(sizeof(T), word_bytes);
  static constexpr int vector_items = whole_items * sizeof(T) <= 64 ? whole_items : 1;
  static constexpr bool has_words = vector_items == whole_items && !is_wide<T>;
  using vector_type = memory_vector<T, vector_items>;

  T *data;

  __device__ T operator[](uint64_t i) const {
    if constexpr (is_wide<T>) return load_item(data + i);
    else return data[i];
  }
  __device__ bool vectorizable() const { return has_words && reinterpret_cast<uintptr_t>(data) % word_bytes == 0; }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const {
    if constexpr (has_words) {
      if (vectorize) return load_words(reinterpret_cast<const uint4 *>(data + i));
    }
    if constexpr (is_wide<T>) {
      return {load_item(data + i)};
    } else {
      vector_type vector{};
#pragma unroll
      for (int k = 0; k < vector_items; ++k) vector.set(k, data[i + k]);
      return vector;
    }
  }
  __device__ void store(uint64_t i, const T &value) const {
    if constexpr (is_wide<T>) copy_item(data + i, &value);
    else data[i] = value;
  }
  __device__ T &reference(uint64_t i) const { return data[i]; }

 private:
  static __device__ vector_type load_words(const uint4 *source) {
    constexpr int words = sizeof(vector_type) / word_bytes;
    if constexpr (words == 1) {
      return bit_cast<vector_type>(*source);
    } else {
      array<uint4, words> raw;
#pragma unroll
      for (int w = 0; w < words; ++w) raw[w] = source[w];
      return bit_cast<vector_type>(raw);
    }
  }
};

}  // namespace jig
