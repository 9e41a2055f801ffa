// Which lanes of a warp hold the same digit, by a ballot for each of its bits. All 32 lanes call.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

template <int Bits> __device__ uint32_t match_digit(uint32_t digit) {
  uint32_t peers = full_warp;
#pragma unroll
  for (int b = 0; b < Bits; ++b) {
    const bool bit = digit >> b & 1;
    const uint32_t votes = __ballot_sync(full_warp, bit);
    peers &= bit ? votes : ~votes;
  }
  return peers;
}

}  // namespace jig
