// Scan over one logical warp of any width, through shared memory. Only the first LogicalThreads lanes
// of the hardware warp take part and may call.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

template <class T, int LogicalThreads> class WarpScanShared {
  static constexpr uint32_t member_mask = full_warp >> (warp_threads - LogicalThreads);

 public:
  struct TempStorage {
    uninitialized<T, LogicalThreads> values;
  };
  __device__ WarpScanShared() : WarpScanShared(missing_storage()) {}
  __device__ explicit WarpScanShared(TempStorage &storage)
      : storage_(storage), lane_(ptx::lane_id()) {}

  template <class Op> __device__ T InclusiveScan(T input, Op op) {
    return InclusiveScan(input, op, LogicalThreads);
  }

  // Only the first valid_lanes lanes hold a value; the operator never sees any other.
  template <class Op> __device__ T InclusiveScan(T input, Op op, int valid_lanes) {
#pragma unroll
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      storage_.values[lane_] = input;
      __syncwarp(member_mask);
      if (lane_ >= delta && lane_ < valid_lanes) input = op(storage_.values[lane_ - delta], input);
      __syncwarp(member_mask);
    }
    return input;
  }

  // The value of the lane below; the first lane's own.
  __device__ T Previous(T value) { return take(value, max_of(lane_ - 1, 0)); }

  __device__ T Broadcast(T value, int source_lane) { return take(value, source_lane); }

 private:
  static __device__ TempStorage &missing_storage() {
    static_assert(LogicalThreads == 0, "WarpScan: a width that is no power of two needs TempStorage");
  }
  __device__ T take(const T &value, int source_lane) {
    storage_.values[lane_] = value;
    __syncwarp(member_mask);
    T taken = storage_.values[source_lane];
    __syncwarp(member_mask);
    return taken;
  }

  TempStorage &storage_;
  int lane_;
};

}  // namespace jig
