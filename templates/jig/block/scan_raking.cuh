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
  // Few values cost nothing to keep.
  static constexpr bool memoizes = Memoize || segment * sizeof(T) <= 64;

 public:
  struct TempStorage {
    uninitialized<T, lanes * stride + 1> values;
  };
  // Addresses are kept, so that the compiler computes none behind the barrier, while all other warps wait.
  __device__ BlockScanRaking(TempStorage &storage, unsigned thread)
      : storage_(storage),
        thread_(thread),
        own_(ptx::kept_shared_address(&storage.values[thread / segment * stride + thread % segment])),
        segment_(ptx::kept_shared_address(&storage.values) + thread * (stride * int(sizeof(T)))) {}

  // As BlockScanWarpScans has them.
  template <class Op, class Aggregate> __device__ T ExclusiveScan(T input, Op op, Aggregate &aggregate) {
    return scan(input, op, aggregate, none());
  }
  template <class Op> __device__ T ExclusiveScan(T input, Op op, T &aggregate, int valid_threads) {
    return scan(input, op, aggregate, none(), valid_threads);
  }

  template <class Op, class Aggregate> __device__ T ExclusiveScan(T input, T initial, Op op, Aggregate &aggregate) {
    return scan(input, op, aggregate, known_prefix{initial});
  }

  template <class Op, class Callback>
  __device__ T ExclusiveScanWithPrefix(T input, Op op, Callback &callback, bool has_prefix) {
    none nobody_asks;
    return scan(input, op, nobody_asks, called_prefix<Callback>{callback, has_prefix});
  }

 private:
  // What all values come after, which is asked in the first lane: none(), one of these. Without `exists` they come
  // after nothing.
  struct known_prefix {
    T value;
    enum : bool { exists = true };
    template <class Warp> __device__ T operator()(Warp &, const T &, int) const { return value; }
  };
  template <class Callback> struct called_prefix {
    Callback &callback;
    bool exists;
    template <class Warp> __device__ T operator()(Warp &warp, const T &inclusive, int valid_lanes) const {
      return warp.Broadcast(callback(warp.Broadcast(inclusive, valid_lanes - 1)), 0);
    }
  };

  template <class Op, class Aggregate, class Prefix>
  __device__ T scan(const T &input, Op op, Aggregate &aggregate, Prefix prefix, int valid_threads = Threads) {
    constexpr bool tells = !is_same<Aggregate, none>;
    T &own = ptx::shared_at<T>(own_);
    own = input;
    __syncthreads();
    if (thread_ < warp_threads) rake<tells>(op, prefix, valid_threads);
    __syncthreads();
    if constexpr (tells) aggregate = storage_.values[(lanes_of(valid_threads) - 1) * stride + segment];
    return own;
  }

  template <bool Tells, class Op, class Prefix> __device__ void rake(Op op, Prefix prefix, int valid_threads) {
    array<T, segment> values;
    T fold;
#pragma unroll
    for (int i = 0; i < segment; ++i) {
      if (!holds(i, valid_threads)) continue;
      values[i] = at(i);
      fold = i == 0 ? values[i] : op(fold, values[i]);
    }
    const int valid_lanes = lanes_of(valid_threads);
    WarpScanShuffle<T, warp_threads> warp;
    const T inclusive = lanes == warp_threads && valid_lanes == lanes ? warp.InclusiveScan(fold, op)
                                                                      : warp.InclusiveScan(fold, op, valid_lanes);
    T running = before_segment(warp, inclusive, fold, op, prefix, valid_lanes);
    bool started = can_undo<T, Op> || thread_ > 0;
    if constexpr (!is_same<Prefix, none>) started |= prefix.exists;
#pragma unroll
    for (int i = 0; i < segment; ++i) {
      if (!holds(i, valid_threads)) continue;
      const T value = memoizes ? values[i] : at(i);
      at(i) = running;
      if (i + 1 < segment) running = started ? op(running, value) : value;
      started = true;
    }
    // What all come to is behind the last segment, in a place that has no value.
    if (Tells && thread_ == valid_lanes - 1) at(segment) = inclusive;
  }

  // What comes before this lane's segment; undefined in the first lane where nothing does, or 0 where can_undo<T, Op>.
  template <class Warp, class Op, class Prefix>
  __device__ T before_segment(Warp &warp, const T &inclusive, const T &fold, Op op, Prefix prefix, int valid_lanes) {
    const T lower = warp.Exclusive(inclusive, fold, op);
    if constexpr (is_same<Prefix, none>) {
      return lower;
    } else {
      const T before = prefix(warp, inclusive, valid_lanes);
      if (!prefix.exists) return lower;
      return thread_ == 0 || thread_ >= valid_lanes ? before : op(before, lower);
    }
  }

  static __device__ int lanes_of(int valid_threads) { return ceil_div(valid_threads, segment); }
  // Whether this lane's segment has an i-th value, and where.
  __device__ bool holds(int i, int valid_threads) const {
    return (Threads == warp_threads * segment && valid_threads == Threads) || thread_ * segment + i < valid_threads;
  }
  __device__ T &at(int i) const { return ptx::shared_at<T>(segment_ + i * int(sizeof(T))); }

  TempStorage &storage_;
  int thread_;
  uint32_t own_, segment_;
};

}  // namespace jig
