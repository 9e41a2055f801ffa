// Sorts numbers that neighbouring lanes hold in registers, a few each.
#pragma once
#include <jig/warp/shuffle.cuh>

namespace jig {

template <class T> __device__ void sort_two(T &a, T &b) {
  const T less = min_of(a, b);
  b = max_of(a, b);
  a = less;
}

// What first rises and then falls, or the other way round, in every run of two steps.
template <class T, int Items> __device__ void merge_own(array<T, Items> &x, int step) {
#pragma unroll
  for (; step > 0; step /= 2) {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if ((i & step) == 0) sort_two(x[i], x[i + step]);
  }
}

// The less or the greater of both; of long ones with one comparison.
template <class T> __device__ T one_of(const T &a, const T &b, bool takes_less) {
  if constexpr (sizeof(T) <= 4) return takes_less ? min_of(a, b) : max_of(a, b);
  else return (a < b) == takes_less ? a : b;
}

// Each of `Lanes` neighbours, a power of two as `Items` is, has its share of them afterwards: lane l the items from
// l * Items on. By a whole warp.
template <int Lanes, class T, int Items> __device__ void sort_lanes(array<T, Items> &x) {
  const int lane = int(ptx::lane_id());
#pragma unroll
  for (int run = 2; run <= Items; run *= 2) {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if ((i & (run / 2)) == 0) sort_two(x[i], x[i ^ (run - 1)]);
    merge_own(x, run / 4);
  }
#pragma unroll
  for (int run = 2; run <= Lanes; run *= 2) {
    array<T, Items> other;
#pragma unroll
    for (int i = 0; i < Items; ++i) other[i] = shuffle_xor(x[Items - 1 - i], run - 1);
    const bool is_lower = (lane & (run / 2)) == 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) x[i] = one_of(x[i], other[i], is_lower);
#pragma unroll
    for (int step = run / 4; step > 0; step /= 2) {
      const bool takes_less = (lane & step) == 0;
#pragma unroll
      for (int i = 0; i < Items; ++i) x[i] = one_of(x[i], shuffle_xor(x[i], step), takes_less);
    }
    merge_own(x, Items / 2);
  }
}

}  // namespace jig
