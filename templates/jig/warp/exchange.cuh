// Moves the items of a logical warp of 1 .. 32 threads from one arrangement to another.
//
//   shared   through shared memory
//   shuffle  by shuffles, without shared memory: for as many items as threads, a power of two
//
// Blocked: lane l holds items l * ItemsPerThread and up; striped: item j of lane l is j * LogicalThreads + l. Logical
// warps are those of WarpReduce (reduce.cuh); all lanes of one call together.
//
// TempStorage, one for each logical warp, may be used again after a __syncwarp() over the lanes that called. The
// default constructor is for `shuffle`, which needs none.
#pragma once
#include <jig/warp/exchange_shuffle.cuh>
#include <jig/warp/exchange_tile.cuh>
#include <jig/warp/logical_warp.cuh>

namespace jig {

enum class WarpExchangeAlgorithm { shared, shuffle };

template <class T, int ItemsPerThread, int LogicalThreads> class WarpExchangeShared {
  using Tile = ExchangeTile<T, LogicalThreads * ItemsPerThread, ItemsPerThread>;
  using Lanes = LogicalWarp<LogicalThreads>;
  using Items = array<T, ItemsPerThread>;

 public:
  using TempStorage = typename Tile::TempStorage;
  __device__ WarpExchangeShared() : WarpExchangeShared(missing_storage()) {}
  __device__ explicit WarpExchangeShared(TempStorage &storage) : tile_(storage), lane_(Lanes::lane()) {}

  __device__ Items BlockedToStriped(const Items &items) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) tile_.put(blocked(j), items[j]);
    Lanes::sync();
    return read_striped();
  }
  __device__ Items StripedToBlocked(const Items &items) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) tile_.put(striped(j), items[j]);
    Lanes::sync();
    Items moved;
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) moved[j] = tile_.get(blocked(j));
    return moved;
  }
  __device__ Items ScatterToStriped(const Items &items, const array<int, ItemsPerThread> &ranks) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) tile_.put(Tile::place(ranks[j]), items[j]);
    Lanes::sync();
    return read_striped();
  }

 private:
  static __device__ TempStorage &missing_storage() {
    static_assert(LogicalThreads == 0, "WarpExchange: through shared memory it needs TempStorage");
  }
  __device__ int blocked(int j) const { return Tile::template place<ItemsPerThread>(lane_ * ItemsPerThread, j); }
  __device__ int striped(int j) const { return Tile::template place<LogicalThreads>(j * LogicalThreads, lane_); }
  __device__ Items read_striped() const {
    Items items;
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = tile_.get(striped(j));
    return items;
  }

  Tile tile_;
  int lane_;
};

template <class T, int ItemsPerThread, int LogicalThreads = warp_threads,
          WarpExchangeAlgorithm Algorithm = WarpExchangeAlgorithm::shared>
class WarpExchange {
  static_assert(ItemsPerThread >= 1, "WarpExchange: a thread has one item or more");
  using Implementation = conditional<Algorithm == WarpExchangeAlgorithm::shared,
                                     WarpExchangeShared<T, ItemsPerThread, LogicalThreads>,
                                     WarpExchangeShuffle<T, ItemsPerThread, LogicalThreads>>;
  using Items = array<T, ItemsPerThread>;

 public:
  using TempStorage = typename Implementation::TempStorage;
  __device__ WarpExchange() : implementation_() {}
  __device__ explicit WarpExchange(TempStorage &storage) : implementation_(storage) {}

  __device__ Items BlockedToStriped(const Items &items) { return implementation_.BlockedToStriped(items); }
  __device__ Items StripedToBlocked(const Items &items) { return implementation_.StripedToBlocked(items); }

  // Item j goes to the place ranks[j] of the warp's items; no two to the same. A result to which none went means
  // nothing. Through shared memory only.
  __device__ Items ScatterToStriped(const Items &items, const array<int, ItemsPerThread> &ranks) {
    static_assert(Algorithm == WarpExchangeAlgorithm::shared,
                  "WarpExchange: items are scattered through shared memory");
    return implementation_.ScatterToStriped(items, ranks);
  }

 private:
  Implementation implementation_;
};

}  // namespace jig
