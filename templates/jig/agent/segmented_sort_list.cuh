// Lists a warp's segments by their lengths, for the second kernel of a segmented sort; large ones with their tiles.
//
// Nothing needs to be cleared beforehand: block 0 clears what warps add to, and tells them by a tag (tagged.cuh)
// which the last block retires.
#pragma once
#include <jig/agent/segmented_sort.cuh>

namespace jig {

class SegmentedSortList {
 public:
  __device__ explicit SegmentedSortList(const SegmentedSortCall &call) : call_(call) {}

  // By one thread of block 0, before any other waits.
  __device__ void Begin() {
    SegmentedSortControl &control = *call_.control;
    control.large = 0;
    control.draws = 0;
    for (uint32_t &count : control.counts) count = 0;
    for (uint32_t &count : control.taken) count = 0;
    __threadfence();
    control.start.publish(0, call_.sort.tag);
  }

  // Every lane's segment, of more than 0 items if it is to be listed. By a whole warp.
  __device__ void Put(uint64_t begin, uint64_t length) {
    if (!__any_sync(full_warp, length > 0)) return;
    if (ptx::lane_id() == 0) await_start();
    __syncwarp();
    uint64_t most = call_.class_items;
    bool is_left = length > 0;
    for (int c = 0; c < call_.classes; ++c, most *= 2) {
      put_in(c, is_left && length <= most, ListedSegment::pack(begin, length));
      is_left = is_left && length > most;
    }
    for (uint32_t left = __ballot_sync(full_warp, is_left); left != 0; left &= left - 1) {
      const int lane = __ffs(left) - 1;
      put_large(__shfl_sync(full_warp, begin, lane), __shfl_sync(full_warp, length, lane));
    }
  }

  // By one thread of each block, when all its warps are done.
  __device__ void End() {
    await_start();
    if (ptx::count_relaxed_gpu(&call_.control->draws) == gridDim.x - 1) call_.control->start.retire(call_.sort.tag);
  }

 private:
  __device__ void await_start() {
    uint32_t nothing;
    while (!call_.control->start.try_take(nothing, call_.sort.tag)) continue;
    __threadfence();
  }

  // What there is no room for is left out: segments that overlap, then, or more items than was said.
  __device__ void put_in(int c, bool is_in, uint64_t segment) {
    const uint32_t lanes = __ballot_sync(full_warp, is_in);
    if (lanes == 0) return;
    uint32_t first = 0;
    if (ptx::lane_id() == 0) first = ptx::fetch_add_relaxed_gpu(&call_.control->counts[c], __popc(lanes));
    first = __shfl_sync(full_warp, first, 0);
    const uint32_t slot = first + __popc(lanes & ptx::lanes_below());
    if (is_in && slot < call_.capacities[c]) call_.lists[c][slot] = segment;
  }

  // One for the whole warp.
  __device__ void put_large(uint64_t begin, uint64_t length) {
    const uint64_t tiles = ceil_div(length, uint64_t(call_.tile_items));
    if (tiles > call_.max_tiles) return;
    uint64_t before = 0;
    if (ptx::lane_id() == 0) before = ptx::fetch_add_relaxed_gpu(&call_.control->large, uint64_t(1) << 32 | tiles);
    before = __shfl_sync(full_warp, before, 0);
    const uint32_t number = uint32_t(before >> 32), first = uint32_t(before);
    const bool fits = number < call_.max_large && first + tiles <= call_.max_tiles;
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
    const int passes = SegmentedSortPasses{call_.sort}.range().passes();
    ulonglong2 *bins = reinterpret_cast<ulonglong2 *>(call_.bins + uint64_t(number) * passes * radix_digits);
    for (int i = ptx::lane_id(); i < passes * radix_digits / 2; i += warp_threads) bins[i] = ulonglong2{0, 0};
  }

  const SegmentedSortCall &call_;
};

}  // namespace jig
