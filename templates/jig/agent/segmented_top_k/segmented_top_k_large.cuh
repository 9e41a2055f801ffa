// What a block does in the second kernel of a segmented top-k: its warp groups take parts of segments that are cut, and
// then segments, from the longest on. If nothing is listed, all segments are of one size, and each group has its
// share of them.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_block.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_group.cuh>

namespace jig {

template <class Policy, class Keys, class Segments, class Sink> class AgentSegmentedTopKLarge {
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, capacity = Policy::capacity;
  static constexpr int log_warps = segmented_top_k_classes - 1;
  static_assert(warps == 1 << log_warps, "a block's warps are a warp group of the last class");
  using Buffer = TopKBuffer<Bits, warps, capacity>;
  using Group = SegmentedTopKGroup<Policy::items, Policy::parts, Buffer>;
  using KeysIn = typename Sink::Input;
  using Source = SegmentedTopKInput<Keys, KeysIn>;
  // Where all of a segment is searched again and again.
  static constexpr int search_items = 8;
  // Of candidates, of which there are few.
  static constexpr int gather_items = 4;
  using SearchSource = TopKInput<Keys, InputFrom<KeysIn>>;
  struct Found;
  using Search = AgentTopKBlock<threads, search_items, SearchSource, Found>;
  using Records = SegmentedTopKRecords<threads, 8, Buffer>;
  using Record = TopKRecord<Bits>;

 public:
  struct TempStorage {
    typename Buffer::Storage buffer;
    typename Search::TempStorage search;
    // What each warp group takes next of each list: one that is through with a list becomes two, each of which goes on
    // when it likes.
    uint32_t next[segmented_top_k_classes + 1][warps];
    uint32_t is_last;      // whether the block has the last part of a segment
  };

  __device__ AgentSegmentedTopKLarge(TempStorage &storage, const Segments &segments, const Sink &sink,
                                     const SegmentedTopKCall &call)
      : storage_(storage), segments_(segments), sink_(sink), call_(call) {}

  // Lists from that of parts on, or the one class that all segments are of.
  __device__ void Run() {
    Buffer::Begin(storage_.buffer, threads);
    __syncthreads();
    if (is_listed() && blockIdx.x == 0 && threadIdx.x == 0) call_.control->start.retire(call_.tag);
    const int last = is_listed() ? 0 : call_.log_warps;
#pragma unroll 1
    for (int list = is_listed() ? parts_list : last; list >= last; --list) run_list(list);
  }

 private:
  // ---- who does what

  static constexpr int parts_list = segmented_top_k_classes;
  __device__ bool is_listed() const { return call_.control != nullptr; }

  // The next number is drawn beforehand. Segments that are not listed are shared out by their numbers; of these the next
  // one's keys are asked for beforehand, too.
  __device__ void run_list(int list) {
    const WarpGroup group{min_of(list, log_warps)};
    const uint32_t all = count(list);
    const uint64_t end = is_listed() ? all : call_.num_segments;
    const uint64_t groups = uint64_t(gridDim.x) * (warps >> group.log_warps);
    uint64_t next = uint64_t(blockIdx.x) * (warps >> group.log_warps) + (group.first() >> group.log_warps);
    if (end == 0) return;
    if (is_listed()) next = draw(list, group);
#pragma unroll 1
    while (true) {
      const uint64_t mine = is_listed() ? tell(list, group, next) : next;
      if (mine >= end) return;
      next = is_listed() ? draw(list, group) : mine + groups;
      if (!is_listed() && next < end) ask_for(group, segments_[next]);
      if (list == parts_list) run_part(call_.parts[mine]);
      else run_segment(group, is_listed() ? call_.lists[list][mine] : mine);
    }
  }

  __device__ uint32_t count(int list) const {
    if (!is_listed()) return 0;
    const SegmentedTopKControl &control = *call_.control;
    return list == parts_list ? min_of(uint32_t(control.cut), call_.max_parts)
                              : min_of(control.counts[list], call_.capacities[list]);
  }

  // The number is only known to the first thread of a group, until it tells the others.
  __device__ uint32_t draw(int list, const WarpGroup &group) const {
    if (group.thread() > 0) return 0;
    SegmentedTopKControl &control = *call_.control;
    return ptx::count_relaxed_gpu(list == parts_list ? &control.parts_taken : &control.taken[list]);
  }
  __device__ uint32_t tell(int list, const WarpGroup &group, uint64_t drawn) {
    uint32_t &next = storage_.next[list][group.first()];
    group.sync();
    if (group.thread() == 0) next = uint32_t(drawn);
    group.sync();
    return next;
  }

  // Brings the first tile of a segment to L2, where it lies in memory.
  __device__ void ask_for(const WarpGroup &group, const TopKSegment &segment) const {
    if constexpr (is_same<KeysIn, Pointer<typename KeysIn::value_type>>) {
      constexpr uint32_t line = 128, key = sizeof(typename KeysIn::value_type);
      const uint64_t bytes = min_of(segment.length, uint64_t(group.threads()) * Policy::items) * key;
      const char *from = reinterpret_cast<const char *>(sink_.keys_in.data + segment.begin);
#pragma unroll 1
      for (uint64_t at = group.thread() * line; at < bytes; at += group.threads() * line) ptx::prefetch(from + at);
    }
  }

  // ---- a segment, or a part of one

  __device__ uint32_t wanted(uint64_t length) const { return uint32_t(min_of(length, call_.k)); }
  __device__ TopKOrder order() const { return call_.is_sorted ? TopKOrder::by_key : TopKOrder::none; }

  __device__ void run_segment(const WarpGroup &group, uint64_t s) {
    const TopKSegment segment = segments_[s];
    const Buffer buffer(storage_.buffer, group);
    if (segmented_top_k_fits(segment.length, call_.k, buffer.capacity())) look_through(buffer, segment, s * call_.k, order());
    else search(buffer, segment, s * call_.k);
  }

  // What may be in the result goes to the candidates, in the order that it has in the segment. So of equal candidates
  // of several parts, too, the first ones come first.
  __device__ void run_part(uint64_t listed) {
    if (listed == ~uint64_t(0)) return;
    CutSegment &cut = call_.cuts[listed >> 32];
    const uint32_t part = uint32_t(listed);
    const Buffer buffer(storage_.buffer, {log_warps});
    const uint64_t first = part * call_.part_items;
    look_through(buffer, {cut.begin + first, min_of(call_.part_items, cut.length - first)},
                 (cut.first_part + uint64_t(part)) * call_.k, TopKOrder::by_place);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      storage_.is_last = ptx::count_relaxed_gpu(&cut.done) + 1 == cut.parts;
      __threadfence();
    }
    __syncthreads();
    if (storage_.is_last) gather_parts(buffer, cut);
  }

