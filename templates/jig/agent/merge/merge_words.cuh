// Merges two arrays of narrow keys: a block brings its tile's parts of both to shared memory by words of 16 bytes, and
// takes the outputs back by such words. Parts lie there as they do in memory, which may be anywhere in a word.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/thread/merge.cuh>

namespace jig {

// Whether they are merged so: keys without values, of one or two bytes.
template <class Records>
constexpr bool are_narrow_keys = !Records::has_values && Records::are_pointers && sizeof(typename Records::Key) <= 2 &&
                                 alignof(typename Records::Key) == sizeof(typename Records::Key);

template <class Policy, class Records, class Less> class AgentMergeWords {
  using T = typename Records::Key;
  static constexpr int threads = Policy::threads, items = Policy::items, size = sizeof(T);
  static constexpr int word_bytes = 16, word_items = word_bytes / size;

 public:
  static constexpr int tile_items = threads * items;

 private:
  // Two parts, each of which may begin and end inside a word; and what merging reads behind them.
  static constexpr int batch = ceil_div((tile_items + items) * size + 4 * word_bytes, threads * word_bytes);

  // An array, and the words that a part of it lies in: which item the first one begins with, if it were there.
  struct Part {
    const T *array;
    int64_t count, begin;
    int skipped, words;

    __device__ Part(const T *array, uint64_t count, uint64_t first, int length)
        : array(array), count(count), skipped(items_before(array + first)) {
      begin = int64_t(first) - skipped;
      words = length > 0 ? ceil_div(skipped + length, word_items) : 0;
    }
  };

 public:
  struct TempStorage {
    uint4 words[batch * threads];
  };

  __device__ AgentMergeWords(TempStorage &storage, const Records &records, Less less)
      : tile_(ptx::kept_shared_address(&storage)), records_(records), less_(less) {}

  // As AgentMerge::Run(), by what has been searched for.
  __device__ void Run(uint32_t tile, const uint64_t *splits) {
    const uint64_t first = uint64_t(tile) * tile_items;
    const int count = int(min_of(records_.first_count + records_.second_count - first, uint64_t(tile_items)));
    const uint64_t a_first = splits[tile];
    // Between 0 and count, unless inputs are not in order.
    const int of_a = int(max_of(min_of(int64_t(splits[tile + 1] - a_first), int64_t(count)), int64_t(0)));
    const Part a(records_.first_keys.data, records_.first_count, a_first, of_a);
    const Part b(records_.second_keys.data, records_.second_count, first - a_first, count - of_a);
    bring(a, b);
    __syncthreads();
    ptx::launch_dependent_grids();
    const uint32_t a_from = tile_ + a.skipped * size, b_from = tile_ + a.words * word_bytes + b.skipped * size;
    const auto part = merge_from<T, items, true>(a_from, of_a, b_from, count - of_a, threadIdx.x * items, less_);
    __syncthreads();
    T *to = records_.keys_out.data + first;
    put_blocked(tile_ + items_before(to) * size, threadIdx.x, part.items);
    __syncthreads();
    store(to, count);
  }

 private:
  static __device__ int items_before(const T *item) {
    return int(reinterpret_cast<uintptr_t>(item) % word_bytes) / size;
  }

  // The words of both; and behind them the last one again, which merging may read.
  __device__ void bring(const Part &a, const Part &b) const {
    array<uint4, batch> words;
    bool is_whole[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int place = threadIdx.x + k * threads, w = min_of(place, a.words + b.words - 1);
      const bool of_a = w < a.words;
      const T *array = of_a ? a.array : b.array;
      const int64_t count = of_a ? a.count : b.count;
      const int64_t first = (of_a ? a.begin : b.begin) + (of_a ? w : w - a.words) * word_items;
      is_whole[k] = first >= 0 && first + word_items <= count;
      if (is_whole[k]) {
        words[k] = *reinterpret_cast<const uint4 *>(array + first);
        continue;
      }
      // What would lie in front of the array or behind it has the item next to it in its place.
#pragma unroll 1
      for (int j = 0; j < word_items; ++j)
        ptx::shared_at<T>(tile_ + place * word_bytes + j * size) =
            array[max_of(min_of(first + j, count - 1), int64_t(0))];
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (is_whole[k]) ptx::shared_at<uint4>(tile_ + (threadIdx.x + k * threads) * word_bytes) = words[k];
  }

  __device__ void store(T *to, int count) const {
    const int skipped = items_before(to);
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int w = threadIdx.x + k * threads, i = w * word_items - skipped;
      if (i >= count) return;
      const uint32_t from = tile_ + w * word_bytes;
      if (i >= 0 && i + word_items <= count) {
        *reinterpret_cast<uint4 *>(to + i) = ptx::shared_at<uint4>(from);
      } else {
#pragma unroll 1
        for (int j = max_of(i, 0); j < min_of(i + word_items, count); ++j)
          to[j] = ptx::shared_at<T>(tile_ + (j + skipped) * size);
      }
    }
  }

  uint32_t tile_;
  const Records &records_;
  Less less_;
};

}  // namespace jig
