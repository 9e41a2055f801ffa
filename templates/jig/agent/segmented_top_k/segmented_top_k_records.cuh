// Sorts a segment's results that do not fit shared memory, as records, by a block: runs that do, which are then merged.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_buffer.cuh>
#include <jig/thread/merge.cuh>

namespace jig {

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
    for (uint64_t first = 0; first < count; first += run)
      sort_run(buffer, from + first, uint32_t(min_of(run, count - first)));
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
