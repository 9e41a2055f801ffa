// Where two runs, each in order, can be divided so that each part of a set operation can be done by itself.
//
// Of equal items the k-th of a belongs to the k-th of b: both are one item of a union or an intersection. So the runs
// are lined up by key and, of equal items, by the pairs they make; those without a partner come behind. A diagonal of
// this order divides no pair: where it would, the part before takes both. This is the balanced path of Baxter's Modern
// GPU, a merge path (Green, McColl and Bader, "GPU merge path", 2012) in which pairs stay together.
//
// Whatever less says, searches end, and what is found lies within the runs.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <class Index> struct balanced_place {
  Index of_a;   // how many of a come before
  Index extra;  // 1: and one item more, of b, than the diagonal says; otherwise 0

  __device__ Index of_b(Index diagonal) const { return diagonal + extra - of_a; }
};

// Where item i of a run is the first that does not come before x, among those in front of `end`; found in steps that
// double, as it is seldom far from the end.
template <class Run, class Index, class T, class Less>
__device__ Index first_not_before(const Run &run, Index end, const T &x, Less less) {
  Index step = 1, high = end;
  while (step <= high && !less(run[high - step], x)) {
    high -= step;
    step *= 2;
  }
  Index low = step <= high ? high - step + 1 : 0;
#pragma unroll 1
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (less(run[middle], x)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Where the diagonal divides the runs, given that merge_path() has found of_a.
template <class Index, class A, class B, class Less>
__device__ balanced_place<Index> balanced(const A &a, const B &b, Index b_count, Index of_a, Index diagonal,
                                          Less less) {
  const balanced_place<Index> merged = {of_a, 0};
  const Index of_b = diagonal - of_a;
  // Nothing equal is on both sides of the diagonal unless it is the next item of b: equal items of a come before.
  if (of_a == 0 || of_b >= b_count) return merged;
  const auto x = b[of_b];
  if (less(a[of_a - 1], x)) return merged;
  const Index a_first = first_not_before(a, of_a, x, less), b_first = first_not_before(b, of_b, x, less);
  // As many of b as of a, or more: then these are all that a has.
  if (of_b - b_first >= of_a - a_first) return merged;
  const Index before = (of_a - a_first) + (of_b - b_first), half = (before + 1) / 2;
  // How many of b there are, up to half of what comes before.
  Index low = of_b, high = min_of(b_count, b_first + half);
#pragma unroll 1
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (less(x, b[middle])) high = middle;
    else low = middle + 1;
  }
  const Index equal_of_b = low - b_first;
  const Index extra = before % 2 == 1 && equal_of_b == half ? 1 : 0;
  return {a_first + before + extra - equal_of_b, extra};
}

}  // namespace jig
