// f16 (IEEE binary16) and bf16 (the upper half of an f32) as value types. Arithmetic between two of
// one kind rounds once to that kind, to nearest even, with subnormals kept; mixed with any other
// arithmetic type it is done in double with a double, and otherwise in float.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// x cut to a float with any lost bits kept as a set last bit ("round to odd"), so that rounding the
// float once more, to at most 22 bits, gives what one rounding of x would have given.
__device__ inline float narrow_to_odd(double x) {
  float cut = __double2float_rz(x);
  bool inexact = double(cut) != x && cut - cut == 0;  // not for infinities and NaNs
  return __uint_as_float(__float_as_uint(cut) | uint32_t(inexact));
}

__device__ inline float narrow_to_odd(uint64_t x) {
  float cut = __ull2float_rz(x);
  return __uint_as_float(__float_as_uint(cut) | uint32_t(uint64_t(cut) != x));
}

// The leading 64 bits, their last one set for whatever follows.
__device__ inline float narrow_to_odd(uint128_t x) {
  uint64_t upper = uint64_t(x >> 64);
  if (upper == 0) return narrow_to_odd(uint64_t(x));
  int shift = __clzll(int64_t(upper));
  uint128_t leading = x << shift;
  uint64_t kept = uint64_t(leading >> 64) | uint64_t(uint64_t(leading) != 0);
  return narrow_to_odd(kept) * __uint_as_float(uint32_t(127 + 64 - shift) << 23);
}

template <class T, enable_if<is_integer<T>> = 0> __device__ float narrow_to_odd(T x) {
  using magnitude_t = conditional<(sizeof(T) > 8), uint128_t, uint64_t>;
  if constexpr (T(-1) < T(0)) {
    if (x < 0) return -narrow_to_odd(magnitude_t(0) - magnitude_t(x));
  }
  return narrow_to_odd(magnitude_t(x));
}

struct alignas(2) f16 {
  uint16_t bits;

  f16() = default;
  template <class T, enable_if<is_number<T>> = 0> __device__ f16(T x) {
    if constexpr (is_same<T, float> || is_half<T>) bits = ptx::f16_from_f32(float(x));
    else bits = ptx::f16_from_f32(narrow_to_odd(x));
  }
  __device__ operator float() const { return ptx::f32_from_f16(bits); }
  static __device__ f16 from_bits(uint16_t bits) { return bit_cast<f16>(bits); }
};

struct alignas(2) bf16 {
  uint16_t bits;

  bf16() = default;
  template <class T, enable_if<is_number<T>> = 0> __device__ bf16(T x) {
    if constexpr (is_same<T, float> || is_half<T>) bits = round(float(x));
    else bits = round(narrow_to_odd(x));
  }
  __device__ operator float() const { return __uint_as_float(uint32_t(bits) << 16); }
  static __device__ bf16 from_bits(uint16_t bits) { return bit_cast<bf16>(bits); }

 private:
  static __device__ uint16_t round(float x) {
#if __CUDA_ARCH__ >= 800
    return ptx::bf16_from_f32(x);
#else
    if (x != x) return 0x7fff;
    uint32_t word = __float_as_uint(x);
    return uint16_t((word + 0x7fff + ((word >> 16) & 1)) >> 16);
#endif
  }
};

__device__ inline f16 operator+(f16 a, f16 b) { return f16::from_bits(ptx::add_f16(a.bits, b.bits)); }
__device__ inline f16 operator*(f16 a, f16 b) {
  return f16::from_bits(ptx::multiply_f16(a.bits, b.bits));
}
__device__ inline bf16 operator+(bf16 a, bf16 b) {
#if __CUDA_ARCH__ >= 800
  return bf16::from_bits(ptx::add_bf16(a.bits, b.bits));
#else
  return bf16(float(a) + float(b));
#endif
}
// Through float: its 24 bits are at least 2p + 2 of a half's p, so rounding twice is rounding once
// (Figueroa, "When is double rounding innocuous?", 1995).
__device__ inline bf16 operator*(bf16 a, bf16 b) { return bf16(float(a) * float(b)); }

#define JIG_HALF_OPERATORS(H)                                                                      \
  __device__ inline H operator-(H a) { return H::from_bits(a.bits ^ 0x8000); }                     \
  __device__ inline H operator-(H a, H b) { return a + -b; }                                       \
  __device__ inline H operator/(H a, H b) { return H(float(a) / float(b)); }                       \
  __device__ inline H &operator+=(H &a, H b) { return a = a + b; }                                 \
  __device__ inline H &operator-=(H &a, H b) { return a = a - b; }                                 \
  __device__ inline H &operator*=(H &a, H b) { return a = a * b; }                                 \
  __device__ inline H &operator/=(H &a, H b) { return a = a / b; }
JIG_HALF_OPERATORS(f16)
JIG_HALF_OPERATORS(bf16)
#undef JIG_HALF_OPERATORS

// half op other and other op half. Without these, `h * 2.0f` would be ambiguous between converting
// the one side and the other. Two halves of one kind go to the exact overloads above; comparisons
// need none, since both sides become float.
template <class A, class B>
constexpr bool is_mixed_half =
    (is_half<A> || is_half<B>) && is_number<A> && is_number<B> && !is_same<A, B>;
template <class T> using promoted_half = conditional<is_same<T, double>, double, float>;

#define JIG_MIXED_OPERATOR(OP)                                                                     \
  template <class A, class B, enable_if<is_mixed_half<A, B>> = 0>                                  \
  __device__ auto operator OP(A a, B b) {                                                          \
    return static_cast<promoted_half<A>>(a) OP static_cast<promoted_half<B>>(b);                   \
  }
JIG_MIXED_OPERATOR(+)
JIG_MIXED_OPERATOR(-)
JIG_MIXED_OPERATOR(*)
JIG_MIXED_OPERATOR(/)
#undef JIG_MIXED_OPERATOR

}  // namespace jig
