// Finds the top-k of short segments by a warp, of several at once: they lie one behind the other in shared memory, so
// that every lane has an item whatever the lengths. A lane counts how many of its segment's keys come before its own:
// that is the item's place in the result, if it is in it, which so comes in order.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>

namespace jig {

template <class Policy, class Keys, class Sink> class AgentSegmentedTopKSmall {
  using Bits = typename Keys::Bits;
  static constexpr int capacity = Policy::warp_items, vector = 16 / sizeof(Bits);
  static_assert(capacity % warp_threads == 0 && capacity <= warp_threads * warp_threads, "a lane for each row");

  // One that is there: what to add to a place to have its item, where its results go, its first place.
  struct alignas(16) Segment {
    int64_t shift;
    uint64_t out;
    int32_t first, length;
  };
  // Bits are kept with all of them turned round, as a + ~b overflows where a is greater.
  struct alignas(16) Vector {
    Bits words[vector];
  };

 public:
  static constexpr int max_items = min_of(int(Policy::small_items), capacity);

  // Of each warp.
  struct TempStorage {
    Vector keys[capacity / vector];
    Segment segments[warp_threads];
    uint32_t heads[warp_threads];  // for each row, in which lanes segments begin
  };

  __device__ AgentSegmentedTopKSmall(TempStorage &storage, const Sink &sink, uint64_t k)
      : storage_(storage), sink_(sink), k_(k) {}

  // Every lane's segment, of max_items at most.
  __device__ void Run(uint64_t number, const TopKSegment &segment) {
    const int length = int(segment.length), padded = ceil_div(length, vector) * vector;
    const int end = inclusive_sum(padded), total = __shfl_sync(full_warp, end, warp_threads - 1);
#pragma unroll 1
    for (int base = 0; base < total;) {
      const int fitting = __popc(__ballot_sync(full_warp, end <= base + capacity));
      const int next = __shfl_sync(full_warp, end, fitting - 1), first = end - padded;
      const bool is_in = length > 0 && first >= base && end <= next;
      arrange(is_in, {int64_t(segment.begin) - (first - base), number * k_, first - base, length});
      const int rows = ceil_div(next - base, warp_threads);
      load(rows);
      __syncwarp();
      store(rows);
      __syncwarp();
      base = next;
    }
  }

 private:
  static __device__ int inclusive_sum(int x) {
#pragma unroll
    for (int delta = 1; delta < warp_threads; delta *= 2) {
      const int lower = __shfl_up_sync(full_warp, x, delta);
      if (int(ptx::lane_id()) >= delta) x += lower;
    }
    return x;
  }

  __device__ Bits &word(int place) { return reinterpret_cast<Bits *>(storage_.keys)[place]; }

  __device__ void arrange(bool is_in, const Segment &segment) {
    const int number = __popc(__ballot_sync(full_warp, is_in) & ptx::lanes_below());
    storage_.heads[ptx::lane_id()] = 0;
    __syncwarp();
    if (is_in) {
      storage_.segments[number] = segment;
      atomicOr(&storage_.heads[segment.first / warp_threads], 1u << segment.first % warp_threads);
    }
    __syncwarp();
  }

  // The segment that this lane's place in a row is of, `segments` having begun before that.
  __device__ Segment segment_in(int row, int &segments) const {
    const uint32_t heads = storage_.heads[row], lower = ptx::lanes_below();
    const int number = segments + __popc(heads & (lower << 1 | 1)) - 1;
    segments += __popc(heads);
    return storage_.segments[number];
  }
  static __device__ int place_in(int row) { return row * warp_threads + int(ptx::lane_id()); }

  // Nothing is less than what stands behind each segment's last.
  __device__ void load(int rows) {
    int segments = 0;
#pragma unroll 4
    for (int row = 0; row < rows; ++row) {
      const Segment segment = segment_in(row, segments);
      const int at = place_in(row), last = segment.first + segment.length - 1;
      const Bits bits = sink_.keys(sink_.keys_in[segment.shift + min_of(at, last)]);
      if (at < capacity) word(at) = at <= last ? Bits(~bits) : Bits(0);
    }
  }

  __device__ void store(int rows) {
    int segments = 0;
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
      const Segment segment = segment_in(row, segments);
      const int at = place_in(row);
      if (at >= segment.first + segment.length) continue;
      const int rank = rank_of(segment, at);
      if (uint64_t(rank) < k_) sink_.store(segment.out + rank, Bits(~word(at)), segment.shift + at);
    }
  }

  // How many of a segment's words come before that one: those before the vector that it is in, if they are no
  // greater; then the others that are less; then those before it in its vector that are the same.
  __device__ int rank_of(const Segment &segment, int at) {
    const Vector *vectors = storage_.keys + segment.first / vector;
    const int count = ceil_div(segment.length, vector), index = at - segment.first, own = index / vector;
    const Bits mine = Bits(~word(at)), above = Bits(mine + 1);
    int rank = above == 0 ? own * vector : 0;
#pragma unroll 2
    for (int v = 0; v < count; ++v) {
      const Vector other = vectors[v];
      const Bits bound = v < own ? above : mine;
#pragma unroll
      for (int m = 0; m < vector; ++m) ptx::count_overflow(bound, other.words[m], rank);
    }
    const Vector around = vectors[own];
#pragma unroll
    for (int m = 0; m + 1 < vector; ++m) rank += m < index % vector && around.words[m] == Bits(~mine);
    return rank;
  }

  TempStorage &storage_;
  const Sink &sink_;
  uint64_t k_;
};

}  // namespace jig
