// A vector: a few consecutive items as a thread holds them between load and use.
//
// What load_vector() of an iterator yields has `size` items, read by operator[]. Items that come straight
// from memory stay packed in the 32-bit words they were loaded in: an array of bytes or 16-bit values
// would be taken apart and put together again, or end up in local memory.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T, int N> struct packed_vector {
  static constexpr int size = N;
  static constexpr int words = (sizeof(T) * N + 3) / 4;
  array<uint32_t, words> word;

  __device__ T operator[](int i) const {
    if constexpr (sizeof(T) == 4) {
      return bit_cast<T>(word[i]);
    } else {
      array<uint32_t, word_count<T>> item;
      const int first = i * int(sizeof(T)) / 4, shift = i * int(sizeof(T)) % 4 * 8;
      if constexpr (sizeof(T) < 4 && 4 % sizeof(T) == 0) {
        item[0] = word[first] >> shift;  // one instruction, with what T makes of it
      } else {
#pragma unroll
        for (int w = 0; w < item.size; ++w) {
          uint32_t next = first + w + 1 < words ? word[first + w + 1] : 0;
          item[w] = shift == 0 ? word[first + w] : __funnelshift_r(word[first + w], next, shift);
        }
      }
      return from_words<T>(item);
    }
  }

  // Puts an item where the words are still zero.
  __device__ void set(int i, T value) {
    if constexpr (sizeof(T) == 4) {
      word[i] = bit_cast<uint32_t>(value);
    } else {
      auto item = to_words(value);
      const int first = i * int(sizeof(T)) / 4, shift = i * int(sizeof(T)) % 4 * 8;
#pragma unroll
      for (int w = 0; w < item.size; ++w) {
        word[first + w] |= item[w] << shift;
        if (shift != 0 && first + w + 1 < words) word[first + w + 1] |= item[w] >> (32 - shift);
      }
    }
  }
};

// What items that lie in memory are held as.
template <class T, int N> using memory_vector = conditional<is_wide<T>, array<T, N>, packed_vector<T, N>>;

}  // namespace jig
