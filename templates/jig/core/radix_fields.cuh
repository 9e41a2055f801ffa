// What a decomposer makes of a key: its fields' bits as one number, the first field's above all others.
#pragma once
#include <jig/core/radix.cuh>

namespace jig {

// Of more than 128 bits there are several words, the one of the last fields first.
constexpr int key_word_bits = 128;
template <int Count, bool HasMore = (Count > key_word_bits)> struct KeyFields {
  static constexpr int count = Count, words = 1;
  uint128_t bits;
  __device__ uint128_t word(int) const { return bits; }
};
template <int Count> struct KeyFields<Count, true> {
  static constexpr int count = Count, words = ceil_div(Count, key_word_bits);
  array<uint128_t, words> all;
  // Without an index, so that what nobody asks for is not computed.
  __device__ uint128_t word(int which) const {
    uint128_t found = all[0];
#pragma unroll
    for (int w = 1; w < words; ++w)
      if (w == which) found = all[w];
    return found;
  }
};

// A number's bits as an unsigned integer that is ordered as it is; the zeros are one.
template <class T> __device__ unsigned_of_size<int(sizeof(T))> ordered_bits(T x) {
  static_assert(is_number<T>, "the fields of a key are of built-in types");
  using Unsigned = unsigned_of_size<int(sizeof(T))>;
  if constexpr (is_integer<T>) return Unsigned(x) ^ radix_flip<Unsigned>(T(-1) < T(0), false);
  else return FloatingKeys<Unsigned>::bits(FloatingKeys<Unsigned>::enter(bit_cast<Unsigned>(x)));
}

// The same fields with one more above them, which may lie across two words.
template <int Count, bool HasMore, class Bits>
__device__ KeyFields<Count + 8 * int(sizeof(Bits))> add_field(const KeyFields<Count, HasMore> &lower, Bits bits) {
  using Fields = KeyFields<Count + 8 * int(sizeof(Bits))>;
  if constexpr (Fields::words == 1) {
    return {uint128_t(bits) << Count | lower.bits};
  } else {
    constexpr int word = Count / key_word_bits, shift = Count % key_word_bits;
    Fields fields{};
    if constexpr (HasMore) {
#pragma unroll
      for (int w = 0; w < lower.words; ++w) fields.all[w] = lower.all[w];
    } else {
      fields.all[0] = lower.bits;
    }
    fields.all[word] |= uint128_t(bits) << shift;
    if constexpr (word + 1 < Fields::words) fields.all[word + 1] = uint128_t(bits) >> (key_word_bits - shift);
    return fields;
  }
}

__device__ inline KeyFields<0> key_fields() { return {0}; }

template <class First, class... Rest>
__device__ KeyFields<8 * (int(sizeof(First)) + ... + int(sizeof(Rest)))> key_fields(First first, Rest... rest) {
  return add_field(key_fields(rest...), ordered_bits(first));
}

// What a decomposer makes of a Struct.
template <class Struct, class Decomposer>
using fields_of = decltype(Decomposer()(*static_cast<const Struct *>(nullptr)));

}  // namespace jig
