// Stores a tile of LogicalThreads * ItemsPerThread consecutive items from the registers of a logical warp.
//
//   direct      blocked: lane l has items l * ItemsPerThread and up
//   striped     item j of lane l is j * LogicalThreads + l
//   vectorized  blocked, by whole vectors where the output is a pointer that they fit and the tile's start allows;
//               needs ItemsPerThread to be a multiple of the pointer's vector_items
//   transpose   blocked, exchanged through shared memory and stored striped
//
// Outputs are pointers or iterators of core/iterator. A guarded store writes only the first valid_items items of the
// tile. Logical warps, constructors and TempStorage are those of WarpLoad (load.cuh).
#pragma once
#include <jig/thread/store.cuh>
#include <jig/warp/exchange.cuh>

namespace jig {

enum class WarpStoreAlgorithm { direct, striped, vectorized, transpose };

template <class T, int ItemsPerThread, WarpStoreAlgorithm Algorithm = WarpStoreAlgorithm::direct,
          int LogicalThreads = warp_threads>
class WarpStore {
  static_assert(ItemsPerThread >= 1, "WarpStore: a thread has one item or more");
  static constexpr bool transposes = Algorithm == WarpStoreAlgorithm::transpose;
  using Exchange = WarpExchange<T, ItemsPerThread, LogicalThreads>;
  using Items = array<T, ItemsPerThread>;

 public:
  static constexpr int tile_items = LogicalThreads * ItemsPerThread;
  using TempStorage = conditional<transposes, typename Exchange::TempStorage, none>;

  __device__ WarpStore() : storage_(nullptr), lane_(LogicalWarp<LogicalThreads>::lane()) {
    static_assert(!transposes, "WarpStore: a transpose needs TempStorage");
  }
  __device__ explicit WarpStore(TempStorage &storage)
      : storage_(&storage), lane_(LogicalWarp<LogicalThreads>::lane()) {}

  // The whole tile that starts at item `start`.
  template <class Out> __device__ void Store(const Out &output, uint64_t start, const Items &items) {
    const auto &out = iterator_of(output);
    if constexpr (Algorithm == WarpStoreAlgorithm::vectorized) {
      if (thread_store_vectors(out, start, start + lane_ * ItemsPerThread, items)) return;
    }
    thread_store(out, start, arrange(items), [&](int j) { return position(j); });
  }

  // The first valid_items items of it.
  template <class Out> __device__ void Store(const Out &out, uint64_t start, const Items &items, int valid_items) {
    thread_store(iterator_of(out), start, arrange(items), [&](int j) { return position(j); }, valid_items);
  }

 private:
  // Which item of the tile is stored as this lane's j-th.
  __device__ int position(int j) const {
    constexpr bool striped = transposes || Algorithm == WarpStoreAlgorithm::striped;
    return striped ? j * LogicalThreads + lane_ : lane_ * ItemsPerThread + j;
  }
  __device__ Items arrange(const Items &items) {
    if constexpr (transposes) return Exchange(*storage_).BlockedToStriped(items);
    else return items;
  }

  TempStorage *storage_;
  int lane_;
};

}  // namespace jig
