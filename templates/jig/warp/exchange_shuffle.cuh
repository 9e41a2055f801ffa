// Turns the square of as many items as a logical warp has threads round its diagonal, by shuffles: a step for each bit
// of the lane's number, in which pairs of lanes change half of what they hold.
#pragma once
#include <jig/core/choose.cuh>
#include <jig/warp/logical_warp.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

template <class T, int ItemsPerThread, int LogicalThreads> class WarpExchangeShuffle {
  static_assert(ItemsPerThread == LogicalThreads && is_power_of_two(LogicalThreads),
                "WarpExchange: shuffles need as many items as threads, a power of two");
  using Items = array<T, ItemsPerThread>;

 public:
  struct TempStorage {};
  __device__ WarpExchangeShuffle() {}
  __device__ explicit WarpExchangeShuffle(TempStorage &) {}

  __device__ Items BlockedToStriped(const Items &items) { return transpose(items); }
  __device__ Items StripedToBlocked(const Items &items) { return transpose(items); }

 private:
  static __device__ Items transpose(Items items) {
    const int lane = LogicalWarp<LogicalThreads>::lane();
    const uint32_t mask = LogicalWarp<LogicalThreads>::mask();
#pragma unroll
    for (int bit = 1; bit < LogicalThreads; bit *= 2) {
      const bool is_upper = (lane & bit) != 0;
#pragma unroll
      for (int j = 0; j < ItemsPerThread; ++j) {
        if (j & bit) continue;
        const T given = choose(is_upper, items[j], items[j + bit]);
        const T taken = shuffle_xor(given, bit, mask);
        items[j] = choose(is_upper, taken, items[j]);
        items[j + bit] = choose(is_upper, items[j + bit], taken);
      }
    }
    return items;
  }
};

}  // namespace jig
