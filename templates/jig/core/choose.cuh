// One of two values of any type.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// a if wanted, otherwise b; of structs word by word, where the compiler would rather choose between the addresses
// of two in local memory.
template <class T> __device__ T choose(bool wanted, const T &a, const T &b) {
  if constexpr (is_integer<T> || is_floating_point<T>) {
    return wanted ? a : b;
  } else {
    auto words = to_words(a);
    const auto others = to_words(b);
#pragma unroll
    for (int w = 0; w < words.size; ++w) words[w] = wanted ? words[w] : others[w];
    return from_words<T>(words);
  }
}

}  // namespace jig
