// The well-known orders: whether a comes before b. Structs are compared by their operator<.
//
// Floating-point numbers have a total order by either of them: NaNs come last, and are equal to each other, as -0 and
// 0 are. That takes two comparisons where < takes one; what goes through many items may do with one of those below.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> constexpr bool has_nans = is_floating_point<T> || is_half<T>;

template <bool Falls> struct natural_order {
  template <class T> __device__ bool operator()(const T &a, const T &b) const {
    if constexpr (has_nans<T>) return number_before(a, b) & !is_nan(a);
    else return Falls ? b < a : a < b;
  }

  template <class T> static __device__ bool is_nan(const T &a) { return value(a) != value(a); }
  // Whether a comes before b, unless a is a NaN.
  template <class T> static __device__ bool number_before(const T &a, const T &b) {
    return Falls ? !(value(a) <= value(b)) : !(value(a) >= value(b));
  }
  // The same, unless b is a NaN and a is none.
  template <class T> static __device__ bool plainly_before(const T &a, const T &b) {
    return Falls ? value(b) < value(a) : value(a) < value(b);
  }

 private:
  template <class T> static __device__ auto value(const T &a) {
    if constexpr (is_half<T>) return float(a);
    else return a;
  }
};
using less_than = natural_order<false>;
using greater_than = natural_order<true>;

// Whether Less is known to be a strict weak order of Ts, which has a merge path that all who look for it find alike. It
// does nothing but compare, and may be shown any bytes.
template <class Less, class T>
constexpr bool is_order = is_number<T> && is_any_of<Less, less_than, greater_than>;
// Whether it has those other comparisons, as some Ts are NaNs.
template <class Less, class T> constexpr bool orders_nans = is_order<Less, T> && has_nans<T>;

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
