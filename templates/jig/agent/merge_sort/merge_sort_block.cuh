// What a block does in the first launch of a merge sort: it sorts a tile.
#pragma once
#include <jig/agent/merge_sort/merge_sort.cuh>
#include <jig/block/merge_sort.cuh>
#include <jig/warp/sort_few.cuh>

namespace jig {

template <class Policy, class Records, class Less> class AgentMergeSortBlock {
  using Record = typename Records::Record;
  static constexpr int threads = Policy::threads, N = Policy::items;
  static constexpr int warp_items = warp_threads * N;
  using Sort = BlockMergeSort<Record, threads, N>;

 public:
  using TempStorage = typename Sort::TempStorage;
  static constexpr int tile_items = threads * N;

  __device__ AgentMergeSortBlock(TempStorage &storage, const Records &records, Less less,
                                 const MergeSortPart &part)
      : storage_(storage), tile_(ptx::kept_shared_address(&storage)), records_(records), less_(less), part_(part) {}

  __device__ void Run(uint64_t tile) {
    const uint64_t first = tile * tile_items;
    const int count = int(min_of(part_.num_items - first, uint64_t(tile_items)));
    load(first, count);
    const auto items = take(count);
    if (Records::has_places && part_.copies != nullptr) copy_values(first, count);
    __syncthreads();
    const auto sorted = Sort(storage_).SortFilled(items, less_, count);
    __syncthreads();
    put_blocked(tile_, threadIdx.x, sorted);
    __syncthreads();
    ptx::launch_dependent_grids();
    store_records<threads>(tile_, count, records_, part_, first);
  }

 private:
  __device__ uint32_t address_of(int item) const { return tile_ + item * int(sizeof(Record)); }

  // A warp brings its own items row by row, some of them at once. Past the end there is the last item again, and
  // past the last row that row.
  __device__ void load(uint64_t first, int count) const {
    constexpr int rows = sizeof(Record) <= 8 ? 12 : 6, batches = (N + rows - 1) / rows;
    constexpr int batch = (N + batches - 1) / batches;
    const int begin = threadIdx.x / warp_threads * warp_items + threadIdx.x % warp_threads;
#pragma unroll 1
    for (int row = 0; row < N; row += batch) {
      array<Record, batch> items;
#pragma unroll
      for (int j = 0; j < batch; ++j) {
        const int item = begin + min_of(row + j, N - 1) * warp_threads;
        items[j] = records_.load(first + min_of(item, count - 1));
      }
#pragma unroll
      for (int j = 0; j < batch; ++j)
        ptx::shared_at<Record>(address_of(begin + min_of(row + j, N - 1) * warp_threads)) = items[j];
    }
    __syncwarp();
  }

  // A thread's items of those. If some count and others do not, they are in order.
  __device__ array<Record, N> take(int count) const {
    const int partial = count / N, rest = count % N;
    if (rest > 0 && partial / warp_threads == int(threadIdx.x) / warp_threads)
      sort_few<Record>(address_of(partial * N), rest, threadIdx.x % warp_threads, warp_threads, full_warp, less_);
    return take_blocked<Record, N>(tile_, threadIdx.x);
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
