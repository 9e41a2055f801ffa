// 16 bytes from memory of any alignment, by the two words of 16 bytes that they lie in.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// Whether those words are within begin .. end.
__device__ inline bool can_load_across(uintptr_t from, uintptr_t begin, uintptr_t end) {
  return from / 16 * 16 >= begin && (from + 31) / 16 * 16 <= end;
}

// The 16 bytes that begin in one word, after those that are skipped, and end in the next.
__device__ inline uint4 joined(const uint4 &low, const uint4 &high, uint32_t skipped) {
  const bool two = skipped & 8, one = skipped & 4;
  const uint32_t shift = skipped * 8;  // of which the funnel takes 5 bits
  const uint32_t a = two ? low.z : low.x, b = two ? low.w : low.y, c = two ? high.x : low.z,
                 d = two ? high.y : low.w, e = two ? high.z : high.x, f = two ? high.w : high.y;
  const uint32_t p = one ? b : a, q = one ? c : b, r = one ? d : c, s = one ? e : d, t = one ? f : e;
  return uint4{__funnelshift_r(p, q, shift), __funnelshift_r(q, r, shift), __funnelshift_r(r, s, shift),
               __funnelshift_r(s, t, shift)};
}

// Neighbouring threads that load neighbouring bytes find the second word in L1.
__device__ inline uint4 load_across(uintptr_t from) {
  const uint4 *words = reinterpret_cast<const uint4 *>(from / 16 * 16);
  const uint32_t skipped = uint32_t(from % 16);
  const uint4 low = words[0];
  uint4 high = low;
  if (skipped > 0) high = words[1];
  return joined(low, high, skipped);
}

}  // namespace jig
