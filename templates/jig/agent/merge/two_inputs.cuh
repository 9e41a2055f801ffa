// Loads from either of two inputs that are worked on as one.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class T> struct Pointer;

// Item i of a or of b: one load, from either of two addresses, where both are pointers.
template <class A, class B>
__device__ typename A::value_type item_of_either(const A &a, const B &b, bool of_a, uint64_t i) {
  using T = typename A::value_type;
  if constexpr (is_same<A, Pointer<T>> && is_same<B, Pointer<T>>) return (of_a ? a.data : b.data)[i];
  else return of_a ? a[i] : b[i];
}

// A part of each, with items numbered through: item i is a's number a_first + i, or b's number b_first + i. Pointers
// are moved there once.
template <class A, class B, bool = is_same<A, Pointer<typename A::value_type>> && is_same<B, A>> class TwoParts {
 public:
  __device__ TwoParts(const A &a, int64_t a_first, const B &b, int64_t b_first)
      : a_(a), b_(b), a_first_(a_first), b_first_(b_first) {}
  __device__ typename A::value_type at(bool of_a, int i) const {
    return item_of_either(a_, b_, of_a, uint64_t((of_a ? a_first_ : b_first_) + i));
  }

 private:
  const A &a_;
  const B &b_;
  int64_t a_first_, b_first_;
};
template <class A, class B> class TwoParts<A, B, true> {
  using T = typename A::value_type;

 public:
  __device__ TwoParts(const A &a, int64_t a_first, const B &b, int64_t b_first)
      : a_(a.data + a_first), b_(b.data + b_first) {}
  __device__ T at(bool of_a, int i) const { return (of_a ? a_ : b_)[i]; }

 private:
  const T *a_, *b_;
};

}  // namespace jig
