// The items that differ from the one before them. What a rule offers is said in select_rule.cuh.
#pragma once
#include <jig/agent/select/select_rule.cuh>
#include <jig/warp/shuffle.cuh>

namespace jig {

struct equal_to {
  template <class T> __device__ bool operator()(const T &a, const T &b) const { return a == b; }
};

template <class In, class Equal> struct UniqueRule {
  using T = typename In::value_type;
  static constexpr int classes = 1;
  static constexpr bool compares = true;
  using Beside = none;
  none beside;
  Equal equal;
  T before;  // in lane 0: the item before the next row
  // Whether it does nothing but compare numbers; otherwise it is only asked about an item and the next one.
  static constexpr bool takes_any_items = is_same<Equal, equal_to> && is_number<T>;

  __device__ class_masks<1> masks(uint64_t first, bool is_of_input, const typename In::vector_type &vector, none) {
    const int lane = threadIdx.x % warp_threads;
    const T last = vector[vector.size - 1];
    const T below = shuffle_from(last, (lane + warp_threads - 1) % warp_threads, warp_threads, full_warp);
    const T previous = lane == 0 ? before : below;
    before = below;
    if (!takes_any_items && !is_of_input) return {{first == 0}};
    return masks_after(previous, first, vector, vector.size);
  }

  template <class Vector>
  __device__ class_masks<1> masks_after(T previous, uint64_t first, const Vector &vector, int items) const {
    uint32_t mask = first == 0;
#pragma unroll
    for (int k = 0; k < vector.size; ++k) {
      const T item = vector[k];
      if (takes_any_items || (k > 0 || first > 0) && k < items) mask |= uint32_t(!bool(equal(previous, item))) << k;
      previous = item;
    }
    return {{mask}};
  }

  __device__ int class_of(const In &in, uint64_t i) const {
    return i == 0 || !bool(equal(in[i - 1], in[i])) ? 0 : 1;
  }
};

}  // namespace jig
