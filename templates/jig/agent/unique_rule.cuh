// The items that differ from the one before them. What a rule offers is said in select_rule.cuh.
#pragma once
#include <jig/agent/select_rule.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

struct equal_to {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a == b; }
};

template <class In, class Equal> struct UniqueRule {
  using T = typename In::value_type;
  static constexpr int classes = 1;
  Equal equal;
  T before;  // in lane 0: the item before the next row

  // Other warps' items, but they are still there.
  __device__ void begin(const In &in, uint64_t first, uint64_t num_items) {
    if (threadIdx.x % warp_threads == 0) before = in[min_of(max_of(first, uint64_t(1)), num_items) - 1];
  }
  __device__ void load(int, uint64_t) {}

  __device__ class_masks<1> masks(int, uint64_t first, const typename In::run_type &run) {
    const int lane = threadIdx.x % warp_threads;
    const T last = run[run.size - 1];
    const T below = shuffle_from(last, (lane + warp_threads - 1) % warp_threads, warp_threads, full_warp);
    T previous = lane == 0 ? before : below;
    before = below;
    uint32_t mask = 0;
#pragma unroll
    for (int k = 0; k < run.size; ++k) {
      const T item = run[k];
      mask |= uint32_t(!bool(equal(previous, item))) << k;
      previous = item;
    }
    return {{first == 0 ? mask | 1 : mask}};
  }

  __device__ int class_of(const In &in, uint64_t i) const {
    return i == 0 || !bool(equal(in[i - 1], in[i])) ? 0 : 1;
  }
};

}  // namespace jig
