// A search for where an input is no longer in order (find_rule.cuh says what a rule offers).
#pragma once
#include <jig/agent/chain/optional.cuh>
#include <jig/core/load_vector.cuh>

namespace jig {

// Those that have to come before the item before them.
template <class In, class Less> struct DisorderRule {
  using Before = typename In::value_type;
  static constexpr bool asks_first = false;
  Less less;

  static __device__ Before before(const In &in, uint64_t first) {
    Before item;
    if (threadIdx.x % warp_threads == 0) item = in[max_of(first, uint64_t(1)) - 1];
    return item;
  }
  static __device__ Before shared(const typename In::vector_type &vector, const Before &before) {
    const Before last = Lanes<Before>::Previous(vector[In::vector_items - 1]);
    return threadIdx.x % warp_threads == 0 ? before : last;
  }
  __device__ uint32_t mask(uint64_t first, const typename In::vector_type &vector, Before last) const {
    uint32_t found = 0;
#pragma unroll
    for (int k = 0; k < In::vector_items; ++k) {
      const Before item = vector[k];
      if ((k > 0 || first > 0) && bool(less(item, last))) found |= 1u << k;
      last = item;
    }
    return found;
  }
  __device__ bool finds(const In &in, uint64_t i) const { return i > 0 && bool(less(in[i], in[i - 1])); }
};

}  // namespace jig
