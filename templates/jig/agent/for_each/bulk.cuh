// What a block does where an operator is called for each index: a tile of them. In several dimensions it has the
// index's coordinates, too, the last of which changes fastest.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Divides numbers below 2^32 by an extent, as (n * multiplier / 2^32 + n) / 2^shift in 33 bits: T. Granlund and
// P. L. Montgomery, "Division by Invariant Integers using Multiplication", 1994, figure 4.1.
struct Extents {
  uint64_t extent[8];
  uint32_t multiplier[8], shift[8];

  __device__ uint32_t divide(uint32_t n, int d) const {
    return uint32_t((uint64_t(__umulhi(n, multiplier[d])) + n) >> shift[d]);
  }
  __device__ uint64_t divide(uint64_t n, int d) const { return n / extent[d]; }
};

template <class Policy, int Rank, class Op> class AgentBulk {
  static constexpr int threads = Policy::threads, unroll = Policy::unroll;

 public:
  static constexpr int tile_items = threads * unroll;

  __device__ AgentBulk(const Op &op, const Extents &extents) : op_(op), extents_(extents) {}

  // Indices first .. end - 1, no more than a tile has, of `all`.
  __device__ void Run(uint64_t first, uint64_t end, uint64_t all) const {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const uint64_t i = first + u * threads + threadIdx.x;
      if (i >= end) continue;
      if constexpr (Rank == 0) op_(i);
      else if (all <= 0xffffffff) At<uint32_t>(i);
      else At<uint64_t>(i);
    }
  }

 private:
  template <class Index> __device__ void At(uint64_t i) const {
    uint64_t at[Rank];
    Index rest = Index(i);
#pragma unroll
    for (int d = Rank - 1; d > 0; --d) {
      const Index quotient = extents_.divide(rest, d);
      at[d] = rest - quotient * Index(extents_.extent[d]);
      rest = quotient;
    }
    at[0] = rest;
    op_(i, at);
  }

  const Op &op_;
  const Extents &extents_;
};

}  // namespace jig
