// Sorting the items that one thread holds. Stable: only neighbours change places, and not if they are equal; so that
// items are not lost whatever the order says.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/less.cuh>

namespace jig {

// By odd-even transposition: rounds of two phases, each over every other pair of neighbours. The rounds are
// a loop, since so many comparisons, each in line, would take long to compile.
template <class T, int N, class Before> __device__ void transpose_sort(array<T, N> &items, Before before) {
  auto exchange = [&](int j) {
    const bool wrong = before(items[j + 1], items[j]);
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

template <class T, int N, class Less> __device__ array<T, N> thread_sort(array<T, N> items, Less less) {
  if constexpr (orders_nans<Less, T> && N >= 8) {
    // NaNs are rare, and moved to the end before; then one comparison for each pair will do.
    bool has_nans = false;
#pragma unroll
    for (int j = 0; j < N; ++j) has_nans |= less.is_nan(items[j]);
    if (has_nans) transpose_sort(items, [&](const T &a, const T &b) { return !less.is_nan(a) & less.is_nan(b); });
    transpose_sort(items, [&](const T &a, const T &b) { return less.plainly_before(a, b); });
  } else {
    transpose_sort(items, less);
  }
  return items;
}

}  // namespace jig
