// How a block counts digits in a top-k, and finds the one of a rank; and how it searches by itself.
#pragma once
#include <jig/agent/top_k/top_k_source.cuh>
#include <jig/warp/fold_of_lanes.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

struct TopKDigit {
  uint32_t digit;
  uint64_t below, count;  // items with a lower one, and with it
  int kinds;  // groups of neighbouring digits that any item has one of
};

// Counts the digits of a tile's items in shared memory, at `counters`.
template <class Tile, class Source, class Search>
__device__ void top_k_count(const Tile &tile, const Source &source, const Search &search, uint32_t counters) {
  uint32_t held = 0;
  const bool by_index = search.is_by_index();
  tile.for_each([&](int i) {
    if (!tile.has(i) || !search.holds_bits(tile.bits[i])) return;
    if (by_index) held |= 1u << i;
    else ptx::add_shared(counters + 4 * search.digit_of(tile.bits[i]), 1);
  });
#pragma unroll 1
  for (; held != 0; held &= held - 1) {
    const uint64_t index = source.index(tile.item(__ffs(int(held)) - 1));
    if (search.holds_index(index)) ptx::add_shared(counters + 4 * search.digit_of_index(index), 1);
  }
}

template <int Threads, int Digits = top_k_digits> class TopKPick {
  static constexpr int warps = Threads / warp_threads, thread_digits = max_of(Digits / Threads, 1);
  static_assert(Digits % thread_digits == 0 && thread_digits * Threads >= Digits, "every digit is a thread's");
  static_assert(warps <= warp_threads, "a lane for each warp");

 public:
  struct TempStorage {
    uint64_t warp_totals[warps];
    TopKDigit found;
  };

  // The digit of the item of that rank, by how many items have each: count(digit). For the whole block, which has
  // to be at a barrier before it lets go of the storage and after it has counted.
  template <class Count> static __device__ TopKDigit Find(TempStorage &storage, const Count &count, uint64_t rank) {
    const int lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
    using Number = decltype(count(0));
    Number counts[thread_digits], sum = 0;
#pragma unroll
    for (int d = 0; d < thread_digits; ++d)
      sum += counts[d] = has_digits() ? count(threadIdx.x * thread_digits + d) : 0;
    Number before = inclusive_sum(sum);
    if (lane == warp_threads - 1) storage.warp_totals[warp] = before;
    const int kinds = __syncthreads_count(sum > 0);
    before += fold_of_lanes(lane < warp ? Number(storage.warp_totals[lane]) : Number(0), plus{}) - sum;
#pragma unroll
    for (int d = 0; d < thread_digits; ++d) {
      if (before < rank && rank <= before + counts[d])
        storage.found = {uint32_t(threadIdx.x * thread_digits + d), before, counts[d], kinds};
      before += counts[d];
    }
    __syncthreads();
    return storage.found;
  }

 private:
  static __device__ bool has_digits() { return Digits >= Threads || int(threadIdx.x) < Digits; }
};

// By one block. FindsOne: until there is just the item of that rank.
template <int Threads, int Items, class Source, bool FindsOne = false> class TopKBlockSearch {
  using Bits = typename Source::Bits;
  using Tile = TopKTile<Threads, Items, Source>;

 public:
  struct TempStorage {
    uint32_t counters[top_k_digits];
    typename TopKPick<Threads>::TempStorage pick;
  };

  // What comes before the item that is searched for and the item itself. There is one of that rank. Ends with a
  // barrier.
  static __device__ TopKBound<Bits> Run(TempStorage &storage, const Source &source, TopKSearch<Bits> search) {
    Narrow(storage, source, search);
    return search.bound();
  }
  static __device__ void Narrow(TempStorage &storage, const Source &source, TopKSearch<Bits> &search) {
    const uint32_t counters = ptx::kept_shared_address(storage.counters);
#pragma unroll 1
    while (!search.is_over()) {
#pragma unroll 1
      for (int d = threadIdx.x; d < top_k_digits; d += Threads) storage.counters[d] = 0;
      __syncthreads();
#pragma unroll 1
      for (uint64_t first = 0; first < source.count(); first += Tile::block_items)
        top_k_count(Tile(source, first, source.count()), source, search, counters);
      __syncthreads();
      const auto count = [&](int d) { return storage.counters[d]; };
      const TopKDigit found = TopKPick<Threads>::Find(storage.pick, count, search.rank);
      if constexpr (FindsOne) search.narrow_to_one(found.digit, found.below, found.count);
      else search.narrow(found.digit, found.below, found.count);
    }
  }
};

}  // namespace jig
