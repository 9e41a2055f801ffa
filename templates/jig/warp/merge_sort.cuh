// A stable merge sort over one logical warp, of Threads lanes (a power of two), through shared memory.
// Every lane holds ItemsPerThread items, blocked: lane t those from t * ItemsPerThread on.
//
// Only the first Threads lanes of each segment's warp take part; all lanes of a segment call together. less
// is a strict weak order.
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

  // The thread's part of two neighbouring runs, of `width` threads each; only `valid` items count. Reads an
  // item behind the second run; and N of them if there are threads without items that count.
  template <class Less> __device__ Items merge(uint32_t tile, int width, int valid, Less less) const {
    const int first = (thread & ~(2 * width - 1)) * N, place = thread * N - first;
    const int a_end = min_of(first + width * N, valid), b_end = min_of(first + 2 * width * N, valid);
    const int a_count = max_of(a_end - first, 0), b_count = max_of(b_end - a_end, 0);
    const int diagonal = min_of(place, a_count + b_count);
    const shared_run<T> a = {address_of(tile, first)}, b = {address_of(a.address, a_count)};
    const int from_a = merge_path(a, a_count, b, b_count, diagonal, less);
    return thread_merge<MergeChecks::ends, T, N>({address_of(a.address, from_a), b.address,
                               address_of(b.address, diagonal - from_a), address_of(b.address, b_count)},
                              less);
  }

  // What is read behind the last run, whatever it is.
  __device__ void write_margin(uint32_t tile, const T &item) const {
#pragma unroll 1
    for (int j = thread; j < N; j += Threads) ptx::shared_at<T>(address_of(tile, tile_items + j)) = item;
  }
};

// Puts the largest of the first `count` items in the place of the others, of which there are some.
template <class T, int N, class Less> __device__ void fill_up(array<T, N> &items, int count, Less less) {
  T largest = items[0];
#pragma unroll
  for (int j = 1; j < N; ++j) {
    items[j] = choose(j < count, items[j], largest);
    largest = choose(!less(items[j], largest), items[j], largest);
  }
}

template <class T, int ItemsPerThread, int Threads = warp_threads> class WarpMergeSort {
  static_assert(is_power_of_two(Threads) && Threads <= warp_threads,
                "WarpMergeSort: a logical warp has 1, 2, 4, 8, 16 or 32 lanes");
  using Rounds = MergeRounds<T, Threads, ItemsPerThread>;

 public:
  using Items = array<T, ItemsPerThread>;
  // One for each logical warp.
  struct TempStorage {
    uninitialized<T, Rounds::tile_items + ItemsPerThread> items;
  };

  __device__ explicit WarpMergeSort(TempStorage &storage)
      : rounds_{int(ptx::lane_id() % Threads)},
        tile_(ptx::kept_shared_address(&storage)),
        mask_((full_warp >> (warp_threads - Threads)) << ptx::lane_id() / Threads * Threads) {}

  template <class Less> __device__ Items Sort(const Items &items, Less less) {
    return Sort(items, less, Rounds::tile_items);
  }

  // Only the first valid_items of the warp hold a value, one at least; the others' results mean nothing, and
  // less never sees them.
  template <class Less> __device__ Items Sort(Items items, Less less, int valid_items) {
    if (valid_items < Rounds::tile_items) fill(items, less, valid_items);
    items = thread_sort(items, less);
    rounds_.write_margin(tile_, items[0]);
#pragma unroll 1
    for (int width = 1; width < Threads; width *= 2) {
      put_blocked(tile_, rounds_.thread, items);
      __syncwarp(mask_);
      items = rounds_.merge(tile_, width, valid_items, less);
      __syncwarp(mask_);
    }
    return items;
  }

 private:
  template <class Less> __device__ void fill(Items &items, Less less, int valid_items) {
    const int count = valid_items - rounds_.thread * ItemsPerThread;
    if (rounds_.thread == 0) ptx::shared_at<T>(tile_) = items[0];
    __syncwarp(mask_);
    if (count <= 0) items[0] = ptx::shared_at<T>(tile_);
    if (count < ItemsPerThread) fill_up(items, max_of(count, 1), less);
    __syncwarp(mask_);
  }

  Rounds rounds_;
  uint32_t tile_, mask_;
};

}  // namespace jig
