// What a block does where an operator is called for each item: a tile of them, either of copies, which are loaded in
// vectors, or of the items themselves, which it may change.
#pragma once
#include <jig/core/load_vector.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Policy, class In, class Op> class AgentForEachCopy {
  static constexpr int threads = Policy::threads, items = Policy::items, unroll = Policy::unroll;
  static constexpr int step = threads * items;

 public:
  __device__ AgentForEachCopy(const In &in, const Op &op) : in_(in), op_(op) {}

  // Items first .. end - 1, no more than a tile has.
  __device__ void Run(uint64_t first, uint64_t end) const {
    const bool vectorize = can_load_vectors<items>(in_);
    const uint64_t mine = first + threadIdx.x * items;
    typename items_of<In, items>::type loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (mine + u * step + items <= end) loaded[u] = load_items<items>(in_, mine + u * step, vectorize);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const uint64_t i = mine + u * step;
      if (i + items <= end) All(loaded[u]);
      else Last(i, end);
    }
  }

 private:
  template <class Vector> __device__ void All(const Vector &vector) const {
#pragma unroll
    for (int k = 0; k < items; ++k) op_(vector[k]);
  }
  // Of the input's end, fewer than a vector has.
  __device__ void Last(uint64_t first, uint64_t end) const {
#pragma unroll 1
    for (uint64_t i = first; i < end; ++i) op_(in_[i]);
  }

  const In &in_;
  const Op &op_;
};

// The next item is not loaded before the operator is done with this one, as it may be the same memory; so all of them
// are fetched into L2 before.
template <class Policy, class In, class Op> class AgentForEach {
  static constexpr int threads = Policy::threads, unroll = Policy::unroll;

 public:
  __device__ AgentForEach(const In &in, const Op &op) : in_(in), op_(op) {}

  // Items first .. end - 1, no more than a tile has.
  __device__ void Run(uint64_t first, uint64_t end) const {
    const uint64_t mine = first + threadIdx.x;
#pragma unroll
    for (int u = 1; u < unroll; ++u)
      if (mine + u * threads < end) ptx::prefetch(&in_.reference(mine + u * threads));
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (mine + u * threads < end) op_(in_.reference(mine + u * threads));
  }

 private:
  const In &in_;
  const Op &op_;
};

}  // namespace jig
