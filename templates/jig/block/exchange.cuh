// Moves the items of a block from one arrangement to another, through shared memory.
//
//   blocked       thread t holds items t * ItemsPerThread and up
//   striped       item j of thread t is j * threads + t
//   warp-striped  the same within the contiguous items of each warp, and between its lanes alone; needs
//                 whole warps
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads() (after moves between blocked and warp-striped: by these after a __syncwarp()). With a warp's
// share of the storage: exchange_time_sliced.cuh.
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/types.cuh>
#include <jig/warp/exchange_tile.cuh>

namespace jig {

template <class T, int DimX, int ItemsPerThread, int DimY = 1, int DimZ = 1> class BlockExchange {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockExchange: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockExchange: a thread has one item or more");
  using Tile = ExchangeTile<T, threads * ItemsPerThread, ItemsPerThread>;
  using Items = array<T, ItemsPerThread>;
  using Ranks = array<int, ItemsPerThread>;
  enum Arrangement { blocked, striped, warp_striped };

 public:
  using TempStorage = typename Tile::TempStorage;

  __device__ BlockExchange() : BlockExchange(private_storage()) {}
  __device__ explicit BlockExchange(TempStorage &storage)
      : tile_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  __device__ Items StripedToBlocked(const Items &items) {
    write<striped>(items);
    __syncthreads();
    return read<blocked>();
  }
  __device__ Items BlockedToStriped(const Items &items) {
    write<blocked>(items);
    __syncthreads();
    return read<striped>();
  }
  __device__ Items WarpStripedToBlocked(const Items &items) {
    write<warp_striped>(items);
    __syncwarp();
    return read<blocked>();
  }
  __device__ Items BlockedToWarpStriped(const Items &items) {
    write<blocked>(items);
    __syncwarp();
    return read<warp_striped>();
  }

  // Item j goes to the place ranks[j] of the tile; no two to the same. A result to which none went means
  // nothing.
  __device__ Items ScatterToBlocked(const Items &items, const Ranks &ranks) {
    scatter(items, ranks, [](int) { return true; });
    return read<blocked>();
  }
  __device__ Items ScatterToStriped(const Items &items, const Ranks &ranks) {
    scatter(items, ranks, [](int) { return true; });
    return read<striped>();
  }
  // Items of negative rank go nowhere.
  __device__ Items ScatterToBlockedGuarded(const Items &items, const Ranks &ranks) {
    scatter(items, ranks, [&](int j) { return ranks[j] >= 0; });
    return read<blocked>();
  }
  __device__ Items ScatterToStripedGuarded(const Items &items, const Ranks &ranks) {
    scatter(items, ranks, [&](int j) { return ranks[j] >= 0; });
    return read<striped>();
  }
  // Items without a flag go nowhere.
  __device__ Items ScatterToBlockedFlagged(const Items &items, const Ranks &ranks,
                                           const array<bool, ItemsPerThread> &flags) {
    scatter(items, ranks, [&](int j) { return flags[j]; });
    return read<blocked>();
  }
  __device__ Items ScatterToStripedFlagged(const Items &items, const Ranks &ranks,
                                           const array<bool, ItemsPerThread> &flags) {
    scatter(items, ranks, [&](int j) { return flags[j]; });
    return read<striped>();
  }

 private:
  template <Arrangement In> __device__ int place_of(int j) const {
    if constexpr (In == blocked) {
      return Tile::template place<ItemsPerThread>(thread_ * ItemsPerThread, j);
    } else if constexpr (In == striped) {
      return Tile::template place<threads>(j * threads, thread_);
    } else {
      static_assert(threads % warp_threads == 0, "BlockExchange: warp-striped needs whole warps");
      const int lane = thread_ % warp_threads;
      return Tile::place((thread_ - lane) * ItemsPerThread) +
             Tile::template place<warp_threads>(j * warp_threads, lane);
    }
  }

  template <Arrangement In> __device__ void write(const Items &items) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) tile_.put(place_of<In>(j), items[j]);
  }
  template <Arrangement In> __device__ Items read() const {
    Items items;
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = tile_.get(place_of<In>(j));
    return items;
  }

  // Ends with a barrier.
  template <class Goes> __device__ void scatter(const Items &items, const Ranks &ranks, Goes goes) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) {
      if (goes(j)) tile_.put(Tile::place(ranks[j]), items[j]);
    }
    __syncthreads();
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  Tile tile_;
  unsigned thread_;
};

}  // namespace jig
