// The order that is meant where no operator is given.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

struct less_than {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

// An operator, or < in the place of none.
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
