// Small unsigned numbers, several to a 32-bit word: what adds words, or moves them between lanes, does so
// with all of them at once.
#pragma once
#include <jig/core/operator.cuh>

namespace jig {

// N numbers of Bits bits, a power of two.
template <int Bits, int N> struct fields {
  static constexpr int per_word = 32 / Bits, words = (N + per_word - 1) / per_word;
  array<uint32_t, words> word;

  __device__ uint32_t get(int i) const {
    const uint32_t from = word[i / per_word] >> i % per_word * Bits;
    return Bits == 32 ? from : from & ((uint64_t(1) << Bits) - 1);
  }
  // Where the sum has room.
  __device__ void add(int i, uint32_t value) { word[i / per_word] += value << i % per_word * Bits; }
};

struct add_fields {
  template <int Bits, int N>
  __device__ fields<Bits, N> operator()(const fields<Bits, N> &a, const fields<Bits, N> &b) const {
    fields<Bits, N> sum;
#pragma unroll
    for (int w = 0; w < sum.words; ++w) sum.word[w] = a.word[w] + b.word[w];
    return sum;
  }
};

template <> constexpr bool takes_any_bytes<add_fields> = true;

}  // namespace jig
