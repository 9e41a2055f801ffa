// Lists a warp's segments by their lengths, for the second kernel of a segmented sort; large ones with their tiles.
//
// Nothing needs to be cleared beforehand: block 0 clears what warps add to, and tells them by a tag (tile_state.cuh)
// which the second kernel retires.
#pragma once
#include <jig/agent/segmented_sort/segmented_sort.cuh>

namespace jig {

class SegmentedSortList {
 public:
  __device__ explicit SegmentedSortList(const SegmentedSortCall &call) : call_(call) {}

  // By one thread of block 0, before any other waits.
  __device__ void Begin() {
    SegmentedSortControl &control = *call_.control;
    control.large = 0;
    for (uint32_t &count : control.counts) count = 0;
    for (uint32_t &count : control.taken) count = 0;
    __threadfence();
    control.start.publish(0, call_.sort.tag);
  }

  // Every lane's segment, of more than 0 items if it is to be listed. By a whole warp.
  __device__ void Put(uint64_t begin, uint64_t length) {
    if (!__any_sync(full_warp, length > 0)) return;
    await_by_warp(call_.control->start, call_.sort.tag);
    uint64_t most = call_.class_items;
    bool is_left = length > 0;
#pragma unroll 1
    for (int c = 0; c < call_.classes; ++c, most *= 2) {
      const uint32_t slot = slot_in(c, is_left && length <= most);
      if (slot < call_.capacities[c]) call_.lists[c][slot] = ListedSegment::pack(begin, length);
      is_left = is_left && length > most;
    }
    const uint32_t slot = slot_in(segmented_sort_classes, is_left && length <= call_.long_items);
    if (slot < call_.max_long) call_.long_list[slot] = ulonglong2{begin, length};
    is_left = is_left && length > call_.long_items;
#pragma unroll 1
    for (uint32_t left = __ballot_sync(full_warp, is_left); left != 0; left &= left - 1) {
      const int lane = __ffs(left) - 1;
      put_large(__shfl_sync(full_warp, begin, lane), __shfl_sync(full_warp, length, lane));
    }
  }

 private:
  // Where a segment goes that is in a list; if it is not, behind all. What there is no room for is left out: segments
  // that overlap, then, or more items than was said.
  __device__ uint32_t slot_in(int list, bool is_in) {
    const uint32_t lanes = __ballot_sync(full_warp, is_in);
    if (lanes == 0) return no_segment;
    uint32_t first = 0;
    if (ptx::lane_id() == 0) first = ptx::fetch_add_relaxed_gpu(&call_.control->counts[list], __popc(lanes));
    first = __shfl_sync(full_warp, first, 0);
    return is_in ? first + __popc(lanes & ptx::lanes_below()) : no_segment;
  }

  // One for the whole warp.
  __device__ void put_large(uint64_t begin, uint64_t length) {
    if (call_.max_tiles == 0) return;
    const uint64_t tiles = ceil_div(length, uint64_t(call_.tile_items));
    if (tiles > call_.max_tiles) return;
    uint64_t before = 0;
    if (ptx::lane_id() == 0) before = ptx::fetch_add_relaxed_gpu(&call_.control->large, uint64_t(1) << 32 | tiles);
    before = __shfl_sync(full_warp, before, 0);
    const uint32_t number = uint32_t(before >> 32), first = uint32_t(before);
    const bool fits = number < call_.max_large && first + tiles <= call_.max_tiles;
#pragma unroll 1
    for (uint64_t t = first + ptx::lane_id(); t < min_of(first + tiles, uint64_t(call_.max_tiles)); t += warp_threads)
      call_.tile_owners[t] = fits ? number : no_segment;
    if (!fits) return;
    if (ptx::lane_id() == 0) {
      LargeSegment &segment = call_.large[number];
      segment.begin = begin;
      segment.length = length;
      segment.first_tile = first;
      segment.tiles = uint32_t(tiles);
      segment.counted = segment.done = 0;
    }
    const int words = SegmentedSortPasses{call_.sort}.range().passes() * radix_digits;
    const int quads = words * (call_.has_wide_words ? 8 : 4) / int(sizeof(uint4));
    uint4 *bins = static_cast<uint4 *>(call_.bins) + uint64_t(number) * quads;
#pragma unroll 1
    for (int i = ptx::lane_id(); i < quads; i += warp_threads) bins[i] = uint4{0, 0, 0, 0};
  }

  const SegmentedSortCall &call_;
};

}  // namespace jig
