// Merging two runs, a and b, each in order: items of a come before those of b that are equal to them. Where
// a diagonal of the merge path, the outputs before place d, divides the runs; and merging from there.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// How many of the first `diagonal` outputs come from a. a and b are anything with an operator[].
template <class Index, class A, class B, class Less>
__device__ Index merge_path(const A &a, Index a_count, const B &b, Index b_count, Index diagonal,
                            Less less) {
  Index low = diagonal > b_count ? diagonal - b_count : 0, high = min_of(diagonal, a_count);
#pragma unroll 1
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (less(b[diagonal - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Items one after another in shared memory.
template <class T> struct shared_run {
  uint32_t address;
  __device__ T operator[](int i) const { return ptx::shared_at<T>(address + i * int(sizeof(T))); }
};

// Two runs in shared memory by the addresses where they begin and end.
struct merge_ends {
  uint32_t a, a_end, b, b_end;
};

// The next N outputs. Past both runs' ends outputs mean nothing, but N items behind the end of a are read, and
// one behind that of b, and compared: there must be items, whichever. If both runs have N items left, ends
// need not be looked at.
template <bool Checked, class T, int N, class Less>
__device__ array<T, N> thread_merge(merge_ends at, Less less) {
  constexpr uint32_t size = sizeof(T);
  array<T, N> items;
  T from_a = ptx::shared_at<T>(at.a), from_b = ptx::shared_at<T>(at.b);
#pragma unroll
  for (int j = 0; j < N; ++j) {
    // No branches, which the compiler would make of && and ||.
    bool takes_b = less(from_b, from_a);
    if constexpr (Checked) takes_b = (at.b < at.b_end) & ((at.a >= at.a_end) | takes_b);
    items[j] = takes_b ? from_b : from_a;
    if (j + 1 == N) break;
    const uint32_t next = (takes_b ? at.b : at.a) + size;
    const T item = ptx::shared_at<T>(next);
    at.a = takes_b ? at.a : next;
    at.b = takes_b ? next : at.b;
    from_a = takes_b ? from_a : item;
    from_b = takes_b ? item : from_b;
  }
  return items;
}

}  // namespace jig
