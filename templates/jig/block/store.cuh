// Stores a tile of DimX * ItemsPerThread consecutive items from registers.
//
//   direct          blocked: thread t has items t * ItemsPerThread and up
//   striped         item j of thread t is j * threads + t
//   vectorized      blocked, by whole vectors where the output is a pointer that they fit and the tile's
//                   start allows; needs ItemsPerThread to be a multiple of the pointer's vector_items
//   transpose       blocked, exchanged through shared memory and stored striped
//   warp_transpose  the same within each warp, without a barrier of the block; needs whole warps
//
// A guarded store writes only the first valid_items items of the tile. Only the transposes use shared
// memory: the default constructor its own, the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/exchange.cuh>
#include <jig/core/store_vector.cuh>

namespace jig {

enum class BlockStoreAlgorithm { direct, striped, vectorized, transpose, warp_transpose };

template <class Out> constexpr bool stores_vectors = false;
template <class T> constexpr bool stores_vectors<Pointer<T>> = Pointer<T>::has_words;

template <class T, int DimX, int ItemsPerThread,
          BlockStoreAlgorithm Algorithm = BlockStoreAlgorithm::direct, int DimY = 1, int DimZ = 1>
class BlockStore {
  static constexpr int threads = DimX * DimY * DimZ;
  static constexpr bool transposes = Algorithm == BlockStoreAlgorithm::transpose;
  static constexpr bool warp_transposes = Algorithm == BlockStoreAlgorithm::warp_transpose;
  using Items = array<T, ItemsPerThread>;
  using Exchange = BlockExchange<T, DimX, ItemsPerThread, DimY, DimZ>;

 public:
  static constexpr int tile_items = threads * ItemsPerThread;
  using TempStorage =
      conditional<transposes || warp_transposes, typename Exchange::TempStorage, none>;

  __device__ BlockStore() : BlockStore(private_storage()) {}
  __device__ explicit BlockStore(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // The whole tile that starts at item `start`.
  template <class Out> __device__ void Store(const Out &out, uint64_t start, const Items &items) {
    if constexpr (Algorithm == BlockStoreAlgorithm::vectorized && stores_vectors<Out>) {
      static_assert(ItemsPerThread % Out::vector_items == 0, "BlockStore: vectorized stores whole vectors");
      if (out.vectorizable() && start % Out::vector_items == 0) {
        store_vector<true>(out, start + uint64_t(position(0)), items);
        return;
      }
    }
    const Items arranged = arrange(items);
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) out.store(start + uint64_t(position(j)), arranged[j]);
  }

  // The first valid_items items of it.
  template <class Out>
  __device__ void Store(const Out &out, uint64_t start, const Items &items, int valid_items) {
    const Items arranged = arrange(items);
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) {
      if (position(j) < valid_items) out.store(start + uint64_t(position(j)), arranged[j]);
    }
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
