// Folds what the lanes of a warp hold of some rows, a value of each, in order: row by row, and lane by lane in each.
//
// Lanes first exchange values of some rows for those of others, so that each goes on with half as many, of pairs of
// lanes; until it has one, of a few neighbours in one row. Then the neighbours of each row are folded, and the rows.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

template <class T, int Rows, class Op> struct FoldOfRows {
  static_assert(is_power_of_two(Rows) && Rows <= warp_threads, "a lane ends up with one row");

  // In the first lane. There are `count` values, the first ones in that order, or if Whole all; the operator meets no
  // others.
  template <bool Whole> static __device__ T Fold(array<T, Rows> fold, Op op, int count) {
    const int lane = threadIdx.x % warp_threads;
    __syncwarp();
#pragma unroll
    for (int bit = 1; bit < Rows; bit *= 2) {
      const bool is_upper = (lane & bit) != 0;
      // Of the first row that this lane goes on with: what comes from the upper lanes begins with that value.
      const int second = lane % (2 * bit) * warp_threads + (lane / (2 * bit) * 2 + 1) * bit;
#pragma unroll
      for (int i = 0; i < Rows / (2 * bit); ++i) {
        const T own = choose(is_upper, fold[2 * i + 1], fold[2 * i]);
        const T other = shuffle_xor(choose(is_upper, fold[2 * i], fold[2 * i + 1]), bit);
        fold[i] = choose(is_upper, other, own);
        if (Whole || second + i * 2 * bit * warp_threads < count) fold[i] = op(fold[i], choose(is_upper, own, other));
      }
    }
    T folded = fold[0];
#pragma unroll
    for (int delta = Rows; delta < warp_threads; delta *= 2) {
      T other = folded;
      const int second = lane % Rows * warp_threads + lane / Rows * Rows + delta;
      const bool exists = shuffle_down(other, delta, warp_threads, full_warp);
      if (exists && (Whole || second < count)) folded = op(folded, other);
    }
#pragma unroll
    for (int delta = 1; delta < Rows; delta *= 2) {
      T other = folded;
      const bool exists = shuffle_down(other, delta, Rows, full_warp);
      // Others have no row from its beginning on.
      if (exists && lane < Rows && (Whole || (lane + delta) * warp_threads < count)) folded = op(folded, other);
    }
    return folded;
  }
};

}  // namespace jig
