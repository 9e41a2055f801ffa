// Loads a tile of DimX * ItemsPerThread consecutive items into registers.
//
//   direct      blocked: thread t gets items t * ItemsPerThread and up
//   striped     item j of thread t is j * threads + t
//   vectorized  blocked, by the iterator's vector loads where it has them and the tile's start allows;
//               needs ItemsPerThread to be a multiple of the iterator's run_items
//
// A guarded load touches only the first valid_items items of the tile; the other elements of `items`
// keep what they held. No shared memory, no barrier.
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/types.cuh>

namespace jig {

enum class BlockLoadAlgorithm { direct, striped, vectorized };

template <class T, int DimX, int ItemsPerThread,
          BlockLoadAlgorithm Algorithm = BlockLoadAlgorithm::direct, int DimY = 1, int DimZ = 1>
class BlockLoad {
  static constexpr int threads = DimX * DimY * DimZ;

 public:
  static constexpr int tile_items = threads * ItemsPerThread;

  __device__ BlockLoad() : thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // The whole tile that starts at item `start`.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items) const {
    if constexpr (Algorithm == BlockLoadAlgorithm::vectorized) {
      static_assert(ItemsPerThread % In::run_items == 0, "BlockLoad: vectorized loads whole runs");
      const bool vectorize = in.vectorizable() && start % In::run_items == 0;
#pragma unroll
      for (int first = 0; first < ItemsPerThread; first += In::run_items) {
        auto run = in.load_run(start + uint64_t(position(first)), vectorize);
#pragma unroll
        for (int k = 0; k < In::run_items; ++k) items[first + k] = run[k];
      }
    } else {
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) items[j] = in[start + uint64_t(position(j))];
    }
  }

  // The first valid_items items of it.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items,
                       int valid_items) const {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) {
      if (position(j) < valid_items) items[j] = in[start + uint64_t(position(j))];
    }
  }

  // The same, with `fill` in every element past them.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items, int valid_items,
                       const T &fill) const {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = fill;
    Load(in, start, items, valid_items);
  }

 private:
  __device__ int position(int j) const {
    return Algorithm == BlockLoadAlgorithm::striped ? j * threads + thread_
                                                    : thread_ * ItemsPerThread + j;
  }
  int thread_;
};

}  // namespace jig
