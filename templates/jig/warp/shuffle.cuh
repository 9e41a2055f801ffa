// Moves any trivially copyable value between the lanes of a warp, 32 bits at a time.
#pragma once
#include <jig/core/types.cuh>

namespace jig {

// The value of the lane `delta` above within its segment of `width` lanes (a power of two); a lane
// whose source lies past the segment gets its own value back. All lanes of member_mask take part.
template <class T>
__device__ T shuffle_down(const T &value, int delta, int width, uint32_t member_mask) {
  auto words = to_words(value);
#pragma unroll
  for (int w = 0; w < words.size; ++w) {
    words[w] = __shfl_down_sync(member_mask, words[w], delta, width);
  }
  return from_words<T>(words);
}

}  // namespace jig
