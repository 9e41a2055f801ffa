// 16 bytes from memory of any alignment, by the two words of 16 bytes that they lie in.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Whether those words are within begin .. end.
__device__ inline bool can_load_across(uintptr_t from, uintptr_t begin, uintptr_t end) {
  return from / 16 * 16 >= begin && (from + 31) / 16 * 16 <= end;
}

// Neighbouring threads that load neighbouring bytes find the second word in L1.
__device__ inline uint4 load_across(uintptr_t from) {
  const uint4 *words = reinterpret_cast<const uint4 *>(from / 16 * 16);
  const uint32_t offset = uint32_t(from % 16);
  const uint4 a = words[0], b = offset > 0 ? words[1] : a;
  uint32_t word[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int w = 0; w < 6; ++w) word[w] = offset & 8 ? word[w + 2] : word[w];
#pragma unroll
  for (int w = 0; w < 5; ++w) word[w] = offset & 4 ? word[w + 1] : word[w];
#pragma unroll
  for (int w = 0; w < 4; ++w) word[w] = __funnelshift_r(word[w], word[w + 1], offset % 4 * 8);
  return {word[0], word[1], word[2], word[3]};
}

}  // namespace jig
