// Block scan by warps: every warp scans its values, and every thread folds the warps' totals. One barrier
// (two with a prefix to be found), one value of shared memory per warp. Order is kept.
//
// What this and raking offer is the exclusive scan of one value per thread; the aggregate is the fold of
// all of them, in every thread.
#pragma once
#include <jig/warp/scan_shuffle.cuh>

namespace jig {

template <class T, int Threads> class BlockScanWarpScans {
  static constexpr int warps = ceil_div(Threads, warp_threads);
  static constexpr bool partial_warp = Threads % warp_threads != 0;

 public:
  // Whole words are aligned so that totals are read by vectors in which there is nothing that others may be writing.
  static constexpr int align = max_of(sizeof(T) % 4 == 0 ? 16 : 1, int(alignof(T)));
  struct alignas(align) TempStorage {
    uninitialized<T, warps> warp_totals;
    alignas(align) uninitialized<T> prefix;
  };
  __device__ BlockScanWarpScans(TempStorage &storage, unsigned thread)
      : storage_(storage), thread_(thread), warp_(thread / warp_threads), lane_(thread % warp_threads) {}

  // Thread 0's result means nothing, or is 0 where can_undo<T, Op>. An aggregate that nobody asks for is none().
  template <class Op, class Aggregate> __device__ T ExclusiveScan(T input, Op op, Aggregate &aggregate) {
    if constexpr (can_undo<T, Op>) {
      return ExclusiveScan(input, T(0), op, aggregate);
    } else {
      T lower_warps;
      input = scan_warps(input, op, lower_warps, aggregate);
      return warp_ == 0 ? input : after(lower_warps, input, lane_ == 0, op);
    }
  }

  template <class Op, class Aggregate> __device__ T ExclusiveScan(T input, T initial, Op op, Aggregate &aggregate) {
    T lower_warps;
    input = scan_warps(input, op, lower_warps, aggregate);
    if (warp_ > 0) initial = op(initial, lower_warps);
    return after(initial, input, lane_ == 0, op);
  }

  // Only the first valid_threads hold a value, one at least, and get a result; the operator never sees any other.
  template <class Op> __device__ T ExclusiveScan(T input, Op op, T &aggregate, int valid_threads) {
    T lower_warps;
    input = scan_warps(input, op, lower_warps, aggregate, valid_threads);
    return warp_ == 0 || thread_ >= valid_threads ? input : after(lower_warps, input, lane_ == 0, op);
  }

  // Each thread's prefix within the tile behind that of the tile, which is what callback(aggregate)
  // returns in thread 0, if it has_prefix; without, as above. The threads of the first warp call it, together.
  template <class Op, class Callback>
  __device__ T ExclusiveScanWithPrefix(T input, Op op, Callback &callback, bool has_prefix) {
    T aggregate;
    input = ExclusiveScan(input, op, aggregate);
    if (warp_ == 0) {
      const T prefix = callback(aggregate);
      if (thread_ == 0) storage_.prefix[0] = prefix;
    }
    __syncthreads();
    return has_prefix ? after(storage_.prefix[0], input, thread_ == 0, op) : input;
  }

 private:
  // The exclusive scan of this warp alone, with the first lane's own value in the first lane; and the
  // folds of the warps below, undefined in the first warp, and of all.
  template <class Op, class Aggregate>
  __device__ T scan_warps(T input, Op op, T &lower_warps, Aggregate &aggregate) {
    WarpScanShuffle<T, warp_threads> warp;
    const T inclusive = warp.InclusiveScan(input, op);
    const bool last = lane_ == warp_threads - 1 || (partial_warp && thread_ == Threads - 1);
    if (last) storage_.warp_totals[warp_] = inclusive;
    input = warp.Exclusive(inclusive, input, op);
    __syncthreads();
    T all = storage_.warp_totals[0];
#pragma unroll
    for (int w = 1; w < warps; ++w) {
      if (warp_ == w) lower_warps = all;
      all = op(all, storage_.warp_totals[w]);
    }
    if constexpr (!is_same<Aggregate, none>) aggregate = all;
    return input;
  }

  template <class Op>
  __device__ T scan_warps(T input, Op op, T &lower_warps, T &aggregate, int valid_threads) {
    WarpScanShuffle<T, warp_threads> warp;
    const int valid_lanes = min_of(valid_threads - warp_ * warp_threads, int(warp_threads));
    const T inclusive = warp.InclusiveScan(input, op, valid_lanes);
    if (lane_ == valid_lanes - 1) storage_.warp_totals[warp_] = inclusive;
    input = warp.Exclusive(inclusive, input, op);
    __syncthreads();
    aggregate = storage_.warp_totals[0];
#pragma unroll
    for (int w = 1; w < warps; ++w) {
      if (w * warp_threads >= valid_threads) break;
      if (warp_ == w) lower_warps = aggregate;
      aggregate = op(aggregate, storage_.warp_totals[w]);
    }
    return input;
  }

  // The first of the threads that a prefix is for has no value of its own before it; what it holds
  // instead may be combined, for nothing, so that no branch is needed.
  template <class Op>
  static __device__ T after(const T &prefix, const T &exclusive, bool first, Op op) {
    if constexpr (can_undo<T, Op>) {
      return op(prefix, exclusive);  // which is 0 in the first one
    } else {
      if (!may_see<Op>(!first)) return prefix;
      const T folded = op(prefix, exclusive);
      return first ? prefix : folded;
    }
  }

  TempStorage &storage_;
  int thread_, warp_, lane_;
};

}  // namespace jig
