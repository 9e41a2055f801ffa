// What a block does in the third kernel of a segmented top-k: of segments of which more is wanted than shared memory
// has room for, it searches each by itself, digit by digit, as a top-k of few items does.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_records.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_turns.cuh>
#include <jig/agent/top_k/top_k_block.cuh>

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

template <class Policy, class Keys, class Segments, class Sink> class AgentSegmentedTopKSearch {
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads;
  static constexpr int log_warps = segmented_top_k_classes - 1, list = segmented_top_k_classes;
  static_assert(warps == 1 << log_warps, "a block is a warp group");
  using Buffer = TopKBuffer<Bits, warps, Policy::capacity>;
  using Record = TopKRecord<Bits>;
  using Records = SegmentedTopKRecords<threads, Policy::items, Buffer>;
  using Input = InputFrom<typename Sink::Input>;
  using Source = TopKInput<Keys, Input>;

  // What is searched, and what is wanted of it; records are there where results do not fit shared memory.
  struct Job {
    uint64_t out, begin, length, count;
    Record *records;
  };

  // Where a search puts what it finds, which is in no order: to the output, or where it is to be sorted.
  struct Found {
    static constexpr bool finds_one = false, takes = true;
    const Sink &sink;
    const Buffer &buffer;
    const Job &job;
    bool is_sorted;
    template <class From>
    __device__ void take(uint64_t place, const From &from, uint64_t item, uint64_t index) const {
      const Bits bits = from.bits(item);
      if (!is_sorted) sink.store(job.out + place, bits, job.begin + index);
      else if (job.records == nullptr) buffer.put(uint32_t(place), bits, uint32_t(index));
      else job.records[place] = {bits, index};
    }
    __device__ void keep(uint64_t, Bits, uint64_t) const {}
  };
  using Search = AgentTopKBlock<threads, Policy::items, Source, Found>;

 public:
  struct TempStorage {
    typename Buffer::Storage buffer;
    typename Search::TempStorage search;
    Job job;
    uint32_t next, count;
  };

  __device__ AgentSegmentedTopKSearch(TempStorage &storage, const Segments &segments, const Sink &sink,
                                      const SegmentedTopKCall &call)
      : storage_(storage), segments_(segments), sink_(sink), call_(call),
        buffer_(storage.buffer, {log_warps, uniform_warp()}) {}

  __device__ void Run() {
    if (threadIdx.x == 0) storage_.count = segmented_top_k_count(call_, list);
    __syncthreads();
    SegmentedTopKTurns<warps> turns(call_, list, storage_.next, {log_warps, uniform_warp()}, storage_.count);
#pragma unroll 1
    for (uint32_t mine = turns.none; turns.Next(mine, [](uint32_t, uint32_t) {});) {
      begin(call_.control != nullptr ? call_.lists[list][mine] : mine);
      search();
      if (call_.is_sorted) sort();
      __syncthreads();
    }
  }

 private:
  // Ends with a barrier.
  __device__ void begin(uint64_t s) {
    if (threadIdx.x == 0) {
      const TopKSegment segment = segments_[s];
      const uint64_t out = s * call_.k;
      Job &job = storage_.job;
      job = {out, segment.begin, segment.length, min_of(segment.length, call_.k), nullptr};
      if (call_.is_sorted && job.count > buffer_.capacity())
        job.records = static_cast<Record *>(call_.records) + (call_.are_records_by_segment ? out : segment.begin);
    }
    __syncthreads();
  }

  // Ends with a barrier.
  __device__ void search() {
    const Job &job = storage_.job;
    const Input from = {sink_.keys_in, job.begin};
    Search::Run(storage_.search, {from, sink_.keys, job.length}, {sink_, buffer_, job, call_.is_sorted != 0},
                TopKSearch<Bits>::all(Keys::width, bit_length(job.length - 1), job.count), 0);
    __syncthreads();
  }

  __device__ void sort() const {
    const Job &job = storage_.job;
    const Record *records = nullptr;
    if (job.records != nullptr)
      records = Records::Sort(buffer_, job.records, job.records + call_.record_count, job.count);
    else buffer_.sort(uint32_t(job.count), [&](uint32_t i, uint32_t j) { return buffer_.is_better(i, j); });
#pragma unroll 1
    for (uint64_t i = threadIdx.x; i < job.count; i += threads) {
      const uint32_t place = uint32_t(i);
      const Record record = records != nullptr ? records[i] : Record{buffer_.bits(place), buffer_.place(place)};
      sink_.store(job.out + i, record.bits, job.begin + record.index);
    }
  }

  TempStorage &storage_;
  const Segments &segments_;
  const Sink &sink_;
  const SegmentedTopKCall &call_;
  Buffer buffer_;
};

}  // namespace jig
