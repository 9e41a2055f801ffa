// Flags where neighbouring items of a tile differ, items being in blocked arrangement.
//
// An item is a head if differ(the item before it, itself), a tail if differ(itself, the item after it).
// The first item of the tile is compared with `before`, the last one of the tile before; with none(), it
// is a head. The same goes for the last item and `after`. If it takes three arguments, differ is also told the second
// item's place in the tile, as an int. Only thread 0 looks at `before`, only the last
// thread at `after`.
//
// All threads of the block call, with the block's dimensions given as template arguments. The default
// constructor uses shared memory of its own; the other one the caller's, which may be used again after a
// __syncthreads().
#pragma once
#include <jig/block/thread_id.cuh>
#include <jig/core/types.cuh>

namespace jig {

// differ(a, b), or with the place of b if that is asked for.
template <class Differ, class T>
__device__ auto differ_at(Differ &differ, const T &a, const T &b, int place, int)
    -> decltype(bool(differ(a, b, place))) {
  return differ(a, b, place);
}
template <class Differ, class T>
__device__ bool differ_at(Differ &differ, const T &a, const T &b, int, long) {
  return differ(a, b);
}

template <class T, int DimX, int DimY = 1, int DimZ = 1> class BlockDiscontinuity {
  static constexpr int threads = DimX * DimY * DimZ;
  static_assert(threads >= 1 && threads <= 1024, "BlockDiscontinuity: a block has 1 to 1024 threads");

 public:
  struct TempStorage {
    uninitialized<T, threads> first_items, last_items;
  };

  __device__ BlockDiscontinuity() : BlockDiscontinuity(private_storage()) {}
  __device__ explicit BlockDiscontinuity(TempStorage &storage)
      : storage_(storage), thread_(linear_thread_id<DimX, DimY, DimZ>()) {}

  template <int N, class Differ, class Before = none>
  __device__ array<bool, N> FlagHeads(const array<T, N> &items, Differ differ,
                                      const Before &before = Before()) {
    storage_.last_items[thread_] = items[N - 1];
    __syncthreads();
    return heads(items, differ, before);
  }

  template <int N, class Differ, class After = none>
  __device__ array<bool, N> FlagTails(const array<T, N> &items, Differ differ,
                                      const After &after = After()) {
    storage_.first_items[thread_] = items[0];
    __syncthreads();
    return tails(items, differ, after);
  }

  template <int N, class Differ, class Before = none, class After = none>
  __device__ void FlagHeadsAndTails(array<bool, N> &head_flags, array<bool, N> &tail_flags,
                                    const array<T, N> &items, Differ differ,
                                    const Before &before = Before(), const After &after = After()) {
    storage_.first_items[thread_] = items[0];
    storage_.last_items[thread_] = items[N - 1];
    __syncthreads();
    head_flags = heads(items, differ, before);
    tail_flags = tails(items, differ, after);
  }

 private:
  template <int N, class Differ, class Before>
  __device__ array<bool, N> heads(const array<T, N> &items, Differ differ, const Before &before) {
    array<bool, N> flags;
    if constexpr (is_same<Before, none>) {
      flags[0] = thread_ == 0 || differ_at(differ, storage_.last_items[thread_ - 1], items[0], thread_ * N, 0);
    } else {
      T previous = before;
      if (thread_ > 0) previous = storage_.last_items[thread_ - 1];
      flags[0] = differ_at(differ, previous, items[0], thread_ * N, 0);
    }
#pragma unroll
    for (int i = 1; i < N; ++i) flags[i] = differ_at(differ, items[i - 1], items[i], thread_ * N + i, 0);
    return flags;
  }

  template <int N, class Differ, class After>
  __device__ array<bool, N> tails(const array<T, N> &items, Differ differ, const After &after) {
    array<bool, N> flags;
    if constexpr (is_same<After, none>) {
      flags[N - 1] =
          thread_ == threads - 1 ||
          differ_at(differ, items[N - 1], storage_.first_items[thread_ + 1], (thread_ + 1) * N, 0);
    } else {
      T next = after;
      if (thread_ < threads - 1) next = storage_.first_items[thread_ + 1];
      flags[N - 1] = differ_at(differ, items[N - 1], next, (thread_ + 1) * N, 0);
    }
#pragma unroll
    for (int i = 0; i + 1 < N; ++i) flags[i] = differ_at(differ, items[i], items[i + 1], thread_ * N + i + 1, 0);
    return flags;
  }

  static __device__ TempStorage &private_storage() {
    __shared__ TempStorage storage;
    return storage;
  }
  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
