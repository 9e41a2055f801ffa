// What the first launch of a batched copy leaves to the second one: long buffers, listed with the tiles they have.
//
// Nothing needs to be cleared beforehand: block 0 clears the counter and tells warps that list something by a tag
// (tile_state.cuh), which the second launch retires.
#pragma once
#include <jig/core/tile_state.cuh>
#include <jig/warp/inclusive_sum.cuh>

namespace jig {

// One of the buffers of a call: what it is copied from and to (addresses, or indices of items), and its units: bytes,
// or items.
struct BatchedBuffer {
  uint64_t from, to, size;
};

struct alignas(256) BatchedControl {
  TileState<uint32_t> start;  // there when the counter is 0
  uint64_t listed;            // buffers << batched_tile_bits | tiles of all of them
  uint64_t taken;             // tiles that warps have drawn
};

// Destinations do not overlap, so that no memory has room for as many buffers or tiles as would overflow.
constexpr int batched_tile_bits = 33;

struct alignas(16) ListedBuffer {
  uint64_t first_tile, number;
};

// The same as batched_call in src/algorithm/batched.h.
struct BatchedCall {
  BatchedControl *control;
  ListedBuffer *list;  // with room for all buffers
  uint64_t tag, num_buffers;
  uint32_t each;  // buffers of a warp of the first launch
  uint32_t unused;
  const uint64_t *num_buffers_in;  // where num_buffers is, if only the GPU knows it
};

class BatchedList {
 public:
  __device__ explicit BatchedList(const BatchedCall &call) : call_(call) {}

  // By one thread of block 0, before any other waits.
  __device__ void Begin() {
    call_.control->listed = call_.control->taken = 0;
    __threadfence();
    call_.control->start.publish(0, call_.tag);
  }
  // By one thread of the second launch.
  __device__ void End() { call_.control->start.retire(call_.tag); }

  // Lists a buffer for each lane, or none if it has no tiles. By a whole warp.
  __device__ void Put(uint64_t number, uint64_t tiles) {
    const uint32_t lanes = __ballot_sync(full_warp, tiles > 0);
    if (lanes == 0) return;
    const int lane = ptx::lane_id();
    uint64_t through = inclusive_sum(tiles);
    uint64_t before = 0;
    if (lane == warp_threads - 1) {
      await_start();
      before =
          ptx::fetch_add_relaxed_gpu(&call_.control->listed, uint64_t(__popc(lanes)) << batched_tile_bits | through);
    }
    before = __shfl_sync(full_warp, before, warp_threads - 1);
    if (tiles > 0)
      call_.list[(before >> batched_tile_bits) + __popc(lanes & ptx::lanes_below())] =
          ListedBuffer{tiles_in(before) + through - tiles, number};
  }

  // In the second launch: how many tiles there are.
  __device__ uint64_t tiles() const { return tiles_in(call_.control->listed); }

  // Draws so many tiles, for a whole warp; how many have been drawn before.
  __device__ uint64_t Draw(uint64_t tiles) const {
    uint64_t before = 0;
    if (ptx::lane_id() == 0) before = ptx::fetch_add_relaxed_gpu(&call_.control->taken, tiles);
    return __shfl_sync(full_warp, before, 0);
  }

  __device__ ListedBuffer operator[](uint64_t place) const { return call_.list[place]; }

  // Where the one is that has this tile. By a whole warp, which looks at 32 at a time.
  __device__ uint64_t Find(uint64_t tile) const {
    uint64_t first = 0, count = call_.control->listed >> batched_tile_bits;
    const int lane = ptx::lane_id();
#pragma unroll 1
    while (count > 1) {
      const uint64_t step = ceil_div(count, uint64_t(warp_threads)), mine = lane * step;
      const bool begins = mine < count && call_.list[first + mine].first_tile <= tile;
      const uint64_t part = (__popc(__ballot_sync(full_warp, begins)) - 1) * step;
      first += part;
      count = min_of(step, count - part);
    }
    return first;
  }

 private:
  static __device__ uint64_t tiles_in(uint64_t listed) { return listed & (uint64_t(1) << batched_tile_bits) - 1; }

  __device__ void await_start() {
    uint32_t nothing;
    while (!call_.control->start.try_take(nothing, call_.tag)) continue;
    __threadfence();
  }

  const BatchedCall &call_;
};

}  // namespace jig
