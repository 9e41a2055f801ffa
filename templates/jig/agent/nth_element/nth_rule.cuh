// Which side of the item of some rank the others belong on, and where that is. What rules and sinks offer is said in
// select_rule.cuh and select_sink.cuh.
#pragma once
#include <jig/agent/nth_element/nth_search.cuh>
#include <jig/agent/select/select_rule.cuh>
#include <jig/agent/select/select_sink.cuh>

namespace jig {

// The first class comes before it, the second is it.
template <class In, class Keys> struct NthRule {
  static constexpr int classes = 2;
  static constexpr bool compares = false;
  using Beside = none;
  Keys keys;
  NthFound<typename Keys::Bits> nth;
  none beside;

  __device__ class_masks<2> masks(uint64_t first, bool, const typename In::vector_type &vector, none) const {
    uint32_t before = 0, same = 0;
#pragma unroll
    for (int k = 0; k < vector.size; ++k) {
      const auto bits = keys(vector[k]);
      before |= uint32_t(bits < nth.bits) << k;
      same |= uint32_t(bits == nth.bits) << k;
    }
    // Which of the vector's items is the nth one, and which are before that.
    const uint64_t place = nth.index - first;
    const uint32_t own = place < vector.size ? 1u << place : 0, earlier = nth.index < first ? 0 : own - 1;
    return {{before | (same & earlier), own}};
  }
  __device__ int class_of(const In &in, uint64_t i) const {
    return i == nth.index ? 1 : nth.holds(keys(in[i]), i) ? 0 : 2;
  }
};

// As many items come before it as its rank says, so that it is known beforehand where all others begin.
template <class Out> struct NthSink {
  static constexpr int classes = 3;
  const Out &selected;
  uint64_t nth;

  template <int C> static constexpr bool reversed = false;
  template <int C> __device__ const Out &out() const { return selected; }
  template <int C> __device__ uint64_t first(uint64_t before, int) const {
    return C == 0 ? before : C == 1 ? nth : nth + 1 + before;
  }
};

}  // namespace jig
