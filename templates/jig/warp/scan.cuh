// Scan over the lanes of a logical warp of 1 .. 32 threads.
//
// Logical warps, and who calls, are those of WarpReduce (reduce.cuh). Order is kept, an initial value
// being on the left, so the operator only has to be associative. The aggregate is the fold of all inputs
// without the initial value, in every lane. TempStorage may be used again at once.
#pragma once
#include <jig/warp/scan_shared.cuh>
#include <jig/warp/scan_shuffle.cuh>

namespace jig {

template <class T, int LogicalThreads = warp_threads> class WarpScan {
  static_assert(LogicalThreads >= 1 && LogicalThreads <= warp_threads,
                "WarpScan: a logical warp has 1 to 32 threads");
  using Implementation =
      conditional<is_power_of_two(LogicalThreads), WarpScanShuffle<T, LogicalThreads>,
                  WarpScanShared<T, LogicalThreads>>;

 public:
  using TempStorage = typename Implementation::TempStorage;
  __device__ explicit WarpScan(TempStorage &storage) : implementation_(storage) {}

  template <class Op> __device__ T InclusiveScan(T input, Op op) {
    return implementation_.InclusiveScan(input, op);
  }
  template <class Op> __device__ T InclusiveScan(T input, Op op, T &aggregate) {
    input = InclusiveScan(input, op);
    aggregate = Broadcast(input, LogicalThreads - 1);
    return input;
  }
  // The first valid_lanes >= 1 lanes hold a value, and get a result.
  template <class Op> __device__ T InclusiveScan(T input, Op op, T &aggregate, int valid_lanes) {
    input = implementation_.InclusiveScan(input, op, valid_lanes);
    aggregate = Broadcast(input, valid_lanes - 1);
    return input;
  }

  // Without an initial value, the first lane's result means nothing.
  template <class Op> __device__ T ExclusiveScan(T input, Op op) {
    return implementation_.Previous(InclusiveScan(input, op));
  }
  template <class Op> __device__ T ExclusiveScan(T input, Op op, T &aggregate) {
    return implementation_.Previous(InclusiveScan(input, op, aggregate));
  }
  template <class Op> __device__ T ExclusiveScan(T input, Op op, T &aggregate, int valid_lanes) {
    return implementation_.Previous(InclusiveScan(input, op, aggregate, valid_lanes));
  }

  template <class Op> __device__ T InclusiveScan(T input, T initial, Op op) {
    return op(initial, InclusiveScan(input, op));
  }
  template <class Op> __device__ T InclusiveScan(T input, T initial, Op op, T &aggregate) {
    return op(initial, InclusiveScan(input, op, aggregate));
  }
  template <class Op> __device__ T ExclusiveScan(T input, T initial, Op op) {
    return after(initial, ExclusiveScan(input, op), op);
  }
  template <class Op> __device__ T ExclusiveScan(T input, T initial, Op op, T &aggregate) {
    return after(initial, ExclusiveScan(input, op, aggregate), op);
  }

  // The value of one lane of the logical warp, in all of them.
  __device__ T Broadcast(T value, int source_lane) {
    return implementation_.Broadcast(value, source_lane);
  }

 private:
  template <class Op> static __device__ T after(const T &initial, const T &exclusive, Op op) {
    const bool first = ptx::lane_id() % lane_stride == 0;
    if (!may_see<Op>(!first)) return initial;
    const T folded = op(initial, exclusive);
    return first ? initial : folded;
  }
  static constexpr int lane_stride =
      is_power_of_two(LogicalThreads) ? LogicalThreads : warp_threads;
  Implementation implementation_;
};

}  // namespace jig
