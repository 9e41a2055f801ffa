// A value, or none: what comes before an input may be nothing, and no identity is ever assumed.
#pragma once
#include <jig/warp/scan_shuffle.cuh>

namespace jig {

// Whether there is one is the same for all threads of a warp.
template <class T> struct optional {
  bool exists;
  T value;
};

template <class T, class Next, class Op> __device__ optional<T> join(const optional<T> &a, const Next &b, Op op) {
  return {true, a.exists ? op(a.value, b) : T(b)};
}

// Whether what comes before a state makes no difference to what both come to. Overloaded for states that
// know of such.
template <class State> __device__ constexpr bool needs_no_prefix(const State &) { return false; }
template <class State> constexpr bool may_need_no_prefix = false;

// What the lanes of a warp do together; without shared memory, so that there is nothing to construct.
template <class T> struct Lanes {
  using Warp = WarpScanShuffle<T, warp_threads>;
  template <class Op> static __device__ T InclusiveScan(const T &value, Op op) { return ScanFrom(value, op, 0); }
  template <class Op> static __device__ T ScanFrom(const T &value, Op op, int first) {
    return Warp().ScanFrom(value, op, first);
  }
  // Of the lanes that hold a value, which no lane does that is above one without; for an operator that nobody
  // watches, of all.
  template <class Op> static __device__ T ScanHeld(const T &value, Op op, bool holds) {
    return ScanFrom(value, op, may_see<Op>(holds) ? 0 : int(threadIdx.x % warp_threads));
  }
  // The same where no lane but the first Few holds one; what others have then means nothing.
  template <int Few, class Op> static __device__ T ScanHeldByFew(const T &value, Op op, bool holds) {
    constexpr int lanes = Few > 16 ? 32 : Few > 8 ? 16 : Few > 4 ? 8 : Few > 2 ? 4 : Few;
    return WarpScanShuffle<T, lanes>().ScanFrom(value, op, may_see<Op>(holds) ? 0 : int(threadIdx.x % lanes));
  }
  static __device__ T Previous(const T &value) { return Warp().Previous(value); }
  static __device__ T Broadcast(const T &value, int lane) {
    return shuffle_from(value, lane, warp_threads, full_warp);
  }
};

}  // namespace jig
