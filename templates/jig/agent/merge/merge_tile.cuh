// What a block does to merge a tile's worth of two runs that are anywhere: it finds where the tile begins and
// ends in each, brings these parts to shared memory, and merges them there.
#pragma once
#include <jig/agent/merge/merge_borders.cuh>
#include <jig/block/merge_seams.cuh>
#include <jig/thread/merge.cuh>
#include <jig/warp/merge_path.cuh>

namespace jig {

// T is what is merged; Less orders it. If runs are not in order, or Less is none, the output is made of their items all
// the same, and KeepsAll has each of them in it once; in no particular order.
template <class T, int Threads, int N, class Less, bool KeepsAll> class MergeTile {
  static_assert(Threads >= 2 * warp_threads, "one warp finds a tile's begin, another one its end");
  static constexpr int warps = Threads / warp_threads;
  using Borders = MergeBorders<uint64_t, 2>;
  using Seams = MergeSeams<Threads>;

 public:
  static constexpr int tile_items = Threads * N;
  struct TempStorage {
    union {
      uninitialized<T, tile_items + N> items;
      uint64_t found[warp_threads];  // before there are items: of a, before the border of each level
    };
    uint64_t splits[2];
    typename Seams::TempStorage seams;
  };

  __device__ MergeTile(TempStorage &storage, Less less)
      : storage_(storage), tile_(ptx::kept_shared_address(&storage)), less_(less) {}

  __device__ uint32_t address() const { return tile_; }

  // Leaves the outputs of tile number `tile` of a merge in shared memory: `count`, as in all of so many tiles but the
  // last tile_items. load(of_a, i) is item i of a run. splits[n] is what has been found for where tile n begins in a,
  // of each n from 1 on; NULL: nobody has searched for it.
  template <class A, class B, class Load>
  __device__ void Merge(const A &a, uint64_t a_count, const B &b, uint64_t b_count, uint32_t tile, int count,
                        uint32_t tiles, const uint64_t *splits, Load load) {
    const uint64_t first = uint64_t(tile) * tile_items;
    if constexpr (KeepsAll) settle(a, a_count, b, b_count, tile, tiles, splits);
    else search(a, a_count, b, b_count, first, count);
    Merge(storage_.splits, first, count, load);
  }

  // The same if that is known of both ends of the tile: where its outputs begin in a, and where they end there.
  template <class Load>
  __device__ void Merge(const uint64_t *splits, uint64_t first, int count, Load load) {
    // Once; or twice, if threads have taken items that others took, too: then these stay as they come.
#pragma unroll 1
    for (bool is_second = false;; is_second = true) {
      const int of_a = bring(splits, first, count, load);
      if (is_second) return;
      const auto part =
          merge_from<T, N, true>(tile_, of_a, address_of(of_a), count - of_a, threadIdx.x * N, less_);
      Seams seams(storage_.seams, threadIdx.x);
      if (KeepsAll) seams.Publish(part);
      __syncthreads();
      put_blocked(tile_, threadIdx.x, part.items);
      if constexpr (!KeepsAll) {
        __syncthreads();
        return;
      } else if (__syncthreads_and(seams.Meets(part))) {
        return;
      }
    }
  }

 private:
  __device__ uint32_t address_of(int item) const { return tile_ + item * int(sizeof(T)); }

  // Two warps search for where the outputs begin and end in a.
  template <class A, class B>
  __device__ void search(const A &a, uint64_t a_count, const B &b, uint64_t b_count, uint64_t first, int count) {
    const int warp = threadIdx.x / warp_threads;
    if (warp < 2) {
      const uint64_t split = warp_merge_path(a, a_count, b, b_count, first + warp * count, less_);
      if (threadIdx.x % warp_threads == 0) storage_.splits[warp] = split;
    }
    __syncthreads();
  }

  // The same, by what has been found for the borders that decide; by a warp each, if nothing has.
  template <class A, class B>
  __device__ void settle(const A &a, uint64_t a_count, const B &b, uint64_t b_count, uint32_t tile, uint32_t tiles,
                         const uint64_t *splits) {
    const int warp = threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
    const Borders borders({a_count}, a_count + b_count, tile_items, tiles);
    if (splits == nullptr) {
#pragma unroll 1
      for (int level = warp; level < border_levels(tiles); level += warps) {
        const uint32_t border = border_above(tile | 1, level);
        if (border >= tiles) continue;
        const uint64_t found = warp_merge_path(a, a_count, b, b_count, borders.rank(border), less_);
        if (lane == 0) storage_.found[level] = found;
      }
      __syncthreads();
    }
    if (warp == 0) {
      const uint32_t border = border_above(tile | 1, lane);
      typename Borders::Place place{};
      if (border < tiles) place[0] = splits != nullptr ? splits[border] : storage_.found[lane];
      place = borders.Settle(tile | 1, place);
      if (border - tile <= 1) storage_.splits[border - tile] = place[0];
      if (border - tile == 1 && tile == 0) storage_.splits[0] = 0;
    }
    __syncthreads();
  }

  // The parts one behind the other; how many items are of a. Behind the last item there are others, whichever, as
  // merging reads on.
  template <class Load>
  __device__ int bring(const uint64_t *splits, uint64_t first, int count, Load load) const {
    const uint64_t a_first = splits[0];
    // Between 0 and count, unless both ends have been searched for in runs that are not in order. Each by itself lies
    // within the runs, so that what this leaves does, too.
    const int of_a = int(max_of(min_of(int64_t(splits[1] - a_first), int64_t(count)), int64_t(0)));
    const uint64_t b_first = first - a_first - of_a;  // of what would come before its part
    array<T, N> items;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const int i = min_of(int(threadIdx.x) + j * Threads, count - 1);
      items[j] = load(i < of_a, (i < of_a ? a_first : b_first) + i);
    }
#pragma unroll
    for (int j = 0; j < N; ++j) ptx::shared_at<T>(address_of(threadIdx.x + j * Threads)) = items[j];
    if (threadIdx.x < N) ptx::shared_at<T>(address_of(tile_items + threadIdx.x)) = items[0];
    __syncthreads();
    return of_a;
  }

  TempStorage &storage_;
  uint32_t tile_;
  Less less_;
};

}  // namespace jig
