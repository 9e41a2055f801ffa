// Radix rank of keys in blocked arrangement: every thread has a counter of its own for each digit, in shared
// memory.
#pragma once
#include <jig/block/scan_warp_scans.cuh>
#include <jig/core/operator.cuh>

namespace jig {

// Replaces Count counters by the sums of what is before each; a thread takes neighbouring ones.
template <int Threads, int Count, class Counter>
__device__ void scan_counters(typename BlockScanWarpScans<uint32_t, Threads>::TempStorage &storage,
                              Counter *counters, int thread) {
  constexpr int share = ceil_div(Count, Threads);
  const int first = thread * share;
  uint32_t sum = 0;
#pragma unroll
  for (int i = first; i < first + share; ++i)
    if (i < Count) sum += counters[i];
  uint32_t aggregate;
  uint32_t before = BlockScanWarpScans<uint32_t, Threads>(storage, thread).ExclusiveScan(sum, 0u, plus(), aggregate);
#pragma unroll
  for (int i = first; i < first + share; ++i) {
    if (i >= Count) break;
    const uint32_t count = counters[i];
    counters[i] = Counter(before);
    before += count;
  }
}

template <int Threads, int RadixBits> class BlockRadixRankBasic {
 public:
  static constexpr int digits = 1 << RadixBits;
  static constexpr bool warp_striped = false;

  struct TempStorage {
    uint16_t counters[digits][Threads];  // in the order in which what they count is ranked
    typename BlockScanWarpScans<uint32_t, Threads>::TempStorage scan;
  };

  __device__ BlockRadixRankBasic(TempStorage &storage, int thread) : storage_(storage), thread_(thread) {}

  template <int N> __device__ array<int, N> Rank(const array<uint32_t, N> &keys) {
    static_assert(N * Threads < 1 << 16, "BlockRadixRank: counters have 16 bits");
    array<int, N> ranks;
#pragma unroll
    for (int d = 0; d < digits; ++d) storage_.counters[d][thread_] = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) ranks[k] = storage_.counters[keys[k]][thread_]++;
    __syncthreads();
    scan();
#pragma unroll
    for (int k = 0; k < N; ++k) ranks[k] += storage_.counters[keys[k]][thread_];
    return ranks;
  }

  __device__ int DigitStart(int digit) const { return storage_.counters[digit][0]; }

 private:
  __device__ void scan() {
    scan_counters<Threads, digits * Threads>(storage_.scan, &storage_.counters[0][0], thread_);
    __syncthreads();
  }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
