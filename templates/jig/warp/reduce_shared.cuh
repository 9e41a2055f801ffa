// Reduce over one logical warp of any width, through shared memory. Only the first LogicalThreads
// lanes of the hardware warp take part and may call.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

template <class T, int LogicalThreads> class WarpReduceShared {
  static constexpr uint32_t member_mask = full_warp >> (warp_threads - LogicalThreads);

 public:
  struct TempStorage {
    uninitialized<T, LogicalThreads> values;
  };
  __device__ WarpReduceShared() : WarpReduceShared(missing_storage()) {}
  __device__ explicit WarpReduceShared(TempStorage &storage) : storage_(storage) {}

  template <class Op> __device__ T Reduce(T input, Op op) { return Reduce(input, op, LogicalThreads); }

  template <class Op> __device__ T Reduce(T input, Op op, int valid_items) {
    int lane = ptx::lane_id();
#pragma unroll
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      storage_.values[lane] = input;
      __syncwarp(member_mask);
      if (lane + delta < valid_items) input = op(input, storage_.values[lane + delta]);
      __syncwarp(member_mask);
    }
    return input;
  }

  // Each lane's fold of the lanes up to `last`: see WarpReduceShuffle.
  template <class Op> __device__ T ReduceTo(T input, Op op, int last) { return Reduce(input, op, last + 1); }

 private:
  static __device__ TempStorage &missing_storage() {
    static_assert(LogicalThreads == 0, "WarpReduce: a width that is no power of two needs TempStorage");
  }
  TempStorage &storage_;
};

}  // namespace jig
