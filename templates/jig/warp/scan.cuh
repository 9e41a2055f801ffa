// Scan over the lanes of a logical warp of 1 .. 32 threads.
//
// Logical warps, and who calls, are those of WarpReduce (reduce.cuh). Order is kept, an initial value
// being on the left, so the operator only has to be associative. The aggregate is the fold of all inputs
// without the initial value, in every lane. TempStorage, one for each logical warp, may be used again at once; the
// default constructor is for widths that need no shared memory, the powers of two.
#pragma once
#include <jig/warp/logical_warp.cuh>
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
  __device__ WarpScan() : implementation_() {}
  __device__ explicit WarpScan(TempStorage &storage) : implementation_(storage) {}

  template <class Op> [[nodiscard]] __device__ T InclusiveScan(T input, Op op) {
    return implementation_.InclusiveScan(input, op);
  }
  template <class Op> [[nodiscard]] __device__ T InclusiveScan(T input, Op op, T &aggregate) {
    input = InclusiveScan(input, op);
    aggregate = Broadcast(input, LogicalThreads - 1);
    return input;
  }

  // Without an initial value, the first lane's result means nothing.
  template <class Op> [[nodiscard]] __device__ T ExclusiveScan(T input, Op op) {
    return implementation_.Previous(InclusiveScan(input, op));
  }
  template <class Op> [[nodiscard]] __device__ T ExclusiveScan(T input, Op op, T &aggregate) {
    return implementation_.Previous(InclusiveScan(input, op, aggregate));
  }

  template <class Op> [[nodiscard]] __device__ T InclusiveScan(T input, T initial, Op op) {
    return op(initial, InclusiveScan(input, op));
  }
  template <class Op> [[nodiscard]] __device__ T InclusiveScan(T input, T initial, Op op, T &aggregate) {
    return op(initial, InclusiveScan(input, op, aggregate));
  }
  template <class Op> [[nodiscard]] __device__ T ExclusiveScan(T input, T initial, Op op) {
    return after(initial, ExclusiveScan(input, op), op);
  }
  template <class Op> [[nodiscard]] __device__ T ExclusiveScan(T input, T initial, Op op, T &aggregate) {
    return after(initial, ExclusiveScan(input, op, aggregate), op);
  }

  // Both scans at once.
  template <class Op> __device__ void Scan(T input, T &inclusive, T &exclusive, Op op) {
    inclusive = InclusiveScan(input, op);
    exclusive = implementation_.Previous(inclusive);
  }
  template <class Op> __device__ void Scan(T input, T &inclusive, T &exclusive, T initial, Op op) {
    Scan(input, inclusive, exclusive, op);
    inclusive = op(initial, inclusive);
    exclusive = after(initial, exclusive, op);
  }
  template <class Op>
  __device__ void Scan(T input, T &inclusive, T &exclusive, T initial, Op op, T &aggregate) {
    Scan(input, inclusive, exclusive, op);
    aggregate = Broadcast(inclusive, LogicalThreads - 1);
    inclusive = op(initial, inclusive);
    exclusive = after(initial, exclusive, op);
  }

  // Of the first valid_lanes alone: only they hold a value, which the operator sees, and get a result. With the
  // aggregate or without; of no lanes it means nothing.
  template <class Op, class... Aggregate>
  [[nodiscard]] __device__ T InclusiveScanPartial(T input, Op op, int valid_lanes, Aggregate &...aggregate) {
    input = implementation_.InclusiveScan(input, op, valid_lanes);
    ((aggregate = Broadcast(input, valid_lanes - 1)), ...);
    return input;
  }
  template <class Op, class... Aggregate>
  [[nodiscard]] __device__ T ExclusiveScanPartial(T input, Op op, int valid_lanes, Aggregate &...aggregate) {
    return implementation_.Previous(InclusiveScanPartial(input, op, valid_lanes, aggregate...));
  }
  template <class Op, class... Aggregate>
  [[nodiscard]] __device__ T InclusiveScanPartial(T input, T initial, Op op, int valid_lanes, Aggregate &...aggregate) {
    input = InclusiveScanPartial(input, op, valid_lanes, aggregate...);
    return may_see<Op>(lane() < valid_lanes) ? op(initial, input) : input;
  }
  template <class Op, class... Aggregate>
  [[nodiscard]] __device__ T ExclusiveScanPartial(T input, T initial, Op op, int valid_lanes, Aggregate &...aggregate) {
    input = ExclusiveScanPartial(input, op, valid_lanes, aggregate...);
    return may_see<Op>(lane() < valid_lanes) ? after(initial, input, op) : input;
  }
  template <class Op> __device__ void ScanPartial(T input, T &inclusive, T &exclusive, Op op, int valid_lanes) {
    inclusive = InclusiveScanPartial(input, op, valid_lanes);
    exclusive = implementation_.Previous(inclusive);
  }
  template <class Op>
  __device__ void ScanPartial(T input, T &inclusive, T &exclusive, T initial, Op op, int valid_lanes) {
    ScanPartial(input, inclusive, exclusive, op, valid_lanes);
    if (!may_see<Op>(lane() < valid_lanes)) return;
    inclusive = op(initial, inclusive);
    exclusive = after(initial, exclusive, op);
  }

  // Sums; the exclusive one begins with 0.
  [[nodiscard]] __device__ T InclusiveSum(T input) { return InclusiveScan(input, plus()); }
  [[nodiscard]] __device__ T InclusiveSum(T input, T &aggregate) { return InclusiveScan(input, plus(), aggregate); }
  [[nodiscard]] __device__ T ExclusiveSum(T input) { return ExclusiveScan(input, scan_start<plus, T>(), plus()); }
  [[nodiscard]] __device__ T ExclusiveSum(T input, T &aggregate) {
    return ExclusiveScan(input, scan_start<plus, T>(), plus(), aggregate);
  }

  // The value of one lane of the logical warp, in all of them.
  [[nodiscard]] __device__ T Broadcast(T value, int source_lane) {
    return implementation_.Broadcast(value, source_lane);
  }

 private:
  template <class Op> static __device__ T after(const T &initial, const T &exclusive, Op op) {
    const bool first = lane() == 0;
    if (!may_see<Op>(!first)) return initial;
    const T folded = op(initial, exclusive);
    return first ? initial : folded;
  }
  static __device__ int lane() { return LogicalWarp<LogicalThreads>::lane(); }
  Implementation implementation_;
};

}  // namespace jig
