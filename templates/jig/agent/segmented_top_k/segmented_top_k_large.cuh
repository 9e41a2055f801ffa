// What a block does in the second kernel of a segmented top-k: its warp groups take parts of segments that are cut, and
// then segments, from the longest on. If nothing is listed, all segments are of one size, and each group has its
// share of them: by a kernel of its own, which is half as long. Of items that are too few for a segment to be cut there
// is one as well that has no parts.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k_group.cuh>
#include <jig/agent/segmented_top_k/segmented_top_k_turns.cuh>
#include <jig/core/iterator/pointer.cuh>

namespace jig {

template <class Policy, class Keys, class Segments, class Sink, bool IsListed, bool HasParts>
class AgentSegmentedTopKLarge {
  using Bits = typename Keys::Bits;
  static constexpr int threads = Policy::threads, warps = threads / warp_threads, capacity = Policy::capacity;
  static constexpr int log_warps = segmented_top_k_classes - 1;
  static_assert(warps == 1 << log_warps, "a block's warps are a warp group of the last class");
  using Buffer = TopKBuffer<Bits, warps, capacity>;
  using Group = SegmentedTopKGroup<Policy::items, Buffer, !IsListed>;
  using KeysIn = typename Sink::Input;
  using Source = SegmentedTopKInput<Keys, KeysIn>;
  // A segment or a part of one, and its entry in the list.
  struct Work {
    uint64_t entry;
    TopKSegment segment;
  };
  // Of candidates, of which there are few.
  static constexpr int gather_items = 4;

 public:
  struct TempStorage {
    typename Buffer::Storage buffer;
    // What each warp group takes next of each list: one that is through with a list becomes two, each of which goes on
    // when it likes.
    uint32_t next[segmented_top_k_parts + 1][warps];
    uint32_t counts[segmented_top_k_parts + 1];  // how long the lists are
    Work work[warps][segmented_top_k_batch];  // what each has drawn
    uint64_t to[warps];  // where each warp group's results go; kept here as registers are few
    uint32_t is_last;    // whether the block has the last part of a segment
  };

  __device__ AgentSegmentedTopKLarge(TempStorage &storage, const Segments &segments, const Sink &sink,
                                     const SegmentedTopKCall &call)
      : storage_(storage), segments_(segments), sink_(sink), call_(call) {}

  // Lists from that of parts on, if there are any, but for the third kernel's, or the one class that all segments are
  // of.
  __device__ void Run() {
    Buffer::Begin(storage_.buffer, threads);
    if (threadIdx.x <= parts_list) storage_.counts[threadIdx.x] = segmented_top_k_count(call_, threadIdx.x);
    __syncthreads();
    if (is_listed() && blockIdx.x == 0 && threadIdx.x == 0) call_.control->start.retire(call_.tag);
    const int last = is_listed() ? 0 : call_.log_warps;
#pragma unroll 1
    for (int list = is_listed() ? first_list : last; list >= last; --list) {
      if (list != segmented_top_k_classes) run_list(list);
    }
  }

 private:
  // ---- who does what

  static constexpr int parts_list = segmented_top_k_parts,
                       first_list = HasParts ? parts_list : segmented_top_k_classes - 1;
  __device__ bool is_listed() const { return IsListed && call_.control != nullptr; }

  __device__ void run_list(int list) {
    const WarpGroup group{min_of(list, log_warps), uniform_warp()};
    const uint32_t &end = storage_.counts[list];
    if (end == 0) return;
    const auto prepare = [&](uint32_t number, uint32_t i) { storage_.work[group.first()][i] = work_of(list, number); };
    SegmentedTopKTurns<warps, IsListed> turns(call_, list, storage_.next[list][group.first()], group, end);
#pragma unroll 1
    for (uint32_t mine = turns.none; turns.Next(mine, prepare);) {
      const Work *const works = storage_.work[group.first()];
      Work work = is_listed() ? works[turns.place_of(mine)] : Work{mine, segments_[mine]};
      if (is_nothing(work)) continue;
      // All lanes have the same one. Told so, the compiler keeps it in uniform registers, as others are few.
      work.segment = shuffle_from(work.segment, 0, warp_threads, full_warp);
      const bool is_part = HasParts && list == parts_list;
      look_through({storage_.buffer, group}, work, is_part);
      if constexpr (HasParts) {
        if (is_part) finish_part(call_.cuts[works[0].entry >> 32]);
      }
    }
  }

  // Of an entry of the list, which may be of no part.
  __device__ Work work_of(int list, uint32_t number) const {
    if (!HasParts || list != parts_list) {
      const uint64_t s = call_.lists[list][number];
      return {s, segments_[s]};
    }
    const uint64_t entry = call_.parts[number];
    if (entry == ~uint64_t(0)) return {entry, {0, 0}};
    const CutSegment &cut = call_.cuts[entry >> 32];
    const uint64_t first = uint32_t(entry) * call_.part_items;
    return {entry, {cut.begin + first, min_of(call_.part_items, cut.length - first)}};
  }
  static __device__ bool is_nothing(const Work &work) { return work.entry == ~uint64_t(0); }

  // ---- a segment, or a part of one

  __device__ uint32_t wanted(uint64_t length) const { return uint32_t(min_of(length, call_.k)); }
  __device__ TopKOrder order() const { return call_.is_sorted ? TopKOrder::by_key : TopKOrder::none; }

  // What may be in the result of a segment of which this is a part goes to the candidates, in the order that it has in
  // the segment. So of equal candidates of several parts, too, the first ones come first.
  __device__ void look_through(const Buffer &buffer, const Work &work, bool is_part) const {
    const TopKSegment &segment = work.segment;
    uint64_t &to = storage_.to[buffer.group().first()];
    if (buffer.group().thread() == 0)
      to = (is_part ? call_.cuts[work.entry >> 32].first_part + uint64_t(uint32_t(work.entry)) : work.entry) * call_.k;
    const Source source(sink_.keys_in, sink_.keys, segment.begin, segment.length);
    Group(buffer).Run(source, wanted(segment.length), is_part ? TopKOrder::by_place : order(),
                      [&](uint32_t i, Bits bits, uint32_t place) {
                        const uint64_t item = source.base + place, result = to + i;
                        if (!is_part) return sink_.store(result, bits, item);
                        static_cast<Bits *>(call_.bits)[result] = bits;
                        call_.indices[result] = item;
                      });
  }

  // Who is the last with a segment's parts gathers what all have left.
  __device__ void finish_part(CutSegment &cut) {
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      storage_.is_last = ptx::count_relaxed_gpu(&cut.done) + 1 == cut.parts;
      __threadfence();
    }
    __syncthreads();
    if (storage_.is_last) gather_parts({storage_.buffer, {log_warps, uniform_warp()}}, cut);
  }

  // All parts but the last one have k candidates.
  __device__ void gather_parts(const Buffer &buffer, const CutSegment &cut) const {
    using Gather = SegmentedTopKGroup<gather_items, Buffer, false>;
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
