// Radix rank of keys in warp-striped arrangement, which knows how many keys each digit has before it ranks any: every
// warp counts its keys by atomic additions, and afterwards lanes that hold one digit find each other, by ballots, or by
// the bits that they set in a word for each digit. Needs whole warps.
#pragma once
#include <jig/block/scan_warp_scans.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/match_digit.cuh>

namespace jig {

template <int Threads, int RadixBits, bool SetsBits> class BlockRadixRankMatchEarlyCounts {
  static_assert(Threads % warp_threads == 0, "BlockRadixRank: matching needs whole warps");
  static constexpr int warps = Threads / warp_threads;
  using Scan = BlockScanWarpScans<uint32_t, Threads>;

 public:
  static constexpr int digits = 1 << RadixBits;
  static constexpr int digits_per_thread = ceil_div(digits, Threads);
  static constexpr bool warp_striped = true;

  struct TempStorage {
    uint32_t counters[warps][digits];  // of keys, and then of the places that are taken
    uint32_t lanes[SetsBits ? warps : 1][SetsBits ? digits : 1];
    uint32_t starts[digits];
    typename Scan::TempStorage scan;
  };

  __device__ BlockRadixRankMatchEarlyCounts(TempStorage &storage, int thread)
      : storage_(storage), thread_(thread), warp_(thread / warp_threads), lane_(thread % warp_threads) {}

  // note(counts) is called before anything is ranked.
  template <int N, class Note> __device__ array<int, N> Rank(const array<uint32_t, N> &keys, Note note) {
    clear();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; ++k) ptx::add_shared(ptx::shared_address(&storage_.counters[warp_][keys[k]]), 1);
    __syncthreads();
    array<int, digits_per_thread> counts;
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i) counts[i] = add_up(first_digit() + i);
    note(counts);
    place(counts);
    __syncthreads();
    array<int, N> ranks;
#pragma unroll
    for (int k = 0; k < N; ++k) ranks[k] = take(keys[k]);
    return ranks;
  }

  __device__ int DigitStart(int digit) const { return storage_.starts[digit]; }

 private:
  __device__ int first_digit() const { return thread_ * digits_per_thread; }

  __device__ void clear() {
    for (int i = thread_; i < warps * digits; i += Threads) {
      (&storage_.counters[0][0])[i] = 0;
      if constexpr (SetsBits) (&storage_.lanes[0][0])[i] = 0;
    }
  }

  // Replaces what each warp has of a digit by what the warps before it have; what all have.
  __device__ int add_up(int digit) {
    uint32_t sum = 0;
    if (digit >= digits) return 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const uint32_t count = storage_.counters[w][digit];
      storage_.counters[w][digit] = sum;
      sum += count;
    }
    return sum;
  }

  // Adds what comes before each digit.
  __device__ void place(const array<int, digits_per_thread> &counts) {
    uint32_t sum = 0, aggregate;
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i) sum += counts[i];
    uint32_t before = Scan(storage_.scan, thread_).ExclusiveScan(sum, 0u, plus(), aggregate);
#pragma unroll
    for (int i = 0; i < digits_per_thread; ++i) {
      const int digit = first_digit() + i;
      if (digit >= digits) break;
      storage_.starts[digit] = before;
#pragma unroll
      for (int w = 0; w < warps; ++w) storage_.counters[w][digit] += before;
      before += counts[i];
    }
  }

  // The place of this lane's key, which is then taken.
  __device__ int take(uint32_t digit) {
    const uint32_t peers = lanes_with(digit), below = peers & ptx::lanes_below();
    const uint32_t counter = ptx::shared_address(&storage_.counters[warp_][digit]);
    uint32_t before = 0;
    if (below == 0) before = ptx::fetch_add_shared(counter, __popc(peers));
    before = __shfl_sync(full_warp, before, __ffs(peers) - 1);
    return before + __popc(below);
  }

  __device__ uint32_t lanes_with(uint32_t digit) {
    if constexpr (SetsBits) {
      uint32_t &lanes = storage_.lanes[warp_][digit];
      ptx::or_shared(ptx::shared_address(&lanes), 1u << lane_);
      __syncwarp();
      const uint32_t peers = lanes;
      __syncwarp();
      if ((peers & ptx::lanes_below()) == 0) lanes = 0;
      __syncwarp();
      return peers;
    } else {
      return match_digit<RadixBits>(digit);
    }
  }

  TempStorage &storage_;
  int thread_, warp_, lane_;
};

}  // namespace jig
