// Where each segment begins among the items of all, for segments that are anywhere in the input: lengths added up. Each
// block has as many neighbouring segments; it publishes how many items these have, and waits for all blocks before it.
#pragma once
#include <jig/agent/segmented_reduce/segment_items.cuh>
#include <jig/block/reduce_warp_reductions.cuh>
#include <jig/block/scan_warp_scans.cuh>
#include <jig/core/tile_state.cuh>

namespace jig {

template <class Policy, class Begins, class Ends> class AgentSegmentStarts {
  static constexpr int threads = Policy::threads;
  using Reduce = BlockReduceWarpReductions<uint64_t, threads>;
  using Scan = BlockScanWarpScans<uint64_t, threads>;

 public:
  union TempStorage {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  };

  __device__ AgentSegmentStarts(TempStorage &storage, const Begins &begins, const Ends &ends,
                                const SegmentedReduceCall &call, TileState<uint64_t> *sums)
      : storage_(storage), begins_(begins), ends_(ends), call_(call), sums_(sums) {}

  __device__ void Run() {
    const uint64_t share = ceil_div(call_.num_segments, uint64_t(gridDim.x));
    const uint64_t first = min_of(blockIdx.x * share, call_.num_segments),
                   last = min_of(first + share, call_.num_segments);
    uint64_t before = 0;
    if (gridDim.x > 1) {
      publish(first, last);
      before = take_sums();
    }
    store(first, last, before);
  }

 private:
  __device__ uint64_t length(uint64_t segment) const {
    const int64_t begin = int64_t(begins_[segment]), end = int64_t(ends_[segment]);
    return end > begin ? uint64_t(end - begin) : 0;
  }

  __device__ void publish(uint64_t first, uint64_t last) {
    uint64_t sum = 0;
    for (uint64_t i = first + threadIdx.x; i < last; i += threads) sum += length(i);
    sum = Reduce(storage_.reduce, threadIdx.x).Reduce(sum, plus{});
    if (threadIdx.x == 0) sums_[blockIdx.x].publish(sum, call_.tag);
    __syncthreads();
  }

  // Of all blocks before this one. Nobody retires what is read by many: the host sees to it that a graph's replays do
  // not find what the one before has left.
  __device__ uint64_t take_sums() {
    uint64_t sum = 0;
#pragma unroll 1
    for (unsigned first = 0; first < blockIdx.x; first += threads) {
      const unsigned block = first + threadIdx.x;
      uint64_t other = 0;
      take_by_warp(sums_[block], block < blockIdx.x, other, call_.tag);
      if (block < blockIdx.x) sum += other;
    }
    uint64_t all;
    (void)Scan(storage_.scan, threadIdx.x).ExclusiveScan(sum, uint64_t(0), plus{}, all);
    __syncthreads();
    return all;
  }

  __device__ void store(uint64_t first, uint64_t last, uint64_t before) {
#pragma unroll 1
    for (uint64_t i = first; i < last; i += threads) {
      const uint64_t mine = i + threadIdx.x;
      uint64_t sum;
      const uint64_t own = mine < last ? length(mine) : 0;
      const uint64_t start = Scan(storage_.scan, threadIdx.x).ExclusiveScan(own, before, plus{}, sum);
      if (mine < last) {
        call_.starts[mine] = start;
        if (mine + 1 == call_.num_segments) call_.starts[mine + 1] = start + own;
      }
      before += sum;
      __syncthreads();
    }
  }

  TempStorage &storage_;
  const Begins &begins_;
  const Ends &ends_;
  const SegmentedReduceCall &call_;
  TileState<uint64_t> *sums_;
};

}  // namespace jig
