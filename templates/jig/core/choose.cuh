// One of two values of any type.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class Word, class T> __device__ T choose_words(bool wanted, const T &a, const T &b) {
  auto words = bit_cast<array<Word, sizeof(T) / sizeof(Word)>>(a);
  const auto others = bit_cast<array<Word, sizeof(T) / sizeof(Word)>>(b);
#pragma unroll
  for (int w = 0; w < words.size; ++w) words[w] = wanted ? words[w] : others[w];
  return bit_cast<T>(words);
}

// a if wanted, otherwise b; of structs word by word, where the compiler would rather choose between the addresses
// of two in local memory. The words are such that nobody has to put them together from smaller ones, some of
// which may be padding; but 8 bytes that are aligned are one, as that takes much less time to compile.
template <class T> __device__ T choose(bool wanted, const T &a, const T &b) {
  if constexpr (is_integer<T> || is_floating_point<T>) {
    return wanted ? a : b;
  } else if constexpr (sizeof(T) == 8 && alignof(T) == 8) {
    return bit_cast<T>(wanted ? bit_cast<uint64_t>(a) : bit_cast<uint64_t>(b));
  } else {
    using Word = conditional<(alignof(T) >= 4), uint32_t, conditional<(alignof(T) >= 2), uint16_t, uint8_t>>;
    return choose_words<Word>(wanted, a, b);
  }
}

}  // namespace jig
