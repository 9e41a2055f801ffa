// What a block does to merge a tile's worth of two runs that are anywhere: it finds where the tile begins and
// ends in each, brings these parts to shared memory, and merges them there.
#pragma once
#include <jig/thread/merge.cuh>
#include <jig/warp/merge_path.cuh>

namespace jig {

// T is what is merged; Less orders it.
template <class T, int Threads, int N, class Less> class MergeTile {
  static_assert(Threads >= 2 * warp_threads, "one warp finds a tile's begin, another one its end");

 public:
  static constexpr int tile_items = Threads * N;
  struct TempStorage {
    uninitialized<T, tile_items + N> items;
    uint64_t splits[2];
  };

  __device__ MergeTile(TempStorage &storage, Less less)
      : storage_(storage), tile_(ptx::kept_shared_address(&storage)), less_(less) {}

  __device__ uint32_t address() const { return tile_; }

  // Leaves outputs first .. first + count - 1 of a merge in shared memory; count is 1 to tile_items.
  // load(of_a, i) is item i of a run. Two warps search for where the outputs begin and end in a.
  template <class A, class B, class Load>
  __device__ void Merge(const A &a, uint64_t a_count, const B &b, uint64_t b_count, uint64_t first, int count,
                        Load load) {
    const int warp = threadIdx.x / warp_threads;
    if (warp < 2) {
      const uint64_t split = warp_merge_path(a, a_count, b, b_count, first + warp * count, less_);
      if (threadIdx.x % warp_threads == 0) storage_.splits[warp] = split;
    }
    __syncthreads();
    Merge(storage_.splits, first, count, load);
  }

  // The same if that is known: where the outputs begin in a, and where they end there.
  template <class Load>
  __device__ void Merge(const uint64_t *splits, uint64_t first, int count, Load load) {
    const uint64_t a_first = splits[0];
    const int of_a = int(splits[1] - a_first);
    const uint64_t b_first = first - a_first - of_a;  // of what would come before its part
    bring(count, [&](int i) { return load(i < of_a, (i < of_a ? a_first : b_first) + i); });
    __syncthreads();
    const auto merged =
        merge_from<T, N, true>(tile_, of_a, address_of(of_a), count - of_a, threadIdx.x * N, less_, tile_);
    __syncthreads();
    put_blocked(tile_, threadIdx.x, merged);
    __syncthreads();
  }

 private:
  __device__ uint32_t address_of(int item) const { return tile_ + item * int(sizeof(T)); }

  // Behind the last item there are others, whichever, as merging reads on.
  template <class ItemAt> __device__ void bring(int count, ItemAt item_at) const {
    array<T, N> items;
#pragma unroll
    for (int j = 0; j < N; ++j) items[j] = item_at(min_of(int(threadIdx.x) + j * Threads, count - 1));
#pragma unroll
    for (int j = 0; j < N; ++j) ptx::shared_at<T>(address_of(threadIdx.x + j * Threads)) = items[j];
    if (threadIdx.x < N) ptx::shared_at<T>(address_of(tile_items + threadIdx.x)) = items[0];
  }

  TempStorage &storage_;
  uint32_t tile_;
  Less less_;
};

}  // namespace jig
