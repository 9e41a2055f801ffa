// Finds the top-k of short segments by a warp, of several at once, each by a few lanes, which hold its items in
// registers. They sort a copy of these: what stands at the place of the last item that is wanted is the limit.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>
#include <jig/core/iterator/pointer.cuh>
#include <jig/warp/sort_lanes.cuh>

namespace jig {

template <class Policy, class Keys, class Sink> class AgentSegmentedTopKSmall {
  using Bits = typename Keys::Bits;
  using Input = typename Sink::Input;
  static constexpr bool is_pointer = is_same<Input, Pointer<typename Input::value_type>>;
  static constexpr int lanes = 8, groups = warp_threads / lanes, lane_items = Policy::small_items / lanes;

  struct alignas(16) Segment {
    uint64_t begin, out;
    uint32_t length;
  };

 public:
  static constexpr int max_items = Policy::small_items;

  // Of each warp.
  struct TempStorage {
    Segment segments[warp_threads];
    // Results of each group, in banks of its own.
    Bits bits[groups][max_items + lanes];
    uint32_t places[groups][max_items + lanes];
  };

  __device__ AgentSegmentedTopKSmall(TempStorage &storage, const Sink &sink, const SegmentedTopKCall &call)
      : storage_(storage), sink_(sink), call_(call) {}

  // Every lane's segment, of max_items at most.
  __device__ void Run(uint64_t number, const TopKSegment &segment) {
    const int count = arrange(number, segment);
#pragma unroll 1
    for (int first = 0; first < count; first += groups) {
      const Segment mine = storage_.segments[first + group()];
      const uint32_t longest = storage_.segments[min_of(first + groups, count) - 1].length;
      run_some<1>(mine, __shfl_sync(full_warp, longest, 0));
    }
    __syncwarp();
  }

 private:
  static __device__ int group() { return int(ptx::lane_id()) / lanes; }
  static __device__ int lane() { return int(ptx::lane_id()) % lanes; }

  // Puts segments that are there in the order of the items that a lane has of them; how many there are.
  __device__ int arrange(uint64_t number, const TopKSegment &segment) {
    const uint32_t length = uint32_t(segment.length);
    int count = 0, place = int(ptx::lane_id());
    // The compiler may compute something of where the items of no segment lie, before it looks for how many there are.
    if constexpr (is_pointer) storage_.segments[place].length = 0;
    else storage_.segments[place] = {};
    __syncwarp();
    uint32_t below = 0;
#pragma unroll
    for (uint32_t most = lanes; most <= max_items; below = most, most *= 2) {
      const bool is_in = length > below && length <= most;
      const uint32_t all = __ballot_sync(full_warp, is_in);
      if (is_in) place = count + __popc(all & ptx::lanes_below());
      count += __popc(all);
    }
    if (length > 0) storage_.segments[place] = {segment.begin, number * call_.k, length};
    __syncwarp();
    return count;
  }

  // Those of all groups, of which the longest has so many.
  template <int Items> __device__ void run_some(const Segment &segment, uint32_t longest) {
    if constexpr (Items < lane_items) {
      if (longest > Items * lanes) return run_some<2 * Items>(segment, longest);
    }
    array<Bits, Items> own;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      own[i] = Bits(~Bits(0));
      if (place(i) < segment.length) own[i] = sink_.keys(sink_.keys_in[segment.begin + place(i)]);
    }
    const uint32_t wanted = uint32_t(min_of(uint64_t(segment.length), call_.k));
    const Bits limit = limit_of(own, segment.length, wanted);
    // In which lanes of the group item i is in the result.
    array<uint32_t, Items> kept;
    uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      kept[i] = of_group(place(i) < segment.length && own[i] <= limit);
      count += __popc(kept[i]);
    }
    if (__any_sync(full_warp, count > wanted)) leave_equals(own, kept, limit, count - wanted);
    store(own, kept, segment, wanted);
  }

  static __device__ uint32_t place(int i) { return uint32_t(i * lanes + lane()); }
  static __device__ uint32_t of_group(bool x) {
    return __ballot_sync(full_warp, x) >> (group() * lanes) & ((1u << lanes) - 1);
  }
  static __device__ uint32_t lanes_below() { return (1u << lane()) - 1; }

  template <int Items>
  __device__ Bits limit_of(const array<Bits, Items> &own, uint32_t length, uint32_t wanted) const {
    if (!__any_sync(full_warp, wanted < length)) return Bits(~Bits(0));
    array<Bits, Items> all = own;
    sort_lanes<lanes>(all);
    const uint32_t last = max_of(wanted, 1u) - 1;
    Bits limit = all[0];
#pragma unroll
    for (int i = 1; i < Items; ++i)
      if (last % Items >= uint32_t(i)) limit = all[i];
    return shuffle_from(limit, int(last) / Items, lanes, full_warp);
  }

  // Leaves the last ones out of those that are as good as the limit, as many as there are too many.
  template <int Items>
  __device__ void leave_equals(const array<Bits, Items> &own, array<uint32_t, Items> &kept, const Bits &limit,
                               uint32_t surplus) const {
    uint32_t later = 0;
#pragma unroll
    for (int i = Items - 1; i >= 0; --i) {
      const bool is_last = (kept[i] >> lane() & 1) != 0 && own[i] == limit;
      const uint32_t equals = of_group(is_last);
      const bool is_left = is_last && later + __popc(equals & ~lanes_below()) <= surplus;
      later += __popc(equals);
      kept[i] &= ~of_group(is_left);
    }
  }

  // Results lie side by side in the order of their places, so that lanes have equal shares. Those that are less have to
  // be counted if they are to be sorted.
  template <int Items>
  __device__ void store(const array<Bits, Items> &own, const array<uint32_t, Items> &kept, const Segment &segment,
                        uint32_t wanted) {
    Bits *const bits = storage_.bits[group()];
    uint32_t *const places = storage_.places[group()];
    uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const uint32_t slot = count + __popc(kept[i] & lanes_below());
      if ((kept[i] >> lane() & 1) != 0) bits[slot] = own[i], places[slot] = place(i);
      count += __popc(kept[i]);
    }
    __syncwarp();
#pragma unroll 1
    for (uint32_t i = uint32_t(lane()); i < wanted; i += lanes)
      sink_.store(segment.out + (call_.is_sorted ? rank_of(bits, i, wanted) : i), bits[i], segment.begin + places[i]);
    __syncwarp();
  }

  static __device__ uint32_t rank_of(const Bits *bits, uint32_t i, uint32_t count) {
    const Bits own = bits[i];
    uint32_t rank = 0;
#pragma unroll 4
    for (uint32_t j = 0; j < count; ++j) rank += bits[j] < own || (bits[j] == own && j < i);
    return rank;
  }

  TempStorage &storage_;
  const Sink &sink_;
  const SegmentedTopKCall &call_;
};

}  // namespace jig
