// What a block does in a device-wide transform of some items: a tile of them. Where the stencil says so, item i is
// loaded, which calls the operator, and stored; what else is in the output stays.
//
// The inputs are loaded before it is known which items are wanted, as far as no operator is called for that.
#pragma once
#include <jig/core/load_vector.cuh>

namespace jig {

template <class Policy, class In, class Stencil, class Out> class AgentTransformIf {
  static constexpr int threads = Policy::threads, unroll = Policy::unroll, lanes = Policy::lanes;
  using Item = typename Out::value_type;

 public:
  static constexpr int tile_items = threads * unroll / max_of(lanes, 1);

  __device__ AgentTransformIf(const In &in, const Stencil &stencil, const Out &out)
      : in_(in), stencil_(stencil), out_(out) {}

  // Items first .. end - 1, no more than a tile has.
  __device__ void Run(uint64_t first, uint64_t end) const {
    if constexpr (lanes > 0) {
      ByWarps(first, int(end - first));
      return;
    }
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
  // Items that are too large for registers, of which lanes cannot share one.
  __device__ void OneByOne(uint64_t first, uint64_t end) const {
#pragma unroll 1
    for (uint64_t i = first + threadIdx.x; i < end; i += threads)
      if (static_cast<bool>(stencil_[i])) out_.store(i, in_[i]);
  }

  // The same where they can.
  __device__ void ByWarps(uint64_t first, int count) const {
    const warp_share own = share_of_warp<threads>(count);
    const uint64_t begin = first + own.first, mine = begin + threadIdx.x % warp_threads;
    const bool wanted = int(threadIdx.x % warp_threads) < own.count && static_cast<bool>(stencil_[mine]);
    const uint32_t which = __ballot_sync(~0u, wanted);
    if (__popc(which) == own.count) {
      store_by_warp(out_, begin, own.count, [&](int k) { return in_[begin + k]; });
      return;
    }
#pragma unroll 1
    for (uint32_t left = which; left != 0; left &= left - 1) {
      const uint64_t i = begin + __ffs(left) - 1;
      store_by_warp(out_, i, 1, [&](int) { return in_[i]; });
    }
  }

  const In &in_;
  const Stencil &stencil_;
  const Out &out_;
};

}  // namespace jig
