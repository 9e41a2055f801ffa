// Which lanes of a warp hold the same digit, by a ballot for each of its bits. All 32 lanes call, or those of `lanes`.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

template <int Bits> __device__ uint32_t match_digit(uint32_t digit, uint32_t lanes = full_warp) {
  uint32_t peers = lanes;
#pragma unroll
  for (int b = 0; b < Bits; ++b) peers &= ptx::lanes_alike(digit, b, lanes);
  return peers;
}

}  // namespace jig
