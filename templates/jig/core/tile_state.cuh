// Hands a value from one block to another through global memory that nobody initialised: what a tile comes to,
// mostly, or that counters are ready to be used.
//
// The value travels in 8-byte words, each half payload and half tag. Every word is single-copy atomic,
// so a reader that finds the right tag in all words has the whole value: no fence, no flag, no counter
// and no clearing launch beforehand. The tag is 64 bits that no other launch of the process carries
// (at least two words are used, one half of the tag each), so neither leftovers of other launches nor
// uninitialised memory pass for a published value, but for a chance of 2^-64; or, should a GPU ever tear
// the pair of words that are written at once, of 2^-32. A captured graph repeats
// its tag with every replay; therefore the reader retires each value it has taken, and no replay finds
// the words of the one before.
#pragma once
#include <jig/core/ptx.cuh>

namespace jig {

// Two words, which most states are, are not moved by a loop of one round: that takes less time to compile.
template <class T> struct alignas(16) TileState {
  static constexpr int words = word_count<T> <= 2 ? 2 : (word_count<T> + 1) / 2 * 2;
  uint64_t word[words];

  __device__ void publish(const T &value, uint64_t tag) {
    auto payload = to_words(value);
    if constexpr (words == 2) {
      const uint32_t second = payload.size > 1 ? payload[payload.size - 1] : 0;
      ptx::store_relaxed_gpu(word, tag << 32 | payload[0], (tag >> 32) << 32 | second);
    } else {
#pragma unroll
      for (int w = 0; w < words; w += 2) {
        uint32_t first = w < payload.size ? payload[w] : 0;
        uint32_t second = w + 1 < payload.size ? payload[w + 1] : 0;
        ptx::store_relaxed_gpu(&word[w], tag << 32 | first, (tag >> 32) << 32 | second);
      }
    }
  }

  // Whether the value is there; if so, in `value`. With Acquires, so is what the writer has written before, and fenced.
  template <bool Acquires = false> __device__ bool try_take(T &value, uint64_t tag) {
    array<uint32_t, word_count<T>> payload;
    if constexpr (words == 2) {
      uint64_t first, second;
      if constexpr (Acquires) ptx::load_acquire_gpu(word, first, second);
      else ptx::load_relaxed_gpu(word, first, second);
      const bool complete = uint32_t(first >> 32) == uint32_t(tag) && second >> 32 == tag >> 32;
      payload[0] = uint32_t(first);
      if (payload.size > 1) payload[payload.size - 1] = uint32_t(second);
      value = from_words<T>(payload);
      return complete;
    } else {
      bool complete = true;
#pragma unroll
      for (int w = 0; w < words; w += 2) {
        uint64_t first, second;
        if constexpr (Acquires) ptx::load_acquire_gpu(&word[w], first, second);
        else ptx::load_relaxed_gpu(&word[w], first, second);
        complete = complete && uint32_t(first >> 32) == uint32_t(tag) && second >> 32 == tag >> 32;
        if (w < payload.size) payload[w] = uint32_t(first);
        if (w + 1 < payload.size) payload[w + 1] = uint32_t(second);
      }
      value = from_words<T>(payload);
      return complete;
    }
  }

  // Makes the words differ from the tag in every bit.
  __device__ void retire(uint64_t tag) {
#pragma unroll
    for (int w = 0; w < words; w += 2) ptx::store_relaxed_gpu(&word[w], ~(tag << 32), ~tag);
  }
};

// Takes what the lanes that want something wait for, each of a state of its own. The lanes of a warp wait together: one
// that spun alone would leave the warp diverged.
template <class T> __device__ void take_by_warp(TileState<T> &state, bool is_wanted, T &value, uint64_t tag) {
  bool taken = !is_wanted;
  do {
    if (!taken) taken = state.try_take(value, tag);
  } while (!__all_sync(full_warp, taken));
}

// By a warp: waits until that is published, whatever it says. All lanes then see what came before.
__device__ inline void await_by_warp(TileState<uint32_t> &state, uint64_t tag) {
  const bool is_first = ptx::lane_id() == 0;
  uint32_t unused;
  take_by_warp(state, is_first, unused, tag);
  if (is_first) __threadfence();
  __syncwarp();
}

}  // namespace jig
