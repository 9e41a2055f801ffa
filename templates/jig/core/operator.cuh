// The well-known binary operators. All are associative and commutative, and each has an identity: a
// value e with op(e, x) = x, to the bit, for every x that is a result of the operator and no NaN. An operator
// made from a user's source has no identity, and is only taken to be associative unless it says
// `static constexpr bool commutative = true`.
#pragma once
#include <jig/core/limits.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

// What a sum may start from: -0 for the floating-point types, since 0 + -0 would be 0.
template <class T> __device__ T zero() {
  if constexpr (is_integer<T>) return T(0);
  else return T(-0.0f);
}

// The named additions are never contracted with a multiplication into one rounding. Which additions the
// compiler would contract depends on the code around them, so the same sum could come out differently.
template <class T> __device__ T sum(T a, T b) {
  if constexpr (is_same<T, float>) return __fadd_rn(a, b);
  else if constexpr (is_same<T, double>) return __dadd_rn(a, b);
  else return static_cast<T>(wrapping<T>(a) + wrapping<T>(b));
}

#define JIG_ARITHMETIC_OPERATOR(NAME, EXPRESSION, IDENTITY)                                        \
  struct NAME {                                                                                    \
    template <class T> __device__ T operator()(T a, T b) const {                                   \
      return static_cast<T>(EXPRESSION);                                                           \
    }                                                                                              \
    template <class T> static __device__ T identity() { return static_cast<T>(IDENTITY); }         \
  };
JIG_ARITHMETIC_OPERATOR(plus, sum(a, b), zero<T>())
JIG_ARITHMETIC_OPERATOR(multiplies, wrapping<T>(a) * wrapping<T>(b), 1)
JIG_ARITHMETIC_OPERATOR(bit_and, a & b, ~T(0))
JIG_ARITHMETIC_OPERATOR(bit_or, a | b, 0)
JIG_ARITHMETIC_OPERATOR(bit_xor, a ^ b, 0)
JIG_ARITHMETIC_OPERATOR(logical_and, a && b, true)
JIG_ARITHMETIC_OPERATOR(logical_or, a || b, false)
#undef JIG_ARITHMETIC_OPERATOR

// Whether minima and maxima of such 16-bit numbers can be found by pairs.
#if __CUDA_ARCH__ >= 900
template <class T> constexpr bool are_compared_in_pairs = is_half<T> || is_any_of<T, int16_t, uint16_t>;
#elif __CUDA_ARCH__ >= 800
template <class T> constexpr bool are_compared_in_pairs = is_half<T>;
#else
template <class T> constexpr bool are_compared_in_pairs = false;
#endif

// The smaller (larger) of two values. Of two zeros, -0 is the smaller. A NaN among the operands is
// the result when PropagateNan is set and is passed over otherwise.
template <bool PropagateNan> struct minimum {
  template <class T> __device__ T operator()(T a, T b) const {
    if constexpr (is_integer<T>) {
      return b < a ? b : a;
    } else if constexpr (is_half<T>) {
      return T((*this)(float(a), float(b)));
    } else if constexpr (PropagateNan) {
#if __CUDA_ARCH__ >= 800
      if constexpr (is_same<T, float>) return ptx::min_or_nan(a, b);
#endif
      return a != a || b != b ? canonical_nan<T>() : ptx::min_number(a, b);
    } else {
      return ptx::min_number(a, b);
    }
  }
  // Of two pairs of 16-bit numbers that are compared by one instruction (are_compared_in_pairs).
  template <class T> static __device__ uint32_t pairs(uint32_t a, uint32_t b) {
    if constexpr (is_same<T, f16>) return PropagateNan ? ptx::min_or_nan_f16x2(a, b) : ptx::min_f16x2(a, b);
    else if constexpr (is_same<T, bf16>) return PropagateNan ? ptx::min_or_nan_bf16x2(a, b) : ptx::min_bf16x2(a, b);
    else if constexpr (is_same<T, int16_t>) return ptx::min_s16x2(a, b);
    else return ptx::min_u16x2(a, b);
  }
  template <class T> static __device__ T identity() { return highest<T>(); }
};

