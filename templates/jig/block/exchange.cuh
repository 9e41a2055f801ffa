// Moves the items of a block from one arrangement to another, through shared memory.
//
//   blocked       thread t holds items t * ItemsPerThread and up
//   striped       item j of thread t is j * threads + t
//   warp-striped  the same within the contiguous items of each warp, and between its lanes alone; needs
//                 whole warps
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads() (after moves between blocked and warp-striped: by these after a __syncwarp()).
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/types.cuh>

namespace jig {

template <class T, int DimX, int ItemsPerThread, int DimY = 1, int DimZ = 1> class BlockExchange {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockExchange: a block has 1 to 1024 threads");
  static constexpr int tile_items = threads * ItemsPerThread;

  // An item is kept in the largest words that it fills, each of them in a plane of its own: lanes that
  // take neighbouring items are then in different banks whatever the size.
  using Word = conditional<
      sizeof(T) % 16 == 0, uint4,
      conditional<sizeof(T) % 8 == 0, uint64_t,
                  conditional<sizeof(T) == 1, uint8_t, conditional<sizeof(T) == 2, uint16_t, uint32_t>>>>;
  static constexpr int words = (sizeof(T) + sizeof(Word) - 1) / sizeof(Word);

  // Lanes that take items ItemsPerThread apart are in different banks if that number is odd. If several
  // would meet in one, a place is left free each time they have gone round all banks; but not where
  // places left free would break up what the compiler takes as vectors, few items or parts of words.
  static constexpr int banks = 128 / sizeof(Word);
  static constexpr int meeting = gcd(ItemsPerThread, banks);
  static constexpr bool padded = sizeof(Word) >= 4 && sizeof(Word) * ItemsPerThread > 16 && meeting > 2;
  static constexpr int period = ItemsPerThread / meeting * banks;
  static constexpr int places = tile_items + (padded ? (tile_items - 1) / period : 0);

  // Where an item of the tile is kept.
  static __device__ int place(int item) { return padded ? item + item / period : item; }
  // The same for item first + offset, with first a multiple of Span and offset less than that.
  template <int Span> static __device__ int place(int first, int offset) {
    if constexpr (padded && Span % period == 0) return place(first) + place(offset);
    else if constexpr (padded && period % Span == 0) return place(first) + offset;
    else return place(first + offset);
  }

  using Items = array<T, ItemsPerThread>;
  using Ranks = array<int, ItemsPerThread>;
  enum Arrangement { blocked, striped, warp_striped };

 public:
  struct alignas(16) TempStorage {
    Word planes[words][places];
  };

  __device__ BlockExchange() : BlockExchange(private_storage()) {}
  __device__ explicit BlockExchange(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

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
  __device__ Items ScatterToStripedGuarded(const Items &items, const Ranks &ranks) {
    scatter(items, ranks, [&](int j) { return ranks[j] >= 0; });
    return read<striped>();
  }
  // Items without a flag go nowhere.
  __device__ Items ScatterToStripedFlagged(const Items &items, const Ranks &ranks,
                                           const array<bool, ItemsPerThread> &flags) {
    scatter(items, ranks, [&](int j) { return flags[j]; });
    return read<striped>();
  }

 private:
  template <Arrangement In> __device__ int place_of(int j) const {
    if constexpr (In == blocked) {
      return place<ItemsPerThread>(thread_ * ItemsPerThread, j);
    } else if constexpr (In == striped) {
      return place<threads>(j * threads, thread_);
    } else {
      static_assert(threads % warp_threads == 0, "BlockExchange: warp-striped needs whole warps");
      const int lane = thread_ % warp_threads;
      return place((thread_ - lane) * ItemsPerThread) + place<warp_threads>(j * warp_threads, lane);
    }
  }

  template <Arrangement In> __device__ void write(const Items &items) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) put(place_of<In>(j), items[j]);
  }
  template <Arrangement In> __device__ Items read() const {
    Items items;
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = get(place_of<In>(j));
    return items;
  }

  // Ends with a barrier.
  template <class Goes> __device__ void scatter(const Items &items, const Ranks &ranks, Goes goes) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) {
      if (goes(j)) put(place(ranks[j]), items[j]);
    }
    __syncthreads();
  }

  __device__ void put(int where, const T &item) {
    array<Word, words> raw{};
    memcpy(&raw, &item, sizeof(T));
#pragma unroll
    for (int w = 0; w < words; ++w) storage_.planes[w][where] = raw[w];
  }
  __device__ T get(int where) const {
    array<Word, words> raw;
#pragma unroll
    for (int w = 0; w < words; ++w) raw[w] = storage_.planes[w][where];
    T item;
    memcpy(&item, &raw, sizeof(T));
    return item;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  unsigned thread_;
};

}  // namespace jig
