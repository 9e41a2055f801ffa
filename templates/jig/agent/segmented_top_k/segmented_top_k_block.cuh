// How a block finds the top-k of a segment of which more is wanted than shared memory has room for: it searches the
// whole of it digit by digit, as a top-k of few items does. Results that are to be in order are sorted as records in
// memory, by runs that fit shared memory and are then merged.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_buffer.cuh>
#include <jig/agent/top_k/top_k_block.cuh>
#include <jig/thread/merge.cuh>

namespace jig {

// An input from one of its items on.
template <class In> struct InputFrom {
  using value_type = typename In::value_type;
  static constexpr int vector_items = In::vector_items;
  using vector_type = typename In::vector_type;

  const In &in;
  uint64_t first;

  __device__ value_type operator[](uint64_t i) const { return in[first + i]; }
  __device__ bool vectorizable() const { return first % vector_items == 0 && in.vectorizable(); }
  __device__ vector_type load_vector(uint64_t i, bool vectorize) const { return in.load_vector(first + i, vectorize); }
};

// Sorts records by a block, `Items` of a thread at a time. Two arrays, of which the result is in the one that is told.
template <int Threads, int Items, class Buffer> class SegmentedTopKRecords {
  using Bits = typename Buffer::Bits;
  using Record = TopKRecord<Bits>;
  struct Less {
    __device__ bool operator()(const Record &a, const Record &b) const {
      return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);
    }
  };

 public:
  // Begins and ends with a barrier.
  static __device__ Record *Sort(const Buffer &buffer, Record *from, Record *to, uint64_t count) {
    const uint64_t run = buffer.capacity();
#pragma unroll 1
    for (uint64_t first = 0; first < count; first += run) sort_run(buffer, from + first, uint32_t(min_of(run, count - first)));
#pragma unroll 1
    for (uint64_t length = run; length < count; length *= 2) {
      merge_runs(from, to, count, length);
      __syncthreads();
      Record *const merged = to;
      to = from;
      from = merged;
    }
    return from;
  }

 private:
  // Indices have 32 bits, as places do.
  static __device__ void sort_run(const Buffer &buffer, Record *records, uint32_t count) {
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < count; i += Threads)
      buffer.put(i, records[i].bits, uint32_t(records[i].index));
    __syncthreads();
    buffer.sort(count, [&](uint32_t i, uint32_t j) { return buffer.is_better(i, j); });
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < count; i += Threads) records[i] = {buffer.bits(i), buffer.place(i)};
    __syncthreads();
  }

  static __device__ void merge_runs(const Record *from, Record *to, uint64_t count, uint64_t length) {
#pragma unroll 1
    for (uint64_t first = threadIdx.x * uint64_t(Items); first < count; first += Threads * Items) {
      const uint64_t pair = first / (2 * length) * (2 * length), diagonal = first - pair;
      const uint64_t a_count = min_of(length, count - pair), b_count = min_of(length, count - pair - a_count);
      const Record *a = from + pair, *b = a + a_count;
      uint64_t i = merge_path<uint64_t>(a, a_count, b, b_count, diagonal, Less()), j = diagonal - i;
#pragma unroll 1
      for (uint64_t out = first; out < min_of(first + Items, pair + a_count + b_count); ++out) {
        const bool takes_a = j >= b_count || (i < a_count && !Less()(b[j], a[i]));
        to[out] = takes_a ? a[i++] : b[j++];
      }
    }
  }
};

}  // namespace jig
