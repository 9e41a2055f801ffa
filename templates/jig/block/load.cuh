// Loads a tile of DimX * ItemsPerThread consecutive items into registers.
//
//   direct          blocked: thread t gets items t * ItemsPerThread and up
//   striped         item j of thread t is j * threads + t
//   vectorized      blocked, by the iterator's vector loads where it has them and the tile's start
//                   allows; needs ItemsPerThread to be a multiple of the iterator's vector_items
//   transpose       blocked, loaded striped and exchanged through shared memory
//   warp_transpose  the same within each warp, without a barrier of the block; needs whole warps
//   warp_transpose_time_sliced  the same by one warp after another, through the storage of one
//
// Inputs are pointers or iterators of core/iterator. A guarded load touches only the first valid_items items of the
// tile; the other elements of `items` keep what they held, or mean nothing after a transpose. Only the transposes
// use shared memory: the default constructor its own, the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/exchange.cuh>
#include <jig/block/exchange_time_sliced.cuh>
#include <jig/thread/load.cuh>

namespace jig {

enum class BlockLoadAlgorithm {
  direct,
  striped,
  vectorized,
  transpose,
  warp_transpose,
  warp_transpose_time_sliced
};

template <class T, int DimX, int ItemsPerThread,
          BlockLoadAlgorithm Algorithm = BlockLoadAlgorithm::direct, int DimY = 1, int DimZ = 1>
class BlockLoad {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockLoad: a block has 1 to 1024 threads");
  static_assert(ItemsPerThread >= 1, "BlockLoad: a thread has one item or more");
  static constexpr bool transposes = Algorithm == BlockLoadAlgorithm::transpose;
  static constexpr bool time_sliced = Algorithm == BlockLoadAlgorithm::warp_transpose_time_sliced;
  static constexpr bool warp_transposes = Algorithm == BlockLoadAlgorithm::warp_transpose || time_sliced;
  static_assert(!warp_transposes || threads % warp_threads == 0, "BlockLoad: warps that transpose are whole");
  using Exchange = conditional<time_sliced, BlockExchangeTimeSliced<T, DimX, ItemsPerThread, DimY, DimZ>,
                               BlockExchange<T, DimX, ItemsPerThread, DimY, DimZ>>;

 public:
  static constexpr int tile_items = threads * ItemsPerThread;
  using TempStorage =
      conditional<transposes || warp_transposes, typename Exchange::TempStorage, none>;

  __device__ BlockLoad() : BlockLoad(private_storage()) {}
  __device__ explicit BlockLoad(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // The whole tile that starts at item `start`.
  template <class In>
  __device__ void Load(const In &input, uint64_t start, array<T, ItemsPerThread> &items) {
    const auto &in = iterator_of(input);
    if constexpr (Algorithm == BlockLoadAlgorithm::vectorized) {
      thread_load_vectors(in, start + thread_ * ItemsPerThread, items,
                          in.vectorizable() && start % in.vector_items == 0);
    } else {
      thread_load(in, start, items, [&](int j) { return position(j); });
      arrange(items);
    }
  }

  // The first valid_items items of it.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, array<T, ItemsPerThread> &items,
                       int valid_items) {
    thread_load(iterator_of(in), start, items, [&](int j) { return position(j); }, valid_items);
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
