// Block reduce by warps: every warp folds its values, one warp folds the warps' results. One barrier,
// one value of shared memory per warp. Order is kept.
#pragma once
#include <jig/warp/reduce.cuh>

namespace jig {

template <class T, int Threads> class BlockReduceWarpReductions {
  static constexpr int warps = ceil_div(Threads, warp_threads);
  // The smallest power of two that is not below the number of warps.
  static constexpr int combining_lanes = warps > 16 ? 32 : warps > 8 ? 16 : warps > 4 ? 8
                                       : warps > 2 ? 4 : warps;
  using Warp = WarpReduceShuffle<T, warp_threads>;
  using Combine = WarpReduceShuffle<T, combining_lanes>;

 public:
  struct TempStorage {
    uninitialized<T, warps> warp_results;
  };
  // By __syncthreads(); or if the threads are some warps of a block, by another barrier, which has a number.
  __device__ BlockReduceWarpReductions(TempStorage &storage, unsigned thread, int barrier = 0)
      : storage_(storage), warp_(thread / warp_threads), lane_(thread % warp_threads), barrier_(barrier) {}

  template <class Op> __device__ T Reduce(T input, Op op) {
    if constexpr (Threads % warp_threads != 0) {
      return Reduce(input, op, Threads);
    } else {
      typename Warp::TempStorage none;
      return CombineWarps(Warp(none).Reduce(input, op), op);
    }
  }

  template <class Op> __device__ T Reduce(T input, Op op, int valid_threads) {
    typename Warp::TempStorage none;
    input = Warp(none).Reduce(input, op, valid_threads - int(warp_ * warp_threads));
    return CombineWarps(input, op, ceil_div(valid_threads, warp_threads));
  }

  // The same for a block of whole warps where only the first thread is to have the result. The first warp folds the
  // warps' results by itself, each of its lanes all of them: that takes no shuffles, and the other warps can go on.
  template <class Op> __device__ T ReduceToFirst(T input, Op op) {
    static_assert(Threads % warp_threads == 0, "only of whole warps");
    typename Warp::TempStorage none;
    return CombineToFirst(Warp(none).Reduce(input, op), op);
  }
  template <class Op> __device__ T CombineToFirst(T input, Op op) {
    if constexpr (warps == 1) return input;
    if (!HandToFirst(input)) return input;
    array<T, warps> results;
#pragma unroll
    for (int w = 0; w < warps; ++w) results[w] = storage_.warp_results[w];
    // In the order of shuffles, so that sums are the same bits either way.
#pragma unroll
    for (int delta = 1; delta < warps; delta *= 2) {
#pragma unroll
      for (int w = 0; w + delta < warps; w += 2 * delta) results[w] = op(results[w], results[w + delta]);
    }
    return results[0];
  }

  // The same where the order is of no matter. One fold after the other, from the first warp's own result on, is what
  // the compiler leaves partly for after the next barrier, so that the other warps go on sooner.
  template <class Op> __device__ T ReduceToFirstInAnyOrder(T input, Op op) {
    static_assert(Threads % warp_threads == 0, "only of whole warps");
    typename Warp::TempStorage none;
    input = Warp(none).Reduce(input, op);
    if constexpr (warps == 1) return input;
    if (!HandToFirst(input)) return input;
#pragma unroll
    for (int w = 1; w < warps; ++w) input = op(input, storage_.warp_results[w]);
    return input;
  }

  // Folds one value per warp, held by its first lane.
  template <class Op> __device__ T CombineWarps(T warp_result, Op op) {
    if constexpr (warps != combining_lanes) {
      return CombineWarps(warp_result, op, warps);
    } else {
      if (lane_ == 0) storage_.warp_results[warp_] = warp_result;
      sync();
      if constexpr (has_redux<T, Op>) {
        typename Warp::TempStorage none;
        T result = Op::template identity<T>();
        if (lane_ < warps) result = storage_.warp_results[lane_];
        return Warp(none).Reduce(result, op);
      } else {
        typename Combine::TempStorage none;
        return Combine(none).Reduce(storage_.warp_results[lane_ % combining_lanes], op);
      }
    }
  }

  // The same where only the first valid_warps warps hold a value.
  template <class Op> __device__ T CombineWarps(T warp_result, Op op, int valid_warps) {
    if (lane_ == 0) storage_.warp_results[warp_] = warp_result;
    sync();
    // Every warp does this, though one would do: a branch here would leave the compiler in doubt
    // whether the lanes are still together. In one that has not all lanes there is nothing to fold.
    if (Threads % warp_threads != 0 && !may_see<Op>(warp_ == 0)) valid_warps = 1;
    const int place = takes_any_bytes<Op> ? lane_ : lane_ % combining_lanes;
    warp_result = storage_.warp_results[min_of(place, valid_warps - 1)];
    typename Combine::TempStorage none;
    return Combine(none).Reduce(warp_result, op, valid_warps);
  }

 private:
  __device__ void sync() const {
    if (barrier_ == 0) __syncthreads();
    else ptx::sync_threads(barrier_, Threads);
  }

  // Leaves the warps' results to the first warp; whether this is that one.
  __device__ bool HandToFirst(T warp_result) {
    if (lane_ == 0) storage_.warp_results[warp_] = warp_result;
    sync();
    return warp_ == 0;
  }

  TempStorage &storage_;
  unsigned warp_, lane_;
  int barrier_;
};

}  // namespace jig
