// Sorts the items of a logical warp, of 1, 2, 4, 8, 16 or 32 threads, by a bitonic network of shuffles: no shared
// memory, and no branches, but not stable. Lane l holds items l * ItemsPerThread and up, before and after. Best for
// few items; a merge sort (merge_sort.cuh) makes fewer comparisons of many.
//
// All lanes of a logical warp call together; other logical warps of the hardware warp need not. less is a strict weak
// order; by any other operator the result is in no particular order, but still of the same items. TempStorage is empty.
#pragma once
#include <jig/thread/keyed.cuh>
#include <jig/thread/sort.cuh>
#include <jig/warp/logical_warp.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

// Items of a tile of which only `valid` hold a value: the others come last, and the order never sees them.
template <class T> struct maybe_valid {
  T item;
  bool is_valid;
};
template <class T>
__device__ maybe_valid<T> choose(bool wanted, const maybe_valid<T> &a, const maybe_valid<T> &b) {
  return {choose(wanted, a.item, b.item), wanted ? a.is_valid : b.is_valid};
}
template <class Less> struct valid_first {
  Less less;
  template <class T> __device__ bool operator()(const maybe_valid<T> &a, const maybe_valid<T> &b) const {
    if (a.is_valid && b.is_valid) return less(a.item, b.item);
    return a.is_valid && !b.is_valid;
  }
};

// The network.
template <class T, int N, int Threads, class Less> class BitonicLanes {
  // Steps of few numbers are written out; of others there would be too much to compile.
  static constexpr int unrolled = is_number<T> && N <= 4 ? 5 : 1;

 public:
  __device__ explicit BitonicLanes(Less less)
      : less_(less), lane_(LogicalWarp<Threads>::lane()), mask_(LogicalWarp<Threads>::mask()) {}

  __device__ void sort(array<T, N> &items) const {
    items = thread_sort(items, less_);
#pragma unroll unrolled
    for (int run = 2; run <= Threads; run *= 2) {
      mirror(items, run);
#pragma unroll unrolled
      for (int step = run / 4; step > 0; step /= 2) halve(items, step);
      sort_own(items);
    }
  }

 private:
  // Of two runs in order, beside each other, the lesser items go to the lower one: each meets its mirror image.
  __device__ void mirror(array<T, N> &items, int run) const {
    array<T, N> others;
#pragma unroll
    for (int j = 0; j < N; ++j) others[j] = shuffle_xor(items[N - 1 - j], run - 1, mask_);
    const bool is_lower = (lane_ & run / 2) == 0;
#pragma unroll
    for (int j = 0; j < N; ++j) items[j] = one_of(items[j], others[j], is_lower);
  }
  // Each item meets that of the same number in a lane `step` away.
  __device__ void halve(array<T, N> &items, int step) const {
    const bool is_lower = (lane_ & step) == 0;
#pragma unroll
    for (int j = 0; j < N; ++j) items[j] = one_of(items[j], shuffle_xor(items[j], step, mask_), is_lower);
  }
  // What a lane keeps: of equal items its own, as the other lane does, so that none is lost.
  __device__ T one_of(const T &own, const T &other, bool is_lower) const {
    const bool takes_other = is_lower ? bool(less_(other, own)) : bool(less_(own, other));
    return choose(takes_other, other, own);
  }
  // A lane's own items, which first rise and then fall or the other way round.
  __device__ void sort_own(array<T, N> &items) const {
    if constexpr (is_power_of_two(N)) {
#pragma unroll
      for (int step = N / 2; step > 0; step /= 2) {
#pragma unroll
        for (int j = 0; j < N; ++j)
          if ((j & step) == 0) order(items[j], items[j + step]);
      }
    } else {
      items = thread_sort(items, less_);
    }
  }
  __device__ void order(T &a, T &b) const {
    const bool wrong = less_(b, a);
    const T lower = choose(wrong, b, a);
    b = choose(wrong, a, b);
    a = lower;
  }

  Less less_;
  int lane_;
  uint32_t mask_;
};

template <class Key, int ItemsPerThread, int LogicalThreads = warp_threads, class Value = none> class WarpBitonicSort {
  static_assert(is_power_of_two(LogicalThreads) && LogicalThreads <= warp_threads,
                "WarpBitonicSort: a logical warp has 1, 2, 4, 8, 16 or 32 lanes");
  static_assert(ItemsPerThread >= 1, "WarpBitonicSort: a thread has one item or more");
  using Keys = array<Key, ItemsPerThread>;
  using Values = array<Value, ItemsPerThread>;

 public:
  struct TempStorage {};
  __device__ WarpBitonicSort() {}
  __device__ explicit WarpBitonicSort(TempStorage &) {}

  template <class Less> __device__ void Sort(Keys &keys, Less less) const { sort(keys, less); }
  // Only the first valid_items of the warp hold a value; the others' results mean nothing, and less never sees them.
  template <class Less> __device__ void Sort(Keys &keys, Less less, int valid_items) const {
    sort(keys, less, valid_items);
  }

  // The same with values.
  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less) const {
    auto items = join_keys(keys, values);
    sort(items, by_key<Less>{less});
    split_keys(items, keys, values);
  }
  template <class Less> __device__ void Sort(Keys &keys, Values &values, Less less, int valid_items) const {
    auto items = join_keys(keys, values);
    sort(items, by_key<Less>{less}, valid_items);
    split_keys(items, keys, values);
  }

 private:
  template <class T, class Less> static __device__ void sort(array<T, ItemsPerThread> &items, Less less) {
    BitonicLanes<T, ItemsPerThread, LogicalThreads, Less>(less).sort(items);
  }
  template <class T, class Less>
  static __device__ void sort(array<T, ItemsPerThread> &items, Less less, int valid_items) {
    const int first = LogicalWarp<LogicalThreads>::lane() * ItemsPerThread;
    array<maybe_valid<T>, ItemsPerThread> all;
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) all[j] = {items[j], first + j < valid_items};
    sort(all, valid_first<Less>{less});
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = all[j].item;
  }
};

}  // namespace jig
