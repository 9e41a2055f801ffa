// Radix rank of keys in warp-striped arrangement: every warp has a counter for each digit, and lanes that hold
// one digit find each other by ballots. Needs whole warps.
#pragma once
#include <jig/block/scan_warp_scans.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/match_digit.cuh>

namespace jig {

// Replaces Count counters by the sums of what is before each; a thread takes neighbouring ones.
template <int Threads, int Count>
__device__ void scan_counters(typename BlockScanWarpScans<uint32_t, Threads>::TempStorage &storage, uint32_t *counters,
                              int thread) {
  constexpr int share = ceil_div(Count, Threads);
  const int first = thread * share;
  array<uint32_t, share> own;
  uint32_t sum = 0, aggregate;
#pragma unroll
  for (int i = 0; i < share; ++i) sum += own[i] = first + i < Count ? counters[first + i] : 0;
  uint32_t before = BlockScanWarpScans<uint32_t, Threads>(storage, thread).ExclusiveScan(sum, 0u, plus(), aggregate);
#pragma unroll
  for (int i = 0; i < share; ++i) {
    if (first + i < Count) counters[first + i] = before;
    before += own[i];
  }
}

template <int Threads, int RadixBits> class BlockRadixRankMatch {
  static_assert(Threads % warp_threads == 0, "BlockRadixRank: matching needs whole warps");
  static constexpr int warps = Threads / warp_threads;

 public:
  static constexpr int digits = 1 << RadixBits;
  static constexpr bool warp_striped = true;

  struct TempStorage {
    uint32_t counters[digits][warps];  // in the order in which what they count is ranked
    typename BlockScanWarpScans<uint32_t, Threads>::TempStorage scan;
  };

  __device__ BlockRadixRankMatch(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  template <int N> __device__ array<int, N> Rank(const array<uint32_t, N> &keys) {
    const int warp = thread_ / warp_threads;
    array<int, N> ranks;
    for (int i = thread_; i < digits * warps; i += Threads) (&storage_.counters[0][0])[i] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; ++k) ranks[k] = count(storage_.counters[keys[k]][warp], keys[k]);
    __syncthreads();
    scan_counters<Threads, digits * warps>(storage_.scan, &storage_.counters[0][0], thread_);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; ++k) ranks[k] += storage_.counters[keys[k]][warp];
    return ranks;
  }

  __device__ int DigitStart(int digit) const { return storage_.counters[digit][0]; }

 private:
  // How many of the warp's keys with that digit are before this one.
  __device__ int count(uint32_t &counter, uint32_t digit) const {
    const uint32_t peers = match_digit<RadixBits>(digit);
    const uint32_t earlier = counter;
    const uint32_t below = peers & ptx::lanes_below();
    __syncwarp();
    if (below == 0) counter = earlier + __popc(peers);
    __syncwarp();
    return earlier + __popc(below);
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
