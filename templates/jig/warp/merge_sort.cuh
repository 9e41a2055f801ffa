// A stable merge sort over one logical warp, of Threads lanes (a power of two), through shared memory.
// Every lane holds ItemsPerThread items, blocked: lane t those from t * ItemsPerThread on.
//
// Only the first Threads lanes of each segment's warp take part; all lanes of a segment call together. less
// is a strict weak order; by any other operator the result is in no particular order, but still of the same items.
// TempStorage may be used again after a call. Keys with values: merge_sort_pairs.cuh.
#pragma once
#include <jig/core/ptx.cuh>
#include <jig/thread/merge.cuh>
#include <jig/thread/sort.cuh>

namespace jig {

// What warps and blocks share: rounds in which sorted runs, of a thread's items at first, are merged by two.
// Addresses are of shared memory, that of a tile's first item.
template <class T, int Threads, int N> struct MergeRounds {
  static constexpr int tile_items = Threads * N;
  using Items = array<T, N>;

  int thread;

  static __device__ uint32_t address_of(uint32_t tile, int item) { return tile + item * int(sizeof(T)); }

  // The thread's part of two neighbouring runs, of `width` threads each; only `valid` items count, or none(): all, of a
  // power of two of threads. Reads an item behind the second run; and N of them if there are threads without items that
  // count.
  template <class Less, class Valid>
  __device__ merge_part<T, N> merge(uint32_t tile, int width, Valid valid, Less less) const {
    const int first = (thread & ~(2 * width - 1)) * N, place = thread * N - first;
    int a_count = width * N, b_count = a_count;
    if constexpr (!is_same<Valid, none>) {
      const int a_end = min_of(first + width * N, valid), b_end = min_of(first + 2 * width * N, valid);
      a_count = max_of(a_end - first, 0);
      b_count = max_of(b_end - a_end, 0);
    }
    const uint32_t a = address_of(tile, first);
    return merge_from<T, N, true>(a, a_count, address_of(a, a_count), b_count, place, less);
  }

  // What is read behind the last run, whatever it is.
  template <int Count = N> __device__ void write_margin(uint32_t tile, const T &item) const {
    if constexpr (Count <= Threads) {
      if (unsigned(thread) < Count) ptx::shared_at<T>(address_of(tile, tile_items + thread)) = item;
    } else {
#pragma unroll 1
      for (int j = thread; j < Count; j += Threads) ptx::shared_at<T>(address_of(tile, tile_items + j)) = item;
    }
  }

  // Before a tile of which only `valid` items hold a value, one at least: puts such an item in the place of the others,
  // so that there is something to be read. sync() waits for all threads of the tile.
  template <class Sync> __device__ void fill(uint32_t tile, Items &items, int valid, Sync sync) const {
    if (thread == 0) ptx::shared_at<T>(tile) = items[0];
    sync();
    const T item = ptx::shared_at<T>(tile);
#pragma unroll
    for (int j = 0; j < N; ++j) items[j] = choose(j < count(valid), items[j], item);
    sync();
  }

  // How many of the thread's items count, if that is not less than none, or more than it has.
  __device__ int count(int valid) const { return valid - thread * N; }
  __device__ int count(none) const { return N; }
};

template <class T, int ItemsPerThread, int Threads = warp_threads> class WarpMergeSort {
  static_assert(is_power_of_two(Threads) && Threads <= warp_threads,
                "WarpMergeSort: a logical warp has 1, 2, 4, 8, 16 or 32 lanes");
  static_assert(ItemsPerThread >= 1, "WarpMergeSort: a thread has one item or more");
  using Rounds = MergeRounds<T, Threads, ItemsPerThread>;

 public:
  using Items = array<T, ItemsPerThread>;
  // One for each logical warp.
  struct alignas(16) alignas(T) TempStorage {
    uninitialized<T, Rounds::tile_items + ItemsPerThread> items;
  };

  __device__ WarpMergeSort() : WarpMergeSort(missing_storage()) {}
  __device__ explicit WarpMergeSort(TempStorage &storage)
      : rounds_{int(ptx::lane_id() % Threads)},
        tile_(ptx::kept_shared_address(&storage)),
        mask_((full_warp >> (warp_threads - Threads)) << ptx::lane_id() / Threads * Threads) {}

  template <class Less> __device__ Items Sort(const Items &items, Less less) { return sort(items, less, none()); }
  template <class Less> __device__ Items StableSort(const Items &items, Less less) { return Sort(items, less); }
  template <class Less> __device__ Items StableSort(const Items &items, Less less, int valid_items) {
    return Sort(items, less, valid_items);
  }

  // Only the first valid_items of the warp hold a value, one at least; the others' results mean nothing, and
  // less never sees them.
  template <class Less> __device__ Items Sort(Items items, Less less, int valid_items) {
    if (valid_items < Rounds::tile_items)
      rounds_.fill(tile_, items, valid_items, [&] { __syncwarp(mask_); });
    return sort(items, less, valid_items);
  }

 private:
  static __device__ TempStorage &missing_storage() {
    static_assert(Threads == 0, "WarpMergeSort: it needs TempStorage");
  }
  template <class Less, class Valid> __device__ Items sort(Items items, Less less, Valid valid) {
    const int lane = rounds_.thread;
    items = thread_sort(items, less, rounds_.count(valid));
    rounds_.template write_margin<is_same<Valid, none> ? 1 : ItemsPerThread>(tile_, items[0]);
#pragma unroll 1
    for (int width = 1; width < Threads; width *= 2) {
      __syncwarp(mask_);
      put_words(tile_, lane, items);
      __syncwarp(mask_);
      const auto part = rounds_.merge(tile_, width, valid, less);
      items = part.items;
      if constexpr (!is_order<Less, T>) {
        const bool meets = part.meets(__shfl_down_sync(mask_, part.begin, 1, Threads));
        if (!__all_sync(mask_, meets)) items = take_blocked<T, ItemsPerThread>(tile_, lane);
      }
    }
    __syncwarp(mask_);
    return items;
  }

  Rounds rounds_;
  uint32_t tile_, mask_;
};

}  // namespace jig
