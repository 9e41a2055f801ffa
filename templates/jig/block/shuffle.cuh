// Moves items between the threads of a block by a distance in their order.
//
//   Offset, Rotate  one item for each thread: that of the thread `distance` above, as far as there is one, or all round
//   Up, Down        several, in blocked arrangement: the item before each, or behind it
//
// What has no neighbour there stays as it is.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/types.cuh>

namespace jig {

template <class T, int DimX, int DimY = 1, int DimZ = 1> class BlockShuffle {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockShuffle: a block has 1 to 1024 threads");

 public:
  struct TempStorage {
    uninitialized<T, threads> items;
  };

  __device__ BlockShuffle() : BlockShuffle(private_storage()) {}
  __device__ explicit BlockShuffle(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  // distance may be negative.
  [[nodiscard]] __device__ T Offset(const T &input, int distance = 1) {
    publish(input);
    const int source = thread_ + distance;
    return source >= 0 && source < threads ? storage_.items[source] : input;
  }
  [[nodiscard]] __device__ T Rotate(const T &input, unsigned distance = 1) {
    publish(input);
    return storage_.items[(unsigned(thread_) + distance % threads) % threads];
  }

  // With suffix: the last item of the tile as well, in every thread.
  template <int N> __device__ array<T, N> Up(const array<T, N> &items) {
    publish(items[N - 1]);
    array<T, N> moved;
    moved[0] = thread_ > 0 ? storage_.items[thread_ - 1] : items[0];
#pragma unroll
    for (int i = 1; i < N; ++i) moved[i] = items[i - 1];
    return moved;
  }
  template <int N> __device__ array<T, N> Up(const array<T, N> &items, T &suffix) {
    const array<T, N> moved = Up(items);
    suffix = storage_.items[threads - 1];
    return moved;
  }

  // With prefix: the first item of the tile as well, in every thread.
  template <int N> __device__ array<T, N> Down(const array<T, N> &items) {
    publish(items[0]);
    array<T, N> moved;
#pragma unroll
    for (int i = 0; i + 1 < N; ++i) moved[i] = items[i + 1];
    moved[N - 1] = thread_ + 1 < threads ? storage_.items[thread_ + 1] : items[N - 1];
    return moved;
  }
  template <int N> __device__ array<T, N> Down(const array<T, N> &items, T &prefix) {
    const array<T, N> moved = Down(items);
    prefix = storage_.items[0];
    return moved;
  }

 private:
  __device__ void publish(const T &item) {
    storage_.items[thread_] = item;
    __syncthreads();
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
