// Stores a tile of DimX * ItemsPerThread consecutive items from registers.
//
//   direct          blocked: thread t has items t * ItemsPerThread and up
//   striped         item j of thread t is j * threads + t
//   vectorized      blocked, by whole vectors where the output is a pointer that they fit and the tile's
//                   start allows; needs ItemsPerThread to be a multiple of the pointer's vector_items
//   transpose       blocked, exchanged through shared memory and stored striped
//   warp_transpose  the same within each warp, without a barrier of the block; needs whole warps
//   warp_transpose_time_sliced  the same by one warp after another, through the storage of one
//
// Outputs are pointers or iterators of core/iterator. A guarded store writes only the first valid_items items of the
// tile. Only the transposes use shared memory: the default constructor its own, the other one the caller's, which
// may be used again after a __syncthreads().
#pragma once
#include <jig/block/exchange.cuh>
#include <jig/block/exchange_time_sliced.cuh>
#include <jig/thread/store.cuh>

namespace jig {

enum class BlockStoreAlgorithm {
  direct,
  striped,
  vectorized,
  transpose,
  warp_transpose,
  warp_transpose_time_sliced
};

template <class T, int DimX, int ItemsPerThread,
          BlockStoreAlgorithm Algorithm = BlockStoreAlgorithm::direct, int DimY = 1, int DimZ = 1>
class BlockStore {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockStore: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockStore: a thread has one item or more");
  static constexpr bool transposes = Algorithm == BlockStoreAlgorithm::transpose;
  static constexpr bool time_sliced = Algorithm == BlockStoreAlgorithm::warp_transpose_time_sliced;
  static constexpr bool warp_transposes = Algorithm == BlockStoreAlgorithm::warp_transpose || time_sliced;
  static_assert(!warp_transposes || threads % warp_threads == 0, "BlockStore: warps that transpose are whole");
  using Items = array<T, ItemsPerThread>;
  using Exchange = conditional<time_sliced, BlockExchangeTimeSliced<T, DimX, ItemsPerThread, DimY, DimZ>,
                               BlockExchange<T, DimX, ItemsPerThread, DimY, DimZ>>;

 public:
  static constexpr int tile_items = threads * ItemsPerThread;
  using TempStorage =
      conditional<transposes || warp_transposes, typename Exchange::TempStorage, none>;

  __device__ BlockStore() : BlockStore(private_storage()) {}
  __device__ explicit BlockStore(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // The whole tile that starts at item `start`.
  template <class Out> __device__ void Store(const Out &output, uint64_t start, const Items &items) {
    const auto &out = iterator_of(output);
    if constexpr (Algorithm == BlockStoreAlgorithm::vectorized) {
      if (thread_store_vectors(out, start, start + thread_ * ItemsPerThread, items)) return;
    }
    thread_store(out, start, arrange(items), [&](int j) { return position(j); });
  }

  // The first valid_items items of it.
  template <class Out>
  __device__ void Store(const Out &out, uint64_t start, const Items &items, int valid_items) {
    thread_store(iterator_of(out), start, arrange(items), [&](int j) { return position(j); }, valid_items);
  }

 private:
  // Which item of the tile is stored as this thread's j-th.
  __device__ int position(int j) const {
    if constexpr (transposes || Algorithm == BlockStoreAlgorithm::striped) return j * threads + thread_;
    const int lane = thread_ % warp_threads;
    if constexpr (warp_transposes) return (thread_ - lane) * ItemsPerThread + j * warp_threads + lane;
    return thread_ * ItemsPerThread + j;
  }

  __device__ Items arrange(const Items &items) {
    if constexpr (transposes) return Exchange(storage_).BlockedToStriped(items);
    else if constexpr (warp_transposes) return Exchange(storage_).BlockedToWarpStriped(items);
    else return items;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  unsigned thread_;
};

}  // namespace jig
