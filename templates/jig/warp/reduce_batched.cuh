// Reduces several batches over the lanes of a logical warp at once, of which each lane holds one item: of as many
// batches as lanes in little more shuffles than there are batches, where one reduction takes five.
//
// In each step a lane hands half of its batches to a partner and takes over the partner's share of the others. Order
// is kept, so the operator only has to be associative. Logical warps have 1, 2, 4, 8, 16 or 32 lanes; all lanes of
// one call together. TempStorage is empty.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/core/operator.cuh>
#include <jig/warp/logical_warp.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

template <class T, int Batches, int LogicalThreads = warp_threads> class WarpReduceBatched {
  static_assert(is_power_of_two(LogicalThreads) && LogicalThreads <= warp_threads,
                "WarpReduceBatched: a logical warp has 1, 2, 4, 8, 16 or 32 lanes");
  static_assert(Batches >= 1, "WarpReduceBatched: there is a batch");

 public:
  // How many results a lane may have.
  static constexpr int results = ceil_div(Batches, LogicalThreads);
  using Inputs = array<T, Batches>;
  using Results = array<T, results>;
  struct TempStorage {};

  __device__ WarpReduceBatched() {}
  __device__ explicit WarpReduceBatched(TempStorage &) {}

  // Result k of lane l is that of batch k * LogicalThreads + l; of batches that there are not it means nothing.
  template <class Op> __device__ Results ReduceToStriped(const Inputs &inputs, Op op) const {
    return step<1, Batches>(inputs, op);
  }
  // Result k of lane l is that of batch l * results + k.
  template <class Op> __device__ Results ReduceToBlocked(const Inputs &inputs, Op op) const {
    array<T, results * LogicalThreads> all;
#pragma unroll
    for (int lane = 0; lane < LogicalThreads; ++lane) {
#pragma unroll
      for (int k = 0; k < results; ++k)
        all[k * LogicalThreads + lane] = inputs[min_of(lane * results + k, Batches - 1)];
    }
    return step<1, results * LogicalThreads>(all, op);
  }
  // Of no more batches than lanes: that of batch l in lane l.
  template <class Op> __device__ T Reduce(const Inputs &inputs, Op op) const {
    static_assert(results == 1, "WarpReduceBatched: more batches than lanes");
    return ReduceToStriped(inputs, op)[0];
  }

  __device__ Results SumToStriped(const Inputs &inputs) const { return ReduceToStriped(inputs, plus()); }
  __device__ Results SumToBlocked(const Inputs &inputs) const { return ReduceToBlocked(inputs, plus()); }
  __device__ T Sum(const Inputs &inputs) const { return Reduce(inputs, plus()); }

 private:
  // Lanes that differ in `Bit`: the lower one goes on with the even items, the upper one with the odd ones; both with
  // the last one if there is no other.
  template <int Bit, int N, class Op> static __device__ auto step(const array<T, N> &items, Op op) {
    if constexpr (Bit == LogicalThreads) {
      return items;
    } else {
      const bool is_upper = (LogicalWarp<LogicalThreads>::lane() & Bit) != 0;
      array<T, (N + 1) / 2> kept;
#pragma unroll
      for (int i = 0; i < kept.size; ++i) {
        const T &even = items[2 * i], &odd = items[min_of(2 * i + 1, N - 1)];
        const T own = choose(is_upper, odd, even);
        const T other = shuffle_xor(choose(is_upper, even, odd), Bit, LogicalWarp<LogicalThreads>::mask());
        kept[i] = op(choose(is_upper, other, own), choose(is_upper, own, other));
      }
      return step<2 * Bit>(kept, op);
    }
  }
};

}  // namespace jig
