// What a warp does in either launch of a batched copy.
//
// In the first one a warp has up to 32 neighbouring buffers, one for each lane, and copies them together. Buffers that
// are long are listed; so are those of middling length where a warp has many of them, so that none has much more to do
// than others. In the second launch all warps take tiles of what is listed.
//
// `Buffers` says what a buffer's BatchedBuffer is, `Copy` how its units are copied: see batched_bytes.cuh.
#pragma once
#include <jig/agent/copy_batched/batched_list.cuh>
#include <jig/agent/copy_batched/share_runs.cuh>

namespace jig {

// Sizes below 0 are 0.
template <class Size> __device__ uint64_t units_of(Size size) {
  return size > Size(0) ? uint64_t(size) : 0;
}

template <class Policy, class Buffers, class Copy> class AgentCopyBatched {
 public:
  __device__ AgentCopyBatched(typename Copy::Storage &shared, const BatchedCall &call, const Buffers &buffers,
                              const Copy &copy)
      : shared_(shared), call_(call), buffers_(buffers), copy_(copy) {}

  __device__ void Run(uint64_t warp) {
    const uint64_t number = warp * call_.each + ptx::lane_id();
    BatchedBuffer mine{0, 0, 0};
    if (ptx::lane_id() < call_.each && number < call_.num_buffers) mine = buffers_[number];
    const bool is_long = is_listed(mine.size);
    BatchedList(call_).Put(number, is_long ? copy_.tiles_of(mine) : 0);
    if (is_long) mine.size = 0;
    copy_.Share(shared_, mine);
  }

 private:
  __device__ bool is_listed(uint64_t size) const {
    if (!__any_sync(full_warp, size > Policy::few_units)) return false;
    const bool is_long = size > Policy::most_units;
    uint32_t sum = is_long ? 0 : size;
#pragma unroll
    for (int delta = 1; delta < warp_threads; delta *= 2) sum += __shfl_xor_sync(full_warp, sum, delta);
    return is_long || (sum > Policy::most_of_warp && size > Policy::few_units);
  }

  typename Copy::Storage &shared_;
  const BatchedCall &call_;
  const Buffers &buffers_;
  const Copy &copy_;
};

template <class Buffers, class Copy> class AgentCopyBatchedLong {
 public:
  __device__ AgentCopyBatchedLong(const BatchedCall &call, const Buffers &buffers, const Copy &copy)
      : list_(call), buffers_(buffers), copy_(copy) {}

  // Warps share most tiles out evenly: each has some that follow one another, and looks for the first one's buffer
  // only. The rest they draw, as multiprocessors are not equally fast.
  __device__ void Run(uint64_t warp, uint64_t warps) const {
    const uint64_t tiles = list_.tiles();
    const uint64_t shared = tiles < warps * min_tiles ? tiles : tiles - tiles / drawn_share;
    uint64_t first = shared * warp / warps, count = shared * (warp + 1) / warps - first;
#pragma unroll 1
    while (first < tiles) {
      if (count > 0) Tiles(first, count);
      if (shared == tiles) return;
      count = ceil_div(tiles - shared, warps * draws);
      first = shared + list_.Draw(count);
      if (first < tiles) count = min_of(tiles - first, count);
    }
  }

 private:
  // So many tiles for each warp, from which on some are drawn; of how many one; and the draws of each warp.
  static constexpr uint64_t min_tiles = 4, drawn_share = 4, draws = 2;

  __device__ void Tiles(uint64_t first, uint64_t count) const {
    uint32_t place = list_.Find(first);
#pragma unroll 1
    while (true) {
      const ListedBuffer listed = list_[place];
      const BatchedBuffer buffer = buffers_[listed.number];
      const uint64_t begin = first - listed.first_tile;
      const uint64_t here = min_of(count, copy_.tiles_of(buffer) - begin);
#pragma unroll 1
      for (uint64_t k = 0; k < here; ++k) copy_.Tile(buffer, begin + k);
      count -= here;
      if (count == 0) return;
      first += here;
      ++place;
    }
  }

  BatchedList list_;
  const Buffers &buffers_;
  const Copy &copy_;
};

}  // namespace jig
