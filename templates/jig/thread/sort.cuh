// Sorting the items that one thread holds. Stable: only neighbours change places, and not if they are equal; so that
// items are not lost whatever the order says.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/less.cuh>

namespace jig {

// By odd-even transposition: rounds of two phases, each over every other pair of neighbours. The rounds are
// a loop, since so many comparisons, each in line, would take long to compile.
template <class T, int N, class Before>
__device__ void transpose_sort(array<T, N> &items, int count, Before before) {
  auto exchange = [&](int j) {
    const bool wrong = bool(before(items[j + 1], items[j])) & (j + 1 < count);
    const T lower = choose(wrong, items[j + 1], items[j]);
    items[j + 1] = choose(wrong, items[j], items[j + 1]);
    items[j] = lower;
  };
#pragma unroll 1
  for (int round = 0; round < (N + 1) / 2; ++round) {
#pragma unroll
    for (int j = 0; j + 1 < N; j += 2) exchange(j);
#pragma unroll
    for (int j = 1; j + 1 < N; j += 2) exchange(j);
  }
}

// Only the first `count` items, which may be less than none and more than there are. Others stay where they are, but
// less sees them.
template <class T, int N, class Less>
__device__ array<T, N> thread_sort(array<T, N> items, Less less, int count = N) {
  if constexpr (orders_nans<Less, T> && N >= 8) {
    // NaNs are rare, and moved to the end before; then one comparison for each pair will do.
    bool has_nans = false;
#pragma unroll
    for (int j = 0; j < N; ++j) has_nans |= less.is_nan(items[j]);
    if (has_nans)
      transpose_sort(items, count, [&](const T &a, const T &b) { return !less.is_nan(a) & less.is_nan(b); });
    transpose_sort(items, count, [&](const T &a, const T &b) { return less.plainly_before(a, b); });
  } else {
    transpose_sort(items, count, less);
  }
  return items;
}

}  // namespace jig
