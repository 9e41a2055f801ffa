// What a block does in the first launch of a merge sort: it sorts a tile.
#pragma once
#include <jig/agent/merge_sort.cuh>
#include <jig/block/merge_sort.cuh>

namespace jig {

template <class Policy, class Records, class Less> class AgentMergeSortBlock {
  using Record = typename Records::Record;
  static constexpr int threads = Policy::threads, N = Policy::items;
  static constexpr int tile_items = threads * N, warp_items = warp_threads * N;
  using Sort = BlockMergeSort<Record, threads, N>;

 public:
  using TempStorage = typename Sort::TempStorage;

  __device__ AgentMergeSortBlock(TempStorage &storage, const Records &records, Less less,
                                 const MergeSortPart &part)
      : storage_(storage), tile_(ptx::kept_shared_address(&storage)), records_(records), less_(less), part_(part) {}

  __device__ void Run(uint64_t tile) {
    const uint64_t first = tile * tile_items;
    const int count = int(min_of(part_.num_items - first, uint64_t(tile_items)));
    const auto items = load(first, count);
    if (Records::has_places && part_.copies != nullptr) copy_values(first, count);
    __syncthreads();
    const auto sorted = Sort(storage_).Sort(items, less_, count);
    __syncthreads();
    put_blocked(tile_, threadIdx.x, sorted);
    __syncthreads();
    ptx::launch_dependent_grids();
    store_records<threads>(tile_, count, records_, part_, first);
  }

 private:
  __device__ uint32_t address_of(int item) const { return tile_ + item * int(sizeof(Record)); }

  // A warp loads its own items row by row, and turns them round in shared memory. Past the end there is the last
  // item again.
  __device__ array<Record, N> load(uint64_t first, int count) const {
    const int begin = threadIdx.x / warp_threads * warp_items, lane = threadIdx.x % warp_threads;
    if (count == tile_items) bring([&](int i) { return records_.load(first + begin + i); }, begin + lane);
    else bring([&](int i) { return records_.load(first + min_of(begin + i, count - 1)); }, begin + lane);
    array<Record, N> items;
    const uint32_t own = address_of(threadIdx.x * N);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < N; ++j) items[j] = ptx::shared_at<Record>(own + j * int(sizeof(Record)));
    return items;
  }

  // A lane's items, some of them at once.
  template <class ItemAt> __device__ void bring(ItemAt item_at, int column) const {
    constexpr int batch = 12;
    const int lane = threadIdx.x % warp_threads;
#pragma unroll
    for (int first = 0; first < N; first += batch) {
      array<Record, batch> items;
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (first + j < N) items[j] = item_at((first + j) * warp_threads + lane);
#pragma unroll
      for (int j = 0; j < batch; ++j)
        if (first + j < N) ptx::shared_at<Record>(address_of(column + (first + j) * warp_threads)) = items[j];
    }
  }

  __device__ void copy_values(uint64_t first, int count) const {
    if constexpr (Records::has_places) {
      auto *copies = static_cast<typename Records::Value *>(part_.copies);
      for (int i = threadIdx.x; i < count; i += threads) copies[first + i] = records_.values_in[first + i];
    }
  }

  TempStorage &storage_;
  uint32_t tile_;
  const Records &records_;
  Less less_;
  const MergeSortPart &part_;
};

}  // namespace jig
