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

  // Items first .. end - 1, no more than a tile has, once the grids before are done.
  __device__ void Run(uint64_t first, uint64_t end) const {
    const bool vectorize = can_load_vectors<items>(in_);
    const uint32_t mine = threadIdx.x * items, count = uint32_t(end - first), rest = count % items;
    ptx::wait_for_prerequisite_grids();
    if (first >= end) return;
    typename items_of<In, items>::type loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (mine + u * step + items <= count) loaded[u] = load_items<items>(in_, first + mine + u * step, vectorize);
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (mine + u * step + items <= count) All(loaded[u]);
    // At the input's end there may be fewer items than a vector has.
    static_assert(threads >= items, "a thread for each");
    if (threadIdx.x < rest) op_(in_[end - rest + threadIdx.x]);
  }

 private:
  template <class Vector> __device__ void All(const Vector &vector) const {
#pragma unroll
    for (int k = 0; k < items; ++k) op_(vector[k]);
  }

  const In &in_;
  const Op &op_;
};

// The next item is not loaded before the operator is done with this one, as it may be the same memory: unless the
// compiler sees that it is not, which it does where there are no branches between them.
template <class Policy, class In, class Op> class AgentForEach {
  static constexpr int threads = Policy::threads, unroll = Policy::unroll;

 public:
  __device__ AgentForEach(const In &in, const Op &op) : in_(in), op_(op) {}

  // Items first .. end - 1, no more than a tile has, once the grids before are done.
  __device__ void Run(uint64_t first, uint64_t end) const {
    const uint64_t mine = first + threadIdx.x;
    if (end - first != threads * unroll) {
      ptx::wait_for_prerequisite_grids();
#pragma unroll 1
      for (uint64_t i = mine; i < end; i += threads) op_(in_.reference(i));
      return;
    }
    ptx::wait_for_prerequisite_grids();
#pragma unroll
    for (int u = 0; u < unroll; ++u) op_(in_.reference(mine + u * threads));
  }

 private:
  const In &in_;
  const Op &op_;
};

}  // namespace jig
