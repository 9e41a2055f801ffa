// Moves any trivially copyable value between the lanes of a warp, 32 bits at a time.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// Whether a T is a word by itself. An enumerator, of which nothing is left in the program.
template <class T> struct plain_word {
  enum : bool { value = same_types<T, int32_t>::value || same_types<T, uint32_t>::value };
};

// f(word) for each of a value's words; those of 4 bytes, which most are, take less time to compile so, and integers
// that are one least.
template <class T, class F> __device__ void for_each_word(T &value, F f) {
  if constexpr (plain_word<T>::value) {
    f(reinterpret_cast<uint32_t &>(value));
  } else if constexpr (sizeof(T) == 4) {
    auto word = bit_cast<uint32_t>(value);
    f(word);
    value = bit_cast<T>(word);
  } else {
    auto words = to_words(value);
#pragma unroll
    for (int w = 0; w < words.size; ++w) f(words[w]);
    value = from_words<T>(words);
  }
}

// Replaces value by that of the lane `delta` above, within segments of `width` lanes (a power of two); false,
// and value is as it was, where there is none, or that would come behind lane `last` of the segment, which may be
// another for each lane. All lanes of member_mask take part.
template <class T>
__device__ bool shuffle_down(T &value, int delta, int width, uint32_t member_mask, int last = warp_threads - 1) {
  bool exists;
  for_each_word(value, [&](uint32_t &word) { exists = ptx::shuffle_down(word, delta, width, member_mask, last); });
  return exists;
}

// The same of the lane `delta` below; false where that would come before lane `first` of the segment, which
// may be another for each lane.
template <class T>
__device__ bool shuffle_up(T &value, int delta, int width, uint32_t member_mask, int first = 0) {
  bool exists;
  for_each_word(value, [&](uint32_t &word) { exists = ptx::shuffle_up(word, delta, width, member_mask, first); });
  return exists;
}

// The value of lane `source` of each segment of `width` lanes.
template <class T> __device__ T shuffle_from(T value, int source, int width, uint32_t member_mask) {
  if constexpr (plain_word<T>::value) {
    return __shfl_sync(member_mask, value, source, width);
  } else {
    for_each_word(value, [&](uint32_t &word) { word = __shfl_sync(member_mask, word, source, width); });
    return value;
  }
}

// The value of the lane whose number differs from this one's in the bits of `bits`.
template <class T> __device__ T shuffle_xor(T value, int bits, uint32_t member_mask = full_warp) {
  for_each_word(value, [&](uint32_t &word) { word = __shfl_xor_sync(member_mask, word, bits); });
  return value;
}

}  // namespace jig
