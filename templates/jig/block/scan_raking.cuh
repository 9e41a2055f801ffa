// Block scan by raking: all values go to shared memory, and the first warp scans them, each lane its own
// contiguous segment and then the lanes together. Two barriers, one value of shared memory per thread,
// few shuffles; every other warp waits. Order is kept. With Memoize, the lanes keep their segments in
// registers between reading and writing, instead of reading them twice.
#pragma once
#include <jig/warp/scan_shuffle.cuh>

namespace jig {

template <class T, int Threads, bool Memoize> class BlockScanRaking {
  static constexpr int segment = ceil_div(Threads, warp_threads);
  static constexpr int lanes = ceil_div(Threads, segment);
  // An odd distance between the lanes' segments keeps them in different banks.
  static constexpr int stride = segment | 1;

 public:
  struct TempStorage {
    uninitialized<T, lanes * stride> values;
    uninitialized<T> aggregate;
  };
  __device__ BlockScanRaking(TempStorage &storage, unsigned thread) : storage_(storage), thread_(thread) {}

  // As BlockScanWarpScans has them.
  template <class Op> __device__ T ExclusiveScan(T input, Op op, T &aggregate, int valid_threads = Threads) {
    return scan(input, op, aggregate, none(), valid_threads);
  }

  template <class Op> __device__ T ExclusiveScan(T input, T initial, Op op, T &aggregate) {
    return scan(input, op, aggregate, [&](const T &) { return initial; });
  }

  template <class Op, class Callback>
  __device__ T ExclusiveScanWithPrefix(T input, Op op, Callback &callback) {
    T aggregate;
    return scan(input, op, aggregate, [&](const T &all) { return callback(all); });
  }

 private:
  // prefix(aggregate) is, in thread 0, what all values come after; with none() they come after nothing.
  template <class Op, class Prefix>
  __device__ T scan(const T &input, Op op, T &aggregate, Prefix prefix, int valid_threads = Threads) {
    T &own = storage_.values[thread_ / segment * stride + thread_ % segment];
    own = input;
    __syncthreads();
    if (thread_ < warp_threads) rake(op, prefix, valid_threads);
    __syncthreads();
    aggregate = storage_.aggregate[0];
    return own;
  }

  template <class Op, class Prefix> __device__ void rake(Op op, Prefix prefix, int valid_threads) {
    array<T, segment> values;
    T fold;
#pragma unroll
    for (int i = 0; i < segment; ++i) {
      if (!holds(i, valid_threads)) continue;
      values[i] = at(i);
      fold = i == 0 ? values[i] : op(fold, values[i]);
    }
    T running = scan_lanes(fold, op, prefix, ceil_div(valid_threads, segment));
    bool started = !is_same<Prefix, none> || thread_ > 0;
#pragma unroll
    for (int i = 0; i < segment; ++i) {
      if (!holds(i, valid_threads)) continue;
      const T value = Memoize ? values[i] : at(i);
      at(i) = running;
      if (i + 1 < segment) running = started ? op(running, value) : value;
      started = true;
    }
  }

  // What comes before this lane's segment; undefined in the first lane where nothing does.
  template <class Op, class Prefix> __device__ T scan_lanes(const T &fold, Op op, Prefix prefix, int valid_lanes) {
    typename WarpScanShuffle<T, warp_threads>::TempStorage nothing;
    WarpScanShuffle<T, warp_threads> warp(nothing);
    const T inclusive = warp.InclusiveScan(fold, op, valid_lanes);
    const T aggregate = warp.Broadcast(inclusive, valid_lanes - 1);
    if (thread_ == 0) storage_.aggregate[0] = aggregate;
    const T lower = warp.Previous(inclusive);
    if constexpr (is_same<Prefix, none>) {
      return lower;
    } else {
      const T before = warp.Broadcast(prefix(aggregate), 0);
      return thread_ == 0 || thread_ >= valid_lanes ? before : op(before, lower);
    }
  }

  // Whether this lane's segment has an i-th value, and where.
  __device__ bool holds(int i, int valid_threads) const {
    return (Threads == warp_threads * segment && valid_threads == Threads) || thread_ * segment + i < valid_threads;
  }
  __device__ T &at(int i) { return storage_.values[thread_ * stride + i]; }

  TempStorage &storage_;
  int thread_;
};

}  // namespace jig
