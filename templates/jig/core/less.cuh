// The well-known orders: whether a comes before b. Structs are compared by their operator<.
//
// Floating-point numbers have a total order by either of them: NaNs come last, and are equal to each other, as -0 and
// 0 are. "Not (a >= b)" is true of a < b and of NaNs; it takes one comparison, and a is no NaN another.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

struct less_than {
  template <class T> __device__ bool operator()(const T &a, const T &b) const {
    if constexpr (is_half<T>) return (*this)(float(a), float(b));
    else if constexpr (is_floating_point<T>) return !(a >= b) & (a == a);
    else return a < b;
  }
};

struct greater_than {
  template <class T> __device__ bool operator()(const T &a, const T &b) const {
    if constexpr (is_half<T>) return (*this)(float(a), float(b));
    else if constexpr (is_floating_point<T>) return !(a <= b) & (a == a);
    else return b < a;
  }
};

// Whether it is known to be a strict weak order of Ts, so that nothing has to be made sure of: what a merge path
// divides is divided alike by all who look. What compares numbers may be shown any bytes, too.
template <class Less, class T>
constexpr bool is_order = is_number<T> && is_any_of<Less, less_than, greater_than>;

// An operator, or less_than in the place of none.
template <class Op> struct less_of_op {
  using type = Op;
  static __device__ const Op &of(const Op &op) { return op; }
};
template <> struct less_of_op<none> {
  using type = less_than;
  static __device__ less_than of(none) { return {}; }
};
template <class Op> using less_of = typename less_of_op<Op>::type;

}  // namespace jig
