// Loads a tile of DimX * ItemsPerThread consecutive items into registers.
//
//   direct          blocked: thread t gets items t * ItemsPerThread and up
//   striped         item j of thread t is j * threads + t
//   vectorized      blocked, by the iterator's vector loads where it has them and the tile's start
//                   allows; needs ItemsPerThread to be a multiple of the iterator's vector_items
//   transpose       blocked, loaded striped and exchanged through shared memory
//   warp_transpose  the same within each warp, without a barrier of the block; needs whole warps
//
// A guarded load touches only the first valid_items items of the tile; the other elements of `items`
// keep what they held, or mean nothing after a transpose. Only the transposes use shared memory: the
// default constructor its own, the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/exchange.cuh>

namespace jig {

enum class BlockLoadAlgorithm { direct, striped, vectorized, transpose, warp_transpose };

template <class T, int DimX, int ItemsPerThread,
          BlockLoadAlgorithm Algorithm = BlockLoadAlgorithm::direct, int DimY = 1, int DimZ = 1>
class BlockLoad {
  static constexpr int threads = DimX * DimY * DimZ;
  static constexpr bool transposes = Algorithm == BlockLoadAlgorithm::transpose;
  static constexpr bool warp_transposes = Algorithm == BlockLoadAlgorithm::warp_transpose;
  using Exchange = BlockExchange<T, DimX, ItemsPerThread, DimY, DimZ>;

 public:
  static constexpr int tile_items = threads * ItemsPerThread;
  using TempStorage =
      conditional<transposes || warp_transposes, typename Exchange::TempStorage, none>;

  __device__ BlockLoad() : BlockLoad(private_storage()) {}
  __device__ explicit BlockLoad(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // The whole tile that starts at item `start`.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items) {
    if constexpr (Algorithm == BlockLoadAlgorithm::vectorized) {
      static_assert(ItemsPerThread % In::vector_items == 0, "BlockLoad: vectorized loads whole vectors");
      const bool vectorize = in.vectorizable() && start % In::vector_items == 0;
#pragma unroll
      for (int first = 0; first < ItemsPerThread; first += In::vector_items) {
        auto vector = in.load_vector(start + uint64_t(position(first)), vectorize);
#pragma unroll
        for (int k = 0; k < In::vector_items; ++k) items[first + k] = vector[k];
      }
    } else {
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) items[j] = in[start + uint64_t(position(j))];
      arrange(items);
    }
  }

  // The first valid_items items of it.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items,
                       int valid_items) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) {
      if (position(j) < valid_items) items[j] = in[start + uint64_t(position(j))];
    }
    arrange(items);
  }

  // The same, with `fill` in every element past them.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items, int valid_items,
                       const T &fill) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = fill;
    Load(in, start, items, valid_items);
  }

 private:
  // Which item of the tile is loaded as this thread's j-th.
  __device__ int position(int j) const {
    if constexpr (transposes || Algorithm == BlockLoadAlgorithm::striped) return j * threads + thread_;
    const int lane = thread_ % warp_threads;
    if constexpr (warp_transposes) return (thread_ - lane) * ItemsPerThread + j * warp_threads + lane;
    return thread_ * ItemsPerThread + j;
  }

  __device__ void arrange(array<T, ItemsPerThread> &items) {
    if constexpr (transposes) items = Exchange(storage_).StripedToBlocked(items);
    if constexpr (warp_transposes) items = Exchange(storage_).WarpStripedToBlocked(items);
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  unsigned thread_;
};

}  // namespace jig
