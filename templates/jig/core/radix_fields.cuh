// What a decomposer makes of a key: its fields' bits as one number, the first field's above all others.
#pragma once
#include <jig/core/radix.cuh>

namespace jig {

// Of more than 128 bits there are several words, the one of the last fields first.
constexpr int key_word_bits = 128;
template <int Count, bool HasMore = (Count > key_word_bits)> struct KeyFields {
  static constexpr int count = Count, words = 1;
  uint128_t bits;
  // Puts a field's bits from bit `at` on, where none are.
  template <class Bits> __device__ void put(Bits field, int at) { bits |= uint128_t(field) << at; }
  __device__ uint128_t word(int) const { return bits; }
};
template <int Count> struct KeyFields<Count, true> {
  static constexpr int count = Count, words = ceil_div(Count, key_word_bits);
  array<uint128_t, words> all;

  // It may lie across two words.
  template <class Bits> __device__ void put(Bits field, int at) {
    const int word = at / key_word_bits, shift = at % key_word_bits;
    all[word] |= uint128_t(field) << shift;
    if (shift + 8 * int(sizeof(Bits)) > key_word_bits) all[word + 1] |= uint128_t(field) >> (key_word_bits - shift);
  }
  // Without an index, so that all can be in registers.
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

template <class... Fields> __device__ KeyFields<8 * (0 + ... + int(sizeof(Fields)))> key_fields(Fields... given) {
  KeyFields<8 * (0 + ... + int(sizeof(Fields)))> fields{};
  int at = fields.count;
  (fields.put(ordered_bits(given), at -= 8 * int(sizeof(Fields))), ...);
  return fields;
}

// What a decomposer makes of a Struct.
template <class Struct, class Decomposer>
using fields_of = decltype(Decomposer()(*static_cast<const Struct *>(nullptr)));

}  // namespace jig
