// What a decomposer makes of a key: its fields' bits as one number, the first field's above all others.
#pragma once
#include <jig/core/radix.cuh>

namespace jig {

template <int Count> struct KeyFields {
  static constexpr int count = Count;
  uint128_t bits;
};

// A number's bits as an unsigned integer that is ordered as it is; the zeros are one.
template <class T> __device__ unsigned_of_size<int(sizeof(T))> ordered_bits(T x) {
  static_assert(is_number<T>, "the fields of a key are of built-in types");
  using Unsigned = unsigned_of_size<int(sizeof(T))>;
  if constexpr (is_integer<T>) return Unsigned(x) ^ radix_flip<Unsigned>(T(-1) < T(0), false);
  else return FloatingKeys<Unsigned>::bits(FloatingKeys<Unsigned>::enter(bit_cast<Unsigned>(x)));
}

__device__ inline KeyFields<0> key_fields() { return {0}; }

template <class First, class... Rest>
__device__ KeyFields<8 * (int(sizeof(First)) + ... + int(sizeof(Rest)))> key_fields(First first, Rest... rest) {
  const auto lower = key_fields(rest...);
  constexpr int shift = decltype(lower)::count;
  static_assert(shift + 8 * int(sizeof(First)) <= 128, "a key's fields have more bits than are sorted by");
  return {uint128_t(ordered_bits(first)) << shift | lower.bits};
}

}  // namespace jig
