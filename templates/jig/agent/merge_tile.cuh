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
  // load(of_a, i) is item i of a run.
  template <class A, class B, class Load>
  __device__ void Merge(const A &a, uint64_t a_count, const B &b, uint64_t b_count, uint64_t first, int count,
                        Load load) {
    const int warp = threadIdx.x / warp_threads;
    if (warp < 2) {
      const uint64_t split = warp_merge_path(a, a_count, b, b_count, first + warp * count, less_);
      if (threadIdx.x % warp_threads == 0) storage_.splits[warp] = split;
    }
    __syncthreads();
    const uint64_t a_first = storage_.splits[0], b_first = first - a_first;
    const int of_a = int(storage_.splits[1] - a_first);
    bring(of_a, count, [&](int i) {
      return load(i < of_a, i < of_a ? a_first + i : b_first + (i - of_a));
    });
    __syncthreads();
    const auto merged = merge(of_a, count);
    __syncthreads();
    const uint32_t own = address_of(threadIdx.x * N);
#pragma unroll
    for (int j = 0; j < N; ++j) ptx::shared_at<T>(own + j * int(sizeof(T))) = merged[j];
    __syncthreads();
  }

 private:
  __device__ uint32_t address_of(int item) const { return tile_ + item * int(sizeof(T)); }

  // Past the end there is the last item again, as merging reads there.
  template <class ItemAt> __device__ void bring(int of_a, int count, ItemAt item_at) const {
    array<T, N> items;
#pragma unroll
    for (int j = 0; j < N; ++j) items[j] = item_at(min_of(int(threadIdx.x) + j * Threads, count - 1));
#pragma unroll
    for (int j = 0; j < N; ++j) ptx::shared_at<T>(address_of(threadIdx.x + j * Threads)) = items[j];
    for (int j = threadIdx.x; j < N; j += Threads)
      ptx::shared_at<T>(address_of(tile_items + j)) = items[0];
  }

  __device__ array<T, N> merge(int of_a, int count) const {
    const int diagonal = min_of(int(threadIdx.x) * N, count), of_b = count - of_a;
    const shared_run<T> a = {tile_}, b = {address_of(of_a)};
    const int from_a = merge_path(a, of_a, b, of_b, diagonal, less_), from_b = diagonal - from_a;
    const merge_ends ends = {address_of(from_a), b.address, address_of(of_a + from_b), address_of(count)};
    if (__all_sync(full_warp, of_a - from_a >= N && of_b - from_b >= N))
      return thread_merge<false, T, N>(ends, less_);
    return thread_merge<true, T, N>(ends, less_);
  }

  TempStorage &storage_;
  uint32_t tile_;
  Less less_;
};

}  // namespace jig
