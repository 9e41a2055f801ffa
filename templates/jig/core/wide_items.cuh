// Moves items that are too large for registers (is_wide) from memory to memory.
#pragma once
#include <jig/core/iterator/items.cuh>

namespace jig {

// Whether the items of an iterator lie in memory.
template <class...> using void_of = void;
template <class In, class = void> constexpr bool has_references = false;
template <class In>
constexpr bool has_references<In, void_of<decltype(reference_in<In>(0))>> = true;
template <> constexpr bool has_references<none> = true;

// The largest words that a T is made of and aligned to.
template <class T>
using item_word = conditional<
    (alignof(T) >= 16), uint4,
    conditional<(alignof(T) >= 8), uint64_t,
                conditional<(alignof(T) >= 4), uint32_t, conditional<(alignof(T) >= 2), uint16_t, uint8_t>>>>;

// Whether items at these addresses are made of vectors, and aligned to them.
template <class T, class... Addresses> __device__ bool are_vectors(Addresses... addresses) {
  if constexpr (sizeof(T) % 16 != 0) return false;
  else return (reinterpret_cast<uintptr_t>(addresses) | ...) % 16 == 0;
}

template <class Word, class T> __device__ void copy_words(T *to, const T *from, int lane, int lanes) {
#pragma unroll 4
  for (int w = lane; w < int(sizeof(T) / sizeof(Word)); w += lanes)
    reinterpret_cast<Word *>(to)[w] = reinterpret_cast<const Word *>(from)[w];
}

// Copies an item, as lane number `lane` of so many that share its words.
template <class T> __device__ void copy_item(T *to, const T *from, int lane, int lanes) {
  if (are_vectors<T>(to, from)) copy_words<uint4>(to, from, lane, lanes);
  else copy_words<item_word<T>>(to, from, lane, lanes);
}

// Copies two items, by all lanes of a warp; each may go where the other one is.
template <class Word, class T> __device__ void exchange_words(T *to, T *other_to, const T *from, const T *other_from) {
#pragma unroll 2
  for (int w = threadIdx.x % warp_threads; w < int(sizeof(T) / sizeof(Word)); w += warp_threads) {
    const Word word = reinterpret_cast<const Word *>(from)[w], other = reinterpret_cast<const Word *>(other_from)[w];
    reinterpret_cast<Word *>(to)[w] = word;
    reinterpret_cast<Word *>(other_to)[w] = other;
  }
}
template <class T> __device__ void exchange_items(T *to, T *other_to, const T *from, const T *other_from) {
  if (are_vectors<T>(to, other_to, from, other_from)) exchange_words<uint4>(to, other_to, from, other_from);
  else exchange_words<item_word<T>>(to, other_to, from, other_from);
}

}  // namespace jig
