// Where the tiles of a pipeline (pipeline.cuh) come from: items in memory, so many for a tile. They are copied in
// bulk where their alignment allows; the workers fetch what is not copied so, and the last tile if it is not
// full.
//
// A tile may be copied in warp tiles that do not adjoin in the stage; and each warp tile with the vector in front of
// it, so that what depends on the item before is there, too. The first one of all has none.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Item, int TileItems, bool WithVectorBefore = false, int WarpTiles = 1> class PipelineSource {
  static constexpr uint32_t tile_bytes = sizeof(Item) * TileItems, warp_tile_bytes = tile_bytes / WarpTiles;

 public:
  static constexpr int bytes_before = WithVectorBefore ? 16 : 0;
  static_assert(!WithVectorBefore || 16 % sizeof(Item) == 0, "whole items in a vector");

  __device__ PipelineSource(const Pointer<Item> &in, uint64_t num_items)
      : in_(in), num_items_(num_items), copies_(in.vectorizable()) {}

  __device__ uint32_t num_tiles() const { return uint32_t(ceil_div(num_items_, uint64_t(TileItems))); }

  __device__ bool copied(uint32_t tile) const {
    return copies_ && (uint64_t(tile) + 1) * TileItems <= num_items_;
  }

  __device__ void Prefetch(uint32_t tile) const {
    if (copied(tile)) ptx::bulk_prefetch(in_.data + uint64_t(tile) * TileItems, tile_bytes);
  }

  // By one thread, which arrives at the barrier once. What bytes_before there are go in front of the items.
  __device__ void Load(void *items, uint32_t tile, uint64_t *barrier) const {
    ptx::mbarrier_arrive_expect(barrier, bytes(tile));
    Copy(items, tile, barrier);
  }

  // The same in two steps, for several sources whose copies share a barrier: it expects all their bytes.
  __device__ uint32_t bytes(uint32_t tile) const {
    return copied(tile) ? tile_bytes + WarpTiles * bytes_before - (tile == 0 ? bytes_before : 0) : 0;
  }
  // `stride` is how many bytes one warp tile is behind another.
  __device__ void Copy(void *items, uint32_t tile, uint64_t *barrier, uint32_t stride = 0) const {
    if (!copied(tile)) return;
    const unsigned char *from = reinterpret_cast<const unsigned char *>(in_.data + uint64_t(tile) * TileItems);
    unsigned char *to = static_cast<unsigned char *>(items);
#pragma unroll 1
    for (int p = 0; p < WarpTiles; ++p) {
      const int before = tile > 0 || p > 0 ? bytes_before : 0;
      ptx::bulk_copy(to - before, from - before, warp_tile_bytes + before, barrier);
      from += warp_tile_bytes;
      to += stride;
    }
  }

 private:
  const Pointer<Item> &in_;
  uint64_t num_items_;
  bool copies_;
};

}  // namespace jig
