// Lists a warp's segments by their classes for the second kernel of a segmented top-k, and cuts long ones into parts.
//
// Nothing needs to be cleared beforehand: block 0 clears what warps add to, and tells them by a tag (tile_state.cuh)
// which the second kernel retires.
#pragma once
#include <jig/agent/segmented_top_k/segmented_top_k.cuh>

namespace jig {

// Tile and Capacity: of a warp of the second kernel.
template <int Tile, int Capacity> class SegmentedTopKList {
  static constexpr uint32_t nowhere = ~uint32_t(0);
  static constexpr int last = segmented_top_k_classes - 1;

 public:
  __device__ explicit SegmentedTopKList(const SegmentedTopKCall &call) : call_(call) {}

  // By one thread of block 0, before any other waits.
  __device__ void Begin() {
    SegmentedTopKControl &control = *call_.control;
    control.cut = 0;
    control.parts_taken = 0;
    for (uint32_t &count : control.counts) count = 0;
    for (uint32_t &count : control.taken) count = 0;
    __threadfence();
    control.start.publish(0, call_.tag);
  }

  // Every lane's segment, of no items if it is not to be listed. By a whole warp.
  __device__ void Put(uint64_t number, const TopKSegment &segment) {
    const bool is_in = segment.length > 0;
    if (!__any_sync(full_warp, is_in)) return;
    await_by_warp(call_.control->start, call_.tag);
    const bool fits = segmented_top_k_fits(segment.length, call_.k, uint64_t(Capacity) << last);
    bool is_left = is_in;
#pragma unroll 1
    for (uint32_t longs = __ballot_sync(full_warp, is_in && fits && segment.length > call_.part_items); longs != 0;
         longs &= longs - 1) {
      const int lane = __ffs(int(longs)) - 1;
      const bool was_cut = cut(__shfl_sync(full_warp, number, lane), {__shfl_sync(full_warp, segment.begin, lane),
                                                                    __shfl_sync(full_warp, segment.length, lane)});
      if (int(ptx::lane_id()) == lane) is_left = !was_cut;
    }
    const int mine = is_left ? segmented_top_k_list_of(segment.length, call_.k, Tile, Capacity) : -1;
#pragma unroll 1
    for (int c = 0; c < segmented_top_k_lists; ++c) {
      const uint32_t slot = slot_in(c, mine == c);
      if (slot < call_.capacities[c]) call_.lists[c][slot] = number;
    }
  }

 private:
  // Where a segment goes that is in a list; if it is not, behind all. What there is no room for is left out: more items
  // than was said.
  __device__ uint32_t slot_in(int list, bool is_in) {
    const uint32_t lanes = __ballot_sync(full_warp, is_in);
    if (lanes == 0) return nowhere;
    uint32_t first = 0;
    if (ptx::lane_id() == 0) first = ptx::fetch_add_relaxed_gpu(&call_.control->counts[list], __popc(lanes));
    first = __shfl_sync(full_warp, first, 0);
    return is_in ? first + __popc(lanes & ptx::lanes_below()) : nowhere;
  }

  // One for the whole warp; whether there was room.
  __device__ bool cut(uint64_t number, const TopKSegment &segment) {
    const uint64_t parts = ceil_div(segment.length, call_.part_items);
    if (parts > call_.max_parts) return false;
    uint64_t before = 0;
    if (ptx::lane_id() == 0) before = ptx::fetch_add_relaxed_gpu(&call_.control->cut, uint64_t(1) << 32 | parts);
    before = __shfl_sync(full_warp, before, 0);
    const uint64_t owner = before >> 32, first = uint32_t(before);
    const bool fits = first + parts <= call_.max_parts;
#pragma unroll 1
    for (uint64_t p = ptx::lane_id(); p < parts && first + p < call_.max_parts; p += warp_threads)
      call_.parts[first + p] = fits ? owner << 32 | p : ~uint64_t(0);
    if (fits && ptx::lane_id() == 0)
      call_.cuts[owner] = {number, segment.begin, segment.length, uint32_t(first), uint32_t(parts), 0};
    return fits;
  }

  const SegmentedTopKCall &call_;
};

}  // namespace jig
