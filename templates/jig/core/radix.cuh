// Keys as radix sorts see them: unsigned integers that are ordered as the keys are, and their digits.
//
// A sort keeps keys in a form of its own between its first step and its last, Kept, which enter() makes of
// a key and leave() undoes. Where that form and a flip of some of its bits make the order, as they do for
// all numbers, taking a digit needs no more than a shift and one logical operation.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

constexpr int radix_bits = 8, radix_digits = 1 << radix_bits;

template <int Bytes>
using unsigned_of_size = conditional<
    Bytes == 1, uint8_t,
    conditional<Bytes == 2, uint16_t,
                conditional<Bytes == 4, uint32_t, conditional<Bytes == 8, uint64_t, uint128_t>>>>;

// How many bits a number has, up to its highest one that is set.
__device__ inline int bit_length(uint32_t x) { return 32 - __clz(int32_t(x)); }
__device__ inline int bit_length(uint64_t x) { return 64 - __clzll(int64_t(x)); }
__device__ inline int bit_length(uint128_t x) {
  return (x >> 64) != 0 ? 64 + bit_length(uint64_t(x >> 64)) : bit_length(uint64_t(x));
}

// What turns the order of Bits round, the way that it makes of a key's sign and of a descending order.
template <class Bits> __device__ Bits radix_flip(bool is_signed, bool is_descending) {
  const Bits sign = is_signed ? Bits(Bits(1) << (sizeof(Bits) * 8 - 1)) : Bits(0);
  return is_descending ? Bits(~sign) : sign;
}

// Integers: ordered by their bits, but for those that the flip turns round.
template <class Unsigned> struct IntegerKeys {
  using Key = Unsigned;
  using Kept = Unsigned;
  using Bits = Unsigned;
  static constexpr int max_passes = sizeof(Unsigned) * 8 / radix_bits;
  // Whether bits() are all that there is of a key.
  static constexpr bool is_exact = true;
  // Whether bits() may be asked about what is no key, for what is not needed: not if that is up to the caller.
  static constexpr bool takes_any_bytes = true;
  // Whether there are keys that are equal and not the same; has_twin() tells which.
  static constexpr bool has_twins = false;
  static __device__ Kept enter(Key key) { return key; }
  static __device__ Key leave(Kept kept) { return kept; }
  static __device__ Bits bits(Kept kept) { return kept; }
  static __device__ bool has_twin(Kept) { return false; }
};

// Floating-point numbers, as their bits: -inf .. -0 = +0 .. +inf, and NaNs beyond the infinity of their
// sign. Negative numbers are kept with all bits turned round, others with the sign's; so the zeros, which
// are to count as one, are neighbours.
template <class Unsigned> struct FloatingKeys {
  using Key = Unsigned;
  using Kept = Unsigned;
  using Bits = Unsigned;
  static constexpr int max_passes = sizeof(Unsigned) * 8 / radix_bits;
  static constexpr bool is_exact = true;
  static constexpr bool takes_any_bytes = true;
  static constexpr bool has_twins = true;
  static constexpr Unsigned sign = Unsigned(1) << (sizeof(Unsigned) * 8 - 1);
  static constexpr Unsigned minus_zero = Unsigned(sign - 1);
  static __device__ Kept enter(Key key) { return key & sign ? Kept(~key) : Kept(key ^ sign); }
  static __device__ Key leave(Kept kept) { return kept & sign ? Key(kept ^ sign) : Key(~kept); }
  static __device__ Bits bits(Kept kept) { return kept == minus_zero ? Bits(sign) : kept; }
  static __device__ bool has_twin(Kept kept) { return kept == minus_zero; }
};

// Values of any built-in type, for whom it is no matter how they are passed.
template <class T> struct NumberKeys {
  static_assert(is_number<T>, "keys of other types have to be decomposed");
  using Bits = unsigned_of_size<int(sizeof(T))>;
  using Base = conditional<is_integer<T>, IntegerKeys<Bits>, FloatingKeys<Bits>>;
  using Key = T;
  using Kept = Bits;
  static __device__ Kept enter(Key key) { return Base::enter(bit_cast<Bits>(key)); }
  static __device__ Key leave(Kept kept) { return bit_cast<Key>(Base::leave(kept)); }
  static __device__ Bits bits(Kept kept) { return Base::bits(kept); }
  // The flip for an order, as RadixDigit takes it.
  static __device__ Bits flip(bool is_descending) {
    if constexpr (is_integer<T>) return radix_flip<Bits>(T(-1) < T(0), is_descending);
    else return radix_flip<Bits>(false, is_descending);
  }
};

// Structs, ordered by what a decomposer makes of them: key_fields() in radix_fields.cuh. Keys that are
// equal there may differ elsewhere.
template <class Struct, class Decomposer> struct FieldKeys {
  using Key = Struct;
  using Kept = Struct;
  static constexpr int field_bytes = sizeof(Struct) < 16 ? sizeof(Struct) : 16;
  using Bits = unsigned_of_size<(field_bytes <= 4 ? 4 : field_bytes <= 8 ? 8 : 16)>;
  static constexpr int max_passes = field_bytes;
  static constexpr bool is_exact = false;
  static constexpr bool takes_any_bytes = false;
  static constexpr bool has_twins = false;
  static __device__ Kept enter(const Key &key) { return key; }
  static __device__ Key leave(const Kept &kept) { return kept; }
  static __device__ Bits bits(const Kept &kept) {
    const auto fields = Decomposer()(kept);
    static_assert(decltype(fields)::count <= 8 * field_bytes, "a key's fields have more bits than are sorted by");
    return Bits(fields.word(0));
  }
  static __device__ bool has_twin(const Kept &) { return false; }
};

// A few bits of a key, from bit `shift` on, as a number from 0 on in the order's direction.
template <class Keys> struct RadixDigit {
  using Kept = typename Keys::Kept;
  using Bits = typename Keys::Bits;
  uint32_t shift, mask, flip;

  // `count` of them, at most radix_bits; all of them bits that there are.
  __device__ RadixDigit(int first, int count, Bits order_flip)
      : shift(first), mask((1u << count) - 1), flip(count > 0 ? uint32_t(order_flip >> first) & mask : 0) {}

  // That of keys that come last.
  __device__ uint32_t last() const { return mask; }

  __device__ uint32_t operator()(const Kept &key) const {
    return (uint32_t(Keys::bits(key) >> shift) & mask) ^ flip;
  }

  // base + 4 * digit, where base is a multiple of 4 * radix_digits.
  __device__ uint32_t address(const Kept &key, uint32_t base) const {
    if constexpr (sizeof(Bits) <= 4) {
      return ptx::take_bits(Keys::bits(key), shift - 2, mask << 2, flip << 2 | base);
    } else {
      return base + 4 * operator()(key);
    }
  }
};

// Which digits a sort goes by: bits begin .. end - 1, of the least significant digit first. There is one at
// least, perhaps of no bits.
struct RadixRange {
  int begin, end;
  __device__ int passes() const { return max_of(ceil_div(end - begin, radix_bits), 1); }
  __device__ int first(int pass) const { return begin + pass * radix_bits; }
  __device__ int count(int pass) const { return min_of(radix_bits, end - first(pass)); }
};

// Bits first .. first + count - 1, of a key's order; all of them if there are so many.
template <class Bits> __device__ Bits radix_mask(int first, int count) {
  constexpr int width = sizeof(Bits) * 8;
  if (count == 0) return Bits(0);
  return Bits(Bits(Bits(~Bits(0)) >> (width - count)) << first);
}

}  // namespace jig