  // In the order of places: a part, which leaves candidates.
  __device__ void look_through(const Buffer &buffer, const TopKSegment &segment, uint64_t to, TopKOrder order) const {
    const Source source(sink_.keys_in, sink_.keys, segment.begin, segment.length);
    Group(buffer).Run(source, wanted(segment.length), order, [&](uint32_t i, Bits bits, uint32_t place) {
      const uint64_t item = source.base + place;
      if (order == TopKOrder::by_place) {
        static_cast<Bits *>(call_.bits)[to + i] = bits;
        call_.indices[to + i] = item;
      } else {
        sink_.store(to + i, bits, item);
      }
    });
  }

  // All parts but the last one have k candidates.
  __device__ void gather_parts(const Buffer &buffer, const CutSegment &cut) const {
    using Gather = SegmentedTopKGroup<gather_items, 1, Buffer>;
    const uint64_t first = cut.first_part * call_.k, out = cut.segment * call_.k;
    const uint64_t last = cut.length - (cut.parts - 1) * call_.part_items;
    const uint32_t count = uint32_t((cut.parts - 1) * call_.k + wanted(last));
    const Pointer<Bits> candidates = {static_cast<Bits *>(call_.bits)};
    const TopKSameBits<Bits> keys;
    const SegmentedTopKInput<TopKSameBits<Bits>, Pointer<Bits>> source(candidates, keys, first, count);
    Gather(buffer).Run(source, wanted(cut.length), order(), [&](uint32_t i, Bits bits, uint32_t place) {
      sink_.store(out + i, bits, call_.indices[source.base + place]);
    });
  }

  // ---- what does not fit

  // Where a search puts what it finds, which is in no order: to the output, or where it is to be sorted.
  struct Found {
    const Sink &sink;
    const Buffer &buffer;
    Record *records;
    uint64_t out, begin;
    bool is_sorted;
    template <class From>
    __device__ void take(uint64_t place, const From &from, uint64_t item, uint64_t index) const {
      const Bits bits = from.bits(item);
      if (!is_sorted) sink.store(out + place, bits, begin + index);
      else if (records == nullptr) buffer.put(uint32_t(place), bits, uint32_t(index));
      else records[place] = {bits, index};
    }
    __device__ void keep(uint64_t, Bits, uint64_t) const {}
  };

  __device__ void search(const Buffer &buffer, const TopKSegment &segment, uint64_t out) {
    const uint64_t count = wanted(segment.length);
    Record *records = nullptr;
    if (count > buffer.capacity())
      records = static_cast<Record *>(call_.records) + (call_.are_records_by_segment ? out : segment.begin);
    const Found found = {sink_, buffer, records, out, segment.begin, call_.is_sorted != 0};
    const InputFrom<KeysIn> from = {sink_.keys_in, segment.begin};
    const SearchSource source = {from, sink_.keys, segment.length};
    Search::Run(storage_.search, source, found,
                TopKSearch<Bits>::all(Keys::width, bit_length(segment.length - 1), count), 0);
    __syncthreads();
    if (!call_.is_sorted) return;
    if (records != nullptr) records = Records::Sort(buffer, records, records + call_.record_count, count);
    else buffer.sort(uint32_t(count), [&](uint32_t i, uint32_t j) { return buffer.is_better(i, j); });
#pragma unroll 1
    for (uint64_t i = threadIdx.x; i < count; i += threads) {
      const Record record = records != nullptr ? records[i] : Record{buffer.bits(uint32_t(i)), buffer.place(uint32_t(i))};
      sink_.store(out + i, record.bits, segment.begin + record.index);
    }
    __syncthreads();
  }

  TempStorage &storage_;
  const Segments &segments_;
  const Sink &sink_;
  const SegmentedTopKCall &call_;
};

}  // namespace jig
