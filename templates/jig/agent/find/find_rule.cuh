// Which items a search is looking for.
//
// What a rule offers:
//   Before                   what it has to know of the item before a vector, or none
//   before(in, first)        loads it, for the vector that begins with that item; in some lanes it may be missing, but
//   shared(vector, before)   by all lanes of a warp, with neighbouring vectors, makes it known to each
//   mask(first, vector, before)  of such a vector the items that are looked for
//   asks_first               whether there is an any(vector), which takes less: whether a vector has any of them
//   finds(in, i)             whether item i is
#pragma once
#include <jig/core/load_vector.cuh>
#include <jig/thread/mask_of.cuh>

namespace jig {

// Those that pass a test.
template <class In, class Test> struct FindRule {
  using Before = none;
  Test test;

  static __device__ none before(const In &, uint64_t) { return {}; }
  static __device__ none shared(const typename In::vector_type &, none) { return {}; }
  static constexpr bool asks_first = true;
  __device__ bool any(const typename In::vector_type &vector) const { return any_of(vector, test); }
  __device__ uint32_t mask(uint64_t, const typename In::vector_type &vector, none) const {
    return mask_of(vector, test);
  }
  __device__ bool finds(const In &in, uint64_t i) const { return bool(test(in[i])); }
};

}  // namespace jig