template <bool PropagateNan> struct maximum {
  template <class T> __device__ T operator()(T a, T b) const {
    if constexpr (is_integer<T>) {
      return a < b ? b : a;
    } else if constexpr (is_half<T>) {
      return T((*this)(float(a), float(b)));
    } else if constexpr (PropagateNan) {
#if __CUDA_ARCH__ >= 800
      if constexpr (is_same<T, float>) return ptx::max_or_nan(a, b);
#endif
      return a != a || b != b ? canonical_nan<T>() : ptx::max_number(a, b);
    } else {
      return ptx::max_number(a, b);
    }
  }
  // Of two pairs of 16-bit numbers that are compared by one instruction (are_compared_in_pairs).
  template <class T> static __device__ uint32_t pairs(uint32_t a, uint32_t b) {
    if constexpr (is_same<T, f16>) return PropagateNan ? ptx::max_or_nan_f16x2(a, b) : ptx::max_f16x2(a, b);
    else if constexpr (is_same<T, bf16>) return PropagateNan ? ptx::max_or_nan_bf16x2(a, b) : ptx::max_bf16x2(a, b);
    else if constexpr (is_same<T, int16_t>) return ptx::max_s16x2(a, b);
    else return ptx::max_u16x2(a, b);
  }
  template <class T> static __device__ T identity() { return lowest<T>(); }
};

// Whether it makes its identity of a NaN that it is folded with.
template <class Op, class T> constexpr bool passes_over_nans = false;
template <class T> constexpr bool passes_over_nans<minimum<false>, T> = !is_integer<T>;
template <class T> constexpr bool passes_over_nans<maximum<false>, T> = !is_integer<T>;

// What an exclusive scan begins with where no init is given: the identity, but of floating-point sums 0, as one
// would begin by hand.
template <class Op, class T> __device__ T scan_start() {
  if constexpr (is_same<Op, plus> && !is_integer<T>) return T(0.0f);
  else return Op::template identity<T>();
}

// Whether that changes what it is folded with: 0 makes 0 of -0, and an identity of a NaN that is passed over.
template <class Op, class T>
constexpr bool scan_start_counts = (is_same<Op, plus> && !is_integer<T>) || passes_over_nans<Op, T>;

template <class Op>
constexpr bool is_well_known =
    is_any_of<Op, plus, multiplies, bit_and, bit_or, bit_xor, logical_and, logical_or>;
template <bool P> constexpr bool is_well_known<minimum<P>> = true;
template <bool P> constexpr bool is_well_known<maximum<P>> = true;

// Of operators on what algorithms hand on, some more have one.
template <class Op> constexpr bool has_identity = is_well_known<Op>;

// Whether an operator may be called with whatever lanes hold, as it does nothing but compute, and what comes of
// it is dropped: that takes no branch. So may those of jig. One of the caller's is only called with items and
// what neighbouring items come to, in their order; it may do anything with them.
template <class Op> constexpr bool takes_any_bytes = is_well_known<Op>;

// Whether an operator may be called, given whether its operands are what one of the caller's may see.
template <class Op> __device__ constexpr bool may_see(bool operands) { return takes_any_bytes<Op> || operands; }

template <class Op> __device__ constexpr bool commutes() {
  if constexpr (is_well_known<Op>) return true;
  else return Op::commutative;
}
template <class Op> constexpr bool is_commutative = commutes<Op>();

template <class Op> constexpr bool is_minimum = false;
template <bool P> constexpr bool is_minimum<minimum<P>> = true;
template <class Op> constexpr bool is_maximum = false;
template <bool P> constexpr bool is_maximum<maximum<P>> = true;

}  // namespace jig
