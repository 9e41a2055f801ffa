// Radix rank of keys in blocked arrangement: every thread has a counter of its own for each digit, of 16 bits, in
// shared memory.
//
// Two counters share a word: those of digits d and d + half of all. So all of them are scanned as half as many words,
// and what the lower halves come to is added to the upper ones in the end.
#pragma once
#include <jig/block/scan_warp_scans.cuh>
#include <jig/core/operator.cuh>

namespace jig {

template <int Threads, int RadixBits> class BlockRadixRankBasic {
  static constexpr int half = 1 << (RadixBits - 1);
  // Words that a thread scans, one after another: an odd number, so that lanes are in different banks.
  static constexpr int share = half | 1;
  using Scan = BlockScanWarpScans<uint32_t, Threads>;

 public:
  static constexpr int digits = 1 << RadixBits;
  static constexpr bool warp_striped = false;

  struct TempStorage {
    uint32_t counters[share][Threads];  // in the order in which what they count is ranked
    typename Scan::TempStorage scan;
  };

  __device__ BlockRadixRankBasic(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  template <int N> __device__ array<int, N> Rank(const array<uint32_t, N> &keys) {
    static_assert(N * Threads < 1 << 16, "BlockRadixRank: counters have 16 bits");
    array<uint16_t *, N> counters;
    array<int, N> ranks;
#pragma unroll
    for (int d = 0; d < share; ++d) storage_.counters[d][thread_] = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      counters[k] = &counter(int(keys[k]), thread_);
      ranks[k] = *counters[k];
      *counters[k] = uint16_t(ranks[k] + 1);
    }
    __syncthreads();
    scan();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; ++k) ranks[k] += *counters[k];
    return ranks;
  }

  __device__ int DigitStart(int digit) const { return counter(digit, 0); }

 private:
  __device__ uint16_t &counter(int digit, int thread) const {
    uint32_t &word = storage_.counters[digit % half][thread];
    return reinterpret_cast<uint16_t *>(&word)[digit / half];
  }

  // Replaces the counters by the sums of what is before each.
  __device__ void scan() {
    uint32_t *words = &storage_.counters[0][0] + thread_ * share;
    array<uint32_t, share> own;
    uint32_t sum = 0, aggregate;
#pragma unroll
    for (int i = 0; i < share; ++i) sum += own[i] = words[i];
    uint32_t before = Scan(storage_.scan, thread_).ExclusiveScan(sum, 0u, plus(), aggregate);
    before += aggregate << 16;
#pragma unroll
    for (int i = 0; i < share; ++i) {
      words[i] = before;
      before += own[i];
    }
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
