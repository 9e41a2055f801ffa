// Where the tiles of a ring (ring.cuh) come from: items in memory, so many for a tile. They are copied in
// bulk where their alignment allows; the workers fetch what is not copied so, and the last tile if it is not
// full.
#pragma once
#include <jig/core/iterator/pointer.cuh>
#include <jig/core/ptx.cuh>

namespace jig {

template <class Item, int TileItems> class RingSource {
  static constexpr uint32_t tile_bytes = sizeof(Item) * TileItems;

 public:
  __device__ RingSource(const Pointer<Item> &in, uint64_t num_items)
      : in_(in), num_items_(num_items), copies_(in.vectorizable()) {}

  __device__ uint32_t num_tiles() const { return uint32_t(ceil_div(num_items_, uint64_t(TileItems))); }

  __device__ bool copied(uint32_t tile) const {
    return copies_ && (uint64_t(tile) + 1) * TileItems <= num_items_;
  }

  __device__ void Prefetch(uint32_t tile) const {
    if (copied(tile)) ptx::bulk_prefetch(in_.data + uint64_t(tile) * TileItems, tile_bytes);
  }

  // By one thread, which arrives at the barrier once.
  __device__ void Load(void *items, uint32_t tile, uint64_t *barrier) const {
    if (copied(tile)) {
      ptx::mbarrier_arrive_expect(barrier, tile_bytes);
      ptx::bulk_copy(items, in_.data + uint64_t(tile) * TileItems, tile_bytes, barrier);
    } else {
      ptx::mbarrier_arrive(barrier);
    }
  }

 private:
  const Pointer<Item> &in_;
  uint64_t num_items_;
  bool copies_;
};

}  // namespace jig
