// Moves the items of a block from one arrangement to another as BlockExchange does (exchange.cuh), but a warp's
// share of them after the other, through the shared memory of one: more barriers, two for each warp, and less
// storage.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/warp/exchange_tile.cuh>

namespace jig {

template <class T, int DimX, int ItemsPerThread, int DimY = 1, int DimZ = 1> class BlockExchangeTimeSliced {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockExchangeTimeSliced: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockExchangeTimeSliced: a thread has one item or more");
  static constexpr int slice_threads = min_of(threads, warp_threads), slices = ceil_div(threads, warp_threads);
  static constexpr int slice_items = slice_threads * ItemsPerThread;
  using Tile = ExchangeTile<T, slice_items, ItemsPerThread>;
  using Items = array<T, ItemsPerThread>;
  using Ranks = array<int, ItemsPerThread>;
  using Flags = array<bool, ItemsPerThread>;

 public:
  using TempStorage = typename Tile::TempStorage;

  __device__ BlockExchangeTimeSliced() : BlockExchangeTimeSliced(private_storage()) {}
  __device__ explicit BlockExchangeTimeSliced(TempStorage &storage)
      : tile_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  __device__ Items StripedToBlocked(const Items &items) {
    return move(items, striped(), blocked(), all());
  }
  __device__ Items BlockedToStriped(const Items &items) {
    return move(items, blocked(), striped(), all());
  }
  __device__ Items WarpStripedToBlocked(const Items &items) {
    return move_in_warp(items, warp_striped(), blocked());
  }
  __device__ Items BlockedToWarpStriped(const Items &items) {
    return move_in_warp(items, blocked(), warp_striped());
  }

  // As BlockExchange has them.
  __device__ Items ScatterToBlocked(const Items &items, const Ranks &ranks) {
    return move(items, by(ranks), blocked(), all());
  }
  __device__ Items ScatterToStriped(const Items &items, const Ranks &ranks) {
    return move(items, by(ranks), striped(), all());
  }
  __device__ Items ScatterToBlockedGuarded(const Items &items, const Ranks &ranks) {
    return move(items, by(ranks), blocked(), [&](int j) { return ranks[j] >= 0; });
  }
  __device__ Items ScatterToStripedGuarded(const Items &items, const Ranks &ranks) {
    return move(items, by(ranks), striped(), [&](int j) { return ranks[j] >= 0; });
  }
  __device__ Items ScatterToBlockedFlagged(const Items &items, const Ranks &ranks, const Flags &flags) {
    return move(items, by(ranks), blocked(), [&](int j) { return flags[j]; });
  }
  __device__ Items ScatterToStripedFlagged(const Items &items, const Ranks &ranks, const Flags &flags) {
    return move(items, by(ranks), striped(), [&](int j) { return flags[j]; });
  }

 private:
  // Which item of the tile a thread's j-th is.
  __device__ auto blocked() const {
    return [t = thread_](int j) { return t * ItemsPerThread + j; };
  }
  __device__ auto striped() const {
    return [t = thread_](int j) { return j * threads + t; };
  }
  __device__ auto warp_striped() const {
    static_assert(threads % warp_threads == 0, "BlockExchangeTimeSliced: warp-striped needs whole warps");
    return [t = thread_](int j) {
      return t / warp_threads * warp_threads * ItemsPerThread + j * warp_threads + t % warp_threads;
    };
  }
  static __device__ auto by(const Ranks &ranks) {
    return [&ranks](int j) { return ranks[j]; };
  }
  static __device__ auto all() {
    return [](int) { return true; };
  }

  template <class From, class To, class Goes>
  __device__ Items move(const Items &items, From from, To to, Goes goes) {
    Items moved;
#pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
      const int first = slice * slice_items;
      if (slice > 0) __syncthreads();
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) {
        if (goes(j) && is_in(first, from(j))) tile_.put(Tile::place(from(j) - first), items[j]);
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) {
        if (is_in(first, to(j))) moved[j] = tile_.get(Tile::place(to(j) - first));
      }
    }
    return moved;
  }
  static __device__ bool is_in(int first, int place) { return place >= first && place < first + slice_items; }

  template <class From, class To> __device__ Items move_in_warp(const Items &items, From from, To to) {
    Items moved;
#pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
      const int first = slice * slice_items;
      if (slice > 0) __syncthreads();
      if (thread_ / warp_threads != slice) continue;
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) tile_.put(Tile::place(from(j) - first), items[j]);
      __syncwarp();
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) moved[j] = tile_.get(Tile::place(to(j) - first));
    }
    return moved;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  Tile tile_;
  int thread_;
};

}  // namespace jig
