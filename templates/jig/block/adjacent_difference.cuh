// The difference between each item of a tile and its neighbour, items being in blocked arrangement.
//
// Left: op(item, the item before it), the first item's neighbour being `before`, the last one of the tile
// before; with none(), the first item stays as it is. Right: op(item, the item after it), and `after` for
// the last item. In a partial tile, the items past the first valid_items stay as they are and are not
// looked at; on the right, the last valid one stays, too. Only thread 0 looks at `before`, only the last
// thread at `after`.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/types.cuh>

namespace jig {

template <class T, int DimX, int DimY = 1, int DimZ = 1> class BlockAdjacentDifference {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024,
                "BlockAdjacentDifference: a block has 1 to 1024 threads");

 public:
  struct TempStorage {
    uninitialized<T, threads> items;
  };

  __device__ BlockAdjacentDifference() : BlockAdjacentDifference(private_storage()) {}
  __device__ explicit BlockAdjacentDifference(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  template <int N, class Op, class Before = none>
  __device__ array<T, N> SubtractLeft(const array<T, N> &items, Op op,
                                      const Before &before = Before()) {
    return subtract_left(items, op, before, [](int) { return true; });
  }
  template <int N, class Op, class Before = none>
  __device__ array<T, N> SubtractLeftPartialTile(const array<T, N> &items, Op op, int valid_items,
                                                 const Before &before = Before()) {
    const int valid_here = valid_items - thread_ * N;
    return subtract_left(items, op, before, [&](int i) { return i < valid_here; });
  }

  template <int N, class Op, class After = none>
  __device__ array<T, N> SubtractRight(const array<T, N> &items, Op op, const After &after = After()) {
    return subtract_right(items, op, after, [](int) { return true; });
  }
  template <int N, class Op>
  __device__ array<T, N> SubtractRightPartialTile(const array<T, N> &items, Op op, int valid_items) {
    const int valid_here = valid_items - thread_ * N;
    return subtract_right(items, op, none(), [&](int i) { return i + 1 < valid_here; });
  }

 private:
  // changes(i): whether this thread's i-th item is replaced by a difference.
  template <int N, class Op, class Before, class Changes>
  __device__ array<T, N> subtract_left(const array<T, N> &items, Op op, const Before &before,
                                       Changes changes) {
    storage_.items[thread_] = items[N - 1];
    __syncthreads();
    array<T, N> result = items;
    T previous;
    if constexpr (!is_same<Before, none>) previous = before;
    if (thread_ > 0) previous = storage_.items[thread_ - 1];
    if ((thread_ > 0 || !is_same<Before, none>) && changes(0)) result[0] = op(items[0], previous);
#pragma unroll
    for (int i = 1; i < N; ++i) {
      if (changes(i)) result[i] = op(items[i], items[i - 1]);
    }
    return result;
  }

  template <int N, class Op, class After, class Changes>
  __device__ array<T, N> subtract_right(const array<T, N> &items, Op op, const After &after,
                                        Changes changes) {
    storage_.items[thread_] = items[0];
    __syncthreads();
    const bool is_last = thread_ == threads - 1;
    array<T, N> result = items;
    T next;
    if constexpr (!is_same<After, none>) next = after;
    if (!is_last) next = storage_.items[thread_ + 1];
    if ((!is_last || !is_same<After, none>) && changes(N - 1)) {
      result[N - 1] = op(items[N - 1], next);
    }
#pragma unroll
    for (int i = 0; i + 1 < N; ++i) {
      if (changes(i)) result[i] = op(items[i], items[i + 1]);
    }
    return result;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
