// Sorting the items that one thread holds. Stable: only neighbours change places, and not if they are equal.
#pragma once
#include <jig/core/choose.cuh>

namespace jig {

// By odd-even transposition: rounds of two phases, each over every other pair of neighbours. The rounds are
// a loop, since so many comparisons, each in line, would take long to compile.
template <class T, int N, class Less> __device__ array<T, N> thread_sort(array<T, N> items, Less less) {
  auto exchange = [&](int j) {
    const bool wrong = less(items[j + 1], items[j]);
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
  return items;
}

}  // namespace jig
