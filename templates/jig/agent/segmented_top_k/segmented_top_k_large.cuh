// What a block does in the second kernel of a segmented top-k: its warp groups take parts of segments that are cut, and
// then segments, from the longest on. If nothing is listed, all segments are of one size, and each group has its
// share of them.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_group.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_turns.cuh>

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
  // Of candidates, of which there are few.
  static constexpr int gather_items = 4;

 public:
  struct TempStorage {
    typename Buffer::Storage buffer;
    // What each warp group takes next of each list: one that is through with a list becomes two, each of which goes on
    // when it likes.
    uint32_t next[segmented_top_k_parts + 1][warps];
    uint32_t counts[segmented_top_k_parts + 1];  // how long the lists are
    uint64_t to[warps];  // where each warp group's results go; kept here as registers are few
    uint32_t is_last;    // whether the block has the last part of a segment
  };

  __device__ AgentSegmentedTopKLarge(TempStorage &storage, const Segments &segments, const Sink &sink,
                                     const SegmentedTopKCall &call)
      : storage_(storage), segments_(segments), sink_(sink), call_(call) {}

  // Lists from that of parts on, but for the third kernel's, or the one class that all segments are of.
  __device__ void Run() {
    Buffer::Begin(storage_.buffer, threads);
    if (threadIdx.x <= parts_list) storage_.counts[threadIdx.x] = segmented_top_k_count(call_, threadIdx.x);
    __syncthreads();
    if (is_listed() && blockIdx.x == 0 && threadIdx.x == 0) call_.control->start.retire(call_.tag);
    const int last = is_listed() ? 0 : call_.log_warps;
#pragma unroll 1
    for (int list = is_listed() ? parts_list : last; list >= last; --list) {
      if (list != segmented_top_k_classes) run_list(list);
    }
  }

 private:
  // ---- who does what

  static constexpr int parts_list = segmented_top_k_parts;
  __device__ bool is_listed() const { return call_.control != nullptr; }

  __device__ void run_list(int list) {
    const WarpGroup group{min_of(list, log_warps)};
    const uint32_t &end = storage_.counts[list];
    if (end == 0) return;
    SegmentedTopKTurns<warps> turns(call_, list, storage_.next[list][group.first()], group, end);
#pragma unroll 1
    for (uint32_t mine; turns.Next(mine);) {
      if (turns.has_upcoming()) ask_for(group, segments_[turns.upcoming()]);
      if (list == parts_list) run_part(call_.parts[mine]);
      else run_segment(group, is_listed() ? call_.lists[list][mine] : mine);
    }
  }

  // Brings the first tiles of a segment to L2 before its turn comes, where it lies in memory.
  __device__ void ask_for(const WarpGroup &group, const TopKSegment &segment) const {
    if constexpr (is_same<KeysIn, Pointer<typename KeysIn::value_type>>) {
      constexpr uint32_t tiles = 2, key = sizeof(typename KeysIn::value_type);
      const uint64_t count = min_of(segment.length, uint64_t(group.threads()) * Policy::items * tiles);
      const char *from = reinterpret_cast<const char *>(sink_.keys_in.data + segment.begin);
#if __CUDA_ARCH__ >= 900
      constexpr uint32_t unit = 16, piece = 2048;
      from -= reinterpret_cast<uintptr_t>(from) % unit;
      const uint64_t bytes = count * key / unit * unit;
#pragma unroll 1
      for (uint64_t at = group.thread() * piece; at < bytes; at += group.threads() * piece)
        ptx::bulk_prefetch(from + at, uint32_t(min_of(bytes - at, uint64_t(piece))));
#else
      constexpr uint32_t line = 128;
#pragma unroll 1
      for (uint64_t at = group.thread() * line; at < count * key; at += group.threads() * line)
        ptx::prefetch(from + at);
#endif
    }
  }

  // ---- a segment, or a part of one

  __device__ uint32_t wanted(uint64_t length) const { return uint32_t(min_of(length, call_.k)); }
  __device__ TopKOrder order() const { return call_.is_sorted ? TopKOrder::by_key : TopKOrder::none; }

  __device__ void run_segment(const WarpGroup &group, uint64_t s) {
    look_through({storage_.buffer, group}, segments_[s], s * call_.k, order());
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
    uint64_t &kept_to = storage_.to[buffer.group().first()];
    if (buffer.group().thread() == 0) kept_to = to;
    Group(buffer).Run(source, wanted(segment.length), order, [&](uint32_t i, Bits bits, uint32_t place) {
      const uint64_t item = source.base + place, result = kept_to + i;
      if (order == TopKOrder::by_place) {
        static_cast<Bits *>(call_.bits)[result] = bits;
        call_.indices[result] = item;
      } else {
        sink_.store(result, bits, item);
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

  TempStorage &storage_;
  const Segments &segments_;
  const Sink &sink_;
  const SegmentedTopKCall &call_;
};

}  // namespace jig
