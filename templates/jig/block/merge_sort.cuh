// A stable merge sort of a block's items, ItemsPerThread for each thread, blocked: thread t holds those from
// t * ItemsPerThread on.
//
// All threads of the block call, with the block's dimensions given as template arguments. less is a strict
// weak order; by any other operator the result is in no particular order, but still of the same items. An odd
// ItemsPerThread keeps threads out of each other's banks.
//
// The default constructor uses shared memory of its own; the other one the caller's, which may be used
// again after a __syncthreads(). Keys with values: merge_sort_pairs.cuh.
#pragma once
#include <jig/block/merge_seams.cuh>
#include <jig/block/thread_id.cuh>
#include <jig/warp/merge_sort.cuh>

namespace jig {

template <class T, int DimX, int ItemsPerThread, int DimY = 1, int DimZ = 1> class BlockMergeSort {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockMergeSort: a block has 1 to 1024 threads");
  static constexpr bool whole_warps = threads % warp_threads == 0;
  static constexpr int warps = (threads + warp_threads - 1) / warp_threads;
  using Rounds = MergeRounds<T, threads, ItemsPerThread>;
  using Seams = MergeSeams<threads>;
  // How many items of room a warp has behind its own; what follows is to be aligned as a tile is.
  static constexpr int margin = item_words<T, ItemsPerThread>::are_items ? 1 : 16 / gcd(int(sizeof(T)), 16);

 public:
  static constexpr int tile_items = Rounds::tile_items;
  using Items = array<T, ItemsPerThread>;
  struct alignas(16) alignas(T) TempStorage {
    uninitialized<T, tile_items + max_of(ItemsPerThread, warps * margin)> items;
    typename Seams::TempStorage seams;
  };

  __device__ BlockMergeSort() : BlockMergeSort(private_storage()) {}
  __device__ explicit BlockMergeSort(TempStorage &storage)
      : storage_(storage),
        rounds_{int(linear_thread_id<DimX, DimY, DimZ>())},
        tile_(ptx::kept_shared_address(&storage)) {}

  template <class Less> __device__ Items Sort(const Items &items, Less less) {
    if constexpr (is_power_of_two(threads)) return sort(items, less, none());
    else return sort(items, less, tile_items);
  }

  template <class Less> __device__ Items StableSort(const Items &items, Less less) { return Sort(items, less); }
  template <class Less> __device__ Items StableSort(const Items &items, Less less, int valid_items) {
    return Sort(items, less, valid_items);
  }

  // Only the first valid_items of the tile hold a value, one at least; the others' results mean nothing, and
  // less never sees them.
  template <class Less> __device__ Items Sort(Items items, Less less, int valid_items) {
    if (valid_items < tile_items) rounds_.fill(tile_, items, valid_items, [] { __syncthreads(); });
    return sort(items, less, valid_items);
  }

  // The same where every thread's other items hold values, too, and those of the thread that has some of both are
  // sorted already.
  template <class Less> __device__ Items SortFilled(Items items, Less less, int valid_items) {
    if (rounds_.count(valid_items) >= ItemsPerThread) items = thread_sort(items, less);
    return merge_runs(items, less, valid_items);
  }

 private:
  template <class Less, class Valid> __device__ Items sort(const Items &items, Less less, Valid valid_items) {
    return merge_runs(thread_sort(items, less, rounds_.count(valid_items)), less, valid_items);
  }

  // The rounds after each thread's own. none(): all items count, of a power of two of threads.
  template <class Less, class Valid> __device__ Items merge_runs(Items items, Less less, Valid valid_items) {
    constexpr bool all_count = is_same<Valid, none>;
    // While runs are a warp's, warps need not wait for each other: each has an item of room behind its own.
    const int warp = rounds_.thread / warp_threads, warp_first = warp * warp_threads * ItemsPerThread;
    uint32_t tile = tile_;
    if (whole_warps) {
      tile += warp * int(margin * sizeof(T));
      if (rounds_.thread % warp_threads == 0)
        ptx::shared_at<T>(Rounds::address_of(tile, warp_first + warp_threads * ItemsPerThread)) = items[0];
    } else {
      rounds_.template write_margin<all_count ? 1 : ItemsPerThread>(tile, items[0]);
    }
#pragma unroll 1
    for (int width = 1; width < threads; width *= 2) {
      if constexpr (!all_count) {
        if (width * ItemsPerThread >= valid_items) break;
      }
      if (whole_warps && width == warp_threads) {
        __syncthreads();
        tile = tile_;
        rounds_.template write_margin<all_count ? 1 : ItemsPerThread>(tile, items[0]);
      }
      const bool within_warp = whole_warps && 2 * width <= warp_threads;
      if (is_order<Less, T> || within_warp) sync(within_warp);  // otherwise the last round has ended with it
      put_words(tile, rounds_.thread, items);
      sync(within_warp);
      bool has_items = true;
      if constexpr (whole_warps && !all_count) has_items = warp_first < valid_items;
      if constexpr (is_order<Less, T>) {
        if (has_items) items = rounds_.merge(tile, width, valid_items, less).items;
      } else {
        merge_part<T, ItemsPerThread> part = {items, 0, 0, true};
        if (has_items) part = rounds_.merge(tile, width, valid_items, less);
        items = all_meet(part, within_warp) ? part.items : take_blocked<T, ItemsPerThread>(tile, rounds_.thread);
      }
    }
    return items;
  }

  static __device__ void sync(bool within_warp) {
    if (within_warp) __syncwarp();
    else __syncthreads();
  }

  // Whether what this round has merged is still all of the warp's, or of the block's, items.
  __device__ bool all_meet(const merge_part<T, ItemsPerThread> &part, bool within_warp) {
    if (within_warp) return __all_sync(full_warp, part.meets(__shfl_down_sync(full_warp, part.begin, 1)));
    Seams seams(storage_.seams, rounds_.thread);
    seams.Publish(part);
    __syncthreads();
    return __syncthreads_and(seams.Meets(part));
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  Rounds rounds_;
  uint32_t tile_;
};

}  // namespace jig
