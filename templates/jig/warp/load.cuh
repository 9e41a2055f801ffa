// Loads a tile of LogicalThreads * ItemsPerThread consecutive items into the registers of a logical warp.
//
//   direct      blocked: lane l gets items l * ItemsPerThread and up
//   striped     item j of lane l is j * LogicalThreads + l
//   vectorized  blocked, by the iterator's vector loads where it has them and the tile's start allows; needs
//               ItemsPerThread to be a multiple of the iterator's vector_items
//   transpose   blocked, loaded striped and exchanged through shared memory
//
// Inputs are pointers or iterators of core/iterator. A guarded load touches only the first valid_items items of the
// tile; the other elements of `items` keep what they held, or mean nothing after a transpose. Logical warps are those
// of WarpReduce (reduce.cuh); all lanes of one call together. Only the transpose needs TempStorage, one for each
// logical warp, which may be used again after a __syncwarp() over the lanes that called; the default constructor is for
// the others.
#pragma once
#include <jig/thread/load.cuh>
#include <jig/warp/exchange.cuh>

namespace jig {

enum class WarpLoadAlgorithm { direct, striped, vectorized, transpose };

template <class T, int ItemsPerThread, WarpLoadAlgorithm Algorithm = WarpLoadAlgorithm::direct,
          int LogicalThreads = warp_threads>
class WarpLoad {
  static_assert(ItemsPerThread >= 1, "WarpLoad: a thread has one item or more");
  static constexpr bool transposes = Algorithm == WarpLoadAlgorithm::transpose;
  using Exchange = WarpExchange<T, ItemsPerThread, LogicalThreads>;
  using Items = array<T, ItemsPerThread>;

 public:
  static constexpr int tile_items = LogicalThreads * ItemsPerThread;
  using TempStorage = conditional<transposes, typename Exchange::TempStorage, none>;

  __device__ WarpLoad() : storage_(nullptr), lane_(LogicalWarp<LogicalThreads>::lane()) {
    static_assert(!transposes, "WarpLoad: a transpose needs TempStorage");
  }
  __device__ explicit WarpLoad(TempStorage &storage)
      : storage_(&storage), lane_(LogicalWarp<LogicalThreads>::lane()) {}

  // The whole tile that starts at item `start`.
  template <class In> __device__ void Load(const In &input, uint64_t start, Items &items) {
    const auto &in = iterator_of(input);
    if constexpr (Algorithm == WarpLoadAlgorithm::vectorized) {
      thread_load_vectors(in, start + lane_ * ItemsPerThread, items,
                          in.vectorizable() && start % in.vector_items == 0);
    } else {
      thread_load(in, start, items, [&](int j) { return position(j); });
      arrange(items);
    }
  }

  // The first valid_items items of it.
  template <class In> __device__ void Load(const In &in, uint64_t start, Items &items, int valid_items) {
    thread_load(iterator_of(in), start, items, [&](int j) { return position(j); }, valid_items);
    arrange(items);
  }

  // The same, with `fill` in every element past them.
  template <class In>
  __device__ void Load(const In &in, uint64_t start, Items &items, int valid_items, const T &fill) {
#pragma unroll
    for (int j = 0; j < ItemsPerThread; ++j) items[j] = fill;
    Load(in, start, items, valid_items);
  }

 private:
  // Which item of the tile is loaded as this lane's j-th.
  __device__ int position(int j) const {
    constexpr bool striped = transposes || Algorithm == WarpLoadAlgorithm::striped;
    return striped ? j * LogicalThreads + lane_ : lane_ * ItemsPerThread + j;
  }
  __device__ void arrange(Items &items) {
    if constexpr (transposes) items = Exchange(*storage_).StripedToBlocked(items);
  }

  TempStorage *storage_;
  int lane_;
};

}  // namespace jig
