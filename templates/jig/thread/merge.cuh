// Merging two runs, a and b, each in order: items of a come before those of b that are equal to them. Where
// a diagonal of the merge path, the outputs before place d, divides the runs; and merging from there.
//
// What less says decides what comes out, and nothing else: searches end, within the runs, and of each run a thread
// takes items one after another. But what threads beside each other take may overlap, or leave items out, if the
// runs are not in order or less is none: see merge_part.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/less.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

// How many of the first `diagonal` outputs come from a. a and b are anything with an operator[].
template <class Index, class A, class B, class Less>
__device__ Index merge_path(const A &a, Index a_count, const B &b, Index b_count, Index diagonal,
                            Less less) {
  Index low = diagonal > b_count ? diagonal - b_count : 0, high = min_of(diagonal, a_count);
#pragma unroll 1
  while (low < high) {
    const Index middle = (low + high) >> 1;
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

// What a thread has merged: from which address of a on, and where it ended there. Of b it has as many items as that
// leaves.
template <class T, int N> struct merge_part {
  array<T, N> items;
  uint32_t begin, end;
  bool is_last;  // no outputs come behind these

  // Whether the next thread's part, which begins there, goes on with the next items.
  __device__ bool meets(uint32_t next_begin) const { return is_last | (end == next_begin); }
};

// What merging has to look at. `none`: nothing, since both runs have N items left. `ends`: where the runs end;
// but N items behind the end of each may be read, and compared: there must be items, whichever. `reads`: nothing
// but items of the runs is read.
enum class MergeChecks { none, ends, reads };

// Where the NaNs begin among the next N items of a run, which come last; or where it ends.
template <class T, int N, class Less> __device__ uint32_t end_of_numbers(uint32_t begin, uint32_t end, Less less) {
  constexpr int size = sizeof(T);
  if (begin >= end) return end;
  end = min_of(end, begin + N * size);
  if (!less.is_nan(ptx::shared_at<T>(end - size))) return end;
#pragma unroll 1
  while (begin < end && !less.is_nan(ptx::shared_at<T>(begin))) begin += size;
  return begin;
}

// The next N outputs; moves `at` behind them. Past both runs' ends outputs mean nothing. `other` is the address of an
// item that may be read any number of times, for MergeChecks::reads.
template <MergeChecks Checks, class T, int N, class Less>
__device__ array<T, N> thread_merge(merge_ends &at, Less less, uint32_t other = 0) {
  constexpr uint32_t size = sizeof(T);
  constexpr bool checks_reads = Checks == MergeChecks::reads;
  // NaNs of b wait for the end of a. For few items that is not worth looking for them.
  constexpr bool finds_nans = Checks == MergeChecks::ends && orders_nans<Less, T> && N >= 8;
  array<T, N> items;
  T from_a = ptx::shared_at<T>(checks_reads && at.a >= at.a_end ? other : at.a);
  T from_b = ptx::shared_at<T>(checks_reads && at.b >= at.b_end ? other : at.b);
  uint32_t numbers_end = 0;
  if constexpr (finds_nans) numbers_end = end_of_numbers<T, N>(at.b, at.b_end, less);
#pragma unroll
  for (int j = 0; j < N; ++j) {
    // No branches, which the compiler would make of && and ||.
    bool takes_b;
    if constexpr (finds_nans) {
      takes_b = (at.a >= at.a_end) | ((at.b < numbers_end) & less.number_before(from_b, from_a));
    } else {
      takes_b = less(from_b, from_a);
      if constexpr (Checks != MergeChecks::none)
        takes_b = (at.b < at.b_end) & ((at.a >= at.a_end) | takes_b);
    }
    items[j] = choose(takes_b, from_b, from_a);
    const uint32_t next = (takes_b ? at.b : at.a) + size;
    at.a = takes_b ? at.a : next;
    at.b = takes_b ? next : at.b;
    if (j + 1 == N) break;
    const bool ends = checks_reads && next >= (takes_b ? at.b_end : at.a_end);
    const T item = ptx::shared_at<T>(ends ? other : next);
    from_a = choose(takes_b, from_a, item);
    from_b = choose(takes_b, item, from_b);
  }
  return items;
}

// Every thread's part of merging two runs, the outputs from place `diagonal` on; by all lanes of a warp, which
// may be in different runs. ReadsOn: N items behind the end of each run may be read, whatever they are; otherwise
// what is read in their place is at `other`.
template <class T, int N, bool ReadsOn = false, class Less>
__device__ merge_part<T, N> merge_from(uint32_t a, int a_count, uint32_t b, int b_count, int diagonal, Less less,
                                       uint32_t other = 0) {
  constexpr int size = sizeof(T);
  const bool is_last = diagonal + N >= a_count + b_count;
  diagonal = min_of(diagonal, a_count + b_count);
  const int from_a = merge_path(shared_run<T>{a}, a_count, shared_run<T>{b}, b_count, diagonal, less);
  const int from_b = diagonal - from_a;
  merge_ends at = {a + from_a * size, a + a_count * size, b + from_b * size, b + b_count * size};
  const uint32_t begin = at.a;
  if constexpr (ReadsOn) {
    const auto items = thread_merge<MergeChecks::ends, T, N>(at, less);
    return {items, begin, at.a, is_last};
  } else {
    // Not worth being compiled for few items.
    if constexpr (N >= 16) {
      if (__all_sync(full_warp, a_count - from_a >= N && b_count - from_b >= N)) {
        const auto items = thread_merge<MergeChecks::none, T, N>(at, less);
        return {items, begin, at.a, is_last};
      }
    }
    const auto items = thread_merge<MergeChecks::reads, T, N>(at, less, other);
    return {items, begin, at.a, is_last};
  }
}

// Puts what a thread holds of a tile where it belongs in shared memory, and takes it from there.
template <class T, int N> __device__ void put_blocked(uint32_t tile, int thread, const array<T, N> &items) {
  const uint32_t own = tile + thread * int(N * sizeof(T));
#pragma unroll
  for (int j = 0; j < N; ++j) ptx::shared_at<T>(own + j * int(sizeof(T))) = items[j];
}
// The same of a tile that is aligned to 16 bytes: by words of that size, or of 8, if a thread's items fill them. Then
// lanes are in each other's banks less often.
template <class T, int N> struct item_words {
  static constexpr int bytes = sizeof(T) * N;
  using Word = conditional<bytes % 16 == 0 && sizeof(T) < 16, uint4,
                           conditional<bytes % 8 == 0 && sizeof(T) < 8, uint64_t, T>>;
  static constexpr int count = bytes / sizeof(Word);
  static constexpr bool are_items = is_same<Word, T>;
};
template <class T, int N> __device__ void put_words(uint32_t tile, int thread, const array<T, N> &items) {
  using Words = item_words<T, N>;
  if constexpr (Words::are_items) {
    put_blocked(tile, thread, items);
  } else {
    array<typename Words::Word, Words::count> words;
    memcpy(&words, &items, sizeof words);
    put_blocked(tile, thread, words);
  }
}
template <class T, int N> __device__ array<T, N> take_blocked(uint32_t tile, int thread) {
  const uint32_t own = tile + thread * int(N * sizeof(T));
  array<T, N> items;
#pragma unroll
  for (int j = 0; j < N; ++j) items[j] = ptx::shared_at<T>(own + j * int(sizeof(T)));
  return items;
}

}  // namespace jig
