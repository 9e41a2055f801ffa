// Scan over a logical warp of a power-of-two width, by shuffles. Every logical warp of a hardware warp
// scans its own values; all 32 lanes take part. No shared memory.
#pragma once
#include <jig/core/operator.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

// Whether op(a, b) and b tell a.
template <class T, class Op> constexpr bool can_undo = is_same<Op, plus> && is_integer<T> && !is_same<T, bool>;

template <class T, int LogicalThreads> class WarpScanShuffle {
 public:
  struct TempStorage {};
  WarpScanShuffle() = default;
  __device__ explicit WarpScanShuffle(TempStorage &) {}

  template <class Op> __device__ T InclusiveScan(T input, Op op) { return ScanFrom(input, op, 0); }

  // Only the first valid_lanes lanes hold a value; the operator never sees any other.
  template <class Op> __device__ T InclusiveScan(T input, Op op, int valid_lanes) {
    const int lane = ptx::lane_id() % LogicalThreads;
    return ScanFrom(input, op, lane < valid_lanes ? 0 : lane);
  }

  // Each lane's fold of the lanes from `first` on, which is that or a lane below. They may say different ones as
  // segments do: all lanes between have to say the same, or later ones. Where a lane says itself it may hold
  // anything, if no lane above says it or one below.
  //
  // A lane that has no lane so far below may combine with itself and drop the result: that takes no branch, and
  // for simple operators one instruction beside the shuffle. The barrier is explained in reduce_shuffle.cuh.
  template <class Op> __device__ T ScanFrom(T input, Op op, int first) {
    __syncwarp();
#pragma unroll
    for (int delta = 1; delta < LogicalThreads; delta *= 2) {
      if constexpr (is_same<Op, plus> && is_any_of<T, int32_t, uint32_t, float>) {
        using Word = conditional<is_same<T, float>, float, uint32_t>;
        input = T(ptx::shuffle_up_add(Word(input), delta, LogicalThreads, full_warp, first));
      } else {
        T lower = input;
        const bool exists = shuffle_up(lower, delta, LogicalThreads, full_warp, first);
        if constexpr (takes_any_bytes<Op>) {
          const T folded = op(lower, input);
          if (exists) input = folded;
        } else if (exists) {
          input = op(lower, input);
        }
      }
    }
    return input;
  }

  // The value of the lane below; the first lane's own.
  __device__ T Previous(T value) {
    __syncwarp();
    shuffle_up(value, 1, LogicalThreads, full_warp);
    return value;
  }

  // The same of an inclusive scan, given what this lane had brought to it; of sums of integers without a shuffle, and 0
  // in the first lane.
  template <class Op> __device__ T Exclusive(T inclusive, T input, Op) {
    if constexpr (can_undo<T, Op>) return T(wrapping<T>(inclusive) - wrapping<T>(input));
    else return Previous(inclusive);
  }

  __device__ T Broadcast(T value, int source_lane) {
    __syncwarp();
    return shuffle_from(value, source_lane, LogicalThreads, full_warp);
  }
};

}  // namespace jig
