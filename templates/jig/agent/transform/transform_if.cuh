// What a block does in a device-wide transform of some items: a tile of them. Where the stencil says so, item i is
// loaded, which calls the operator, and stored; what else is in the output stays.
//
// The inputs are loaded before it is known which items are wanted, as far as no operator is called for that.
#pragma once
#include <jig/core/load_vector.cuh>

namespace jig {

template <class Policy, class In, class Stencil, class Out> class AgentTransformIf {
  static constexpr int threads = Policy::threads, unroll = Policy::unroll;
  using Item = typename Out::value_type;

 public:
  static constexpr int tile_items = threads * unroll;

  __device__ AgentTransformIf(const In &in, const Stencil &stencil, const Out &out)
      : in_(in), stencil_(stencil), out_(out) {}

  // Items first .. end - 1, no more than a tile has.
  __device__ void Run(uint64_t first, uint64_t end) const {
    if constexpr (takes_places<Out>) {
      OneByOne(first, end);
      return;
    }
    typename items_of<In, 1>::type loaded[unroll];
    bool wanted[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const uint64_t i = first + u * threads + threadIdx.x;
      wanted[u] = i < end;
      if (!wanted[u]) continue;
      wanted[u] = static_cast<bool>(stencil_[i]);
      loaded[u] = load_items<1>(in_, i, false);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      if (wanted[u]) out_.store(first + u * threads + threadIdx.x, static_cast<Item>(loaded[u][0]));
  }

 private:
  // Of items that are too large for registers: a warp for each, if lanes can share it.
  __device__ void OneByOne(uint64_t first, uint64_t end) const {
    constexpr int lanes = shares_items<Out> ? warp_threads : 1;
#pragma unroll 1
    for (uint64_t i = first + threadIdx.x / lanes; i < end; i += threads / lanes) {
      if (!static_cast<bool>(stencil_[i])) continue;
      if constexpr (shares_items<Out>) out_.share(i, in_[i]);
      else out_.store(i, in_[i]);
    }
  }

  const In &in_;
  const Stencil &stencil_;
  const Out &out_;
};

}  // namespace jig
