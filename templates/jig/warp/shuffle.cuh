// Moves any trivially copyable value between the lanes of a warp, 32 bits at a time.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// Replaces value by that of the lane `delta` above, within segments of `width` lanes (a power of two); false,
// and value is as it was, where there is none, or that would come behind lane `last` of the segment, which may be
// another for each lane. All lanes of member_mask take part.
template <class T>
__device__ bool shuffle_down(T &value, int delta, int width, uint32_t member_mask, int last = warp_threads - 1) {
  auto words = to_words(value);
  bool exists;
#pragma unroll
  for (int w = 0; w < words.size; ++w) {
    exists = ptx::shuffle_down(words[w], delta, width, member_mask, last);
  }
  value = from_words<T>(words);
  return exists;
}

// The same of the lane `delta` below; false where that would come before lane `first` of the segment, which
// may be another for each lane.
template <class T>
__device__ bool shuffle_up(T &value, int delta, int width, uint32_t member_mask, int first = 0) {
  auto words = to_words(value);
  bool exists;
#pragma unroll
  for (int w = 0; w < words.size; ++w) {
    exists = ptx::shuffle_up(words[w], delta, width, member_mask, first);
  }
  value = from_words<T>(words);
  return exists;
}

// The value of lane `source` of each segment of `width` lanes.
template <class T>
__device__ T shuffle_from(const T &value, int source, int width, uint32_t member_mask) {
  auto words = to_words(value);
#pragma unroll
  for (int w = 0; w < words.size; ++w) {
    words[w] = __shfl_sync(member_mask, words[w], source, width);
  }
  return from_words<T>(words);
}

// The value of the lane whose number differs from this one's in the bits of `bits`.
template <class T> __device__ T shuffle_xor(const T &value, int bits, uint32_t member_mask = full_warp) {
  auto words = to_words(value);
#pragma unroll
  for (int w = 0; w < words.size; ++w) words[w] = __shfl_xor_sync(member_mask, words[w], bits);
  return from_words<T>(words);
}

}  // namespace jig
